//! The folder for temporary files of a process, removed at its end; by another
//! process if it was killed.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;

use tempfile::TempDir;

/// What the names of such folders begin with.
const PREFIX: &str = ".molien-scratch-";
/// The file in it that is locked as long as its process lives.
const LOCK: &str = "lock";

/// A folder that nobody else uses.
pub(crate) struct ScratchFolder {
    folder: TempDir,
    _lock: File,
}

impl ScratchFolder {
    /// Makes one in a folder, and removes those that killed processes have left there.
    pub fn new_in(parent: &Path) -> io::Result<ScratchFolder> {
        fs::create_dir_all(parent)?;
        remove_abandoned(parent);
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent)?;
        let lock = File::create_new(folder.path().join(LOCK))?;
        // Where files cannot be locked nothing is removed either.
        let _ = lock.try_lock();
        Ok(ScratchFolder { folder, _lock: lock })
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes what killed processes have left: folders whose lock nobody holds. One that
/// has no lock yet is being made. What cannot be removed stays.
fn remove_abandoned(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    let ours = |name: &std::ffi::OsStr| name.to_string_lossy().starts_with(PREFIX);
    for folder in entries.flatten().filter(|entry| ours(&entry.file_name())) {
        let Ok(lock) = File::open(folder.path().join(LOCK)) else { continue };
        match lock.try_lock() {
            Ok(()) => drop(fs::remove_dir_all(folder.path())),
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_killed_processes_leave_is_removed() {
        let parent = tempfile::tempdir().unwrap();
        let killed = parent.path().join(".molien-scratch-killed");
        fs::create_dir(&killed).unwrap();
        fs::write(killed.join(LOCK), "").unwrap();
        fs::write(killed.join("KQKR.dtm.w.wave"), "some waves").unwrap();
        let begun = parent.path().join(".molien-scratch-begun");
        fs::create_dir(&begun).unwrap();
        let other = parent.path().join("tables");
        fs::create_dir(&other).unwrap();
        fs::write(other.join(LOCK), "").unwrap();
        let first = ScratchFolder::new_in(parent.path()).unwrap();
        assert!(!killed.exists(), "its process is gone");
        let second = ScratchFolder::new_in(parent.path()).unwrap();
        assert!(first.path().exists() && second.path().exists(), "in use");
        assert!(begun.exists() && other.exists(), "not abandoned");
        let path = first.path().to_owned();
        drop(first);
        assert!(!path.exists());
    }
}
