//! Large boards by survey.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use molien_board::{Material, Position};
use molien_values::{Metric, Stats, Surveyor, Value, Values};

use crate::{Failure, ProbeError, Source};

/// Answers for large boards from a [`Surveyor`], a card for instance; of those with
/// pawns the statistics only.
pub struct SurveySource {
    surveyor: Arc<dyn Surveyor>,
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
    /// Asks the surveyor for what it surveys.
    pub fn new(surveyor: Arc<dyn Surveyor>) -> SurveySource {
        SurveySource { surveyor, known: Mutex::default() }
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
    /// Nothing is held: it is solved when it is asked for.
    fn holds(&self, _material: Material, _metric: Metric) -> bool {
        false
    }

    fn values(
        &self,
        positions: &[Position],
        metrics: &[Metric],
        found: &mut [Values],
    ) -> Vec<Failure> {
        let mut failures = Vec::new();
        for &metric in metrics {
            let is_open = |position: &Position, values: &Values| {
                values.get(metric).is_none() && self.surveyor.surveys(position.material())
            };
            let open = positions.iter().zip(&*found).filter(|(p, values)| is_open(p, values));
            let open: Vec<Position> = open.map(|(position, _)| *position).collect();
            if let Err(error) = self.learn(&open, metric) {
                failures.push(Failure { metric, error });
                continue;
            }
            let known = self.known();
            for (position, values) in positions.iter().zip(&mut *found) {
                if let Some(&value) = known.get(&key(position, metric)) {
                    values.set(metric, value);
                }
            }
        }
        failures
    }

    fn stats(&self, material: Material, metric: Metric) -> Result<Option<Stats>, ProbeError> {
        if !self.surveyor.counts(material, metric) {
            return Ok(None);
        }
        let metric = if material.has_pawns() { metric } else { metric.without_pawns() };
        let stats = self.surveyor.statistics(material.canonical(), metric)?;
        Ok(Some(stats))
    }

    fn prepare(&self, material: Material, _metric: Metric) -> Result<bool, ProbeError> {
        Ok(self.surveyor.surveys(material))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use molien_build::Build;
    use molien_values::{Bishops, Survey, SurveyError};

    use super::*;
    use crate::{MadeTables, Sources, Tablebase};

    /// Surveys four men with a solver of its own.
    struct Fours {
        solver: Build,
        solves: AtomicUsize,
    }

    impl Surveyor for Fours {
        fn surveys(&self, material: Material) -> bool {
            material.len() == 4 && !material.has_pawns()
        }

        /// With pawns statistics only.
        fn counts(&self, material: Material, _: Metric) -> bool {
            material.len() == 4 || material.has_pawns()
        }

        fn is_one_sided(&self, _: Material) -> bool {
            false
        }

        fn statistics(&self, material: Material, metric: Metric) -> Result<Stats, SurveyError> {
            Ok(self.solver.table(material, metric).unwrap().stats.clone())
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
            let table = self.solver.table(material, metric).unwrap();
            assert!(positions.iter().all(|position| position.material() == material));
            Ok(positions.iter().map(|position| table.get(position).unwrap()).collect())
        }
    }

    #[test]
    fn one_survey_answers_for_a_position_and_its_moves() {
        let surveyor = Arc::new(Fours { solver: Build::new(), solves: AtomicUsize::new(0) });
        let rest = Arc::new(MadeTables::new(Arc::new(Build::new()), None));
        let surveyed = Arc::new(SurveySource::new(surveyor.clone()));
        let tables = Tablebase::new(Arc::new(Sources::new(vec![surveyed, rest])));
        let alone = Tablebase::solving(Build::new());
        // Black has the queen: the values are kept with colours exchanged.
        for fen in ["8/8/8/3k4/8/2R5/1K6/4q3 w - -", "8/8/8/3k4/8/2R5/1K6/4q3 b - -"] {
            let position: Position = fen.parse().unwrap();
            let metric = Metric::Dtc;
            let values = |tables: &Tablebase| {
                let moves = tables.moves_only(&position, metric).unwrap().into_iter();
                moves.map(|m| (m.san, m.after.values)).collect::<Vec<_>>()
            };
            assert_eq!(values(&tables), values(&alone));
            let value = |tables: &Tablebase| tables.value(&position, metric).unwrap();
            assert_eq!(value(&tables), value(&alone));
        }
        assert_eq!(surveyor.solves.load(Ordering::Relaxed), 2);
        let material: Material = "KRKQ".parse().unwrap();
        let stats = tables.stats(material, Metric::Dtc).unwrap();
        assert_eq!(stats.material, material);
        assert_eq!(stats, alone.stats(material, Metric::Dtc).unwrap());
    }

    /// With pawns the metric asked for is counted: DTZ is not DTC there. Values of
    /// positions are not asked of who only counts.
    #[test]
    fn what_is_only_counted_has_statistics() {
        let surveyor = Arc::new(Fours { solver: Build::new(), solves: AtomicUsize::new(0) });
        let source = SurveySource::new(surveyor.clone());
        let material: Material = "KPK".parse().unwrap();
        let stats = source.stats(material, Metric::Dtz).unwrap().unwrap();
        assert_eq!(stats.metric, Metric::Dtz);
        let position: Position = "8/8/8/3k4/8/2P5/1K6/8 w - -".parse().unwrap();
        let mut found = [Values::default()];
        assert!(source.values(&[position], &[Metric::Dtz], &mut found).is_empty());
        assert_eq!(found[0].get(Metric::Dtz), None);
        assert_eq!(surveyor.solves.load(Ordering::Relaxed), 0);
    }
}
