//! The commands.

pub mod basins;
pub mod bench;
pub mod bulk;
pub mod clock;
pub mod compare;
pub mod completions;
pub mod explain;
pub mod export;
pub mod find;
mod fingerprints;
pub mod free;
pub mod line;
pub mod maxima;
pub mod only_moves;
pub mod plan;
pub mod plan_files;
pub mod probe;
pub mod reproduce;
pub mod search;
#[cfg(feature = "serve")]
pub mod serve;
pub mod solve;
pub mod stats;
pub mod study;
pub mod survey;
pub mod syzygy;
pub mod syzygy_check;
pub mod syzygy_write;
mod table_sizes;
pub mod tables;
pub mod uci;
pub mod verify;
pub mod zugzwangs;
