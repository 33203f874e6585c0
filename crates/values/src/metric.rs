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
    /// No plies at all: the five classes under the 50-move rule. A win has
    /// depth 1, a cursed win 101, a loss 2, a blessed loss 102, so that DTZ50's
    /// laws of classes hold for it.
    Wdl,
}

impl Metric {
    /// The metrics that are solved and told where none is named.
    pub const ALL: [Metric; 4] = [Metric::Dtm, Metric::Dtc, Metric::Dtz, Metric::Dtz50];

    /// Those, and what is made only if it is asked for by name.
    pub const EVERY: [Metric; 6] =
        [Metric::Dtm, Metric::Dtc, Metric::Dtz, Metric::Dtz50, Metric::Dtm50, Metric::Wdl];

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
            Metric::Dtz50 | Metric::Wdl => Rule::Fifty,
        }
    }

    /// How pawn moves that neither capture nor promote count.
    pub fn push_rule(self) -> Rule {
        match self {
            Metric::Dtm | Metric::Dtc | Metric::Dtm50 => Rule::Onward,
            Metric::Dtz => Rule::One,
            Metric::Dtz50 | Metric::Wdl => Rule::Fifty,
        }
    }

    /// The metric of this name, the classes alone among them.
    ///
    /// # Errors
    /// If there is no such metric.
    pub fn from_name(text: &str) -> Result<Metric, UnknownName> {
        find(&Metric::EVERY, text, "dtm, dtc, dtz, dtz50, dtm50 or wdl")
    }

    /// The lower-case name: such as `dtm` or `dtz50`.
    pub const fn name(self) -> &'static str {
        match self {
            Metric::Dtm => "dtm",
            Metric::Dtc => "dtc",
            Metric::Dtz => "dtz",
            Metric::Dtz50 => "dtz50",
            Metric::Dtm50 => "dtm50",
            Metric::Wdl => "wdl",
        }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Of the metrics that count plies.
impl FromStr for Metric {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Metric, UnknownName> {
        let [counted @ .., Metric::Wdl] = &Metric::EVERY else {
            return Metric::from_name(text);
        };
        find(counted, text, "dtm, dtc, dtz, dtz50 or dtm50")
    }
}

fn find(among: &[Metric], text: &str, names: &'static str) -> Result<Metric, UnknownName> {
    let lower = text.to_ascii_lowercase();
    let found = among.iter().find(|metric| metric.name() == lower);
    found.copied().ok_or_else(|| UnknownName::new("metric", text, names))
}
