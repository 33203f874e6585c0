//! A chess engine for endings that speaks the Universal Chess Interface.
//!
//! [`run`] reads commands from one stream and writes answers to another.
//! Positions that tables know are played from them, exactly: wins are kept
//! within the 50-move rule and converted by the shortest mate it allows
//! ([`Tables`] is what the engine asks, [`PlayTables`] answers from a folder,
//! reading single positions). Other endings are left to the search of
//! [`molien_pawns`], which asks the same tables at its leaves.
//!
//! What it is not: it solves nothing unless the option `SolveMissing` is set,
//! and then in the background, in a thread of its own.
//!
//! ```
//! use molien_uci::{Setup, run};
//!
//! let commands = "position fen 8/P7/8/8/8/8/8/K6k w - - 0 1\ngo depth 2\n";
//! let mut answers = Vec::new();
//! run(commands.as_bytes(), &mut answers, Setup::default())?;
//! assert!(String::from_utf8_lossy(&answers).contains("bestmove a7a8q"));
//! # Ok::<(), std::io::Error>(())
//! ```

mod choice;
mod command;
mod control;
mod engine;
mod game;
mod info;
mod job;
mod line;
mod maker;
mod options;
mod play_tables;
#[cfg(test)]
mod play_test;
mod tables;
mod thinking;
mod time;
mod tricky;

pub use engine::run;
pub use options::{OpenTables, Places, Setup};
pub use play_tables::{MakeBuild, PlayTables};
pub use tables::{Known, TableProblem, Tables};
