//! Every legal move of a position, judged by a strategy.

use std::cmp::Reverse;

use molien_board::{Move, Setup};
use molien_probe::{ProbeError, Tablebase, chess, quiet_moves_first};
use molien_values::{
    Category, Metric, MoveClass, Outcome, Precision, Value, Values, category_after, value_before,
};

use crate::strategy::Goal;
use crate::{LineError, Strategy};

/// A legal move and what it is worth to the mover.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Candidate {
    /// The move.
    pub played: Move,
    /// Win, draw or loss for the mover: with the 50-move rule if the strategy
    /// minds it, else without.
    pub outcome: Outcome,
    /// The class under the 50-move rule at the clock, if the strategy minds it.
    pub category: Option<Category>,
    /// Its worth in each metric of the strategy, counted from before the
    /// move, seen from the mover.
    pub values: Vec<Value>,
    /// How exact the first of them is.
    pub precision: Precision,
}

/// The judged moves of a position.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Judged {
    /// The position and its clock.
    pub setup: Setup,
    /// All legal moves, the optimal ones first, then in order of their names.
    pub moves: Vec<Candidate>,
    /// How many of them are optimal.
    pub optimal: usize,
    /// How many keep the outcome of the position.
    pub preserving: usize,
}

/// What a goal makes of a move: greater is better.
type Rank = (i32, i32);

fn rank(value: Value) -> Rank {
    match value {
        Value::Win(plies) => (1, -i32::from(plies)),
        Value::Draw => (0, 0),
        Value::Loss(plies) => (-1, i32::from(plies)),
    }
}

impl Candidate {
    fn new(setup: &Setup, played: Move, after: &Values, strategy: &Strategy) -> Option<Candidate> {
        let class = MoveClass::of(&played);
        let value = |metric| Some(value_before(metric, class, after.get(metric)?));
        let values = strategy.metrics().map(value).collect::<Option<Vec<_>>>()?;
        let category = match strategy.minds_the_rule() {
            false => None,
            true => {
                let (dtz50, clock) = (after.get(Metric::Dtz50)?, setup.halfmove_clock);
                let precision = after.precision(Metric::Dtz50);
                Some(category_after(dtz50, precision, class, clock).reverse())
            }
        };
        let plain = values.first().map_or(Outcome::Draw, |value| value.outcome());
        let outcome = category.and_then(Category::result).unwrap_or(plain);
        // After a zeroing move nothing is counted that could be rounded.
        let first = strategy.metrics().next().filter(|_| class == MoveClass::Quiet);
        let precision = first.map_or(Precision::Exact, |metric| after.precision(metric));
        Some(Candidate { played, outcome, category, values, precision })
    }

    /// The ranks of the goals, the most important first.
    fn ranks(&self, strategy: &Strategy) -> Vec<Rank> {
        let mut values = self.values.iter();
        let of_goal = |goal: &Goal| match goal {
            Goal::Rule => (self.category.map_or(0, |category| category as i32), 0),
            Goal::Depth(_) => values.next().map_or((0, 0), |&value| rank(value)),
        };
        strategy.goals().iter().map(of_goal).collect()
    }

    /// Who wins after it without the 50-move rule, seen from the mover.
    pub fn plain_outcome(&self) -> Outcome {
        self.category.map_or(self.outcome, Category::outcome)
    }
}

/// Whether a candidate counts, beside the best there is.
type Good<'a> = &'a dyn Fn(&Candidate, &(Vec<Rank>, Outcome)) -> bool;

impl Judged {
    /// Judges every legal move of a position.
    ///
    /// # Errors
    /// If a value cannot be had.
    pub fn new(
        tables: &Tablebase,
        setup: impl Into<Setup>,
        strategy: &Strategy,
    ) -> Result<Judged, LineError> {
        let setup = setup.into();
        let played = quiet_moves_first(&setup.position);
        let after: Vec<Setup> = played.iter().map(|m| setup.play(m)).collect();
        let mut metrics: Vec<Metric> = strategy.metrics().collect();
        if strategy.minds_the_rule() && !metrics.contains(&Metric::Dtz50) {
            metrics.push(Metric::Dtz50);
        }
        let (values, failures) = tables.values_at(&after, &metrics)?;
        let mut moves = Vec::with_capacity(played.len());
        for ((played, after), values) in played.into_iter().zip(after).zip(values) {
            let missing = || {
                let known = failures.first().map(|failure| failure.error.clone());
                let (material, metric) = (after.position.material(), metrics[0]);
                known.unwrap_or(ProbeError::MissingTable { material, metric })
            };
            moves.push(Candidate::new(&setup, played, &values, strategy).ok_or_else(missing)?);
        }
        moves.sort_by_cached_key(|m| (Reverse(m.ranks(strategy)), m.played.to_string()));
        let best = moves.first().map(|best| (best.ranks(strategy), best.outcome));
        let count = |good: Good<'_>| match &best {
            Some(best) => moves.iter().filter(|m| good(m, best)).count(),
            None => 0,
        };
        let optimal = count(&|m, (ranks, _)| m.ranks(strategy) == *ranks);
        let preserving = count(&|m, (_, outcome)| m.outcome == *outcome);
        Ok(Judged { setup, moves, optimal, preserving })
    }

    /// The outcome of the position for the side to move; none if it has no
    /// legal move.
    pub fn outcome(&self) -> Option<Outcome> {
        self.moves.first().map(|best| best.outcome)
    }

    /// The class of the position for the side to move, if the strategy minds
    /// the 50-move rule and there is a legal move.
    pub fn category(&self) -> Option<Category> {
        self.moves.iter().filter_map(|m| m.category).max()
    }

    /// The candidate that is this move.
    pub fn find(&self, played: &Move) -> Option<&Candidate> {
        self.moves.iter().find(|m| m.played == *played)
    }

    /// The optimal moves.
    pub fn optimal_moves(&self) -> &[Candidate] {
        &self.moves[..self.optimal]
    }

    /// Whether the move is optimal.
    pub fn is_optimal(&self, played: &Move) -> bool {
        self.optimal_moves().iter().any(|m| m.played == *played)
    }

    /// Whether the move keeps the outcome of the position.
    pub fn is_preserving(&self, played: &Move) -> bool {
        self.find(played).map(|m| m.outcome) == self.outcome()
    }

    /// The moves that keep the outcome, the optimal ones first.
    pub fn preserving_moves(&self) -> impl Iterator<Item = &Candidate> {
        let outcome = self.outcome();
        self.moves.iter().filter(move |m| Some(m.outcome) == outcome)
    }

    /// The name of a move here.
    pub fn san(&self, candidate: &Candidate) -> String {
        chess::san(&self.setup.position, &candidate.played)
    }
}
