//! Are the tables right?
//!
//! Two checks that share nothing with the waves that made a table:
//!
//! - self-consistency: every value of every position follows from the values
//!   one move on, tile by tile ([`molien_build::check_consistency`]);
//! - the [`Referee`]: positions are judged one by one, with the legal moves of an
//!   independent chess library; all of them up to four men, a seeded random
//!   sample beyond.
//!
//! Tables too large for memory are checked in their file ([`verify_stored`]): with
//! pawns every value by planes, board by board; without pawns who wins by planes and
//! depths by the referee.
//!
//! ```
//! use molien_build::Build;
//! use molien_verify::{Options, verify};
//!
//! let report = verify(&Build::new(), "KQK".parse()?, &Options::default())?;
//! assert_eq!(report.failures(), 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod chess;
mod clocked;
mod dtm50;
mod random;
mod referee;
mod report;
mod stored;
mod tables;

pub use clocked::{ClockLayer, Clocked, ClockedValues};
pub use referee::{Referee, RefereeError};
pub use report::{Disagreement, Options, PlaneReport, RefereeReport, Report, VerifyError, verify};
pub use stored::{STORED_SAMPLE, stored_check_bytes, verify_stored};
