//! What a position is worth, and how that is counted.
//!
//! Metrics, values, classes under the 50-move rule, statistics, and the laws
//! of counting plies: how a value passes through a move ([`value_before`]),
//! which of two values the mover prefers ([`better`]), what a conversion adds
//! ([`Rule`]), what the count of the 50-move rule leaves of a win
//! ([`category_at`]). Each law is stated here once; the solver, the card, the reader of
//! files and every check use it. [`Table`] is a solved material in memory.
//!
//! What it is not: it solves nothing, and it reads and writes no files.
//!
//! ```
//! use molien_values::{Metric, MoveClass, Value, value_before};
//!
//! // A capture that leaves the opponent mated in 4 plies:
//! let after = Value::Loss(4);
//! assert_eq!(value_before(Metric::Dtm, MoveClass::Conversion, after), Value::Win(5));
//! assert_eq!(value_before(Metric::Dtc, MoveClass::Conversion, after), Value::Win(1));
//! ```

mod category;
mod clock;
mod clock_values;
mod fingerprint;
mod graded;
mod metric;
mod moves;
mod name;
mod pawn_moves;
mod placement;
mod rule;
mod shelf;
mod stats;
mod store_error;
mod survey;
mod table;
mod value;
mod values;
mod wave_log;

pub use category::Category;
pub use clock::{Precision, category_after, category_at, category_in};
pub use clock_values::{ClockSpan, ClockValues, dtm50_at, dtm50_of};
pub use fingerprint::Fingerprint;
pub use graded::{BoardValues, Graded, GradedTile, MAX_BITS};
pub use metric::Metric;
pub use moves::{MoveClass, better, value_before, value_with_en_passant};
pub use name::UnknownName;
pub use pawn_moves::{EnPassant, PawnMove, PawnMoveKind};
pub use placement::Placement;
pub use rule::{FIFTY_MOVES_PLIES, Rule};
pub use shelf::{BoardReceiver, PieceSlice, Shelf};
pub use stats::{Count, Counting, Longest, SideStats, Stats, Zugzwangs};
pub use store_error::{LogError, ShelfError, StoreCause};
pub use survey::{Bishops, Survey, SurveyError, Surveyor};
pub use table::{Place, Table};
pub use value::{Outcome, Value, winner_moves};
pub use values::Values;
pub use wave_log::{Run, RunLog, WaveLog};
