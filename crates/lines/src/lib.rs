//! Best play, annotated; and the play of others, judged.
//!
//! [`best_line`] plays both sides by their strategies, with an eye on the
//! 50-move rule where the strategy has one, and marks every move in the signs of
//! Nalimov, Wirth and Haworth; [`check_line`] puts the same marks
//! on given moves. [`study`] walks games and studies in PGN and says where a
//! value was thrown away, where a solution is not unique, and where a study is
//! cooked.
//!
//! What it is not: it solves nothing itself (that is a
//! [`Tablebase`](molien_probe::Tablebase)) and prints nothing.
//!
//! ```
//! use molien_lines::{Play, Until, best_line};
//! use molien_probe::Tablebase;
//! use molien_build::Build;
//! use molien_values::Metric;
//!
//! let tables = Tablebase::solving(Build::new());
//! let start: molien_board::Setup = "8/8/8/8/8/1K6/7R/k7 w - - 98 120".parse()?;
//! let line = best_line(&tables, start, &Play::both(Metric::Dtm), Until::default())?;
//! assert_eq!(line.to_text(), "120. Rh1#' {mate}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod judge;
mod line;
mod strategy;
pub mod study;
mod text;

pub use error::LineError;
pub use judge::{Candidate, Judged};
pub use line::{End, Line, Mark, Ply, Until, best_line, check_line};
pub use strategy::{Goal, Play, Strategy};
