//! What is counted.

use std::fmt;
use std::str::FromStr;

use crate::{Rule, UnknownName};

/// How the length of a win is counted, in plies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Metric {
    /// Plies to mate.
    Dtm,
    /// Plies to conversion: a capture, a promotion or mate.
    Dtc,
    /// Plies to a zeroing move (capture, any pawn move) or mate.
    Dtz,
    /// Plies to a zeroing move under the 50-move rule, in Syzygy's meaning:
    /// above 100 the rule spoils the win.
    Dtz50,
    /// Plies to mate under the 50-move rule, the clock at zero.
    Dtm50,
}

impl Metric {
    /// The metrics that are solved and told where none is named.
    pub const ALL: [Metric; 4] = [Metric::Dtm, Metric::Dtc, Metric::Dtz, Metric::Dtz50];

    /// Those, and what is made only if it is asked for by name.
    pub const EVERY: [Metric; 5] =
        [Metric::Dtm, Metric::Dtc, Metric::Dtz, Metric::Dtz50, Metric::Dtm50];

    /// The metric that is solved in its place where there are no pawns:
    /// without pawns a zeroing move is a capture, so DTZ is DTC.
    pub fn without_pawns(self) -> Metric {
        if self == Metric::Dtz { Metric::Dtc } else { self }
    }

    /// How captures and promotions count.
    pub fn conversion_rule(self) -> Rule {
        match self {
            Metric::Dtm | Metric::Dtm50 => Rule::Onward,
            Metric::Dtc | Metric::Dtz => Rule::One,
            Metric::Dtz50 => Rule::Fifty,
        }
    }

    /// How pawn moves that neither capture nor promote count.
    pub fn push_rule(self) -> Rule {
        match self {
            Metric::Dtm | Metric::Dtc | Metric::Dtm50 => Rule::Onward,
            Metric::Dtz => Rule::One,
            Metric::Dtz50 => Rule::Fifty,
        }
    }

    /// The lower-case name: such as `dtm` or `dtz50`.
    pub const fn name(self) -> &'static str {
        match self {
            Metric::Dtm => "dtm",
            Metric::Dtc => "dtc",
            Metric::Dtz => "dtz",
            Metric::Dtz50 => "dtz50",
            Metric::Dtm50 => "dtm50",
        }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Metric {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Metric, UnknownName> {
        let lower = text.to_ascii_lowercase();
        Metric::EVERY
            .into_iter()
            .find(|metric| metric.name() == lower)
            .ok_or_else(|| UnknownName::new("metric", text, "dtm, dtc, dtz, dtz50 or dtm50"))
    }
}
