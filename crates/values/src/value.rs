//! The value of a position.

use crate::FIFTY_MOVES_PLIES;

/// Depths that stand for classes, in [`Metric::Wdl`](crate::Metric::Wdl).
const IN_TIME: u16 = 1;
const TOO_LATE: u16 = FIFTY_MOVES_PLIES + 1;

/// The value of a position for the side to move, with its depth in plies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// Won in so many plies.
    Win(u16),
    /// Drawn.
    Draw,
    /// Lost in so many plies.
    Loss(u16),
}

impl Value {
    /// Who comes out on top, without the depth.
    pub fn outcome(self) -> Outcome {
        match self {
            Value::Win(_) => Outcome::Win,
            Value::Draw => Outcome::Draw,
            Value::Loss(_) => Outcome::Loss,
        }
    }

    /// The depth; none for a draw.
    pub fn plies(self) -> Option<u16> {
        match self {
            Value::Win(plies) | Value::Loss(plies) => Some(plies),
            Value::Draw => None,
        }
    }

    /// A DTZ50 value as one in [`Metric::Wdl`](crate::Metric::Wdl): of the depth
    /// only its side of the 50-move rule is left.
    pub fn as_class(self) -> Value {
        let class = |plies: u16| if plies <= FIFTY_MOVES_PLIES { IN_TIME } else { TOO_LATE };
        match self {
            Value::Win(plies) => Value::Win(class(plies)),
            Value::Draw => Value::Draw,
            // Losses are even.
            Value::Loss(plies) => Value::Loss(class(plies) + 1),
        }
    }

    /// Positive plies for a win, negative for a loss, 0 for mated, none for a
    /// draw: the form used in JSON.
    pub fn signed_plies(self) -> Option<i32> {
        match self {
            Value::Win(plies) => Some(i32::from(plies)),
            Value::Loss(plies) => Some(-i32::from(plies)),
            Value::Draw => None,
        }
    }
}

/// The winner's moves in a win of so many plies (the winner to move) or a loss
/// (the loser to move).
///
/// ```
/// assert_eq!(molien_values::winner_moves(31), 16); // mate in 16
/// assert_eq!(molien_values::winner_moves(32), 16); // mated in 16
/// assert_eq!(molien_values::winner_moves(0), 0);
/// ```
pub const fn winner_moves(plies: u16) -> u16 {
    plies.div_ceil(2)
}

/// Win, draw or loss for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Outcome {
    /// The side to move loses.
    Loss,
    /// Nobody wins.
    Draw,
    /// The side to move wins.
    Win,
}

impl Outcome {
    /// The same, seen from the other side.
    pub fn reverse(self) -> Outcome {
        match self {
            Outcome::Loss => Outcome::Win,
            Outcome::Draw => Outcome::Draw,
            Outcome::Win => Outcome::Loss,
        }
    }

    /// `win`, `draw` or `loss`.
    pub const fn name(self) -> &'static str {
        match self {
            Outcome::Loss => "loss",
            Outcome::Draw => "draw",
            Outcome::Win => "win",
        }
    }
}
