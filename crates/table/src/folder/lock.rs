//! One process at a time: a file beside the table that is locked while somebody
//! works on it, and gone afterwards.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::TableError;

/// Keeps other processes from working on the same material.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    file: File,
}

/// Whether to wait for another process.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Patience {
    None,
    Endless,
}

impl Lock {
    /// # Errors
    /// If the file cannot be made, or, without patience, another process has
    /// the lock.
    pub(crate) fn take(path: PathBuf, patience: Patience) -> Result<Lock, TableError> {
        let failed = |source| TableError::Io {
            path: path.clone(),
            doing: "locking",
            source: Arc::new(source),
        };
        loop {
            let mut options = OpenOptions::new();
            let file = options.write(true).create(true).truncate(false).open(&path);
            let file = file.map_err(failed)?;
            if patience == Patience::Endless {
                file.lock().map_err(failed)?;
            } else {
                match file.try_lock() {
                    Ok(()) => {}
                    Err(TryLockError::WouldBlock) => return Err(TableError::Busy { path }),
                    Err(TryLockError::Error(source)) => return Err(failed(source)),
                }
            }
            // Who had the lock removed the file perhaps: then others do not
            // find the one that is locked here.
            if is_at(&file, &path) {
                return Ok(Lock { path, file });
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Before the lock ends, so that nobody else's file is removed. If it
        // cannot be, it stays, and does no harm.
        if REMOVED && is_at(&self.file, &self.path) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Where files have no numbers to know them by, lock files stay.
const REMOVED: bool = cfg!(unix);

/// Whether the file is the one at this path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let number = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    let (Ok(own), Ok(other)) = (file.metadata(), fs::metadata(path)) else { return false };
    number(own) == number(other)
}

#[cfg(not(unix))]
fn is_at(_file: &File, _path: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

    /// Removing the file lets no two in at a time, and loses nobody.
    #[test]
    fn one_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("KQvK.mol.lock");
        let (inside, entered) = (AtomicBool::new(false), AtomicUsize::new(0));
        let work = |patience| {
            for _ in 0..200 {
                match Lock::take(path.clone(), patience) {
                    Ok(_lock) => {
                        assert!(!inside.swap(true, SeqCst));
                        entered.fetch_add(1, SeqCst);
                        inside.store(false, SeqCst);
                    }
                    Err(TableError::Busy { .. }) => assert!(patience == Patience::None),
                    Err(error) => panic!("{error}"),
                }
            }
        };
        std::thread::scope(|scope| {
            (0..4).for_each(|_| drop(scope.spawn(|| work(Patience::Endless))));
            scope.spawn(|| work(Patience::None));
        });
        assert!(entered.into_inner() >= 800);
        assert_eq!(path.exists(), !REMOVED);
    }
}
