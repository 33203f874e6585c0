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

mod error;
mod folder;
mod format;
#[doc(hidden)]
pub mod fuzzing;
mod keys;
mod log;
mod read;
mod write;

pub use error::TableError;
pub use folder::directory::{Directory, ENDING, ListedTable};
pub use folder::leftovers::{Leftover, LeftoverKind};
pub use folder::lock::Lock;
pub use folder::open_tables::{OpenTables, ReadFailure};
pub use format::file::{OLDEST_VERSION, QUICK_VERSION, VERSION};
pub use log::boards::{BoardLog, LoggedBoards};
pub use log::logged::Logged;
pub use log::logs::WaveLogs;
pub use log::planes::{PackedBytes, PackedSide, PlaneStore};
pub use read::block_cache::BlockCache;
pub use read::cut::Cut;
pub use read::load::Reading;
pub use read::sizes::Sizes;
pub use read::table_file::TableFile;
pub use write::assemble::Assembly;
pub use write::classes::ByClass;
pub use write::packed::Learning;
pub use write::parts::TableParts;
pub use write::{Pack, Sides, WriteOptions, write};
