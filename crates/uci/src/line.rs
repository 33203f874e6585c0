//! The expected line, from tables.

use molien_board::Move;
use molien_values::Category;

use crate::choice::{Choice, rank};
use crate::game::Game;
use crate::tables::Asked;

/// A drawn line is shown for so many plies.
const DRAWN_PLIES: usize = 8;

/// Best play by both sides after a move.
pub(crate) struct Line {
    pub moves: Vec<Move>,
    /// It ends with mate.
    pub mates: bool,
}

/// Follows best play by both sides, to mate if somebody wins; `stop` cuts it
/// short.
pub(crate) fn follow(
    asked: &Asked,
    game: &Game,
    first: &Choice,
    stop: &mut dyn FnMut() -> bool,
) -> Line {
    let mut game = game.clone();
    let mut next = *first;
    let mut moves = Vec::new();
    loop {
        moves.push(next.played);
        game.play(&next.played);
        let decided = matches!(next.category, Category::Win | Category::Loss);
        if game.position().is_checkmate() {
            return Line { moves, mates: true };
        }
        if stop() || (!decided && moves.len() >= DRAWN_PLIES) {
            return Line { moves, mates: false };
        }
        match rank(&game, &asked.moves(game.position())).first() {
            Some(best) => next = *best,
            None => return Line { moves, mates: false },
        }
    }
}
