//! Games and studies, checked move by move once exact values are within
//! reach.

mod annotate;
mod detour;
mod pgn;
mod report;
mod walk;

pub use annotate::annotated;
pub use pgn::{Game, Item, PgnError, Placed, read};
pub use report::{Summary, to_text};
pub use walk::{Flaw, GameReport, MoveReport, Options, Unjudged, check_game};
