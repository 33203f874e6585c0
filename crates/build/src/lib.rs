//! The planner and scheduler: from what is wanted to tables.
//!
//! You tell [`Build`] what is at hand (memory, threads, a folder, other sources of
//! tables) and ask it for tables, positions or stored files. It works out what they
//! depend on, in which order to make that, what to keep and for how long, and at
//! what cost; then it does the work, however many threads ask at once. A table that
//! several ask for is made once.
//!
//! What it is not: it knows no moves and no file format (`molien-solve` and
//! `molien-table` do), and it prints nothing.
//!
//! ```
//! use molien_build::Build;
//! use molien_values::Metric;
//!
//! let build = Build::new();
//! let table = build.table("KRK".parse()?, Metric::Dtm)?;
//! let longest = table.stats.sides[0].longest_win.as_ref().unwrap();
//! assert_eq!(longest.plies, 31); // mate in 16
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod build;
mod by_part;
mod cache;
mod clocks;
mod consistency;
mod error;
mod figures;
mod flight;
mod handed_over;
mod inputs;
mod lean;
mod limits;
mod load;
mod many;
mod memory;
mod need;
mod needs;
mod packed;
mod piece_slices;
mod plan;
mod planned;
mod positions;
mod reach;
mod reach_shelf;
mod recent;
mod request;
mod room;
mod run;
mod scratch;
mod setup;
mod shelf_slices;
mod slices;
mod sources;
mod store;
mod store_boards;
mod store_cost;
mod store_log;
mod together;
mod turns;
mod waiting;
mod watch;
mod whole;
mod zeroing;

pub use build::Build;
pub use clocks::{ClockKey, ClockRun, ClockRuns};
pub use consistency::{check_consistency, check_stored};
pub use error::BuildError;
pub use limits::{Storage, is_whole_for_position, storage};
pub use many::Visit;
pub use needs::{dependencies, order, reads};
pub use planned::PlannedTable;
pub use store::Making;
pub use zeroing::ZeroingMoves;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// What the locks of this crate guard is only ever changed entry by entry: a
/// panic elsewhere leaves it whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
