//! One tile: its fixed men, and which of its cells hold a position.

use molien_board::{Bitboard, Color, Man, Role, Square, Symmetry, attacks};

use crate::format::layout::Layout;

/// One bit for each cell of a tile: a word per row, a bit per column.
pub(crate) type Mask = [u64; 64];

/// A tile with its fixed men.
#[derive(Clone, Debug)]
pub(crate) struct TileMen {
    /// Outer men, then pawns or kings.
    pub fixed: Vec<(Man, Square)>,
    pub occupied: Bitboard,
    pub row: Option<Man>,
    pub column: Man,
    /// The cells whose men stand on different squares, like men in rising
    /// order, and not after their mirror image where the tile has one.
    unique: Mask,
}

impl TileMen {
    /// `None` if no cell of the tile is stored.
    pub fn new(
        fixed: Vec<(Man, Square)>,
        layout: &Layout,
        mirror: Option<Symmetry>,
    ) -> Option<TileMen> {
        let mut occupied = Bitboard::EMPTY;
        for &(_, square) in &fixed {
            if occupied.contains(square) {
                return None;
            }
            occupied.insert(square);
        }
        let (row, column) = (layout.row(), layout.column()?);
        let mut tile = TileMen { fixed, occupied, row, column, unique: [0; 64] };
        let outer = layout.outer_len();
        let rising = |(i, (man, square)): (usize, &(Man, Square))| {
            tile.fixed[..i].iter().all(|(other, before)| other != man || before < square)
        };
        if !tile.fixed[..outer].iter().enumerate().all(rising) {
            return None;
        }
        tile.unique = tile.unique_cells(outer);
        if let Some(mirror) = mirror {
            tile.keep_first_images(layout, mirror);
        }
        (tile.unique != [0; 64]).then_some(tile)
    }

    pub fn rows(&self) -> usize {
        if self.row.is_some() { 64 } else { 1 }
    }

    /// Squares above all outer men like this one.
    fn above_like(&self, man: Man, outer: usize) -> u64 {
        let like = self.fixed[..outer].iter().filter(|(other, _)| *other == man);
        like.fold(!0, |set, (_, square)| set & above(*square))
    }

    fn unique_cells(&self, outer: usize) -> Mask {
        let mut unique = [0; 64];
        let columns = !self.occupied.0 & self.above_like(self.column, outer);
        let Some(row) = self.row else {
            unique[0] = columns;
            return unique;
        };
        let rows = !self.occupied.0 & self.above_like(row, outer);
        for square in Bitboard(rows) {
            let word = columns & !Bitboard::from_square(square).0;
            unique[square.index()] = if row == self.column { word & above(square) } else { word };
        }
        unique
    }

    /// Where the fixed men are their own mirror image, a placement and its
    /// image both lie in the part: keeps the one whose squares come first.
    fn keep_first_images(&mut self, layout: &Layout, mirror: Symmetry) {
        let outer = layout.outer_len();
        for r in 0..self.rows() {
            let mut kept = 0;
            for c in Bitboard(self.unique[r]) {
                let mut squares = [Square::new(0); 8];
                for i in 0..outer {
                    squares[i] = self.fixed[i].1;
                }
                let in_tile = [Square::new(r), c];
                let skip = usize::from(self.row.is_none());
                for (i, square) in in_tile[skip..].iter().enumerate() {
                    squares[outer + i] = *square;
                }
                let men = layout.men.len();
                let own = &squares[..men];
                if !comes_after(&layout.men, own, mirror) {
                    kept |= Bitboard::from_square(c).0;
                }
            }
            self.unique[r] = kept;
        }
    }

    /// The cells that are legal positions with this side to move.
    pub fn stored(&self, turn: Color) -> Mask {
        let mut mask = self.unique;
        let attackers: Vec<(Man, Square)> =
            self.fixed.iter().copied().filter(|(man, _)| man.color == turn).collect();
        let target = Man::new(!turn, Role::King);
        let fixed_king = self.fixed.iter().find(|(man, _)| *man == target).map(|(_, s)| *s);
        for r in 0..self.rows() {
            if mask[r] == 0 {
                continue;
            }
            let row = self.row.map(|man| (man, Square::new(r)));
            let occupied = match row {
                Some((_, square)) => self.occupied | Bitboard::from_square(square),
                None => self.occupied,
            };
            let row_attacker = row.filter(|(man, _)| man.color == turn);
            let row_king = row.filter(|(man, _)| *man == target).map(|(_, square)| square);
            let men = attackers.iter().copied().chain(row_attacker);
            mask[r] &= match fixed_king.or(row_king) {
                Some(king) => self.safe_columns(turn, king, men, occupied),
                None => {
                    let attacked = men.fold(Bitboard::EMPTY, |set, (man, square)| {
                        set | attacked_by(man, square, occupied)
                    });
                    !attacked.0
                }
            };
        }
        mask
    }

    /// The squares of the column man that leave the king out of attack.
    fn safe_columns(
        &self,
        turn: Color,
        king: Square,
        attackers: impl Iterator<Item = (Man, Square)>,
        occupied: Bitboard,
    ) -> u64 {
        let mut safe = !0;
        for (man, square) in attackers {
            if attacked_by(man, square, occupied).contains(king) {
                // Only a man in between helps; next to the king, none can be.
                safe &= match man.role.is_slider() {
                    true => attacks::between(king, square).0,
                    false => 0,
                };
            }
        }
        if self.column.color == turn && safe != 0 {
            safe &= !attacks::attacks(self.column.role, king, occupied).0;
        }
        safe
    }
}

fn attacked_by(man: Man, square: Square, occupied: Bitboard) -> Bitboard {
    match man.role {
        Role::Pawn => attacks::pawn(man.color, square),
        role => attacks::attacks(role, square, occupied),
    }
}

/// Squares with a higher number.
fn above(square: Square) -> u64 {
    (!1u64).checked_shl(square.index() as u32).unwrap_or(0)
}

/// Whether squares in file order come after those of the mirror image (like
/// men brought into rising order).
fn comes_after(men: &[Man], own: &[Square], mirror: Symmetry) -> bool {
    for i in 0..men.len() {
        // The k-th man of a kind stands on the k-th lowest square of the kind.
        let k = men[..i].iter().filter(|&&man| man == men[i]).count();
        let image: Bitboard =
            (0..men.len()).filter(|&j| men[j] == men[i]).map(|j| mirror.square(own[j])).collect();
        let image = image.into_iter().nth(k).unwrap_or(own[i]);
        if own[i] != image {
            return own[i] > image;
        }
    }
    false
}
