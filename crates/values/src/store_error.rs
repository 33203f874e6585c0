//! What can go wrong where tables and waves are kept outside the process.

use std::error::Error as StdError;
use std::sync::Arc;

use molien_board::Material;
use thiserror::Error;

use crate::Metric;

/// What a store of its own kind reports: an error of the file system, of a
/// graphics card, of a network.
pub type StoreCause = Arc<dyn StdError + Send + Sync>;

/// Why a wave log cannot be used.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum LogError {
    /// The log cannot be opened.
    #[error("{place}: cannot open the wave log: {source}")]
    Open {
        /// Which log: a file, for instance.
        place: String,
        /// What is wrong.
        source: StoreCause,
    },
    /// A wave cannot be appended. Those before it are kept.
    #[error("{place}: cannot append to the wave log: {source}")]
    Append {
        /// Which log: a file, for instance.
        place: String,
        /// What is wrong.
        source: StoreCause,
    },
}

/// Why a table on a shelf cannot be had.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum ShelfError {
    /// It is there, but cannot be read.
    #[error("cannot read the {metric} table of {material}: {source}")]
    Read {
        /// Whose table.
        material: Material,
        /// In which metric.
        metric: Metric,
        /// What is wrong.
        source: StoreCause,
    },
    /// The shelf makes its tables when they are asked for, and could not.
    #[error("cannot make the {metric} table of {material}: {source}")]
    Make {
        /// Whose table.
        material: Material,
        /// In which metric.
        metric: Metric,
        /// What is wrong.
        source: StoreCause,
    },
    /// It does not hand over boards one after the other.
    #[error("the boards of {material} in {metric} cannot be had one after the other")]
    NoBoards {
        /// Whose boards.
        material: Material,
        /// In which metric.
        metric: Metric,
    },
}
