//! Tables on disk: one file per material, all metrics in it.
//!
//! [`write()`] stores solved tables, [`TableFile`] reads them at random. The
//! format is described in FORMAT.md.
//!
//! What it is not: it solves nothing and knows no moves beyond what
//! compression needs.

mod atomic;
mod block;
mod bytes;
mod cache;
mod choose;
mod codec;
mod compress;
mod directory;
mod encode;
mod error;
mod file;
mod frame;
#[doc(hidden)]
pub mod fuzzing;
mod layout;
mod load;
mod meta;
mod mmap;
mod outcomes;
mod predict;
mod reader;
mod shape;
mod source;
mod wave_log;
mod writer;

pub use directory::{Directory, ENDING, Entry, FOLDER_VARIABLE, Lock};
pub use error::TableError;
pub use file::VERSION;
pub use reader::{Sizes, TableFile};
pub use wave_log::WaveLogs;
pub use writer::{WriteOptions, write};
