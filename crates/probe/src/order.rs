//! The order in which moves are asked about.

use molien_board::{Move, Position};
use molien_values::MoveClass;

/// The legal moves, the quiet ones first. Where positions are solved one by
/// one, these lead to the position's own board, which is solved with all that
/// the others lead to; the other way round much would be solved again for
/// every move.
pub fn quiet_moves_first(position: &Position) -> Vec<Move> {
    let mut moves: Vec<Move> = position.legal_moves().into_iter().collect();
    moves.sort_by_key(|m| MoveClass::of(m) != MoveClass::Quiet);
    moves
}
