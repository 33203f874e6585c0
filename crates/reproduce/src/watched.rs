//! Values of six-man positions, gathered before they are asked for.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use molien_board::{Material, Position};
use molien_probe::{ProbeError, SolverSource, Source};
use molien_solve::{Metric, Stats, Value};

/// A source that knows the depths of some positions of tables that keep none.
pub(crate) struct Watched {
    inner: Arc<SolverSource>,
    known: Mutex<HashMap<(Position, Metric), Value>>,
}

impl Watched {
    pub fn new(inner: Arc<SolverSource>) -> Watched {
        Watched { inner, known: Mutex::default() }
    }

    /// Gathers the values of positions without pawns, one solve for each
    /// material; those of five men and fewer need no gathering.
    pub fn gather(&self, positions: &[Position], metric: Metric) -> Result<(), ProbeError> {
        let mut by_material: HashMap<Material, Vec<Position>> = HashMap::new();
        for position in positions {
            let material = position.material().canonical();
            let large = material.len() > 5 && !material.has_pawns();
            if large && !self.lock().contains_key(&(*position, metric)) {
                by_material.entry(material).or_default().push(*position);
            }
        }
        for positions in by_material.values() {
            let values = self.inner.solver().values_of(positions, metric)?;
            let entries = positions.iter().zip(values);
            self.lock().extend(entries.map(|(position, value)| ((*position, metric), value)));
        }
        Ok(())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<(Position, Metric), Value>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Source for Watched {
    fn value(&self, position: &Position, metric: Metric) -> Result<Value, ProbeError> {
        let metric_key =
            if position.material().has_pawns() { metric } else { metric.without_pawns() };
        match self.lock().get(&(*position, metric_key)).copied() {
            Some(value) => Ok(value),
            None => self.inner.value(position, metric),
        }
    }

    fn stats(&self, material: Material, metric: Metric) -> Result<Stats, ProbeError> {
        self.inner.stats(material, metric)
    }

    fn prepare(&self, material: Material, metric: Metric) -> Result<(), ProbeError> {
        self.inner.prepare(material, metric)
    }
}

/// The positions of a line and all that are one move away from it.
pub(crate) fn around(start: &Position, moves: &[&str]) -> Vec<Position> {
    let (mut now, mut found) = (*start, vec![*start]);
    for name in moves {
        let legal = now.legal_moves();
        found.extend(legal.iter().map(|m| now.play(m)));
        match legal.iter().find(|m| m.to_string() == *name) {
            Some(m) => now = now.play(m),
            None => break,
        }
    }
    found.extend(now.legal_moves().iter().map(|m| now.play(m)));
    found
}
