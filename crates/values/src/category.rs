//! The five classes under the 50-move rule.

use std::fmt;

use crate::{FIFTY_MOVES_PLIES, Outcome, Value};

/// Who comes out on top when both sides may claim the 50-move rule, the count
/// standing at zero; seen from the side to move, the worst first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Category {
    /// Lost.
    Loss,
    /// Lost, but saved by the 50-move rule.
    BlessedLoss,
    /// Drawn.
    Draw,
    /// Won, but spoilt by the 50-move rule.
    CursedWin,
    /// Won.
    Win,
}

impl From<Outcome> for Category {
    /// Without the 50-move rule.
    fn from(outcome: Outcome) -> Category {
        match outcome {
            Outcome::Win => Category::Win,
            Outcome::Draw => Category::Draw,
            Outcome::Loss => Category::Loss,
        }
    }
}

impl Category {
    /// The class of a value in [`Metric::Dtz50`](crate::Metric::Dtz50).
    pub fn of(dtz50: Value) -> Category {
        match dtz50 {
            Value::Win(plies) if plies <= FIFTY_MOVES_PLIES => Category::Win,
            Value::Win(_) => Category::CursedWin,
            Value::Draw => Category::Draw,
            Value::Loss(plies) if plies <= FIFTY_MOVES_PLIES => Category::Loss,
            Value::Loss(_) => Category::BlessedLoss,
        }
    }

    /// The same, seen from the other side.
    pub fn reverse(self) -> Category {
        match self {
            Category::Loss => Category::Win,
            Category::BlessedLoss => Category::CursedWin,
            Category::Draw => Category::Draw,
            Category::CursedWin => Category::BlessedLoss,
            Category::Win => Category::Loss,
        }
    }

    /// The name used in output, such as `cursed-win`.
    pub const fn name(self) -> &'static str {
        match self {
            Category::Loss => "loss",
            Category::BlessedLoss => "blessed-loss",
            Category::Draw => "draw",
            Category::CursedWin => "cursed-win",
            Category::Win => "win",
        }
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
