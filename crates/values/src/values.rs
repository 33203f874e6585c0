//! The values of one position in several metrics.

use crate::{Metric, Precision, Value};

/// The values of a position in the metrics that are known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Values {
    by_metric: [Option<Value>; Metric::EVERY.len()],
    rounded: [bool; Metric::EVERY.len()],
}

impl Values {
    /// Notes the value in a metric.
    pub fn set(&mut self, metric: Metric, value: Value) {
        self.set_to(metric, value, Precision::Exact);
    }

    /// Notes the value in a metric and how exact it is.
    pub fn set_to(&mut self, metric: Metric, value: Value, precision: Precision) {
        self.by_metric[metric as usize] = Some(value);
        self.rounded[metric as usize] = precision == Precision::Rounded;
    }

    /// Forgets the value in a metric.
    pub fn unset(&mut self, metric: Metric) {
        self.by_metric[metric as usize] = None;
        self.rounded[metric as usize] = false;
    }

    /// How exact the value in a metric is.
    pub fn precision(&self, metric: Metric) -> Precision {
        if self.rounded[metric as usize] { Precision::Rounded } else { Precision::Exact }
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

    /// The other number of plies that a rounded depth may stand for, further from
    /// zero by one; none if the depth is exact.
    pub fn or_plies(&self, metric: Metric) -> Option<i32> {
        let plies = self.plies(metric).filter(|_| self.rounded[metric as usize])?;
        Some(if plies < 0 { plies - 1 } else { plies + 1 })
    }

    /// The metrics that are known.
    pub fn known(&self) -> impl Iterator<Item = Metric> {
        Metric::EVERY.into_iter().filter(|&metric| self.get(metric).is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rounded_depth_is_one_of_two() {
        let mut values = Values::default();
        let metric = Metric::Dtz50;
        assert_eq!((values.precision(metric), values.or_plies(metric)), (Precision::Exact, None));
        for (value, or) in [(Value::Win(12), Some(13)), (Value::Loss(12), Some(-13))] {
            values.set_to(metric, value, Precision::Rounded);
            assert_eq!((values.get(metric), values.or_plies(metric)), (Some(value), or));
        }
        values.set(metric, Value::Win(12));
        assert_eq!((values.precision(metric), values.or_plies(metric)), (Precision::Exact, None));
    }
}
