//! Some of many hits: a sample, or the deepest.

use std::cmp::Reverse;
use std::ops::ControlFlow;

use molien_values::{Metric, Value};

use crate::{Hit, MineError, Search};

/// How hits are chosen and in which order they are given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Selection {
    /// So many at random, each set of them as likely as any other, in the order
    /// of the table. Equal seeds choose equally.
    Sample {
        /// How many.
        count: usize,
        /// Where chance begins.
        seed: u64,
    },
    /// Sorted by depth; draws, which have none, come last.
    Sorted {
        /// What is counted.
        metric: Metric,
        /// The deepest first.
        deepest_first: bool,
    },
}

impl Selection {
    /// The chosen hits. A sample keeps no more in memory than it gives; sorting
    /// keeps all of them.
    ///
    /// # Errors
    /// If a table cannot be read.
    pub fn of(
        self,
        search: &Search<'_>,
        progress: impl FnMut(u64, u64),
    ) -> Result<Vec<Hit>, MineError> {
        match self {
            Selection::Sample { count, seed } => sample(search, progress, count, seed),
            Selection::Sorted { metric, deepest_first } => {
                let mut found = Vec::new();
                search.each(progress, |hit| {
                    found.push(hit);
                    ControlFlow::Continue(())
                })?;
                let plies = |hit: &Hit| hit.values[metric as usize].and_then(Value::plies);
                // Equal depths stay in the order of the table.
                match deepest_first {
                    true => found.sort_by_key(|hit| Reverse(plies(hit))),
                    false => found.sort_by_key(|hit| plies(hit).unwrap_or(u16::MAX)),
                }
                Ok(found)
            }
        }
    }
}

/// A sample of what passes by: the n-th hit takes the place of an earlier one
/// with the chance that it belongs in.
fn sample(
    search: &Search<'_>,
    progress: impl FnMut(u64, u64),
    count: usize,
    seed: u64,
) -> Result<Vec<Hit>, MineError> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut kept: Vec<(usize, Hit)> = Vec::new();
    let mut seen = 0;
    search.each(progress, |hit| {
        let place = random.usize(..=seen);
        if kept.len() < count {
            kept.push((seen, hit));
        } else if let Some(old) = kept.get_mut(place) {
            *old = (seen, hit);
        }
        seen += 1;
        ControlFlow::Continue(())
    })?;
    kept.sort_by_key(|(number, _)| *number);
    Ok(kept.into_iter().map(|(_, hit)| hit).collect())
}
