//! What can go wrong.

use std::sync::Arc;

use molien_board::Material;
use thiserror::Error;

use crate::ranks::ExchangeError;
use molien_values::LogError;

/// Why a board could not be solved.
#[derive(Debug, Error, Clone)]
#[non_exhaustive]
pub enum SolveError {
    /// The caller asked to stop.
    #[error("solving {material} was interrupted")]
    Cancelled {
        /// What was being solved.
        material: Material,
    },
    /// What a board reads is not at hand: the plan has left it out.
    #[error("{material} is not at hand, but a board that is being solved reads it")]
    NotAtHand {
        /// What is read.
        material: Material,
    },
    /// Values that a board reads could not be brought back, or a finished board
    /// could not be put away.
    #[error("solving {material}: {source}")]
    Values {
        /// What was being solved.
        material: Material,
        /// What is wrong.
        source: Arc<dyn std::error::Error + Send + Sync>,
    },

    /// A wave could not be logged. What was logged before is kept.
    #[error("solving {material}: {source}")]
    WaveLog {
        /// What was being solved.
        material: Material,
        /// What is wrong.
        source: LogError,
    },
    /// The ranks that solve a board together cannot go on.
    #[error("solving {material}: {source}")]
    Ranks {
        /// What was being solved.
        material: Material,
        /// What is wrong.
        source: ExchangeError,
    },
}
