//! The folder of tables.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use molien_board::Material;
use molien_values::{Metric, Shelf, ShelfError, Table};

use crate::assemble::{Assembly, Part, assemble, kept_parts, temporary};
use crate::atomic::TEMPORARY;
use crate::lock::{Lock, Patience};
use crate::{Logged, TableError, TableFile, WaveLogs, WriteOptions, write};

/// The ending of table files.
pub const ENDING: &str = "mol";
/// The ending of the marks that a file has been verified.
const VERIFIED: &str = "verified";
/// The ending of lock files.
const LOCK: &str = "lock";
/// The folder of wave logs inside the folder of tables.
const WAVES: &str = "waves";
/// Leftovers of a process that has ended are removed when this old.
const STALE: Duration = Duration::from_secs(3600);

/// A folder of tables, one file per material.
#[derive(Clone, Debug)]
pub struct Directory {
    folder: PathBuf,
}

/// One table of a folder.
#[derive(Debug)]
pub struct Entry {
    /// The file.
    pub path: PathBuf,
    /// Its material.
    pub material: Material,
    /// Bytes of the file.
    pub len_bytes: u64,
    /// The metrics it answers, or why it cannot be opened.
    pub metrics: Result<Vec<Metric>, TableError>,
    /// Whether it has been verified since it was written.
    pub verified: bool,
}

fn io_error(path: &Path, doing: &'static str) -> impl FnOnce(std::io::Error) -> TableError {
    move |source| TableError::Io { path: path.to_owned(), doing, source: Arc::new(source) }
}

impl Directory {
    /// This folder. It is made when something is stored in it.
    pub fn new(folder: impl Into<PathBuf>) -> Directory {
        Directory { folder: folder.into() }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where a material's table is or would be.
    pub fn path(&self, material: Material) -> PathBuf {
        self.folder.join(format!("{}.{ENDING}", material.canonical().file_name()))
    }

    fn beside(&self, material: Material, ending: &str) -> PathBuf {
        self.path(material).with_extension(format!("{ENDING}.{ending}"))
    }

    /// Opens a material's table.
    ///
    /// # Errors
    /// As [`TableFile::open`]; also if the file is of another material.
    pub fn open(&self, material: Material) -> Result<TableFile, TableError> {
        let file = TableFile::open(self.path(material))?;
        if file.material() != material.canonical() {
            return Err(TableError::Malformed {
                path: self.path(material),
                what: "the description".to_owned(),
                why: "the table is of another material than the file's name says",
            });
        }
        Ok(file)
    }

    /// Whether a material's table is there and has the metric.
    pub fn has(&self, material: Material, metric: Metric) -> bool {
        self.open(material).is_ok_and(|file| file.solved_metrics().contains(&metric))
    }

    /// Those of the materials whose tables are not there or lack the metric.
    pub fn missing(&self, materials: &[Material], metric: Metric) -> Vec<Material> {
        materials.iter().copied().filter(|&material| !self.has(material, metric)).collect()
    }

    /// All tables, sorted by number of men and name.
    ///
    /// # Errors
    /// If the folder is there but cannot be read.
    pub fn list(&self) -> Result<Vec<Entry>, TableError> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(io_error(&self.folder, "listing")(error)),
        };
        let mut found = Vec::new();
        for entry in entries {
            let path = entry.map_err(io_error(&self.folder, "listing"))?.path();
            found.extend(self.entry(path)?);
        }
        found.sort_by_key(|entry| (entry.material.len(), entry.material.to_string()));
        Ok(found)
    }

    /// What a file of the folder is, if its name is that of a table.
    fn entry(&self, path: PathBuf) -> Result<Option<Entry>, TableError> {
        if path.extension() != Some(OsStr::new(ENDING)) {
            return Ok(None);
        }
        let name = path.file_stem().and_then(OsStr::to_str).unwrap_or_default();
        let Ok(material) = name.parse::<Material>() else { return Ok(None) };
        if material.file_name() != name || !material.is_canonical() {
            return Ok(None);
        }
        let file = self.open(material);
        let len_bytes = fs::metadata(&path).map_err(io_error(&path, "reading"))?.len();
        let verified = file.as_ref().is_ok_and(|file| self.is_verified(file));
        let metrics = file.map(|file| file.metrics());
        Ok(Some(Entry { path, material, len_bytes, metrics, verified }))
    }

    /// The mark of a verified file holds its signature, so that a file written
    /// since counts as not verified.
    fn is_verified(&self, file: &TableFile) -> bool {
        let mark = fs::read_to_string(self.beside(file.material(), VERIFIED));
        mark.is_ok_and(|mark| mark.trim() == format!("{:016x}", file.signature()))
    }

    /// Verifies a material's table and marks it if it is sound. A folder that
    /// cannot be written to keeps no mark.
    ///
    /// # Errors
    /// The first damage found.
    pub fn verify(&self, material: Material) -> Result<(), TableError> {
        let file = self.open(material)?;
        let mark = self.beside(file.material(), VERIFIED);
        let checked = file.verify();
        match &checked {
            Ok(()) => drop(fs::write(mark, format!("{:016x}\n", file.signature()))),
            Err(_) => drop(fs::remove_file(mark)),
        }
        checked
    }

    /// Stores the tables of one material, with those of its metrics that are
    /// in the file already and not among them. Wave logs of what is stored are
    /// removed. The file depends on nothing but the tables it then holds and
    /// the options.
    ///
    /// # Errors
    /// If the tables do not belong together, the disk refuses, or another
    /// process is at it.
    pub fn store(&self, tables: &[&Table], options: &WriteOptions) -> Result<(), TableError> {
        let Some(first) = tables.first() else { return Ok(()) };
        let _lock = self.lock(first.material)?;
        self.store_locked(tables, options)
    }

    /// As [`Directory::store`], for who holds the lock already.
    ///
    /// # Errors
    /// If the tables do not belong together or the disk refuses.
    pub fn store_locked(
        &self,
        tables: &[&Table],
        options: &WriteOptions,
    ) -> Result<(), TableError> {
        let Some(first) = tables.first() else { return Ok(()) };
        let material = first.material;
        self.make()?;
        // What cannot be read is replaced.
        let earlier = self.open(material).ok();
        let mut kept = Vec::new();
        for metric in earlier.iter().flat_map(TableFile::solved_metrics) {
            let own = if material.has_pawns() { metric } else { metric.without_pawns() };
            let given = |table: &&Table| table.metric == own;
            let mut known = tables.iter().copied().chain(&kept);
            if !known.any(|table| given(&table))
                && let Some(Ok(table)) = earlier.as_ref().map(|file| file.load(own))
            {
                kept.push(table);
            }
        }
        let all: Vec<&Table> = tables.iter().copied().chain(&kept).collect();
        write(&self.path(material), &all, options)?;
        let metrics: Vec<Metric> = all.iter().map(|table| table.metric).collect();
        self.tidy(material, &metrics)
    }

    /// Removes what is of no use once a material is stored in some metrics, for
    /// who holds the lock: their wave logs, and what processes that were killed
    /// have left of the file.
    fn tidy(&self, material: Material, metrics: &[Metric]) -> Result<(), TableError> {
        let logs = self.wave_logs();
        logs.remove(material, metrics).map_err(io_error(&self.folder, "removing a wave log"))?;
        for path in self.temporaries()?.into_iter().filter(|(_, of)| *of == material) {
            fs::remove_file(&path.0).map_err(io_error(&path.0, "removing"))?;
        }
        Ok(())
    }

    /// The incomplete files of the folder, with their material.
    fn temporaries(&self) -> Result<Vec<(PathBuf, Material)>, TableError> {
        let mut found = files_of_materials(&self.folder)?;
        found.retain(|(path, _)| path.extension() == Some(OsStr::new(TEMPORARY)));
        Ok(found)
    }

    /// Stores a material without pawns from its wave logs, for who holds the
    /// lock: class by class, so that it never is in memory as a whole. Metrics
    /// that are in the file already and not among the logs are kept. Writing
    /// that was interrupted resumes where it stopped. The wave logs are removed
    /// at the end.
    ///
    /// # Errors
    /// If the disk refuses or a log is damaged; solving again then computes the
    /// damaged waves.
    pub fn store_logged(
        &self,
        logged: &[Logged],
        assembly: &Assembly<'_>,
    ) -> Result<(), TableError> {
        let Some(first) = logged.first() else { return Ok(()) };
        let material = first.stats.material;
        self.make()?;
        let logs = self.wave_logs();
        let mut parts: Vec<Part> = logged.iter().map(Part::from).collect();
        if let Ok(earlier) = self.open(material) {
            let new = |metric: &Metric| parts.iter().all(|part| part.stats.metric != *metric);
            let kept: Vec<Metric> = earlier.solved_metrics().into_iter().filter(new).collect();
            parts.extend(kept_parts(earlier, &kept)?);
        }
        let mut metrics: Vec<Metric> = parts.iter().map(|part| part.stats.metric).collect();
        metrics.sort_unstable();
        let name = material.file_name();
        let temporary = temporary(logs.folder(), &name, &metrics, assembly.options.level);
        let assembled = assemble(&self.path(material), &temporary, &parts, assembly);
        if let Err(TableError::DamagedLog { .. }) = &assembled {
            metrics.iter().for_each(|&metric| logs.unfinish(material, metric));
        }
        assembled?;
        self.tidy(material, &metrics)
    }

    fn make(&self) -> Result<(), TableError> {
        fs::create_dir_all(&self.folder).map_err(io_error(&self.folder, "making the folder"))
    }

    /// The wave logs that belong to this folder.
    pub fn wave_logs(&self) -> WaveLogs {
        WaveLogs::new(self.folder.join(WAVES))
    }

    /// Locks a material: while the lock lives, no other process gets it.
    ///
    /// # Errors
    /// [`TableError::Busy`] if another process has the lock.
    pub fn lock(&self, material: Material) -> Result<Lock, TableError> {
        self.make()?;
        Lock::take(self.beside(material, LOCK), Patience::None)
    }

    /// As [`Directory::lock`], but waits for the other process.
    ///
    /// # Errors
    /// If the lock file cannot be made.
    pub fn wait_for_lock(&self, material: Material) -> Result<Lock, TableError> {
        self.make()?;
        Lock::take(self.beside(material, LOCK), Patience::Endless)
    }

    /// Removes incomplete files that no process can be writing any more: those
    /// whose material is not locked and that are an hour old. Returns how many.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn clean(&self) -> Result<usize, TableError> {
        if !self.folder.exists() {
            return Ok(0);
        }
        let mut removed = 0;
        let logs = self.folder.join(WAVES);
        let leftovers = match logs.exists() {
            true => files_of_materials(&logs)?,
            false => Vec::new(),
        };
        for (path, material) in self.temporaries()?.into_iter().chain(leftovers) {
            if is_stale(&path) && self.lock(material).is_ok() {
                removed += usize::from(fs::remove_file(&path).is_ok());
            }
        }
        Ok(removed)
    }
}

/// The files of a folder whose names begin with that of a material.
fn files_of_materials(folder: &Path) -> Result<Vec<(PathBuf, Material)>, TableError> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(io_error(folder, "listing"))? {
        let path = entry.map_err(io_error(folder, "listing"))?.path();
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        let material = name.split('.').next().and_then(|name| name.parse::<Material>().ok());
        found.extend(material.map(|material| (path.clone(), material)));
    }
    Ok(found)
}

fn is_stale(path: &Path) -> bool {
    let changed = fs::metadata(path).and_then(|metadata| metadata.modified());
    let age = changed.map(|time| SystemTime::now().duration_since(time).unwrap_or_default());
    age.is_ok_and(|age| age >= STALE)
}

/// Tables of more men are not brought into memory as a whole: they are solved
/// again instead.
const LOADED_MEN: usize = 5;

impl Shelf for Directory {
    fn contains(&self, material: Material, metric: Metric) -> bool {
        material.len() <= LOADED_MEN && self.has(material, metric)
    }

    fn load(&self, material: Material, metric: Metric) -> Result<Option<Table>, ShelfError> {
        if material.len() > LOADED_MEN {
            return Ok(None);
        }
        match self.open(material).and_then(|file| file.load(metric)) {
            Ok(table) => Ok(Some(table)),
            Err(error) if error.is_missing() => Ok(None),
            Err(error) => Err(ShelfError::Read { material, metric, source: Arc::new(error) }),
        }
    }
}
