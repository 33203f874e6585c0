//! Syzygy files: written from our tables, checked, and read.
//!
//! What the format is, docs/syzygy.md says in words.

mod blocks;
mod checksum;
mod choose;
mod codes;
mod compress;
mod depth_map;
mod domain;
mod file;
mod huffman;
mod lead;
mod order;
mod pairs;
mod parse;
mod sequence;
mod source;
mod write;

pub use file::Kind;
pub use write::{Files, Plies, write};
