//! King and pawn endings by knowledge and by search.
//!
//! What it is: three functions that judge the simplest pawn endings by rules a
//! player would recognise, words for their verdicts, and a search program that
//! asks them at every node and proves its results. What it is not: a table.
//! No values come with it; what its own rules say of a single pawn, of a pawn that
//! runs and of pawns that block each other is worked out when first needed and
//! remembered. The tables of the other crates are used to check it, and can be
//! plugged into the search as an [`Oracle`].
//!
//! - [`one_pawn`]: king and pawn against king, exact.
//! - [`two_pawns`]: king and two pawns against king.
//! - [`pawn_duel`]: king and pawn against king and pawn.
//! - [`explain`]: any of these, in words.
//! - [`Searcher`]: any ending of kings and pawns, and what becomes of it after
//!   promotion.
//! - [`studies`]: the thirty studies of 1977, solved again.
//!
//! ```
//! use molien_pawns::{Limits, Options, Searcher, Value, explain, one_pawn};
//!
//! // The opposition decides.
//! let position = "4k3/8/4K3/4P3/8/8/8/8 b - -".parse()?;
//! assert_eq!(one_pawn(&position)?.value, Some(Value::Loss));
//! assert_eq!(
//!     explain(&position)?.sentences[1],
//!     "White's king stands on a key square of the e-pawn"
//! );
//!
//! // Duras 1905, found and proved by search.
//! let duras = "8/6p1/7k/8/1K6/8/1P6/8 w - -".parse()?;
//! let result = Searcher::new(Options::default()).search(&duras, Limits::default());
//! assert_eq!(result.category, Some(Value::Win));
//! assert_eq!(result.best_move.map(|m| m.to_string()).as_deref(), Some("b4c5"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod duel;
mod error;
#[cfg(test)]
mod exhaustive;
mod explain;
mod geometry;
mod knowledge;
mod one_pawn;
mod queen;
mod search;
pub mod studies;
mod two_pawns;
mod value;
mod verdict;

pub use duel::DuelRule;
pub use error::Error;
pub use explain::{
    Argument, Explanation, Fact, FactKind, Prize, SearchPlan, explain, explain_within,
};
pub use knowledge::Functions;
pub use one_pawn::OnePawnRule;
pub use search::{Limits, Options, Oracle, PROVED, SearchResult, Searcher, WIN};
pub use two_pawns::TwoPawnsRule;
pub use value::Value;
pub use verdict::{Reason, Verdict, one_pawn, pawn_duel, two_pawns};
