//! What can go wrong with tables on disk.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use molien_board::Material;
use molien_values::Metric;
use thiserror::Error;

use crate::format::file::{OLDEST_VERSION, QUICK_VERSION, VERSION};

/// Why a table could not be read or written.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum TableError {
    /// There is no such file: solve the material first.
    #[error("{}: no such table", path.display())]
    Missing {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// The file is there, but the metric was not stored.
    #[error("{}: holds no {metric}", path.display())]
    NoMetric {
        /// The file.
        path: PathBuf,
        /// What was asked.
        metric: Metric,
    },
    /// The metric is stored for one side to move only, and this is the other one:
    /// its values follow from those and from smaller tables.
    #[error("{}: holds {metric} with one side to move, and this is the other one", path.display())]
    OtherSide {
        /// The file.
        path: PathBuf,
        /// What was asked.
        metric: Metric,
    },
    /// A value that is derived takes a table that is not there.
    #[error("{}: {metric} with this side to move takes the table of {material}, which is not stored", path.display())]
    Underneath {
        /// The file.
        path: PathBuf,
        /// What was asked.
        metric: Metric,
        /// The table that is missing.
        material: Material,
    },
    /// The position does not belong to this table, or its pawns stand in a
    /// placement that was not solved.
    #[error("{}: does not hold the position {position}", path.display())]
    NoPosition {
        /// The file.
        path: PathBuf,
        /// What was asked, as FEN.
        position: String,
    },
    /// Not a table at all.
    #[error("{}: not a Molien table", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// A version of the format that this build does not read.
    #[error(
        "{}: format version {found}, but this build reads versions {OLDEST_VERSION}, {QUICK_VERSION} and {VERSION}: {}",
        path.display(),
        remedy(*found)
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u16,
    },
    /// The file is shorter or longer than it says.
    #[error("{}: damaged: {found} bytes long instead of {expected}", path.display())]
    Length {
        /// The file.
        path: PathBuf,
        /// Bytes it should have.
        expected: u64,
        /// Bytes it has.
        found: u64,
    },
    /// A checksum does not match. Remove the file and solve again.
    #[error("{}: damaged: {what} has checksum {found:016x} instead of {expected:016x}", path.display())]
    Checksum {
        /// The file.
        path: PathBuf,
        /// Which part of it.
        what: String,
        /// What the file says.
        expected: u64,
        /// What its bytes give.
        found: u64,
    },
    /// The checksums match, yet the contents make no sense.
    #[error("{}: damaged: {what}: {why}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Which part of it.
        what: String,
        /// What is wrong.
        why: &'static str,
    },
    /// The checksums match, yet a model or stream makes no sense.
    #[error("{}: damaged: {why}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// The operating system refused.
    #[error("{}: {doing}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was attempted.
        doing: &'static str,
        /// What it said.
        source: Arc<io::Error>,
    },
    /// The tables given do not belong in one file.
    #[error("cannot store {material}: {why}")]
    Unfit {
        /// What was to be stored.
        material: Material,
        /// The reason.
        why: &'static str,
    },
    /// A wave log is damaged. The marks that call it complete are removed:
    /// solving the table again computes the lost waves.
    #[error("{}: damaged wave log: {why}; solve the table again to repair it", path.display())]
    DamagedLog {
        /// The log.
        path: PathBuf,
        /// What is wrong.
        why: &'static str,
    },
    /// Writing was stopped. The next attempt resumes where this one stopped.
    #[error("{}: writing was interrupted; it resumes where it stopped", path.display())]
    Interrupted {
        /// The file that is not there yet.
        path: PathBuf,
    },
    /// Reading many values was stopped.
    #[error("{}: reading was interrupted", path.display())]
    ReadInterrupted {
        /// The file.
        path: PathBuf,
    },
    /// Another process is writing this table.
    #[error("{}: another process is working on it", path.display())]
    Busy {
        /// The lock file.
        path: PathBuf,
    },
}

/// What to do about a file of another version.
fn remedy(found: u16) -> &'static str {
    if found < VERSION {
        "remove the file and solve the table again"
    } else {
        "use a newer version of the program"
    }
}

impl TableError {
    /// Whether the file is there but damaged.
    pub fn is_damage(&self) -> bool {
        use TableError::*;
        matches!(
            self,
            Foreign { .. } | Length { .. } | Checksum { .. } | Malformed { .. } | Unreadable { .. }
        )
    }

    /// Whether the caller asked to stop.
    pub fn is_interrupted(&self) -> bool {
        matches!(self, TableError::Interrupted { .. } | TableError::ReadInterrupted { .. })
    }

    /// Whether the table is simply not there, or of a version of the format too
    /// old to read: then it is solved, and the file is replaced.
    pub fn is_missing(&self) -> bool {
        use TableError::*;
        let old = matches!(self, Version { found, .. } if *found < VERSION);
        old || matches!(self, Missing { .. } | NoMetric { .. })
    }
}
