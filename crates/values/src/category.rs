//! The classes under the 50-move rule.

use std::fmt;
use std::str::FromStr;

use crate::{FIFTY_MOVES_PLIES, Outcome, UnknownName, Value};

/// Who comes out on top when both sides may claim the 50-move rule; seen from
/// the side to move, the worst first.
///
/// Five classes are certain. The two that begin with `Maybe` say that the
/// position is decided, but that what is known does not tell whether the
/// 50-move rule comes first: a rounded depth, or a metric that does not count
/// zeroing moves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Category {
    /// Lost.
    Loss,
    /// Lost, unless the 50-move rule comes first.
    MaybeLoss,
    /// Lost, but saved by the 50-move rule.
    BlessedLoss,
    /// Drawn.
    Draw,
    /// Won, but spoilt by the 50-move rule.
    CursedWin,
    /// Won, unless the 50-move rule comes first.
    MaybeWin,
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
    /// All classes, the worst first.
    pub const ALL: [Category; 7] = [
        Category::Loss,
        Category::MaybeLoss,
        Category::BlessedLoss,
        Category::Draw,
        Category::CursedWin,
        Category::MaybeWin,
        Category::Win,
    ];

    /// The class of a value in [`Metric::Dtz50`](crate::Metric::Dtz50), the
    /// count of the 50-move rule standing at zero. With another count see
    /// [`category_at`](crate::category_at).
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
            Category::MaybeLoss => Category::MaybeWin,
            Category::BlessedLoss => Category::CursedWin,
            Category::Draw => Category::Draw,
            Category::CursedWin => Category::BlessedLoss,
            Category::MaybeWin => Category::MaybeLoss,
            Category::Win => Category::Loss,
        }
    }

    /// The result with best play if the 50-move rule is claimed: cursed wins
    /// and blessed losses are draws. None where that is not known.
    pub fn result(self) -> Option<Outcome> {
        match self {
            Category::Loss => Some(Outcome::Loss),
            Category::BlessedLoss | Category::Draw | Category::CursedWin => Some(Outcome::Draw),
            Category::Win => Some(Outcome::Win),
            Category::MaybeLoss | Category::MaybeWin => None,
        }
    }

    /// Who would win without the 50-move rule.
    pub fn outcome(self) -> Outcome {
        match self {
            Category::Loss | Category::MaybeLoss | Category::BlessedLoss => Outcome::Loss,
            Category::Draw => Outcome::Draw,
            Category::CursedWin | Category::MaybeWin | Category::Win => Outcome::Win,
        }
    }

    /// The number Syzygy's users know: 2, 1, 0, -1, -2 from a win to a loss.
    /// None where the class is not certain.
    pub fn wdl(self) -> Option<i32> {
        match self {
            Category::Loss => Some(-2),
            Category::BlessedLoss => Some(-1),
            Category::Draw => Some(0),
            Category::CursedWin => Some(1),
            Category::Win => Some(2),
            Category::MaybeLoss | Category::MaybeWin => None,
        }
    }

    /// The name used in output, such as `cursed-win`.
    pub const fn name(self) -> &'static str {
        match self {
            Category::Loss => "loss",
            Category::MaybeLoss => "maybe-loss",
            Category::BlessedLoss => "blessed-loss",
            Category::Draw => "draw",
            Category::CursedWin => "cursed-win",
            Category::MaybeWin => "maybe-win",
            Category::Win => "win",
        }
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Category {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Category, UnknownName> {
        let lower = text.to_ascii_lowercase();
        Category::ALL.into_iter().find(|category| category.name() == lower).ok_or_else(|| {
            let allowed = "win, maybe-win, cursed-win, draw, blessed-loss, maybe-loss or loss";
            UnknownName::new("category", text, allowed)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_see_the_same_game() {
        for category in Category::ALL {
            assert_eq!(category.reverse().reverse(), category);
            assert_eq!(category.reverse().outcome(), category.outcome().reverse());
            assert_eq!(category.reverse().result(), category.result().map(Outcome::reverse));
            assert_eq!(category.name().parse(), Ok(category));
        }
        assert!(Category::ALL.is_sorted());
        assert!("unknown".parse::<Category>().is_err());
    }
}
