//! Positions in; values, moves and their consequences out.
//!
//! [`Tablebase`] answers for any legal position it has (or can make) tables
//! for: who wins under the 50-move rule, in how many plies by each metric,
//! and what every legal move leads to. Mirrored and colour-swapped positions
//! and en passant are handled here. Where the tables come from is a
//! [`Source`]: [`SolverSource`] solves them on demand and keeps them in memory,
//! [`FolderSource`] keeps them in a folder, and [`SurveySource`] puts something
//! faster before them for large boards.
//!
//! What it is not: it solves nothing itself, and it prints nothing.
//!
//! ```
//! use molien_probe::Tablebase;
//! use molien_values::Category;
//! use molien_solve::Solver;
//! use molien_values::Metric;
//!
//! let tables = Tablebase::solving(Solver::new());
//! let answer = tables.probe(&"8/8/8/8/8/2k5/8/K6R w - -".parse()?)?;
//! assert_eq!(answer.category, Category::Win);
//! assert_eq!(answer.values.plies(Metric::Dtm), Some(27)); // mate in 14
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
pub mod chess;
mod error;
mod folder;
mod large;
mod order;
mod source;
mod survey;
mod tablebase;

pub use answer::{Answer, MoveAnswer, Values};
pub use error::ProbeError;
pub use folder::FolderSource;
pub use order::quiet_moves_first;
pub use source::{SolverSource, Source};
pub use survey::SurveySource;
pub use tablebase::Tablebase;
