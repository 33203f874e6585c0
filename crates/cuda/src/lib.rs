//! The waves of retrograde analysis on a CUDA card.
//!
//! [`CudaEngine`] solves boards with and without pawns and gives the same tables
//! and statistics as `molien_build::Build`, bit for bit. The driver and the
//! run-time compiler are loaded when an engine is made; without them the crate
//! still builds, and [`CudaEngine::new`] says what it looked for.
//!
//! What it is not: it reads and writes no files.
//!
//! ```
//! use molien_cuda::CudaEngine;
//! use molien_values::Metric;
//!
//! match CudaEngine::new() {
//!     Ok(engine) => {
//!         let table = engine.solve("KRK".parse()?, Metric::Dtm)?;
//!         assert_eq!(table.stats.sides[0].longest_win.as_ref().unwrap().plies, 31);
//!     }
//!     Err(error) => println!("skipped: {error}"),
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod assemble;
mod bench;
mod beside;
mod cache;
mod check;
mod compile;
pub mod conformance;
mod counts;
mod cut;
mod device;
mod driver;
#[cfg(feature = "emulator")]
mod emulator;
mod engine;
mod error;
mod final_counts;
mod host_planes;
mod large;
mod large_keep;
mod large_memory;
mod large_some;
mod large_tables;
mod large_values;
mod late;
mod layout;
mod limited;
mod needs;
mod pawn_exits;
mod pawn_solve;
mod piece_slices;
mod room;
mod shelf;
mod split;
mod store;
mod survey;
mod two_planes;
mod unit;
mod watch;
mod waves;
mod working;

pub use bench::{Bench, Phase};
pub use engine::{Attackers, CudaEngine, Request};
pub use error::CudaError;
pub use needs::{CardMemory, Detail, Planes};
pub use shelf::CudaShelf;
