//! FORMAT.md in code, for reading and writing alike: what the bytes of a file
//! are, which cell holds a position, how depths become symbols, what moves
//! promise.

pub(crate) mod bytes;
pub(crate) mod coding;
pub(crate) mod compress;
pub(crate) mod file;
pub(crate) mod layout;
pub(crate) mod meta;
pub(crate) mod packed_meta;
pub(crate) mod predict;
pub(crate) mod shape;
pub(crate) mod tile_men;
