//! The values of one position in several metrics.

use crate::{Metric, Value};

/// The values of a position in the metrics that are known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Values {
    by_metric: [Option<Value>; Metric::EVERY.len()],
}

impl Values {
    /// Notes the value in a metric.
    pub fn set(&mut self, metric: Metric, value: Value) {
        self.by_metric[metric as usize] = Some(value);
    }

    /// The value in a metric; none if it is not known.
    pub fn get(&self, metric: Metric) -> Option<Value> {
        self.by_metric[metric as usize]
    }

    /// Plies: positive for a win of the side to move, negative for a loss, 0
    /// only for mated; none for a draw (or a metric that is not known).
    pub fn plies(&self, metric: Metric) -> Option<i32> {
        self.get(metric)?.signed_plies()
    }

    /// The metrics that are known.
    pub fn known(&self) -> impl Iterator<Item = Metric> {
        Metric::EVERY.into_iter().filter(|&metric| self.get(metric).is_some())
    }
}
