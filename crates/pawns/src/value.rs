//! Win, draw, loss, and what is known about them.

use std::fmt;
use std::ops::Neg;

/// The value of a position for the side to move, without the 50-move rule.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Value {
    /// The side to move loses.
    Loss,
    /// Neither side wins.
    Draw,
    /// The side to move wins.
    Win,
}

impl Value {
    /// -1 for a loss, 0 for a draw, 1 for a win.
    pub(crate) const fn sign(self) -> i8 {
        match self {
            Value::Loss => -1,
            Value::Draw => 0,
            Value::Win => 1,
        }
    }

    /// The value of a sign.
    pub(crate) const fn from_sign(sign: i8) -> Value {
        match sign {
            ..=-1 => Value::Loss,
            0 => Value::Draw,
            1.. => Value::Win,
        }
    }
}

/// The same position seen by the other side.
impl Neg for Value {
    type Output = Value;
    fn neg(self) -> Value {
        Value::from_sign(-self.sign())
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Value::Loss => "loss",
            Value::Draw => "draw",
            Value::Win => "win",
        })
    }
}

/// What a side gets at least and at most: 1 a win, 0 a draw, -1 a loss.
/// Invariant: `low <= high`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Bounds {
    pub low: i8,
    pub high: i8,
}

impl Bounds {
    /// Nothing is known.
    pub const OPEN: Bounds = Bounds { low: -1, high: 1 };
    /// A draw.
    pub const DRAW: Bounds = Bounds { low: 0, high: 0 };

    /// Exactly this value.
    pub const fn exactly(sign: i8) -> Bounds {
        Bounds { low: sign, high: sign }
    }

    /// The value, if the bounds meet.
    pub fn value(self) -> Option<Value> {
        (self.low == self.high).then(|| Value::from_sign(self.low))
    }

    /// Whether the bounds meet.
    pub const fn is_exact(self) -> bool {
        self.low == self.high
    }

    /// What both say together.
    pub fn meet(self, other: Bounds) -> Bounds {
        Bounds { low: self.low.max(other.low), high: self.high.min(other.high) }
    }
}

/// The bounds seen by the other side.
impl Neg for Bounds {
    type Output = Bounds;
    fn neg(self) -> Bounds {
        Bounds { low: -self.high, high: -self.low }
    }
}
