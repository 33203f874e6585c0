//! Large boards by survey, everything else from another source.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use molien_board::{Material, Position};
use molien_values::{Metric, Stats, Surveyor, Value};

use crate::{ProbeError, Source};

/// Answers for large boards without pawns from a [`Surveyor`], a card for
/// instance, unless they are stored; for the rest from another source.
pub struct SurveySource {
    surveyor: Arc<dyn Surveyor>,
    rest: Arc<dyn Source>,
    /// Values by canonical position and the metric that was solved.
    known: Mutex<HashMap<(Position, Metric), Value>>,
}

/// The position under which values are kept, in canonical orientation.
fn key(position: &Position, metric: Metric) -> (Position, Metric) {
    let position = position.without_en_passant();
    let swap = !position.material().is_canonical();
    (if swap { position.swap_colors() } else { position }, metric.without_pawns())
}

impl SurveySource {
    /// Asks the surveyor for what it surveys, `rest` for the rest.
    pub fn new(surveyor: Arc<dyn Surveyor>, rest: Arc<dyn Source>) -> SurveySource {
        SurveySource { surveyor, rest, known: Mutex::default() }
    }

    /// Whether the surveyor is to answer: no file knows.
    fn is_surveyed(&self, material: Material, metric: Metric) -> bool {
        self.surveyor.surveys(material) && !self.rest.is_stored(material, metric)
    }

    fn known(&self) -> MutexGuard<'_, HashMap<(Position, Metric), Value>> {
        // Entries are only ever added.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One solve for all positions of a material that are not known yet.
    fn learn(&self, positions: &[Position], metric: Metric) -> Result<(), ProbeError> {
        let mut wanted: HashMap<Material, Vec<Position>> = HashMap::new();
        for position in positions {
            let key = key(position, metric);
            let group = wanted.entry(key.0.material()).or_default();
            if !self.known().contains_key(&key) && !group.contains(&key.0) {
                group.push(key.0);
            }
        }
        wanted.retain(|_, group| !group.is_empty());
        for (material, group) in wanted {
            let metric = metric.without_pawns();
            let values = self.surveyor.values(material, metric, &group)?;
            self.known().extend(group.into_iter().map(|p| (p, metric)).zip(values));
        }
        Ok(())
    }
}

impl Source for SurveySource {
    fn value(&self, position: &Position, metric: Metric) -> Result<Value, ProbeError> {
        let material = position.material();
        if !self.is_surveyed(material, metric) {
            return self.rest.value(position, metric);
        }
        self.learn(&[*position], metric)?;
        let found = self.known().get(&key(position, metric)).copied();
        found.ok_or(ProbeError::NoDepth { material, metric })
    }

    fn is_stored(&self, material: Material, metric: Metric) -> bool {
        self.rest.is_stored(material, metric)
    }

    fn expect(&self, positions: &[Position], metric: Metric) -> Result<(), ProbeError> {
        let surveyed = |position: &Position| self.is_surveyed(position.material(), metric);
        let (large, small): (Vec<Position>, Vec<Position>) =
            positions.iter().copied().partition(surveyed);
        self.learn(&large, metric)?;
        self.rest.expect(&small, metric)
    }

    fn stats(&self, material: Material, metric: Metric) -> Result<Stats, ProbeError> {
        if !self.is_surveyed(material, metric) {
            return self.rest.stats(material, metric);
        }
        Ok(self.surveyor.statistics(material.canonical(), metric.without_pawns())?)
    }

    fn prepare(&self, material: Material, metric: Metric) -> Result<(), ProbeError> {
        if self.is_surveyed(material, metric) {
            return Ok(());
        }
        self.rest.prepare(material, metric)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use molien_solve::Solver;
    use molien_values::{Bishops, Survey, SurveyError};

    use super::*;
    use crate::{SolverSource, Tablebase};

    /// Surveys four men with a solver of its own.
    struct Fours {
        solver: Solver,
        solves: AtomicUsize,
    }

    impl Surveyor for Fours {
        fn surveys(&self, material: Material) -> bool {
            material.len() == 4 && !material.has_pawns()
        }

        fn is_one_sided(&self, _: Material) -> bool {
            false
        }

        fn statistics(&self, material: Material, metric: Metric) -> Result<Stats, SurveyError> {
            Ok(self.solver.solve(material, metric).unwrap().stats.clone())
        }

        fn white_wins(
            &self,
            material: Material,
            _: Metric,
            _: Bishops,
        ) -> Result<Stats, SurveyError> {
            Err(SurveyError::Cancelled { material })
        }

        fn survey(&self, material: Material, _: Metric) -> Result<Survey, SurveyError> {
            Err(SurveyError::Cancelled { material })
        }

        fn values(
            &self,
            material: Material,
            metric: Metric,
            positions: &[Position],
        ) -> Result<Vec<Value>, SurveyError> {
            self.solves.fetch_add(1, Ordering::Relaxed);
            let table = self.solver.solve(material, metric).unwrap();
            assert!(positions.iter().all(|position| position.material() == material));
            Ok(positions.iter().map(|position| table.get(position).unwrap()).collect())
        }
    }

    #[test]
    fn one_survey_answers_for_a_position_and_its_moves() {
        let surveyor = Arc::new(Fours { solver: Solver::new(), solves: AtomicUsize::new(0) });
        let rest = Arc::new(SolverSource::new(Solver::new()));
        let source = SurveySource::new(surveyor.clone(), rest);
        let tables = Tablebase::new(Arc::new(source));
        let alone = Tablebase::solving(Solver::new());
        // Black has the queen: the values are kept with colours exchanged.
        for fen in ["8/8/8/3k4/8/2R5/8/K3q3 w - -", "8/8/8/3k4/8/2R5/8/K3q3 b - -"] {
            let position: Position = fen.parse().unwrap();
            let metric = Metric::Dtc;
            let moves = tables.moves_only(&position, metric).unwrap();
            assert_eq!(moves, alone.moves_only(&position, metric).unwrap());
            let answer = tables.probe_only(&position, metric).unwrap();
            assert_eq!(answer, alone.probe_only(&position, metric).unwrap());
        }
        assert_eq!(surveyor.solves.load(Ordering::Relaxed), 2);
        let material: Material = "KRKQ".parse().unwrap();
        let stats = tables.stats(material, Metric::Dtc).unwrap();
        assert_eq!(stats.material, material);
        assert_eq!(stats, alone.stats(material, Metric::Dtc).unwrap());
    }
}
