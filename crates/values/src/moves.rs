//! How a value passes through a move.

use molien_board::{Move, Position};

use crate::{Metric, Rule, Value};

/// What matters of a move to the metrics.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MoveClass {
    /// Neither a capture nor a pawn move.
    Quiet,
    /// A pawn move that neither captures nor promotes.
    Push,
    /// A capture or a promotion.
    Conversion,
}

impl MoveClass {
    /// The class of a move.
    pub fn of(m: &Move) -> MoveClass {
        if m.is_conversion() {
            MoveClass::Conversion
        } else if m.is_zeroing() {
            MoveClass::Push
        } else {
            MoveClass::Quiet
        }
    }

    /// How the count passes through a move of this class.
    pub fn rule(self, metric: Metric) -> Rule {
        match self {
            MoveClass::Quiet => Rule::Onward,
            MoveClass::Push => metric.push_rule(),
            MoveClass::Conversion => metric.conversion_rule(),
        }
    }
}

/// The value for the mover of a move to a position of this value (which is
/// seen from the opponent). In [`Metric::Wdl`] of zeroing moves only: a quiet one
/// may cross the line of the 50-move rule, which classes do not tell.
pub fn value_before(metric: Metric, class: MoveClass, after: Value) -> Value {
    let count = |plies: u16| class.rule(metric).plies(plies);
    let before = match after {
        Value::Win(plies) => Value::Loss(count(plies)),
        Value::Draw => Value::Draw,
        Value::Loss(plies) => Value::Win(count(plies)),
    };
    if metric == Metric::Wdl { before.as_class() } else { before }
}

/// The value of a position with its right to capture en passant, from those of
/// positions without such rights. Where such captures are the only moves, what the
/// position would be worth without them does not count. Nothing is allocated.
///
/// # Errors
/// If a value cannot be had.
pub fn value_with_en_passant<E>(
    position: &Position,
    metric: Metric,
    mut plain: impl FnMut(&Position) -> Result<Value, E>,
) -> Result<Value, E> {
    if position.en_passant().is_none() {
        return plain(position);
    }
    // A pawn can be captured from its left and from its right.
    let (mut captures, mut other) = ([None; 2], false);
    position.for_each_legal(|m| match captures.iter_mut().find(|place| place.is_none()) {
        Some(place) if m.is_en_passant() => *place = Some(m),
        _ => other |= !m.is_en_passant(),
    });
    let mut best = other.then(|| plain(&position.without_en_passant())).transpose()?;
    for m in captures.into_iter().flatten() {
        let value = value_before(metric, MoveClass::of(&m), plain(&position.play(&m))?);
        best = Some(best.map_or(value, |best| better(best, value)));
    }
    Ok(best.unwrap_or(Value::Draw))
}

/// The value the mover prefers: a fast win, a draw, a slow loss.
pub fn better(a: Value, b: Value) -> Value {
    if rank(a) >= rank(b) { a } else { b }
}

fn rank(value: Value) -> i32 {
    const DECIDED: i32 = 1 << 20; // more than any depth
    match value {
        Value::Win(plies) => DECIDED - i32::from(plies),
        Value::Draw => 0,
        Value::Loss(plies) => i32::from(plies) - DECIDED,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mover_prefers_fast_wins_and_slow_losses() {
        let falling = [
            Value::Win(1),
            Value::Win(300),
            Value::Draw,
            Value::Loss(300),
            Value::Loss(2),
            Value::Loss(0),
        ];
        for pair in falling.windows(2) {
            assert_eq!(better(pair[0], pair[1]), pair[0]);
            assert_eq!(better(pair[1], pair[0]), pair[0]);
        }
    }

    #[test]
    fn fifty_moves_spoil_a_later_phase() {
        let before = |class, after| value_before(Metric::Dtz50, class, after);
        assert_eq!(before(MoveClass::Quiet, Value::Loss(100)), Value::Win(101));
        assert_eq!(before(MoveClass::Push, Value::Loss(100)), Value::Win(1));
        assert_eq!(before(MoveClass::Conversion, Value::Win(101)), Value::Loss(101));
        let wdl = |after| value_before(Metric::Wdl, MoveClass::Conversion, after);
        assert_eq!(wdl(Value::Loss(2)), Value::Win(1));
        assert_eq!(wdl(Value::Win(101)), Value::Loss(102));
        let dtc = |class, after| value_before(Metric::Dtc, class, after);
        assert_eq!(dtc(MoveClass::Push, Value::Loss(4)), Value::Win(5));
        assert_eq!(dtc(MoveClass::Conversion, Value::Loss(4)), Value::Win(1));
    }
}
