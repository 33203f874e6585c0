//! Folders of Syzygy files as a source of values.

use std::sync::Arc;

use molien_board::{Material, Position};
use molien_probe::{Failure, ProbeError, Source};
use molien_values::{Category, FIFTY_MOVES_PLIES, Metric, Precision, Stats, Value, Values};

use crate::read::{Answer, ReadError, SyzygyFolder};

/// The fewest men that have a file.
const LEAST_MEN: usize = 3;

/// Answers in DTZ50 from Syzygy files; no other metric is in them.
pub struct SyzygyTables {
    files: SyzygyFolder,
}

impl SyzygyTables {
    /// The files of some folders.
    pub fn new(files: SyzygyFolder) -> SyzygyTables {
        SyzygyTables { files }
    }

    /// The files.
    pub fn files(&self) -> &SyzygyFolder {
        &self.files
    }

    /// The files, and `rest` for what they do not answer. Where they do, `rest`
    /// is not asked for the other metrics either: it may have to solve for hours
    /// what the files say at once. Who wants another metric asks for that alone.
    pub fn before(self: Arc<SyzygyTables>, rest: Arc<dyn Source>) -> Arc<dyn Source> {
        Arc::new(Before { files: self, rest })
    }

    /// The value of a position; none if there is no file for it.
    fn value(&self, position: &Position) -> Result<Option<(Value, Precision)>, ReadError> {
        let material = position.material();
        if material.len() < LEAST_MEN {
            return Ok(Some((Value::Draw, Precision::Exact)));
        }
        if !self.files.has(material) {
            return Ok(None);
        }
        if position.is_checkmate() {
            return Ok(Some((Value::Loss(0), Precision::Exact)));
        }
        self.files.probe(position).map(|answer| Some(answer.value()))
    }
}

impl Answer {
    /// The value in DTZ50 and how exact it is.
    fn value(&self) -> (Value, Precision) {
        let Some(plies) = self.plies else { return (Value::Draw, Precision::Exact) };
        // Rounding never takes a win beyond what the 50-move rule allows.
        let last = plies.least == FIFTY_MOVES_PLIES;
        let exact = plies.least == plies.most || last;
        let precision = if exact { Precision::Exact } else { Precision::Rounded };
        let value = match self.category {
            Category::Win | Category::MaybeWin | Category::CursedWin => Value::Win(plies.least),
            Category::Draw => Value::Draw,
            Category::Loss | Category::MaybeLoss | Category::BlessedLoss => {
                Value::Loss(plies.least)
            }
        };
        (value, precision)
    }
}

fn failure(position: &Position, error: ReadError) -> Failure {
    let error = match error {
        ReadError::Missing { name, material } => ProbeError::MissingFile { material, name },
        error => ProbeError::Source { material: position.material(), reason: error.to_string() },
    };
    Failure { metric: Metric::Dtz50, error }
}

impl Source for SyzygyTables {
    fn holds(&self, material: Material, metric: Metric) -> bool {
        metric == Metric::Dtz50 && (material.len() < LEAST_MEN || self.files.has(material))
    }

    fn values(
        &self,
        positions: &[Position],
        metrics: &[Metric],
        found: &mut [Values],
    ) -> Vec<Failure> {
        let mut failures = Vec::new();
        if !metrics.contains(&Metric::Dtz50) {
            return failures;
        }
        let open = |found: &Values| found.get(Metric::Dtz50).is_none();
        for (position, found) in positions.iter().zip(found).filter(|(_, found)| open(found)) {
            match self.value(position) {
                Ok(Some((value, precision))) => found.set_to(Metric::Dtz50, value, precision),
                Ok(None) => {}
                Err(error) if failures.is_empty() => failures.push(failure(position, error)),
                Err(_) => {}
            }
        }
        failures
    }
}

/// Files, and another source for what they do not answer.
struct Before {
    files: Arc<SyzygyTables>,
    rest: Arc<dyn Source>,
}

impl Source for Before {
    fn holds(&self, material: Material, metric: Metric) -> bool {
        self.files.holds(material, metric) || self.rest.holds(material, metric)
    }

    fn values(
        &self,
        positions: &[Position],
        metrics: &[Metric],
        found: &mut [Values],
    ) -> Vec<Failure> {
        let known = |found: &Values| found.get(Metric::Dtz50);
        let before: Vec<Option<Value>> = found.iter().map(known).collect();
        let mut failures = self.files.values(positions, metrics, found);
        let left = |&i: &usize| before[i].is_some() || known(&found[i]).is_none();
        let left: Vec<usize> = (0..positions.len()).filter(left).collect();
        if left.is_empty() {
            return failures;
        }
        let asked: Vec<Position> = left.iter().map(|&i| positions[i]).collect();
        let mut answers: Vec<Values> = left.iter().map(|&i| found[i]).collect();
        failures.extend(self.rest.values(&asked, metrics, &mut answers));
        left.iter().zip(answers).for_each(|(&i, values)| found[i] = values);
        failures
    }

    fn stats(&self, material: Material, metric: Metric) -> Result<Option<Stats>, ProbeError> {
        self.rest.stats(material, metric)
    }

    fn prepare(&self, material: Material, metric: Metric) -> Result<bool, ProbeError> {
        if self.files.holds(material, metric) {
            Ok(true)
        } else {
            self.rest.prepare(material, metric)
        }
    }
}
