//! Games and studies, checked move by move once exact values are within
//! reach.

mod annotate;
mod detour;
mod model;
mod pgn;
mod reader;
mod report;
mod walk;

pub use annotate::annotated;
pub use model::{Flaw, GameReport, MoveReport, Options, Unjudged};
pub use pgn::{Game, Item, PgnError, Placed};
pub use reader::read;
pub use report::{Summary, to_text};
pub use walk::check_game;
