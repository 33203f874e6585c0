//! Positions in; values, moves and their consequences out.
//!
//! [`Tablebase`] answers for any legal position whose tables it has or can make:
//! who wins under the 50-move rule, in how many plies by each metric, and what
//! every legal move leads to. Mirrored and colour-swapped positions and en passant
//! are handled here. The values come from a [`Source`], or from several in a row:
//! [`StoredTables`] reads a folder, [`MadeTables`] solves what is not at hand, and
//! [`SurveySource`] does the same for large boards, faster.
//!
//! What it is not: it solves nothing itself, and it prints nothing.
//!
//! ```
//! use molien_build::Build;
//! use molien_probe::Tablebase;
//! use molien_values::{Category, Metric};
//!
//! let tables = Tablebase::solving(Build::new());
//! let answer = tables.probe(&"8/8/8/8/8/2k5/8/K6R w - -".parse()?)?;
//! assert_eq!(answer.category, Category::Win);
//! assert_eq!(answer.values.plies(Metric::Dtm), Some(27)); // mate in 14
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
mod at_clock;
mod bulk;
pub mod chess;
mod clock_line;
mod clock_tables;
mod clocked;
mod error;
mod made;
mod order;
mod source;
mod stored;
mod survey;
mod tablebase;
pub mod words;

pub use answer::{Answer, MoveAnswer};
pub use bulk::FenProbeError;
pub use clock_line::clock_line;
pub use clock_tables::{AtClock, ClockTables};
pub use clocked::{ClockAnswer, ClockMove};
pub use error::ProbeError;
pub use made::{MadeTables, Spare};
pub use order::quiet_moves_first;
pub use source::{Failure, Source, Sources};
pub use stored::StoredTables;
pub use survey::SurveySource;
pub use tablebase::Tablebase;
