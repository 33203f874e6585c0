//! Which move to play when tables know what every move leads to.
//!
//! A win is worth keeping only if it comes in time. With the halfmove clock at
//! c after a move, the opponent to move and lost in n plies of DTZ50, the win is
//! in time if n + c is at most 100: then play that shortens DTZ50 makes a
//! capture or a pawn move, or mates, before the draw can be claimed, and stays won after
//! it. Every move is chosen among those that keep the win in time, so it is
//! kept to the end; among them the shortest mate is preferred. Preferring mate
//! can lead round in circles only where the clock forbids the shortest way, and
//! as soon as a position has been repeated DTZ50 alone decides until the next
//! capture or pawn move. DTZ50 falls with every ply, so nothing is
//! repeated a second time.

use std::cmp::Reverse;

use molien_board::Move;
use molien_values::{Category, Value, category_at};

use crate::game::Game;
use crate::tables::{Known, KnownMove};

/// A move with what it gets the mover.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Choice {
    pub played: Move,
    /// What it gets, with the clock and repetitions counted in.
    pub category: Category,
    /// What is known of the position after it, seen from the opponent.
    pub after: Known,
    /// The position after it has been on the board before.
    pub repeats: bool,
}

impl Choice {
    fn new(game: &Game, played: Move, after: Known) -> Choice {
        let seen = game.times_seen(&game.position().play(&played));
        let clock = game.clock_after(&played);
        let category = match (seen, after.dtz50) {
            // Once nobody has claimed the draw, mate is mate at any count.
            (_, Value::Loss(0)) => Category::Win,
            (0 | 1, value) => category_at(value, after.precision, clock).reverse(),
            _ => Category::Draw, // the third time
        };
        Choice { played, category, after, repeats: seen > 0 }
    }

    /// What is known of the mate after it: under the 50-move rule if tables say
    /// that, and else without it.
    ///
    /// The value is that with the count at zero. With more counted it is the same
    /// if mate comes in time, and otherwise mate takes longer than the plies left
    /// (`dtm50_at`). So the moves of one class stand in the right order: those
    /// that mate in time by their plies, and behind them the others.
    pub fn mate(&self) -> Option<Value> {
        self.after.dtm50.or(self.after.dtm)
    }

    /// Plies to mate, positive if the mover mates.
    pub fn mate_plies(&self) -> Option<i32> {
        before(self.mate()?)
    }

    /// The same as if there were no 50-move rule, as far as that is known.
    pub fn free_mate_plies(&self) -> Option<i32> {
        before(self.after.dtm.or(self.after.dtm50)?)
    }

    /// Sorts the best first, among moves of one category: the winner wants few
    /// plies, the loser many.
    fn order(&self, by_dtz: bool) -> (Reverse<Category>, bool, i32, i32) {
        let plies = |value: Option<Value>| value.and_then(Value::plies).map_or(0, i32::from);
        let (dtz, dtm) = (plies(Some(self.after.dtz50)), plies(self.mate()));
        let (first, second) = if by_dtz { (dtz, dtm) } else { (dtm, dtz) };
        let category = Reverse(self.category);
        match self.category {
            Category::Win if by_dtz => (category, false, first, second),
            Category::Win => (category, self.repeats, first, second),
            Category::MaybeWin | Category::CursedWin => (category, self.repeats, dtz, dtm),
            Category::Draw => (category, self.repeats, 0, 0),
            Category::BlessedLoss | Category::MaybeLoss => (category, false, -dtz, -dtm),
            Category::Loss => (category, false, -dtm, -dtz),
        }
    }
}

/// Plies to mate counted from before a move, positive if the mover mates.
fn before(after: Value) -> Option<i32> {
    match after {
        Value::Loss(plies) => Some(i32::from(plies) + 1),
        Value::Win(plies) => Some(-i32::from(plies) - 1),
        Value::Draw => None,
    }
}

/// The moves whose consequences are known, the best first.
pub(crate) fn rank(game: &Game, moves: &[KnownMove]) -> Vec<Choice> {
    let known = moves.iter().filter_map(|&(m, after)| Some(Choice::new(game, m, after?)));
    let mut choices: Vec<Choice> = known.collect();
    let by_dtz = game.has_repetition();
    choices.sort_by_key(|choice| choice.order(by_dtz));
    choices
}

/// Whether the first of the ranked moves is surely best although some moves
/// are unknown: `here` is what is known of the position itself.
pub(crate) fn is_settled(game: &Game, here: Option<Known>, moves: &[KnownMove]) -> bool {
    let Some(best) = rank(game, moves).first().map(|choice| choice.category) else { return false };
    let enough =
        here.is_some_and(|here| best >= category_at(here.dtz50, here.precision, game.clock()));
    best == Category::Win || enough || moves.iter().all(|(_, after)| after.is_some())
}

#[cfg(test)]
mod tests {
    use molien_board::Setup;
    use molien_values::Precision;

    use super::*;

    fn known(dtz50: Value, dtm: Value) -> Known {
        Known { dtz50, precision: Precision::Exact, dtm: Some(dtm), dtm50: None }
    }

    /// The moves of a lone rook, the first few with these values.
    fn ranked(clock: u32, values: &[Known]) -> Vec<(usize, Category)> {
        let position: molien_board::Position = "8/8/8/8/8/2k5/8/K6R w - -".parse().unwrap();
        let game = Game::new(Setup { halfmove_clock: clock, ..Setup::from(position) });
        let moves = position.legal_moves();
        let given: Vec<KnownMove> =
            moves.iter().copied().zip(values.iter().copied().map(Some)).collect();
        let place = |choice: &Choice| moves.iter().position(|m| *m == choice.played).unwrap();
        rank(&game, &given).iter().map(|choice| (place(choice), choice.category)).collect()
    }

    #[test]
    fn the_clock_decides_between_mate_and_zeroing() {
        // The first move mates sooner but zeroes later.
        let values =
            [known(Value::Loss(30), Value::Loss(30)), known(Value::Loss(4), Value::Loss(40))];
        assert_eq!(ranked(0, &values), [(0, Category::Win), (1, Category::Win)]);
        assert_eq!(ranked(69, &values), [(0, Category::Win), (1, Category::Win)]);
        assert_eq!(ranked(70, &values), [(1, Category::Win), (0, Category::CursedWin)]);
        assert_eq!(ranked(96, &values), [(1, Category::CursedWin), (0, Category::CursedWin)]);
    }

    #[test]
    fn the_loser_runs_for_the_clock() {
        let values = [known(Value::Win(3), Value::Win(51)), known(Value::Win(9), Value::Win(11))];
        assert_eq!(ranked(0, &values), [(0, Category::Loss), (1, Category::Loss)]);
        assert_eq!(ranked(92, &values), [(1, Category::BlessedLoss), (0, Category::Loss)]);
    }

    /// Without the rule the second move mates sooner; with it, the first does.
    #[test]
    fn mate_under_the_rule_comes_before_mate() {
        let under_the_rule = |dtz50: u16, dtm: u16, dtm50: u16| Known {
            dtm50: Some(Value::Loss(dtm50)),
            ..known(Value::Loss(dtz50), Value::Loss(dtm))
        };
        let values = [under_the_rule(90, 130, 140), under_the_rule(90, 110, 150)];
        assert_eq!(ranked(0, &values), [(0, Category::Win), (1, Category::Win)]);
        let without = values.map(|known| Known { dtm50: None, ..known });
        assert_eq!(ranked(0, &without), [(1, Category::Win), (0, Category::Win)]);
    }

    #[test]
    fn mate_counts_on_the_last_ply() {
        let values = [known(Value::Loss(0), Value::Loss(0)), known(Value::Draw, Value::Draw)];
        assert_eq!(ranked(99, &values)[0], (0, Category::Win));
        assert_eq!(ranked(150, &values)[0], (0, Category::Win));
    }
}
