//! Where values come from.

use std::sync::Arc;

use molien_board::{Material, Position};
use molien_values::{Metric, Stats, Values};

use crate::ProbeError;

/// Why the values of one metric could not be had.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The metric.
    pub metric: Metric,
    /// What went wrong.
    pub error: ProbeError,
}

/// Something that knows the values of positions: a folder of files, a card, a
/// solver. Sources are asked one after the other; each fills in what it knows
/// and leaves the rest.
pub trait Source: Send + Sync {
    /// Whether it holds the whole table of a material, so that nothing has to
    /// be solved for an answer.
    fn holds(&self, material: Material, metric: Metric) -> bool;

    /// Fills in the values of legal positions, their en-passant rights ignored,
    /// where `found` has none yet. What the source does not know stays empty;
    /// what it should know but cannot tell is a failure.
    fn values(
        &self,
        positions: &[Position],
        metrics: &[Metric],
        found: &mut [Values],
    ) -> Vec<Failure>;

    /// The statistics of a material, in canonical orientation; none if the
    /// source does not know them.
    ///
    /// # Errors
    /// If it should know them but cannot tell.
    fn stats(&self, _material: Material, _metric: Metric) -> Result<Option<Stats>, ProbeError> {
        Ok(None)
    }

    /// Gets the table of a material ready, so that later questions are quick.
    /// Returns whether it has one.
    ///
    /// # Errors
    /// If it should have one but has not.
    fn prepare(&self, material: Material, metric: Metric) -> Result<bool, ProbeError> {
        Ok(self.holds(material, metric))
    }
}

/// Several sources in a row: the first that knows answers.
pub struct Sources(Vec<Arc<dyn Source>>);

impl Sources {
    /// Asks these, in this order.
    pub fn new(sources: Vec<Arc<dyn Source>>) -> Sources {
        Sources(sources)
    }
}

/// Whether something is still to be found out.
fn is_open(found: &[Values], metric: Metric) -> bool {
    found.iter().any(|values| values.get(metric).is_none())
}

impl Source for Sources {
    fn holds(&self, material: Material, metric: Metric) -> bool {
        self.0.iter().any(|source| source.holds(material, metric))
    }

    fn values(
        &self,
        positions: &[Position],
        metrics: &[Metric],
        found: &mut [Values],
    ) -> Vec<Failure> {
        let mut failures: Vec<Failure> = Vec::new();
        for source in &self.0 {
            let open: Vec<Metric> =
                metrics.iter().copied().filter(|&metric| is_open(found, metric)).collect();
            if open.is_empty() {
                break;
            }
            failures.extend(source.values(positions, &open, found));
        }
        // What a later source knew is no failure.
        failures.retain(|failure| is_open(found, failure.metric));
        failures
    }

    fn stats(&self, material: Material, metric: Metric) -> Result<Option<Stats>, ProbeError> {
        for source in &self.0 {
            if let Some(stats) = source.stats(material, metric)? {
                return Ok(Some(stats));
            }
        }
        Ok(None)
    }

    fn prepare(&self, material: Material, metric: Metric) -> Result<bool, ProbeError> {
        for source in &self.0 {
            if source.prepare(material, metric)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
