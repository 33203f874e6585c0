//! Syzygy files: written from our tables, checked, and read.
//!
//! What the format is, docs/syzygy.md says in words.

mod blocks;
mod checksum;
mod codes;
mod file;
mod huffman;
mod lead;
mod order;
mod pairs;
mod parse;
mod places;
mod sequence;
mod source;
mod write;

pub use file::Kind;
pub use write::{Files, Plies, write};
