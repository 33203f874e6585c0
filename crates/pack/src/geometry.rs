//! Who attacks whom, for the 64 squares of the column man at once.

use molien_board::{Bitboard, Color, Man, Role, Square, attacks};

use crate::men::{MAX_MEN, Men};

/// One row of a tile.
#[derive(Clone, Debug)]
pub(crate) struct Geometry {
    /// Squares of all men but the column man.
    pub squares: [Square; MAX_MEN],
    /// Squares of all men but the column man.
    pub occupied: Bitboard,
    /// `attacks[a][b]`: the squares of the column man with which man a attacks
    /// man b. Bits of occupied squares mean nothing.
    pub attacks: [[u64; MAX_MEN]; MAX_MEN],
}

/// What a man attacks.
#[inline]
pub(crate) fn attacked_by(man: Man, square: Square, occupied: Bitboard) -> Bitboard {
    match man.role {
        Role::Pawn => attacks::pawn(man.color, square),
        role => attacks::attacks(role, square, occupied),
    }
}

impl Geometry {
    /// Of the fixed men of a tile alone.
    pub fn of_fixed(men: &Men, squares: [Square; MAX_MEN], occupied: Bitboard) -> Geometry {
        let attacks = [[0; MAX_MEN]; MAX_MEN];
        let mut geometry = Geometry { squares, occupied, attacks };
        for a in 0..men.fixed() {
            geometry.set_attacks(men, a, men.fixed());
            geometry.set_attacks_of_column(men, a);
        }
        geometry
    }

    /// Goes to another row of the tile with these fixed men.
    pub fn set_row(&mut self, men: &Men, fixed: &Geometry, square: Square) {
        let (Some(row), column) = (men.row(), men.column()) else { return };
        self.squares[row] = square;
        self.occupied = fixed.occupied;
        self.occupied.insert(square);
        for (attacks, fixed) in self.attacks.iter_mut().zip(&fixed.attacks).take(men.count()) {
            *attacks = *fixed;
        }
        for a in 0..row {
            // Only those who look at the row man see anything new.
            if Bitboard(fixed.attacks[a][column]).contains(square) {
                self.set_attacks(men, a, column);
            }
            if Bitboard(fixed.attacks[column][a]).contains(square) {
                self.set_attacks_of_column(men, a);
            }
        }
        self.set_attacks(men, row, column);
        self.set_attacks_of_column(men, row);
    }

    /// Sets what a man attacks: the first men, and the column man.
    fn set_attacks(&mut self, men: &Men, a: usize, first: usize) {
        let (man, from) = (men.get(a), self.squares[a]);
        let reached = attacked_by(man, from, self.occupied);
        let sliding = man.role.is_slider();
        for b in (0..first).filter(|&b| b != a) {
            self.attacks[a][b] = match reached.contains(self.squares[b]) {
                true if sliding => !attacks::between(from, self.squares[b]).0,
                reached => u64::from(reached).wrapping_neg(),
            };
        }
        self.attacks[a][men.column()] = reached.0;
    }

    /// Sets from where the column man attacks a man: he is no pawn, so attacks run both ways.
    fn set_attacks_of_column(&mut self, men: &Men, b: usize) {
        let (column, square) = (men.column(), self.squares[b]);
        self.attacks[column][b] = attacks::attacks(men.get(column).role, square, self.occupied).0;
    }

    /// The squares of the column man that leave the side not to move out of
    /// check.
    pub fn legal(&self, men: &Men, turn: Color) -> u64 {
        let king = men.king(!turn);
        let attackers = (0..men.count()).filter(|&a| men.get(a).color == turn && a != king);
        !attackers.fold(self.occupied.0, |bad, a| bad | self.attacks[a][king])
    }

    /// The squares of the column man with which a man is attacked by an enemy
    /// and by no friend.
    pub fn loose(&self, men: &Men, man: usize) -> u64 {
        let color = men.get(man).color;
        let (mut attacked, mut defended) = (0, 0);
        for a in (0..men.count()).filter(|&a| a != man) {
            let by = self.attacks[a][man];
            if men.get(a).color == color { defended |= by } else { attacked |= by }
        }
        attacked & !defended
    }

    /// To how many squares a king can step, as bits of a number for each square
    /// of the column man: squares without a friend that no enemy attacks once the
    /// king has left.
    pub fn king_steps(&self, men: &Men, color: Color) -> [u64; 4] {
        let king = men.king(color);
        if king == men.column() {
            return self.column_king_steps(men, color);
        }
        let mut without = self.occupied;
        without.remove(self.squares[king]);
        let (free, sliders) = self.king_targets(men, king, without);
        let last = men.get(men.column());
        let mut sum = [0; 4];
        for to in free {
            let mut bad = match last.color == color {
                true => Bitboard::from_square(to).0,
                false => attacks::attacks(last.role, to, without).0,
            };
            for &(from, attacked) in sliders.as_slice() {
                let is_hit = u64::from(attacked.contains(to)).wrapping_neg();
                bad |= !attacks::between(from, to).0 & is_hit;
            }
            add(&mut sum, !bad);
        }
        sum
    }

    /// The squares next to a king that no man but the column man keeps him from for
    /// good; and what each slider of the enemy attacks of them, unless the column man
    /// comes in between.
    fn king_targets(&self, men: &Men, king: usize, without: Bitboard) -> (Bitboard, Sliders) {
        let mut free = attacks::king(self.squares[king]);
        let mut sliders = Sliders { all: [(Square::new(0), Bitboard::EMPTY); MAX_MEN], count: 0 };
        for a in (0..men.column()).filter(|&a| a != king) {
            let (man, from) = (men.get(a), self.squares[a]);
            if man.color == men.get(king).color {
                free.remove(from);
                continue;
            }
            let attacked = attacked_by(man, from, without);
            if man.role.is_slider() {
                sliders.all[sliders.count % MAX_MEN] = (from, attacked);
                sliders.count += usize::from(attacked & free != Bitboard::EMPTY);
            } else {
                free -= attacked;
            }
        }
        (free, sliders)
    }

    /// The same where the king is the column man.
    fn column_king_steps(&self, men: &Men, color: Color) -> [u64; 4] {
        let mut free = !0;
        for a in 0..men.column() {
            let (man, from) = (men.get(a), self.squares[a]);
            free &= match man.color == color {
                true => !Bitboard::from_square(from).0,
                false => !attacked_by(man, from, self.occupied).0,
            };
        }
        let mut sum = [0; 4];
        for &step in Role::King.directions() {
            add(&mut sum, crate::scan::shifted(free, step));
        }
        sum
    }
}

/// Some sliders: where they stand, and what they attack.
struct Sliders {
    all: [(Square, Bitboard); MAX_MEN],
    count: usize,
}

impl Sliders {
    fn as_slice(&self) -> &[(Square, Bitboard)] {
        &self.all[..self.count.min(MAX_MEN)]
    }
}

/// Adds 1 to the numbers at the set bits.
#[inline]
fn add(sum: &mut [u64; 4], bits: u64) {
    let mut carry = bits;
    for plane in sum {
        (*plane, carry) = (*plane ^ carry, *plane & carry);
    }
}

/// Where a number given by its bits is at most this.
#[inline]
pub(crate) fn at_most(bits: &[u64; 4], limit: u8) -> u64 {
    let (mut less, mut equal) = (0, !0);
    for (i, plane) in bits.iter().enumerate().rev() {
        if limit >> i & 1 != 0 {
            less |= equal & !plane;
            equal &= plane;
        } else {
            equal &= !plane;
        }
    }
    less | equal
}
