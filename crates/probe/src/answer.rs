//! What a probe returns.

use molien_board::Move;
use molien_values::{Category, Metric, Value};

/// The values of a position in the metrics that were asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Values {
    by_metric: [Option<Value>; Metric::ALL.len()],
}

impl Values {
    pub(crate) fn set(&mut self, metric: Metric, value: Value) {
        self.by_metric[metric as usize] = Some(value);
    }

    /// The value in a metric; none if it was not asked for.
    pub fn get(&self, metric: Metric) -> Option<Value> {
        self.by_metric[metric as usize]
    }

    /// Plies: positive for a win of the side to move, negative for a loss, 0
    /// only for mated; none for a draw (or a metric not asked for).
    pub fn plies(&self, metric: Metric) -> Option<i32> {
        self.get(metric)?.signed_plies()
    }
}

/// The value of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The class under the 50-move rule.
    pub category: Category,
    /// The depths.
    pub values: Values,
}

/// A legal move and the value of the position after it, seen from the side
/// then to move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MoveAnswer {
    /// The move.
    pub played: Move,
    /// Its name in standard notation, such as `Rxb7+`.
    pub san: String,
    /// The position after it.
    pub after: Answer,
}

impl MoveAnswer {
    /// Sorts best first: the class for the mover, then fast wins and slow
    /// losses by the first metric that is there, then by name.
    pub(crate) fn sort_key(&self) -> (Category, i32, String) {
        let depth = |metric| self.after.values.plies(metric);
        let plies = Metric::ALL.into_iter().find_map(depth).unwrap_or(0);
        // The opponent's plies: a loss far off is negative and large, a win
        // far off positive and large. Near losses come first, so do far wins.
        (self.after.category, -plies, self.played.to_string())
    }
}
