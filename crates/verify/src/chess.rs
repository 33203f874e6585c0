//! The referee's moves: shakmaty's, in the terms of the metrics.

use molien_board::{Color, Man, Position, Role, Square};
use molien_values::MoveClass;
use shakmaty::{Chess, Move, Position as _};

/// What matters of a move to the metrics.
pub(crate) fn class_of(m: &Move) -> MoveClass {
    if m.is_capture() || m.is_promotion() {
        MoveClass::Conversion
    } else if m.is_zeroing() {
        MoveClass::Push
    } else {
        MoveClass::Quiet
    }
}

/// The position after a legal move.
pub(crate) fn play(chess: &Chess, m: Move) -> Chess {
    let mut after = chess.clone();
    after.play_unchecked(m);
    after
}

/// The placement and side to move of a position of shakmaty's, for a look-up;
/// en passant is left out.
pub(crate) fn placement(chess: &Chess) -> Option<Position> {
    let turn = if chess.turn().is_white() { Color::White } else { Color::Black };
    let men = chess.board().iter().map(|(square, piece)| {
        let color = if piece.color.is_white() { Color::White } else { Color::Black };
        let role = match piece.role {
            shakmaty::Role::Pawn => Role::Pawn,
            shakmaty::Role::Knight => Role::Knight,
            shakmaty::Role::Bishop => Role::Bishop,
            shakmaty::Role::Rook => Role::Rook,
            shakmaty::Role::Queen => Role::Queen,
            shakmaty::Role::King => Role::King,
        };
        (Man::new(color, role), Square::new(square.to_usize()))
    });
    Position::placement(men, turn)
}
