//! Operators on sets of positions, a tile of 4096 at a time.
//!
//! The central one is `quiet(side, P)`: the positions from which `side` has a
//! quiet move into the set P. [`Scalar`] is its meaning, short and slow;
//! [`fastest`] picks the quickest implementation for the processor at hand,
//! [`by_name`] a certain one. All of them are a [`Backend`] and give the same
//! bits, which the conformance suite checks.
//!
//! Moves that leave the hyperboard (captures, promotions, pawn moves) read the
//! values of other hyperboards: see [`Conversions`].

mod arch;
mod backend;
mod checks;
mod conversions;
mod fills;
mod graded;
mod kernels;
mod merge;
mod neighbours;
mod pages;
mod quiet;
mod relayout;
mod scalar;
mod wide;
mod words;

#[cfg(target_arch = "aarch64")]
pub use arch::Neon;
#[cfg(target_arch = "x86_64")]
pub use arch::{Avx2, Avx512};
pub use arch::{Plain, all, by_name, fastest};
pub use backend::{Backend, valid};
pub use conversions::{Conversions, FixedCapture, Goal, SubView};
pub use graded::{Plies, Release};
pub use merge::{Movers, Reading, TileMoves};
pub use neighbours::{for_each_king_neighbour, for_each_neighbour, king_neighbours};
pub use pages::{TileHeap, TileRange, empty_tiles, make_tiles};
pub use quiet::{QuietMoves, Which};
pub use relayout::{complete_symmetric, complete_symmetric_class, swap_colors, swapped_class};
pub use scalar::Scalar;
