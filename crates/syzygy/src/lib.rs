//! Syzygy files: written from our tables, checked, and read.
//!
//! What the format is, docs/syzygy.md says in words.

mod blocks;
mod check;
mod checksum;
mod choose;
mod codes;
mod compress;
mod depth_map;
mod domain;
mod file;
mod file_codes;
mod huffman;
mod lead;
mod order;
mod pairs;
mod parse;
mod raw;
mod read;
mod runs;
mod sample;
mod sequence;
mod source;
mod tables;
mod unpack;
mod write;

#[doc(hidden)]
pub mod fuzzing;

pub use check::{CheckError, TableFile, Values, Wrong};
pub use file::Kind;
pub use raw::Damage;
pub use read::{Answer, PlyRange, ReadError, SyzygyFolder};
pub use sample::{SampleError, check_sample};
pub use tables::SyzygyTables;
pub use write::{Files, Plies, WriteError, write, write_with};
