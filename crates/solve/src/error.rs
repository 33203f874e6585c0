//! What can go wrong.

use molien_board::Material;
use thiserror::Error;

use molien_values::{LogError, Metric, ShelfError};

/// Why a material could not be solved.
#[derive(Debug, Error, Clone)]
#[non_exhaustive]
pub enum SolveError {
    /// The tables would not fit.
    #[error(
        "{material} in {metric} needs about {needed_mib} MiB of memory, but the limit is {limit_mib} MiB (raise it with --memory)"
    )]
    Memory {
        /// What was asked.
        material: Material,
        /// In which metric.
        metric: Metric,
        /// The estimate.
        needed_mib: u64,
        /// What is allowed.
        limit_mib: u64,
    },
    /// A position can turn into too many others.
    #[error(
        "this {material} position can turn into more than {limit} placements of pawns and pieces: too many to solve"
    )]
    TooManyPlacements {
        /// Its material.
        material: Material,
        /// How many were looked at.
        limit: usize,
    },
    /// The caller asked to stop.
    #[error("solving {material} was interrupted")]
    Cancelled {
        /// What was being solved.
        material: Material,
    },
    /// The table does not hold the position: it was made for other placements
    /// of the pawns.
    #[error("the table of {material} does not hold this position")]
    NotCovered {
        /// Its material.
        material: Material,
    },
    /// A stored table could not be read.
    #[error(transparent)]
    Shelf(#[from] ShelfError),
    /// A wave could not be logged. What was logged before is kept.
    #[error("solving {material}: {source}")]
    WaveLog {
        /// What was being solved.
        material: Material,
        /// What is wrong.
        source: LogError,
    },
}
