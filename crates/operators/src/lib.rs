//! Operators on sets of positions, a tile of 4096 at a time.
//!
//! The central one is `quiet(side, P)`: the positions from which `side` has a
//! quiet move into the set P. [`Scalar`] is its meaning, short and slow;
//! [`fastest`] picks the quickest implementation for the processor at hand;
//! all of them give the same bits, which the conformance suite checks.
//!
//! Moves that leave the hyperboard (captures, promotions, pawn moves) read the
//! values of other hyperboards: see [`Conversions`].

mod arch;
mod backend;
mod checks;
mod conversions;
mod fills;
mod graded;
mod merge;
mod neighbours;
mod quiet;
mod relayout;
mod scalar;
mod wide;
mod words;

pub use arch::kernels::{add_to_all, column, count, difference, take, transpose};
pub use arch::{all, fastest};
pub use backend::{Backend, valid};
pub use conversions::{Conversions, FixedCapture, Goal, SubView};
pub use graded::Release;
pub use neighbours::for_each_neighbour;
pub use relayout::{
    complete_symmetric, complete_symmetric_class, empty_tiles, swap_colors, swapped_class,
};
pub use scalar::Scalar;
