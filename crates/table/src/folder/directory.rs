//! The folder of tables.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use molien_board::Material;
use molien_values::Metric;

use crate::folder::lock::{Lock, Patience};
use crate::read::stop::Stop;
use crate::{BlockCache, TableError, TableFile, WaveLogs};

/// The ending of table files.
pub const ENDING: &str = "mol";
/// The ending of the marks that a file has been verified.
pub(crate) const VERIFIED: &str = "verified";
/// The ending of lock files.
pub(crate) const LOCK: &str = "lock";
/// The folder of wave logs inside the folder of tables.
pub(crate) const WAVES: &str = "waves";

/// What the decoded blocks of a folder's files may take together.
const CACHE_BYTES: u64 = 256 << 20;

/// A folder of tables, one file per material.
#[derive(Clone, Debug)]
pub struct Directory {
    folder: PathBuf,
    /// Decoded blocks of all files of the folder.
    blocks: BlockCache,
    /// Whether long reading of its files is to end.
    pub(crate) stop: Stop,
}

/// One table of a folder.
#[derive(Debug)]
pub struct ListedTable {
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

pub(crate) fn io_error(
    path: &Path,
    doing: &'static str,
) -> impl FnOnce(std::io::Error) -> TableError {
    move |source| TableError::Io { path: path.to_owned(), doing, source: Arc::new(source) }
}

impl Directory {
    /// This folder. It is made when something is stored in it.
    pub fn new(folder: impl Into<PathBuf>) -> Directory {
        let blocks = BlockCache::new(CACHE_BYTES);
        Directory { folder: folder.into(), blocks, stop: Stop::default() }
    }

    /// Opens its files so that long reading ends when this says so
    /// ([`TableFile::stopping_when`]).
    pub fn stopping_when(
        mut self,
        is_stopped: impl Fn() -> bool + Send + Sync + 'static,
    ) -> Directory {
        self.stop = Stop::when(is_stopped);
        self
    }

    /// Keeps decoded blocks of its files in this cache. Clones share it.
    pub fn with_cache(mut self, cache: BlockCache) -> Directory {
        self.blocks = cache;
        self
    }

    /// The decoded blocks of its files.
    pub fn cache(&self) -> &BlockCache {
        &self.blocks
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where a material's table is or would be.
    pub fn path(&self, material: Material) -> PathBuf {
        self.folder.join(format!("{}.{ENDING}", material.canonical().file_name()))
    }

    pub(crate) fn beside(&self, material: Material, ending: &str) -> PathBuf {
        self.path(material).with_extension(format!("{ENDING}.{ending}"))
    }

    /// Opens a material's table.
    ///
    /// # Errors
    /// As [`TableFile::open`]; also if the file is of another material.
    pub fn open(&self, material: Material) -> Result<TableFile, TableError> {
        let mut file = TableFile::open_with_cache(self.path(material), &self.blocks)?;
        file.stop = self.stop.clone();
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
        self.open(material).is_ok_and(|file| file.has(metric))
    }

    /// Those of the materials whose tables are not there or lack the metric.
    pub fn missing(&self, materials: &[Material], metric: Metric) -> Vec<Material> {
        materials.iter().copied().filter(|&material| !self.has(material, metric)).collect()
    }

    /// All tables, sorted by number of men and name.
    ///
    /// # Errors
    /// If the folder is there but cannot be read.
    pub fn list(&self) -> Result<Vec<ListedTable>, TableError> {
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
    fn entry(&self, path: PathBuf) -> Result<Option<ListedTable>, TableError> {
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
        Ok(Some(ListedTable { path, material, len_bytes, metrics, verified }))
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
    /// The first damage found, or that it was [interrupted](Directory::stopping_when).
    pub fn verify(&self, material: Material) -> Result<(), TableError> {
        let file = self.open(material)?;
        let mark = self.beside(file.material(), VERIFIED);
        let checked = file.verify();
        match &checked {
            Ok(()) => drop(fs::write(mark, format!("{:016x}\n", file.signature()))),
            // What was found earlier still holds.
            Err(error) if error.is_interrupted() => {}
            Err(_) => drop(fs::remove_file(mark)),
        }
        checked
    }

    pub(crate) fn make(&self) -> Result<(), TableError> {
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
}
