//! The moves that leave a hyperboard, whatever kind of board it is.

mod closure;
mod en_passant;
mod pawns;
mod promotions;
mod reach;
mod zeroing;

pub use closure::{Closure, TooMuch};
pub use pawns::{Boards, PawnExits};
pub use reach::Node;
pub use zeroing::{Captures, Zeroing, ZeroingWins};

use std::sync::Arc;

use molien_board::Color;
use molien_hyper::Hyperboard;
use molien_operators::{Backend, Conversions, Goal, SubView};
use molien_values::{BoardValues, Graded, MAX_BITS, Metric, Rule};

/// Sums up, tile by tile, what the moves out of a hyperboard achieve.
pub trait Exits: Sync {
    /// The conversions of one tile. Positions that are not legal may have
    /// some too; the caller masks them off.
    fn conversions(&self, side: Color, goal: Goal, tile: usize) -> Conversions;

    /// As [`Exits::conversions`], of the captures alone.
    fn captures(&self, side: Color, goal: Goal, tile: usize) -> Conversions;
}

/// Bits the plies of conversions can need: one more than the depths after
/// them where the count goes on.
pub(crate) fn release_bits_of<'a>(
    rules: &[Rule],
    values: impl Iterator<Item = &'a Graded>,
) -> usize {
    let deepest = values.map(|side| side.depth.len()).max().unwrap_or(0);
    let bits = |rule: &Rule| match rule {
        Rule::One => 0,
        Rule::Onward => (deepest + 1).min(MAX_BITS),
        Rule::Fifty => 7,
    };
    rules.iter().map(bits).max().unwrap_or(0)
}

/// Captures on a board without pawns.
pub struct PieceExits {
    backend: &'static dyn Backend,
    board: Hyperboard,
    /// The sub-game without the i-th piece, in the board's order.
    subs: Vec<Option<Arc<BoardValues>>>,
    rule: Rule,
    bits: usize,
}

impl PieceExits {
    /// The captures on `board`; `subs` are the values after each of its pieces,
    /// in its order, is gone, in the board's orientation.
    pub fn new(
        backend: &'static dyn Backend,
        board: Hyperboard,
        subs: Vec<Option<Arc<BoardValues>>>,
        metric: Metric,
    ) -> PieceExits {
        let rule = metric.conversion_rule();
        let bits = release_bits_of(&[rule], subs.iter().flatten().flat_map(|sub| &sub.values));
        PieceExits { backend, board, subs, rule, bits }
    }
}

impl Exits for PieceExits {
    fn conversions(&self, side: Color, goal: Goal, tile: usize) -> Conversions {
        let mut found = Conversions::new(self.backend, goal, self.bits);
        if let Some(cell) = self.board.cell(tile) {
            // Who loses a man is to move after the capture.
            let men = self.board.pieces_in_order();
            let subs: Vec<_> = (self.subs.iter().zip(&men))
                .map(|(sub, man)| sub.as_deref().map(|sub| SubView::of(sub, man.color)))
                .collect();
            found.add_piece_captures(&self.board, side, &cell, &subs, self.rule);
        }
        found
    }

    fn captures(&self, side: Color, goal: Goal, tile: usize) -> Conversions {
        self.conversions(side, goal, tile) // there are no other moves out of the board
    }
}
