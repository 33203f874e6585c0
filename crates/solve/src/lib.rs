//! Retrograde analysis in waves.
//!
//! [`Solver`] takes a material, solves what it depends on, and returns a
//! [`Table`]: the value of every position for both sides to move, in one
//! metric, with statistics. The heart is a dozen lines of logic: `Waves::run`
//! in `waves.rs`.
//!
//! What it is not: it reads and writes no files and prints nothing; progress
//! goes to a [`Progress`] the caller supplies.
//!
//! ```
//! use molien_solve::Solver;
//! use molien_values::Metric;
//!
//! let solver = Solver::new();
//! let table = solver.solve("KRK".parse()?, Metric::Dtm)?;
//! let longest = table.stats.sides[0].longest_win.as_ref().unwrap();
//! assert_eq!(longest.plies, 31); // mate in 16
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bishops;
mod board_solve;
mod cache;
mod consistency;
mod counter;
mod dependencies;
mod en_passant;
mod error;
mod exits;
mod logged;
mod memory;
mod parts;
mod pawn_exits;
mod pawn_solve;
mod piece_view;
mod plan;
mod position;
mod progress;
mod reach;
mod record;
mod solver;
mod view;
mod watch;
mod waves;
mod zeroing;

pub use consistency::{Consistency, Inconsistency, Law, check_consistency};
pub use dependencies::dependencies;
pub use error::SolveError;
pub use position::Cost;
pub use progress::{Progress, Silent, WaveReport};
pub use solver::Solver;
pub use zeroing::{Captures, Zeroing, ZeroingWins};
