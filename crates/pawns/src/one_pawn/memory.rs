//! Verdicts of the one-pawn rules, remembered.
//!
//! The rules for more men ask millions of times whether a single pawn would
//! win. The answers are those of the rules, asked once for every placement of
//! the kings when a pawn on that square is first met; nothing is stored with
//! the program.

use std::sync::OnceLock;

use molien_board::{Bitboard, Square};

use super::OnePawn;

/// For one pawn, by side to move and White's king: where Black's king loses.
type Verdicts = [[u64; 64]; 2];

/// Pawns on the left half; the others are mirrored.
static REMEMBERED: [OnceLock<Box<Verdicts>>; 32] = [const { OnceLock::new() }; 32];

impl OnePawn {
    /// Whether White wins. The men must stand legally but for the side to move.
    #[inline]
    pub fn wins(self, white_to_move: bool) -> bool {
        let mirror = if self.pawn.file() > 3 { 7 } else { 0 };
        let losing = verdicts(self.pawn.index() ^ mirror)[usize::from(white_to_move)]
            [self.king.index() ^ mirror];
        losing >> (self.enemy.index() ^ mirror) & 1 != 0
    }

    /// Where Black's king loses against this king and pawn.
    pub fn losing_squares(king: Square, pawn: Square, white_to_move: bool) -> Bitboard {
        let turn = usize::from(white_to_move);
        if pawn.file() > 3 {
            let losing = verdicts(pawn.index() ^ 7)[turn][king.index() ^ 7];
            Bitboard(losing.swap_bytes().reverse_bits())
        } else {
            Bitboard(verdicts(pawn.index())[turn][king.index()])
        }
    }
}

/// The verdicts on a pawn of the left half.
#[inline]
fn verdicts(pawn: usize) -> &'static Verdicts {
    REMEMBERED[(pawn >> 3) * 4 + (pawn & 3)].get_or_init(|| Box::new(ask_rules(Square::new(pawn))))
}

/// Asks the rules about every placement of the kings.
fn ask_rules(pawn: Square) -> Verdicts {
    let mut verdicts = [[0; 64]; 2];
    for king in Square::all().filter(|king| *king != pawn) {
        let far = |enemy: &Square| *enemy != pawn && king.distance(*enemy) > 1;
        for enemy in Square::all().filter(far) {
            let men = OnePawn { king, pawn, enemy };
            for white_to_move in [false, true] {
                let wins = men.winning_rule(white_to_move).is_some();
                verdicts[usize::from(white_to_move)][king.index()] |=
                    u64::from(wins) << enemy.index();
            }
        }
    }
    verdicts
}
