//! The trickiest defence: among moves of equal value the one that leaves the
//! opponent the fewest good answers.

use molien_values::{Category, Value};

use crate::choice::{Choice, rank};
use crate::game::Game;
use crate::tables::Asked;

/// Reorders the moves of the best category, which must not be a win: the
/// fewest good answers first, otherwise as before. A lost position is defended
/// only by moves that last at least half as long as the longest. `stop` ends
/// the looking ahead; what was not looked at then stays behind.
pub(crate) fn sort(
    asked: &Asked,
    game: &Game,
    choices: &mut [Choice],
    stop: &mut dyn FnMut() -> bool,
) {
    let Some(best) = choices.first().map(|choice| choice.category) else { return };
    if best >= Category::CursedWin {
        return;
    }
    // Lost moves are sorted by how long they last, the longest first.
    let longest = lasts(&choices[0]);
    let resists = |c: &Choice| best != Category::Loss || 2 * lasts(c) >= longest;
    let equal = choices.iter().take_while(|c| c.category == best && resists(c)).count();
    let mut graded: Vec<(usize, Choice)> = Vec::with_capacity(equal);
    for choice in &choices[..equal] {
        let answers = if stop() { usize::MAX } else { good_answers(asked, game, choice) };
        graded.push((answers, *choice));
    }
    graded.sort_by_key(|&(answers, _)| answers);
    for (place, (_, choice)) in choices.iter_mut().zip(graded) {
        *place = choice;
    }
}

/// Plies to mate; 0 for a draw.
fn lasts(choice: &Choice) -> u16 {
    choice.mate().and_then(Value::plies).unwrap_or(0)
}

/// How many answers keep what the opponent has after the move.
fn good_answers(asked: &Asked, game: &Game, choice: &Choice) -> usize {
    let mut after = game.clone();
    after.play(&choice.played);
    let answers = asked.moves(after.position());
    if answers.iter().any(|(_, known)| known.is_none()) {
        return usize::MAX; // nobody can tell
    }
    let ranked = rank(&after, &answers);
    let best = ranked.first().map(|answer| answer.category);
    ranked.iter().filter(|answer| Some(answer.category) == best).count()
}
