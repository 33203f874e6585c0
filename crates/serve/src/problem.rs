//! What goes wrong, with its status and how loudly it is logged.

use std::time::Duration;

use axum::http::StatusCode;
use molien_board::{FenError, Material};
use molien_build::BuildError;
use molien_probe::ProbeError;
use thiserror::Error;
use tracing::Level;

/// Why a request has no answer.
#[derive(Debug, Error, Clone)]
#[non_exhaustive]
pub enum Problem {
    /// The request is not understood; the text says why.
    #[error("{0}")]
    Request(String),
    /// The position is not one.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// There is no such page.
    #[error("{0}")]
    NotFound(String),
    /// The request is larger than allowed; the text says by what.
    #[error("{0}")]
    NotAllowed(String),
    /// A table is being solved and not ready yet.
    #[error("{material} is being solved; ask again in {} s", retry_after.as_secs())]
    Solving {
        /// Which one.
        material: Material,
        /// When to ask again.
        retry_after: Duration,
    },
    /// Too many requests, or too much work, at the same time.
    #[error("{what}; ask again in {} s", retry_after.as_secs())]
    Busy {
        /// What is busy.
        what: &'static str,
        /// When to ask again.
        retry_after: Duration,
    },
    /// A value cannot be had.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// A table cannot be made.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// Something failed that should not have; the text says what.
    #[error("{0}")]
    Internal(String),
}

impl Problem {
    /// What the client is told.
    pub fn status(&self) -> StatusCode {
        match self {
            Problem::Request(_) | Problem::Fen(_) => StatusCode::BAD_REQUEST,
            Problem::NotFound(_) => StatusCode::NOT_FOUND,
            Problem::NotAllowed(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Problem::Solving { .. } | Problem::Busy { .. } => StatusCode::SERVICE_UNAVAILABLE,
            Problem::Probe(error) => of_probe(error),
            Problem::Build(error) => of_build(error),
            Problem::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// When to ask again, if that helps.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Problem::Solving { retry_after, .. } | Problem::Busy { retry_after, .. } => {
                Some(*retry_after)
            }
            _ => None,
        }
    }

    /// How loudly it is logged: what the client did wrong is no alarm.
    pub fn level(&self) -> Level {
        match self.status() {
            StatusCode::INTERNAL_SERVER_ERROR => Level::ERROR,
            StatusCode::SERVICE_UNAVAILABLE => Level::WARN,
            _ => Level::DEBUG,
        }
    }
}

fn of_probe(error: &ProbeError) -> StatusCode {
    match error {
        ProbeError::Illegal(_) => StatusCode::BAD_REQUEST,
        ProbeError::TooManyMen { .. }
        | ProbeError::MissingTable { .. }
        | ProbeError::NoDepth { .. } => StatusCode::NOT_FOUND,
        ProbeError::Build(error) => of_build(error),
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

fn of_build(error: &BuildError) -> StatusCode {
    match error {
        BuildError::Missing { .. } => StatusCode::NOT_FOUND,
        error if error.is_too_large() => StatusCode::NOT_FOUND,
        error if error.is_cancelled() => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}
