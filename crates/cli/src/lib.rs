//! Chess endgames solved exactly, from one import.
//!
//! Everything most programs need is here: positions and materials, metrics and
//! values, a [`Build`] that makes tables, a [`Tablebase`] that answers. What is
//! needed less often has a module of its own: [`lines`](mod@lines) for best play and studies,
//! [`mine`] for queries, zugzwangs and plots, [`pawns`] for pawn endings in
//! words, [`draw`] for boards as SVG, and with the feature `serde` `schema` for
//! the JSON of every answer.
//!
//! ```
//! use molien::{Build, Category, Metric, Setup, Tablebase};
//!
//! let tables = Tablebase::solving(Build::new());
//! let setup: Setup = "8/8/8/8/8/2k5/8/K6R w - -".parse()?;
//! let answer = tables.probe(&setup.position)?;
//! assert_eq!(answer.category, Category::Win);
//! assert_eq!(answer.values.plies(Metric::Dtm), Some(27)); // mate in 14
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Tables are kept in a folder if the build has one, and solved once:
//!
//! ```no_run
//! use molien::{Build, Directory, Making, Metric, Tablebase};
//!
//! let build = Build::new().with_folder(Directory::new("tables"));
//! build.store(&["KQKR".parse()?], &[Metric::Dtm, Metric::Dtz50], &Making::default())?;
//! let tables = Tablebase::solving(build);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Cargo features: `program` (default) builds the program `molien`, `serve`
//! (default) adds its service; a library needs neither. `serde` adds `schema`,
//! and `local` the module [`local`]. With `plot` histograms can be drawn, with
//! `parquet` tables be exported.

#[cfg(feature = "local")]
pub mod local;

pub use molien_board::{
    Color, FenError, FenOptions, IllegalPosition, Man, Material, MaterialError, Move, Position,
    Role, Setup, Square,
};
pub use molien_build::{Build, BuildError, Making, Storage, storage};
pub use molien_probe::{
    Answer, FenProbeError, MadeTables, MoveAnswer, ProbeError, Source, Sources, StoredTables,
    Tablebase, words,
};
pub use molien_solve::{Progress, Silent, WaveReport};
pub use molien_table::{Directory, Pack, TableError, WriteOptions};
pub use molien_values::{Category, Counting, Metric, Outcome, Stats, UnknownName, Value, Values};

pub use molien_draw as draw;
pub use molien_lines as lines;
pub use molien_mine as mine;
pub use molien_pawns as pawns;
#[cfg(feature = "serde")]
pub use molien_schema as schema;

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
