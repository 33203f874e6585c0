//! Tables on disk: one file per material, all metrics in it.
//!
//! [`write()`] stores solved tables, [`TableFile`] reads them at random,
//! [`Directory`] is a folder of them, [`WaveLogs`] keeps the waves of long
//! solves so that an interrupted one can resume. A table too large for memory
//! is [`Logged`] and written from its waves ([`Directory::store_logged`]). The
//! format is described in FORMAT.md at the root of the workspace.
//!
//! What it is not: it solves nothing and knows no moves beyond what
//! compression needs.
//!
//! ```
//! use molien_build::Build;
//! use molien_values::{Metric, Value};
//! use molien_table::{Directory, WriteOptions};
//!
//! let folder = tempfile::tempdir()?;
//! let directory = Directory::new(folder.path());
//! let table = Build::new().table("KQK".parse()?, Metric::Dtm)?;
//! directory.store(&[&table], &WriteOptions::default())?;
//!
//! let file = directory.open("KQK".parse()?)?;
//! let position = "7k/8/5K2/8/8/8/8/Q7 w - -".parse()?;
//! assert_eq!(file.get(&position, Metric::Dtm)?, Value::Win(3));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod arch;
mod assemble;
mod atomic;
mod block;
mod bytes;
mod cache;
mod choose;
mod classes;
mod coding;
mod compress;
mod decode;
mod directory;
mod encode;
mod error;
mod expand;
mod file;
mod file_classes;
mod frame;
#[doc(hidden)]
pub mod fuzzing;
mod gather;
mod key;
mod layout;
mod load;
mod lock;
mod logged;
mod meta;
mod mmap;
mod predict;
mod reader;
mod records;
mod shape;
mod source;
mod unwritable;
mod values;
mod wave_log;
mod wave_record;
mod writer;

pub use assemble::Assembly;
pub use directory::{Directory, ENDING, Entry};
pub use error::TableError;
pub use file::{OLDEST_VERSION, VERSION};
pub use lock::Lock;
pub use logged::Logged;
pub use reader::{Sizes, TableFile};
pub use wave_log::WaveLogs;
pub use writer::{WriteOptions, write};
