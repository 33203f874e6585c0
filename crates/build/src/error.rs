//! What can go wrong.

use std::sync::Arc;

use molien_board::Material;
use molien_solve::{ExchangeError, SolveError};
use molien_table::TableError;
use molien_values::{Metric, ShelfError};
use thiserror::Error;

/// Why a table or a position could not be made.
#[derive(Debug, Error, Clone)]
#[non_exhaustive]
pub enum BuildError {
    /// The tables would not fit.
    #[error(
        "{material} in {metric} needs about {} of memory, but the limit is {}",
        mebibytes(*needed_mib),
        mebibytes(*limit_mib)
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
    /// The files would not fit on the disk.
    #[error(
        "{material} needs about {} of disk, but {} are free",
        mebibytes(*needed_mib),
        mebibytes(*free_mib)
    )]
    Disk {
        /// What was asked.
        material: Material,
        /// The estimate.
        needed_mib: u64,
        /// What is free.
        free_mib: u64,
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
    /// A position can turn into one with too many pieces.
    #[error(
        "this {material} position can turn into {after}: more pieces beside pawns than can be solved"
    )]
    TooManyPieces {
        /// Its material.
        material: Material,
        /// What it can turn into.
        after: Material,
    },
    /// The table does not hold the position: it was made for other placements
    /// of the pawns.
    #[error("the table of {material} does not hold this position")]
    NotCovered {
        /// Its material.
        material: Material,
    },
    /// There is no such table, and nothing may be solved.
    #[error("there is no {metric} table of {material}, and nothing may be solved")]
    Missing {
        /// Whose.
        material: Material,
        /// Which metric.
        metric: Metric,
    },
    /// Asked of pieces, but there are pawns.
    #[error("{material} has pawns: this works for pieces only")]
    HasPawns {
        /// What was asked.
        material: Material,
    },
    /// A board could not be solved.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// A table solved elsewhere could not be had.
    #[error(transparent)]
    Shelf(#[from] ShelfError),
    /// Boards were damaged on the way from where they were made, or are not those that were
    /// counted there.
    #[error(
        "{material} in {metric}: the boards that arrived do not have the figures that were counted where they were made"
    )]
    HandedOver {
        /// Whose boards.
        material: Material,
        /// In which metric.
        metric: Metric,
    },
    /// A stored table cannot be read or written.
    #[error(transparent)]
    Table(Arc<TableError>),
    /// A table could not be compressed or brought back.
    #[error("{material}: its compressed table: {source}")]
    Packing {
        /// Whose.
        material: Material,
        /// What is wrong.
        source: Arc<std::io::Error>,
    },
    /// Tables are to be stored, but there is no folder for them.
    #[error("there is no folder to store tables in")]
    NoFolder,
    /// The ranks that make tables together cannot go on.
    #[error("making tables together: {source}")]
    Ranks {
        /// What is wrong.
        source: ExchangeError,
    },
    /// The work was given up because another thread failed.
    #[error("{material} was not made: the thread that worked on it failed")]
    Lost {
        /// What was being made.
        material: Material,
    },
}

/// So much memory, in the unit that suits it.
fn mebibytes(mib: u64) -> String {
    let number = mib as f64;
    match mib {
        0..=1023 => format!("{mib} MiB"),
        1024..=1_048_575 => format!("{:.1} GiB", number / 1024.0),
        _ => format!("{:.1} TiB", number / 1_048_576.0),
    }
}

impl BuildError {
    pub(crate) fn packing(material: Material, error: std::io::Error) -> BuildError {
        BuildError::Packing { material, source: Arc::new(error) }
    }

    /// Whether the caller asked to stop.
    pub fn is_cancelled(&self) -> bool {
        match self {
            BuildError::Solve(SolveError::Cancelled { .. }) => true,
            BuildError::Table(error) => error.is_interrupted(),
            _ => false,
        }
    }

    /// Whether it is too much for the memory that may be used, or for any.
    pub fn is_too_large(&self) -> bool {
        matches!(
            self,
            BuildError::Memory { .. }
                | BuildError::TooManyPlacements { .. }
                | BuildError::TooManyPieces { .. }
        )
    }
}

impl From<TableError> for BuildError {
    fn from(error: TableError) -> BuildError {
        BuildError::Table(Arc::new(error))
    }
}
