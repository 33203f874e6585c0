//! Whether a statement is true of a position, decided on the board.
//!
//! Nothing here knows a rule: pawns run and kings walk in every way there is.
//! What cannot be shown here is not said. The tests ask the same questions
//! again with values from outside tables.

mod duel;
mod force;
mod forced;
mod one_pawn;
mod two_pawns;

use molien_board::{Color, Position};

use super::{Fact, FactKind};

/// The value of a position for its side to move: 1, 0 or -1; `None` if it is
/// not known.
pub(crate) type Truth<'a> = &'a dyn Fn(&Position) -> Option<i8>;

/// Whether the statement is known to be true of the position.
pub(crate) fn is_true(fact: &Fact, at: &Position, truth: Truth<'_>) -> bool {
    let to_move = at.turn() == fact.side;
    let value = || truth(at).map(|value| if to_move { value } else { -value });
    match fact.kind {
        FactKind::Checkmated => to_move && at.is_checkmate(),
        FactKind::Stalemated => to_move && at.is_stalemate(),
        FactKind::HasDrawingMove => to_move && value().is_some_and(|value| value >= 0),
        FactKind::NoWinningMove => to_move && value().is_some_and(|value| value <= 0),
        FactKind::TooManyPawns => at.pawns(fact.side).len() == 2 && value() == Some(1),
        _ => match Color::BOTH.map(|color| at.pawns(color).len()) {
            [1, 0] | [0, 1] => one_pawn::is_true(fact.kind, at, truth),
            [2, 0] | [0, 2] => two_pawns::is_true(fact, at, truth),
            [1, 1] => duel::is_true(fact, at, truth),
            _ => false,
        },
    }
}
