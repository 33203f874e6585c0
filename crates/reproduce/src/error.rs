//! What can go wrong.

use molien_build::BuildError;
use molien_lines::LineError;
use molien_probe::ProbeError;
use thiserror::Error;

impl ReproduceError {
    /// Whether this machine is too small: what is asked needs more memory than
    /// it may take.
    pub(crate) fn is_memory(&self) -> bool {
        match self {
            ReproduceError::Build(error) => error.is_too_large(),
            ReproduceError::Probe(error) | ReproduceError::Line(LineError::Probe(error)) => {
                error.is_too_large()
            }
            _ => false,
        }
    }
}

/// Why a table could not be reproduced.
#[derive(Debug, Error, Clone)]
#[non_exhaustive]
pub enum ReproduceError {
    /// A material could not be solved.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A value could not be had.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// A line could not be followed.
    #[error(transparent)]
    Line(#[from] LineError),
    /// The data that comes with the program is damaged.
    #[error("{file}, row {row}: {problem}")]
    Data {
        /// Which file.
        file: &'static str,
        /// Which row, from 1.
        row: usize,
        /// What is wrong.
        problem: String,
    },
    /// There is no such table.
    #[error("{paper} has no table '{table}': choose from {known}")]
    NoTable {
        /// Whose.
        paper: &'static str,
        /// What was asked.
        table: String,
        /// What there is.
        known: String,
    },
}
