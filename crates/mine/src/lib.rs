//! Mining solved endgames.
//!
//! [`TableSet`] holds the tables of one material; everything else reads its
//! planes: [`Search`] finds the positions that match a [`Query`], a tile of
//! 4096 positions at a time; [`zugzwangs`] and [`maxima`] list mutual
//! zugzwangs and deepest positions; [`only_moves`] counts positions with a
//! single good move; [`Basins`] finds where best play leads to given
//! positions; [`FreeMan`] tries one man on every square; [`export`]
//! writes CSV and Parquet, [`plot`] draws histograms.
//!
//! What it is not: it solves nothing itself (a [`Solver`] does), and it
//! prints nothing.
//!
//! ```
//! use molien_mine::{Query, Search, TableSet};
//! use molien_build::Build;
//! use molien_values::Metric;
//!
//! let solver = Build::new();
//! let material = "KRK".parse()?;
//! let query = Query::parse("k on rank 8 and white to move and dtm = 31", material)?;
//! let tables = TableSet::solve(&solver, material, &[Metric::Dtm])?;
//! let mut found = Vec::new();
//! Search::new(&tables, &query)?.each(|_, _| {}, |hit| {
//!     found.push(hit.position);
//!     std::ops::ControlFlow::Continue(())
//! })?;
//! assert!(found.is_empty()); // a king on the edge is mated sooner
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Solver`]: molien_build::Build

mod basins;
mod error;
mod exact;
pub mod export;
mod figures;
mod free;
mod horizon;
mod maxima;
mod moves;
mod only_moves;
mod part;
#[cfg(feature = "plot")]
pub mod plot;
mod query;
mod relations;
mod scan;
mod select;
mod tables;
mod tiles;
mod zugzwang;

pub use basins::{Basin, BasinSize, BasinSizes, Basins, Wave};
pub use error::MineError;
pub use figures::{Figures, PlyFigures, Shares};
pub use free::{FreeMan, FreeSquare};
pub use horizon::horizon;
pub use maxima::maxima;
pub use only_moves::{OnlyMoveCounts, OnlyMoves, only_moves};
pub use query::{Query, QueryError};
pub use scan::{Hit, Search};
pub use select::Selection;
pub use tables::{MetricValues, TableSet};
pub use zugzwang::{Zugzwang, ZugzwangKind, zugzwangs};
