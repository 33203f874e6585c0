//! The rule of the square, remembered.
//!
//! Whether a pawn runs home is asked of every position, often more than once.
//! The answers for every placement of the kings are worked out when a pawn on
//! that square is first met.

use std::sync::OnceLock;

use molien_board::Square;

use super::Duel;

/// For one pawn, by who is to move and White's king: where Black's king does
/// not catch it.
type Squares = [[u64; 64]; 2];

/// Pawns on the left half; the others are mirrored.
static REMEMBERED: [OnceLock<Box<Squares>>; 32] = [const { OnceLock::new() }; 32];

impl Duel {
    /// White's pawn queens when White does nothing else and Black's king does
    /// everything to catch it.
    pub(crate) fn runs_home(self, first: bool) -> bool {
        let Duel { king, pawn, enemy, rival } = self;
        let ahead = |square: Square| square.file() == pawn.file() && square.rank() > pawn.rank();
        if ahead(king) || ahead(rival) {
            return self.runs_when_tried(first);
        }
        let mirror = if pawn.file() > 3 { 7 } else { 0 };
        let squares = squares(pawn.index() ^ mirror);
        let free = squares[usize::from(first)][king.index() ^ mirror];
        free >> (enemy.index() ^ mirror) & 1 != 0
    }
}

/// What is remembered of a pawn of the left half.
#[inline]
fn squares(pawn: usize) -> &'static Squares {
    REMEMBERED[(pawn >> 3) * 4 + (pawn & 3)].get_or_init(|| Box::new(try_all(Square::new(pawn))))
}

/// Tries every placement of the kings, nobody being in the pawn's way.
fn try_all(pawn: Square) -> Squares {
    let mut squares = [[0; 64]; 2];
    let behind = Square::new(pawn.file() as usize);
    for king in Square::all() {
        for enemy in Square::all().filter(|enemy| king.distance(*enemy) > 1 && *enemy != pawn) {
            let men = Duel { king, pawn, enemy, rival: behind };
            for first in [false, true] {
                let runs = king != pawn && men.runs_when_tried(first);
                squares[usize::from(first)][king.index()] |= u64::from(runs) << enemy.index();
            }
        }
    }
    squares
}
