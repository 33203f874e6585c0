//! Answers as JSON, the same for every interface.
//!
//! Values are plies, positive for a win of the side to move, negative for a
//! loss, 0 for mated, null for a draw; each stands beside the position it
//! belongs to. Classes are the seven words of `Category`. docs/json.md
//! describes the fields.
//!
//! What it is not: it computes nothing.

mod position;
mod problem;

pub use position::{MissingJson, MoveJson, PositionJson, ValuesJson};
pub use problem::ErrorJson;

/// The version of the fields. It rises when one changes its meaning or goes
/// away; new ones may come without.
pub const VERSION: u32 = 1;
