//! Pawns on one file that face each other: a siege.
//!
//! Neither pawn gets past the other until a king takes one, so nothing happens
//! on the board but kings walking around two pawns that have a few steps to
//! spare; once a pawn is taken, the one-pawn rules say what the other is worth.
//! That game of kings is small enough to be thought through to its end: for
//! pawns that touch each other first, then with one square between them, and
//! so on. It is done when pawns on a file first face each other; nothing is
//! stored with the program.

use std::sync::OnceLock;

use molien_board::{Bitboard, Color, Square, attacks};

use super::{Bounds, Duel, DuelRule};
use crate::geometry::{neighbours, pawn_guard, up, zone};
use crate::one_pawn::OnePawn;

/// Sieges by the file of the pawns, on the left half of the board.
static SIEGES: [OnceLock<Box<Sieges>>; 4] = [const { OnceLock::new() }; 4];

/// All sieges of a file, by the ranks of the pawns.
type Sieges = [[Siege; 8]; 8];

/// How the siege of two pawns ends, White to move.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Siege {
    /// By White's king: where Black's king loses.
    won: [u64; 64],
    /// By White's king: where Black's king wins.
    lost: [u64; 64],
}

impl Duel {
    pub(super) fn blocked_rules(self, bounds: &mut Bounds) {
        let mirror = if self.pawn.file() > 3 { 7 } else { 0 };
        let file = self.pawn.file() ^ mirror;
        let sieges = SIEGES[file as usize].get_or_init(|| all_sieges(file));
        let siege = &sieges[self.pawn.rank() as usize][self.rival.rank() as usize];
        let king = self.king.index() ^ mirror as usize;
        let enemy = self.enemy.index() ^ mirror as usize;
        if siege.won[king] >> enemy & 1 != 0 {
            bounds.at_least(1, DuelRule::CatchesAndWins);
        } else if siege.lost[king] >> enemy & 1 != 0 {
            bounds.at_most(-1, DuelRule::CatchesAndWins);
        } else {
            bounds.at_least(0, DuelRule::Blocked);
            bounds.at_most(0, DuelRule::Blocked);
        }
    }
}

/// Thinks the sieges of a file through, those with fewer pawn moves left first.
fn all_sieges(file: i32) -> Box<Sieges> {
    let open = Siege { won: [0; 64], lost: [0; 64] };
    let mut sieges = Box::new([[open; 8]; 8]);
    for gap in 1..=5 {
        loop {
            let mut changed = false;
            for low in 1..=6 - gap {
                let before = sieges[low][low + gap];
                let after = Pawns::new(file, low, low + gap).siege(&sieges);
                sieges[low][low + gap] = after;
                changed |= before != after;
            }
            if !changed {
                break;
            }
        }
    }
    sieges
}

/// Two pawns that face each other, and what of White's moves does not depend
/// on the kings.
struct Pawns {
    pawn: Square,
    rival: Square,
    guarded: Bitboard,
}

impl Pawns {
    fn new(file: i32, low: usize, high: usize) -> Pawns {
        let at = |rank: usize| Square::new(8 * rank + file as usize);
        let (pawn, rival) = (at(low), at(high));
        Pawns { pawn, rival, guarded: attacks::pawn(Color::Black, rival) }
    }

    /// What is known after one more move, given what was known before.
    fn siege(&self, sieges: &Sieges) -> Siege {
        let (mut won, mut lost) = ([0; 64], [0; 64]);
        for enemy in Square::all() {
            let men = [self.pawn, self.rival];
            if !men.contains(&enemy) && !pawn_guard(self.pawn).contains(enemy) {
                let (wins, losses) = self.against(enemy, sieges);
                (won[enemy.index()], lost[enemy.index()]) = (wins.0, losses.0);
            }
        }
        Siege { won: transposed(won), lost: transposed(lost) }
    }

    /// Where White's king wins and loses against this king.
    fn against(&self, enemy: Square, sieges: &Sieges) -> (Bitboard, Bitboard) {
        let men = Bitboard::from_square(self.pawn) | Bitboard::from_square(self.rival);
        let mut moves = Moves::default();
        let (losing, winning) = self.answers(self.pawn, enemy, sieges);
        let free = !zone(enemy) - self.guarded - men;
        moves.add(neighbours(free & losing), neighbours(free - winning), neighbours(free));
        if enemy.distance(self.rival) > 1 {
            let near = attacks::king(self.rival);
            let after = OnePawn { king: self.rival, pawn: self.pawn, enemy };
            moves.add(if after.wins(false) { near } else { Bitboard::EMPTY }, near, near);
        }
        for push in self.pushes(enemy) {
            let (losing, winning) = self.answers(push, enemy, sieges);
            let step = Bitboard::from_square(up(self.pawn, 1)) | Bitboard::from_square(push);
            let from = !step - self.guarded;
            moves.add(from & losing, from - winning, from);
        }
        let legal = !zone(enemy) - men;
        let stuck = !moves.any - self.guarded;
        (moves.winning & legal, legal - moves.saving - stuck)
    }

    /// With White's pawn on `pawn` and Black to move: the squares of White's
    /// king where Black loses, and where Black wins.
    fn answers(&self, pawn: Square, enemy: Square, sieges: &Sieges) -> (Bitboard, Bitboard) {
        let turned = |square: Square| square.flip_vertical().rank() as usize;
        let siege = &sieges[turned(self.rival)][turned(pawn)];
        let black = enemy.flip_vertical().index();
        let seen = |set: u64| Bitboard(set).flip_vertical();
        (seen(siege.lost[black]), seen(siege.won[black]))
    }

    /// Where the pawn can go, as far as this king and the rival let it.
    fn pushes(&self, enemy: Square) -> impl Iterator<Item = Square> + use<> {
        let (pawn, stops) = (self.pawn, [self.rival, enemy]);
        let steps = if pawn.rank() == 1 { 2 } else { 1 };
        (1..=steps).map(move |step| up(pawn, step)).take_while(move |to| !stops.contains(to))
    }
}

/// From where White's king has a move that wins, one that does not lose, any.
#[derive(Default)]
struct Moves {
    winning: Bitboard,
    saving: Bitboard,
    any: Bitboard,
}

impl Moves {
    fn add(&mut self, winning: Bitboard, saving: Bitboard, any: Bitboard) {
        self.winning |= winning;
        self.saving |= saving;
        self.any |= any;
    }
}

/// Rows and columns exchanged.
fn transposed(rows: [u64; 64]) -> [u64; 64] {
    let mut columns = [0; 64];
    for (row, bits) in rows.into_iter().enumerate() {
        for column in Bitboard(bits) {
            columns[column.index()] |= 1 << row;
        }
    }
    columns
}
