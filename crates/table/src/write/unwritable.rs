//! Why tables cannot be written, before the file has a name.

use std::io;
use std::path::Path;
use std::sync::Arc;

use molien_board::Material;

use crate::TableError;

/// What stops the encoder.
#[derive(Debug)]
pub(crate) enum Unwritable {
    /// The metrics disagree on who wins.
    Disagree,
    /// A position has a depth that the statistics do not count.
    UncountedDepth,
    /// Two metrics differ by more than was expected: all differences have to be
    /// looked at first.
    UnexpectedDifference,
    /// A model or an alphabet is larger than the format allows.
    TooLarge,
    /// The caller asked to stop.
    Stopped,
    /// The values cannot be read, or the file cannot be made or named.
    Table(TableError),
    /// The file cannot be written.
    Io(io::Error),
}

impl Unwritable {
    /// The same, of a material whose file is written at this path.
    pub fn at(self, material: Material, path: &Path) -> TableError {
        let unfit = |why| TableError::Unfit { material, why };
        let path = path.to_owned();
        match self {
            Unwritable::Disagree => unfit("its tables disagree on who wins"),
            Unwritable::UncountedDepth => unfit("its statistics miss a depth of its values"),
            Unwritable::UnexpectedDifference => unfit("its metrics differ by too much"),
            Unwritable::TooLarge => unfit("it has too many depths"),
            Unwritable::Stopped => TableError::Interrupted { path },
            Unwritable::Table(error) => error,
            Unwritable::Io(source) => {
                TableError::Io { path, doing: "writing", source: Arc::new(source) }
            }
        }
    }
}

impl From<TableError> for Unwritable {
    fn from(error: TableError) -> Unwritable {
        Unwritable::Table(error)
    }
}

impl From<io::Error> for Unwritable {
    fn from(error: io::Error) -> Unwritable {
        Unwritable::Io(error)
    }
}
