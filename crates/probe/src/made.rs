//! Values of what is not at hand: solved on demand, and stored where there is a
//! folder.

use std::sync::{Arc, OnceLock};

use molien_board::{MAX_MEN, Material, Position};
use molien_build::{Build, Making, Storage, is_whole_for_position, storage};
use molien_values::{Metric, Stats, Value, Values};

use crate::{Failure, ProbeError, Source, StoredTables};

/// Solves what is asked for. With a folder, whole tables are stored there and
/// read from it; everything else is kept in memory.
pub struct MadeTables {
    build: Arc<Build>,
    stored: Option<Arc<StoredTables>>,
    spare: Option<Spare>,
    /// Takes over once the folder has refused to be written to.
    in_memory: OnceLock<Box<MadeTables>>,
}

/// What takes over where a folder cannot be written to.
pub struct Spare {
    /// Makes a build without a folder to store in.
    pub make: Box<dyn Fn() -> Build + Send + Sync>,
    /// Told once, and why.
    pub notice: Box<dyn Fn(&ProbeError) + Send + Sync>,
}

impl MadeTables {
    /// Answers from what this build makes; `stored` reads its folder, if it has
    /// one.
    pub fn new(build: Arc<Build>, stored: Option<Arc<StoredTables>>) -> MadeTables {
        MadeTables { build, stored, spare: None, in_memory: OnceLock::new() }
    }

    /// Goes on in memory if the folder cannot be written to.
    pub fn or_in_memory(mut self, spare: Spare) -> MadeTables {
        self.spare = Some(spare);
        self
    }

    /// What takes over after an error, if it is one of the folder's.
    fn instead(&self, error: &ProbeError) -> Option<&MadeTables> {
        let spare = self.spare.as_ref().filter(|_| error.is_refused_by_disk())?;
        let take_over = || {
            (spare.notice)(error);
            Box::new(MadeTables::new(Arc::new((spare.make)()), None))
        };
        Some(self.in_memory.get_or_init(take_over))
    }

    /// What makes the tables.
    pub fn build(&self) -> &Build {
        &self.build
    }

    /// Stores the tables of a material and of all it depends on.
    fn store(&self, material: Material, metrics: &[Metric]) -> Result<(), ProbeError> {
        self.build.store(&[material], metrics, &Making::default())?;
        if let Some(stored) = &self.stored {
            stored.refresh(material);
        }
        Ok(())
    }

    /// Stores what a position needs as a whole, all metrics of it at once.
    fn store_for(&self, position: &Position, metrics: &[Metric]) -> Result<(), ProbeError> {
        let material = position.material();
        if is_whole_for_position(material) {
            return self.store(material, metrics);
        }
        if material.has_pawns() {
            let needed = self.build.pieces_needed(position)?;
            for material in needed.into_iter().filter(|&m| storage(m) == Storage::Whole) {
                self.store(material, metrics)?;
            }
        }
        Ok(())
    }

    fn value(&self, position: &Position, metric: Metric) -> Result<Value, ProbeError> {
        let material = position.material();
        if let Some(stored) = &self.stored
            && stored.holds(material, metric)
        {
            let mut found = Values::default();
            let positions = std::slice::from_ref(position);
            let failures = stored.values(positions, &[metric], std::slice::from_mut(&mut found));
            let error = failures.into_iter().next().map(|failure| failure.error);
            let missing = || ProbeError::MissingTable { material, metric };
            return found.get(metric).ok_or_else(|| error.unwrap_or_else(missing));
        }
        match self.build.value(position, metric)? {
            // A win takes at least one ply, and a loss in none is mate: other
            // zeros mean that depths were not kept.
            Value::Win(0) => Err(ProbeError::NoDepth { material, metric }),
            Value::Loss(0) if !position.is_checkmate() => {
                Err(ProbeError::NoDepth { material, metric })
            }
            value => Ok(value),
        }
    }

    /// Positions of large tables are learnt together.
    fn values_in(
        &self,
        positions: &[Position],
        metric: Metric,
        found: &mut [Values],
    ) -> Result<(), ProbeError> {
        let is_open = |values: &Values| values.get(metric).is_none();
        let open = positions.iter().zip(&*found).filter(|(_, values)| is_open(values));
        let open: Vec<Position> = open.map(|(position, _)| *position).collect();
        self.build.watch(&open, metric)?;
        let open = positions.iter().zip(found).filter(|(_, values)| is_open(values));
        for (position, values) in open {
            values.set(metric, self.value(position, metric)?);
        }
        Ok(())
    }
}

/// Refuses a position that has too many men.
fn check_position(position: &Position) -> Result<(), ProbeError> {
    let material = position.material();
    match material.is_within_limits() {
        true => Ok(()),
        false => Err(ProbeError::TooManyMen { men: material.len() }),
    }
}

/// Refuses a table that would have too many men.
fn check_men(material: Material) -> Result<(), ProbeError> {
    let men = material.len();
    if men > MAX_MEN { Err(ProbeError::TooManyMen { men }) } else { Ok(()) }
}

impl Source for MadeTables {
    /// Nothing is held: it is made when it is asked for.
    fn holds(&self, material: Material, metric: Metric) -> bool {
        self.build.table_at_hand(material, metric).is_some()
    }

    fn values(
        &self,
        positions: &[Position],
        metrics: &[Metric],
        found: &mut [Values],
    ) -> Vec<Failure> {
        if let Some(in_memory) = self.in_memory.get() {
            return in_memory.values(positions, metrics, found);
        }
        let failed = |error: ProbeError| {
            let failure = |&metric: &Metric| Failure { metric, error: error.clone() };
            metrics.iter().map(failure).collect()
        };
        let is_open = |values: &Values| metrics.iter().any(|&metric| values.get(metric).is_none());
        let open = || positions.iter().zip(&*found).filter(|(_, values)| is_open(values));
        for (position, _) in open() {
            let stored = match (check_position(position), &self.stored) {
                (Ok(()), Some(_)) => self.store_for(position, metrics),
                (checked, _) => checked,
            };
            if let Err(error) = stored {
                return match self.instead(&error) {
                    Some(in_memory) => in_memory.values(positions, metrics, found),
                    None => failed(error),
                };
            }
        }
        let mut failures = Vec::new();
        for &metric in metrics {
            match self.values_in(positions, metric, found) {
                Ok(()) => {}
                Err(error) => match self.instead(&error) {
                    Some(in_memory) => {
                        failures.extend(in_memory.values(positions, &[metric], found))
                    }
                    None => failures.push(Failure { metric, error }),
                },
            }
        }
        failures
    }

    fn stats(&self, material: Material, metric: Metric) -> Result<Option<Stats>, ProbeError> {
        check_men(material)?;
        if let Some(in_memory) = self.in_memory.get() {
            return in_memory.stats(material, metric);
        }
        // Of others there are figures without a table: some are too large to be one.
        if self.stored.is_some()
            && storage(material) == Storage::Whole
            && let Err(error) = self.prepare(material, metric)
        {
            return match self.instead(&error) {
                Some(in_memory) => in_memory.stats(material, metric),
                None => Err(error),
            };
        }
        if let Some(stored) = &self.stored
            && let Some(stats) = stored.stats(material, metric)?
        {
            return Ok(Some(stats));
        }
        Ok(Some(self.build.stats(material, metric)?))
    }

    fn prepare(&self, material: Material, metric: Metric) -> Result<bool, ProbeError> {
        check_men(material)?;
        if material.len() == 2 || self.stored.as_ref().is_some_and(|s| s.holds(material, metric)) {
            return Ok(true);
        }
        if self.stored.is_some() && storage(material) == Storage::Whole {
            self.store(material, &[metric])?;
        } else {
            self.build.table(material, metric)?;
        }
        Ok(true)
    }
}
