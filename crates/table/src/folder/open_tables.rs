//! The tables of a folder, open for reading.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use molien_board::{Material, Position};
use molien_values::{Metric, Stats, Value, Values};
use quick_cache::sync::Cache;
use rayon::prelude::*;

use crate::read::lookup::FilePlace;
use crate::read::sweep::{Sweep, SweptFile};
use crate::{Directory, TableError, TableFile};

/// Positions that one thread reads at a time.
const READ_AT_ONCE: usize = 1 << 10;
/// Files held open at a time: more than there are materials of up to six men.
const OPEN_FILES: usize = 4096;
/// A folder that changed less than this before it was looked at may have
/// changed again since at the same time of its clock, which ticks a few hundred
/// times a second or, on some file systems, every other second.
const CLOCK_TICK: Duration = Duration::from_secs(2);

/// The tables of a folder, open for reading.
///
/// Any number of threads may share it. A look-up takes no lock that others wait
/// for, but one part of many of a table of open files, for the time of a copy.
/// Files that are missing, or cannot be used, are remembered as such until the
/// folder changes; so are metrics that a file lacks. All files share the
/// folder's cache of decoded blocks.
///
/// Files may be replaced while they are read, by this process or another: what
/// is open stays valid, and a metric that was added is found when it is asked
/// for.
pub struct OpenTables {
    directory: Directory,
    known: Cache<Material, Known>,
}

/// What is known of a material's file, and when the folder had changed before
/// that was found out.
#[derive(Clone)]
struct Known {
    file: Result<Option<Arc<TableFile>>, TableError>,
    looked: Looked,
}

/// The state of a folder when it was looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Looked {
    /// When it had last changed; none if it is not there or does not tell.
    changed: Option<SystemTime>,
    /// Whether that was so long ago that later changes have another time.
    is_settled: bool,
}

/// Why the values of a metric could not be read.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReadFailure {
    /// Whose table.
    pub material: Material,
    /// Which metric.
    pub metric: Metric,
    /// What is wrong.
    pub error: TableError,
}

impl OpenTables {
    /// The tables of a folder.
    pub fn new(directory: Directory) -> OpenTables {
        OpenTables { directory, known: Cache::new(OPEN_FILES) }
    }

    /// The folder.
    pub fn directory(&self) -> &Directory {
        &self.directory
    }

    /// Forgets what is known of a material's file: it has been stored. Without
    /// this a new file is noticed too, at the price of a question to the system.
    pub fn forget(&self, material: Material) {
        self.known.remove(&material.canonical());
    }

    fn look(&self) -> Looked {
        let found = std::fs::metadata(self.directory.folder());
        let changed = found.and_then(|found| found.modified()).ok();
        let age = changed.and_then(|time| SystemTime::now().duration_since(time).ok());
        Looked { changed, is_settled: age.is_some_and(|age| age > CLOCK_TICK) }
    }

    /// Whether nothing can have changed in the folder since.
    fn is_current(&self, earlier: &Looked) -> bool {
        earlier.is_settled && self.look().changed == earlier.changed
    }

    /// The file of a material; if it has to be asked for again, because it does
    /// not hold all of the metrics, it is.
    fn known(&self, material: Material, metrics: &[Metric]) -> Known {
        let material = material.canonical();
        let before = self.known.get(&material);
        if let Some(known) = &before {
            let has_all = |file: &Arc<TableFile>| metrics.iter().all(|&metric| file.holds(metric));
            let is_enough =
                known.file.as_ref().is_ok_and(|file| file.as_ref().is_some_and(has_all));
            if is_enough || self.is_current(&known.looked) {
                return known.clone();
            }
        }
        // What changes from now on is noticed the next time.
        let looked = self.look();
        let file = match self.directory.open(material) {
            Ok(file) => Ok(Some(Arc::new(file))),
            Err(error) if error.is_missing() => Ok(None),
            // What is open stays valid, whatever has come in its place.
            Err(error) => match before.map(|known| known.file) {
                Some(Ok(Some(open))) => Ok(Some(open)),
                _ => Err(error),
            },
        };
        let known = Known { file, looked };
        self.known.insert(material, known.clone());
        known
    }

    /// The file of a material; none if there is none.
    ///
    /// # Errors
    /// If there is one that cannot be used.
    pub fn file(&self, material: Material) -> Result<Option<Arc<TableFile>>, TableError> {
        self.known(material, &[]).file
    }

    /// The metrics in which a material's values can be read. Kings alone have
    /// all of them.
    ///
    /// # Errors
    /// If the file of the material cannot be used.
    pub fn metrics(&self, material: Material) -> Result<Vec<Metric>, TableError> {
        if material.len() == 2 {
            return Ok(Metric::EVERY.to_vec());
        }
        let file = self.known(material, &Metric::EVERY).file?;
        Ok(file.map(|file| file.metrics()).unwrap_or_default())
    }

    /// Whether a material's values can be read in a metric, with either side to
    /// move.
    pub fn holds(&self, material: Material, metric: Metric) -> bool {
        let file = || self.known(material, &[metric]).file.ok().flatten();
        let whole = |file: Arc<TableFile>| {
            file.holds(metric)
                && (file.derived_side(metric).is_none() || self.holds_below(material, metric))
        };
        material.len() == 2 || file().is_some_and(whole)
    }

    /// Statistics of a material, in canonical orientation; none if they are not
    /// stored.
    ///
    /// # Errors
    /// If the file of the material cannot be used.
    pub fn stats(&self, material: Material, metric: Metric) -> Result<Option<Stats>, TableError> {
        let file = self.known(material, &[metric]).file?;
        Ok(file.and_then(|file| file.stats(metric).ok()))
    }

    /// The values of a position in those of the metrics that are stored.
    ///
    /// # Errors
    /// If the table of the position cannot be used.
    pub fn values(&self, position: &Position, metrics: &[Metric]) -> Result<Values, TableError> {
        let mut found = Values::default();
        let failures = self.fill(&[*position], metrics, std::slice::from_mut(&mut found));
        failures.into_iter().next().map_or(Ok(found), |failure| Err(failure.error))
    }

    /// Sets the values of legal positions, their en-passant rights ignored, in
    /// those of the metrics that are stored, unless `found` has them already.
    /// What cannot be read is told once for each material and metric; the rest
    /// is set all the same.
    ///
    /// # Panics
    /// If `found` is shorter than `positions`.
    pub fn fill(
        &self,
        positions: &[Position],
        metrics: &[Metric],
        found: &mut [Values],
    ) -> Vec<ReadFailure> {
        let found = &mut found[..positions.len()];
        let (tables, files, failures) = (self, Vec::new(), Vec::new());
        let mut batch = Batch { tables, metrics, files, numbers: HashMap::new(), failures };
        let numbers: Vec<Option<u32>> =
            positions.iter().zip(&mut *found).map(|(p, values)| batch.number(p, values)).collect();
        let asked = |(i, number): (usize, &Option<u32>)| number.map(|_| i);
        let rest: Vec<usize> = match positions.len() {
            // What was predicted for a single position is remembered.
            1 => numbers.iter().enumerate().filter_map(asked).collect(),
            _ => {
                let swept = |known: &Known| {
                    known.file.as_ref().ok()?.as_ref().and_then(|f| SweptFile::new(f, metrics))
                };
                let files: Vec<Option<SweptFile>> = batch.files.iter().map(swept).collect();
                Sweep { files: &files, metrics, positions, numbers: &numbers }.run(found)
            }
        };
        batch.read_all(positions, &numbers, &rest, found);
        batch.failures
    }
}

/// One call for many positions.
struct Batch<'a> {
    tables: &'a OpenTables,
    metrics: &'a [Metric],
    /// The files met so far: few.
    files: Vec<Known>,
    /// The number of each material's file among them.
    numbers: HashMap<Material, u32>,
    failures: Vec<ReadFailure>,
}

impl Batch<'_> {
    /// Notes failures, each kind once.
    fn fail(&mut self, failures: impl IntoIterator<Item = ReadFailure>) {
        for new in failures {
            let is_same =
                |known: &ReadFailure| known.material == new.material && known.metric == new.metric;
            if !self.failures.iter().any(is_same) {
                self.failures.push(new);
            }
        }
    }

    /// The number of a position's file in this batch; none if there is nothing
    /// to be read.
    fn number(&mut self, position: &Position, values: &mut Values) -> Option<u32> {
        let material = position.material();
        if material.len() == 2 {
            self.metrics.iter().for_each(|&metric| values.set(metric, Value::Draw));
            return None;
        }
        let number = match self.numbers.get(&material) {
            Some(&number) => number,
            None => self.open(material),
        };
        // A file that cannot be used is one of the failures already.
        let known = &self.files[number as usize].file;
        matches!(known, Ok(Some(_))).then_some(number)
    }

    /// Finds the file of a material.
    fn open(&mut self, material: Material) -> u32 {
        let earlier = self.numbers.get(&material.swap_colors()).copied();
        let number = earlier.unwrap_or_else(|| {
            self.files.push(self.tables.known(material, self.metrics));
            self.files.len() as u32 - 1
        });
        self.numbers.insert(material, number);
        if let Err(error) = &self.files[number as usize].file {
            let error = error.clone();
            let failure = |&metric| ReadFailure { material, metric, error: error.clone() };
            self.fail(self.metrics.iter().map(failure));
        }
        number
    }

    /// Reads positions one by one, but block by block, so that each block is
    /// decoded once however small the cache.
    fn read_all(
        &mut self,
        positions: &[Position],
        numbers: &[Option<u32>],
        asked: &[usize],
        found: &mut [Values],
    ) {
        let mut places: Vec<(u32, usize, FilePlace)> = Vec::with_capacity(asked.len());
        for &i in asked {
            let located = numbers[i].and_then(|number| self.locate(number, &positions[i]));
            places.extend(located.map(|(number, place)| (number, i, place)));
        }
        places.sort_unstable_by_key(|(file, i, place)| (*file, place.address.block, *i));
        let read = |some: &[(u32, usize, FilePlace)]| {
            let (mut values, mut failures) = (Vec::with_capacity(some.len()), Vec::new());
            for (file, i, place) in some {
                let mut one = found[*i];
                failures.extend(self.read(*file, place, &positions[*i], &mut one));
                values.push((*i, one));
            }
            (values, failures)
        };
        let all: Vec<_> = match places.len() <= READ_AT_ONCE {
            true => vec![read(&places)],
            false => places.par_chunks(READ_AT_ONCE).map(read).collect(),
        };
        for (values, failures) in all {
            values.into_iter().for_each(|(i, one)| found[i] = one);
            self.fail(failures);
        }
    }

    /// The place of a position in a file.
    fn locate(&mut self, number: u32, position: &Position) -> Option<(u32, FilePlace)> {
        let Ok(Some(file)) = &self.files[number as usize].file else { return None };
        match file.locate(position) {
            Ok(place) => Some((number, place)),
            Err(error) => {
                let material = position.material();
                let failure = |&metric| ReadFailure { material, metric, error: error.clone() };
                self.fail(self.metrics.iter().map(failure));
                None
            }
        }
    }

    /// Reads the values at a place; what cannot be read is returned.
    fn read(
        &self,
        number: u32,
        place: &FilePlace,
        position: &Position,
        values: &mut Values,
    ) -> Vec<ReadFailure> {
        let Known { file: Ok(Some(file)), looked } = &self.files[number as usize] else {
            return Vec::new();
        };
        let (material, mut rest, mut failed) = (position.material(), self.metrics, Vec::new());
        // A metric that cannot be read does not keep others from being so.
        while let Err((metric, error)) = file.fill_at(place, position, rest, values) {
            let error = match error {
                TableError::OtherSide { .. } => match self.tables.derive(file, position, metric) {
                    Ok(value) => {
                        values.set(metric, value);
                        continue;
                    }
                    Err(error) => error,
                },
                error => error,
            };
            let at = rest.iter().position(|&other| other == metric).unwrap_or(rest.len() - 1);
            rest = &rest[at + 1..];
            failed.push(ReadFailure { material, metric, error });
        }
        let damaged = failed.iter().any(|failure| failure.error.is_damage());
        if damaged && !self.tables.is_current(looked) {
            self.tables.forget(material); // there may be a sound file by now
        }
        failed
    }
}
