//! Why mining failed.

use molien_board::{FenError, Material, Position};
use molien_build::BuildError;
use molien_probe::ProbeError;
use molien_table::TableError;
use molien_values::Metric;
use thiserror::Error;

/// Why something could not be mined.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MineError {
    /// A table could not be had.
    #[error(transparent)]
    Solve(#[from] BuildError),
    /// A position could not be probed.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// The table says who wins but not how fast: depths of large tables are
    /// counted, not kept.
    #[error("{material}: the {metric} depths of so large a table are counted but not kept")]
    NoDepths {
        /// Whose table.
        material: Material,
        /// Which metric.
        metric: Metric,
    },
    /// The tables at hand lack a metric that is needed.
    #[error("{material}: a {metric} table is needed")]
    NoMetric {
        /// Whose table.
        material: Material,
        /// Which metric.
        metric: Metric,
    },
    /// Whoever asked for a search no longer wants it.
    #[error("the search was given up")]
    GivenUp,
    /// Basins are found among positions without pawns only.
    #[error("{material} has pawns: basins are found for materials without pawns only")]
    Pawns {
        /// What was asked for.
        material: Material,
    },
    /// A goal is of another material.
    #[error("{position} is not a position of {material}")]
    NotOf {
        /// Which goal.
        position: Position,
        /// The material asked for.
        material: Material,
    },
    /// A position with a free man could not be read.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// A stored table could not be read.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A file could not be written.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// A Parquet file could not be written.
    #[cfg(feature = "parquet")]
    #[error("the Parquet file could not be written: {0}")]
    Parquet(#[from] parquet::errors::ParquetError),
    /// A plot could not be drawn.
    #[cfg(feature = "plot")]
    #[error("the plot could not be drawn: {0}")]
    Plot(String),
}
