//! Endgame values in few bytes: learnt contexts and an entropy coder.
//!
//! A table is cut into tiles of 64 x 64 cells. For each side to move a decision
//! tree, learnt from a sample of the table itself, asks about the men of a cell
//! (who attacks whom, files, ranks, distances), about neighbouring cells already
//! known and about the other side to move; in each leaf the values have fixed
//! frequencies, and a cell is coded by those of the leaf it falls into.
//! docs/coding.md describes the bytes.
//!
//! What it is not: it reads and writes no files, checks no sums and solves
//! nothing. A [`TileSource`] hands in tiles; bytes come out; [`Classes`] reads
//! them, a tile or a cell at a time.

mod answers;
mod arch;
mod binary;
mod chunk;
mod class_sample;
pub mod classes;
#[cfg(test)]
mod conformance;
#[cfg(test)]
mod conformance_depth;
mod depth;
mod depth_batch;
mod depth_model;
mod depth_pack;
mod depth_read;
mod depth_tile;
mod error;
mod features;
mod fixed_men;
mod flat;
#[doc(hidden)]
pub mod fuzzing;
mod geometry;
mod index;
mod intervals;
mod lanes;
mod layout;
mod leaf;
mod learn;
mod lines;
mod men;
mod model;
mod pack;
mod picks;
mod profile;
mod prune;
pub mod question;
mod rans;
mod read;
mod row_answers;
mod sample;
pub mod scan;
mod search;
#[cfg(test)]
mod slow;
#[cfg(test)]
mod slow_depth;
mod source;
mod stream_index;
mod streams;
mod tile;
mod tree;
mod two_steps;
mod walker;

pub use chunk::CHUNK;
pub use classes::ClassTile;
pub use depth_pack::{DepthPacker, Metric};
pub use depth_read::{DepthScratch, Depths, Known};
pub use error::PackError;
pub use fixed_men::FixedMen;
pub use layout::{Address, Layout};
pub use leaf::LEVELS;
pub use men::{Men, placed_men};
pub use pack::{ClassPacker, stored_sides};
pub use profile::{Ignored, Profile};
pub use rans::TOTAL;
pub use read::{Classes, Reach, Scratch};
pub use scan::Segments;
pub use search::{choose, orders};
pub use source::{DepthTile, Late, Stretch, TableStretch, Tables, TileSource, late_of};
