//! What can go wrong.

use molien_probe::ProbeError;
use thiserror::Error;

/// Why a line could not be played or checked.
#[derive(Debug, Error, Clone)]
#[non_exhaustive]
pub enum LineError {
    /// The values cannot be had.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// A strategy has a letter without a meaning.
    #[error(
        "'{found}' is not a strategy: use R (win within the 50-move rule), M (dtm), C (dtc), Z or F (dtz), or several, as in ZM"
    )]
    Strategy {
        /// What was given.
        found: String,
    },
    /// A move of a given line is not legal there.
    #[error("ply {ply}: {name} is not a legal move in {fen}")]
    IllegalMove {
        /// Which ply, counted from 1.
        ply: usize,
        /// The move as given.
        name: String,
        /// The position.
        fen: String,
    },
}
