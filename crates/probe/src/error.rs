//! Why a position has no answer.

use std::sync::Arc;

use molien_board::{
    IllegalPosition, MAX_MEN, MAX_PAWN_ENDING_MEN, MAX_PAWN_ENDING_PIECES, Material,
};
use molien_build::BuildError;
use molien_solve::SolveError;
use molien_table::TableError;
use molien_values::{Metric, SurveyError};
use thiserror::Error;

/// Why a probe failed.
#[derive(Debug, Error, Clone)]
#[non_exhaustive]
pub enum ProbeError {
    /// The position breaks the rules; nothing can be said of it.
    #[error("illegal position: {0}")]
    Illegal(#[from] IllegalPosition),
    /// More men than any table can have.
    #[error(
        "{men} men on the board, but at most {MAX_MEN} are supported, or {MAX_PAWN_ENDING_MEN} \
         if all but {MAX_PAWN_ENDING_PIECES} are kings and pawns"
    )]
    TooManyMen {
        /// How many there are.
        men: usize,
    },
    /// The table could not be made: too little memory, or interrupted.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// There is no such table and none may be made. Solve it first.
    #[error("there is no {metric} table of {material}")]
    MissingTable {
        /// Whose.
        material: Material,
        /// Which metric.
        metric: Metric,
    },
    /// A stored table cannot be read or written; the text says which file and
    /// what is wrong. A damaged file is to be deleted and solved again.
    #[error(transparent)]
    Table(Arc<TableError>),
    /// A large board could not be solved.
    #[error(transparent)]
    Survey(#[from] SurveyError),
    /// A source of another kind could not answer; the text says why.
    #[error("{material}: {reason}")]
    Source {
        /// What was asked for.
        material: Material,
        /// Why there is no answer.
        reason: String,
    },
    /// A file made elsewhere is needed, but is not there.
    #[error("the Syzygy file {name} is missing")]
    MissingFile {
        /// Whose file.
        material: Material,
        /// Its name.
        name: String,
    },
    /// Tables hold mate under the 50-move rule at clock 0. At other clocks the rule
    /// can change it, and to find out the whole board has to be solved.
    #[error("{material}: mate with {clock} plies counted takes solving, and nothing may be solved")]
    UnknownAtClock {
        /// Whose board.
        material: Material,
        /// The clock.
        clock: u32,
    },
    /// The table says who wins but not how fast: depths of large tables are
    /// counted, not kept.
    #[error("{material}: the {metric} depths of so large a table are counted but not kept")]
    NoDepth {
        /// Whose table.
        material: Material,
        /// Which metric.
        metric: Metric,
    },
}

impl ProbeError {
    /// Whether the caller asked to stop.
    pub fn is_cancelled(&self) -> bool {
        match self {
            ProbeError::Build(error) => error.is_cancelled(),
            ProbeError::Table(error) => error.is_interrupted(),
            _ => false,
        }
    }

    /// Whether it is too much for the memory that may be used, or for any.
    pub fn is_too_large(&self) -> bool {
        matches!(self, ProbeError::Build(error) if error.is_too_large())
    }

    /// Whether the file system refuses to keep what was made: the folder cannot
    /// be written to, or the disk is full. Solving without storing still works.
    pub fn is_refused_by_disk(&self) -> bool {
        let by_table = |error: &TableError| matches!(error, TableError::Io { .. });
        match self {
            ProbeError::Table(error) => by_table(error),
            ProbeError::Build(BuildError::Table(error)) => by_table(error),
            ProbeError::Build(BuildError::Solve(error)) => {
                matches!(error, SolveError::WaveLog { .. })
            }
            _ => false,
        }
    }

    /// The table that is missing, if that is all that is wrong.
    pub fn missing_table(&self) -> Option<(Material, Metric)> {
        match *self {
            ProbeError::MissingTable { material, metric }
            | ProbeError::Build(BuildError::Missing { material, metric }) => {
                Some((material.canonical(), metric))
            }
            _ => None,
        }
    }
}
