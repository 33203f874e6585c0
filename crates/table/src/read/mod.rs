//! From bytes to values: single positions, whole tables, who wins.

pub(crate) mod block;
pub(crate) mod block_cache;
mod cells;
pub(crate) mod cut;
pub(crate) mod decode;
pub(crate) mod file_classes;
mod front;
pub(crate) mod load;
pub(crate) mod lookup;
mod mmap;
mod outcomes;
pub(crate) mod packed;
mod packed_load;
mod packed_parts;
pub(crate) mod packed_tiles;
pub(crate) mod sizes;
pub(crate) mod stop;
pub(crate) mod sweep;
pub(crate) mod table_file;
