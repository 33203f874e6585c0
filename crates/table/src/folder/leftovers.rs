//! What interrupted processes have left in a folder.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use molien_board::Material;
use molien_values::Metric;

use crate::folder::directory::{LOCK, VERIFIED, WAVES, io_error};
use crate::write::atomic::TEMPORARY;
use crate::{Directory, ENDING, TableError};

/// [`Directory::clean`] removes what could still be of use when it is this old.
const STALE: Duration = Duration::from_secs(3600);

/// What a leftover is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum LeftoverKind {
    /// A file whose writing was cut short. It is of no use.
    Incomplete,
    /// Waves of a solve, or what was assembled from them: the solve resumes
    /// there.
    Waves,
    /// The same, but all of it is in the table by now.
    StoredWaves,
    /// The mark that a table was verified, without the table.
    Mark,
}

/// A file that an interrupted process has left in a folder.
#[derive(Clone, Debug)]
pub struct Leftover {
    /// The file.
    pub path: PathBuf,
    /// Whose table it belongs to.
    pub material: Material,
    /// What it is.
    pub kind: LeftoverKind,
    /// Its bytes.
    pub len_bytes: u64,
    /// The time since it was last written to.
    pub age: Duration,
}

impl Leftover {
    /// Whether nobody can make use of it.
    pub fn is_useless(&self) -> bool {
        use LeftoverKind::*;
        match self.kind {
            StoredWaves | Mark => true,
            // Another program than ours may write without the lock.
            Incomplete | Waves => self.age >= STALE,
        }
    }
}

impl Directory {
    /// What interrupted processes have left, and nobody is working on. Lock
    /// files of killed processes are not among it: they vanish when looked at.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn leftovers(&self) -> Result<Vec<Leftover>, TableError> {
        let mut found = Vec::new();
        for folder in [self.folder().to_owned(), self.folder().join(WAVES)] {
            for (path, material) in files_of_materials(&folder)? {
                let kind = if folder == self.folder() {
                    self.kind(&path, material)
                } else {
                    self.waves_kind(&path, material)
                };
                let kind = kind.filter(|_| !self.is_busy(material));
                // One that has gone meanwhile is none.
                let metadata = kind.and_then(|_| fs::metadata(&path).ok());
                if let Some((kind, metadata)) = kind.zip(metadata) {
                    let written = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                    let age = SystemTime::now().duration_since(written).unwrap_or_default();
                    let len_bytes = metadata.len();
                    found.push(Leftover { path, material, kind, len_bytes, age });
                }
            }
        }
        found.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(found)
    }

    /// Removes a leftover; false if somebody has begun to work on its table.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub fn remove_leftover(&self, leftover: &Leftover) -> Result<bool, TableError> {
        let lock = match self.lock(leftover.material) {
            Ok(lock) => lock,
            Err(TableError::Busy { .. }) => return Ok(false),
            Err(error) => return Err(error),
        };
        match fs::remove_file(&leftover.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(io_error(&leftover.path, "removing")(error));
            }
            _ => drop(lock),
        }
        // Gone with its last log; stays if there are others.
        let _ = fs::remove_dir(self.folder().join(WAVES));
        Ok(true)
    }

    /// Removes the leftovers that nobody can make use of: of work that could
    /// resume only what is an hour old. Returns how many.
    ///
    /// # Errors
    /// If the folder cannot be read, or a file cannot be removed.
    pub fn clean(&self) -> Result<usize, TableError> {
        let mut removed = 0;
        for leftover in self.leftovers()?.iter().filter(|leftover| leftover.is_useless()) {
            removed += usize::from(self.remove_leftover(leftover)?);
        }
        Ok(removed)
    }

    /// Removes what killed processes have left of a material's file. The caller
    /// holds the lock.
    pub(crate) fn remove_incomplete(&self, material: Material) -> Result<(), TableError> {
        for (path, of) in files_of_materials(self.folder())? {
            if of == material && has_ending(&path, TEMPORARY) {
                fs::remove_file(&path).map_err(io_error(&path, "removing"))?;
            }
        }
        Ok(())
    }

    /// Whether a process is working on a material's table.
    fn is_busy(&self, material: Material) -> bool {
        matches!(self.lock(material), Err(TableError::Busy { .. }))
    }

    fn kind(&self, path: &Path, material: Material) -> Option<LeftoverKind> {
        let is_marked = || self.path(material).exists();
        match () {
            () if has_ending(path, TEMPORARY) => Some(LeftoverKind::Incomplete),
            () if has_ending(path, LOCK) => {
                self.is_busy(material); // if not, the file is gone
                None
            }
            () if has_ending(path, VERIFIED) && !is_marked() => Some(LeftoverKind::Mark),
            () => None,
        }
    }

    /// The second word of a log's name is its metric.
    fn waves_kind(&self, path: &Path, material: Material) -> Option<LeftoverKind> {
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        let metric = name.split('.').nth(1).and_then(|word| word.parse::<Metric>().ok());
        let stored = metric.is_some_and(|metric| self.has(material, metric));
        Some(if stored { LeftoverKind::StoredWaves } else { LeftoverKind::Waves })
    }
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension() == Some(OsStr::new(ending))
}

/// The files of a folder whose names begin with that of a material; none if
/// there is no such folder. Tables are left out.
fn files_of_materials(folder: &Path) -> Result<Vec<(PathBuf, Material)>, TableError> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(io_error(folder, "listing"))?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.map_err(io_error(folder, "listing"))?.path();
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        let material = name.split('.').next().and_then(|name| name.parse::<Material>().ok());
        if let Some(material) = material.filter(|_| !has_ending(&path, ENDING)) {
            found.push((path, material));
        }
    }
    Ok(found)
}
