//! The value of a position at every count of the 50-move rule.

use crate::{Category, Metric, Precision, Value, Values, category_at};

/// What the value at clock 0 tells of another clock, the game being drawn after
/// so many plies; none if it depends on more.
///
/// Plies counted only help whoever does not win, so what is drawn at clock 0
/// stays drawn. And where the mate of clock 0 comes in time nothing is faster or
/// slower: the rule has no say in it.
pub fn dtm50_at(at_zero: Value, clock: u32, rule_plies: u16) -> Option<Value> {
    let Some(plies) = at_zero.plies() else { return Some(Value::Draw) };
    let rule = u32::from(rule_plies);
    let in_time = clock.saturating_add(u32::from(plies)) <= rule;
    // One ply at least is still to come, unless it is mate already.
    let too_late = clock.saturating_add(u32::from(plies.min(1))) > rule;
    match (clock == 0 || in_time, too_late) {
        (true, _) => Some(at_zero),
        (false, true) => Some(Value::Draw),
        (false, false) => None,
    }
}

/// What stored values tell of DTM50 at a clock; none if it depends on more.
pub fn dtm50_of(values: &Values, clock: u32) -> Option<Value> {
    let at_zero = values.get(Metric::Dtm50)?;
    match values.get(Metric::Dtz50) {
        Some(dtz50) => dtm50_with(at_zero, (dtz50, values.precision(Metric::Dtz50)), clock),
        None => dtm50_at(at_zero, clock, crate::FIFTY_MOVES_PLIES),
    }
}

/// As [`dtm50_at`], where DTZ50 is known too, which says exactly who wins.
fn dtm50_with(at_zero: Value, (dtz50, precision): (Value, Precision), clock: u32) -> Option<Value> {
    let is_draw = |category| {
        !matches!(
            category,
            Category::MaybeWin | Category::MaybeLoss | Category::Win | Category::Loss
        )
    };
    let drawn = is_draw(category_at(dtz50, precision, clock)).then_some(Value::Draw);
    drawn.or_else(|| dtm50_at(at_zero, clock, crate::FIFTY_MOVES_PLIES))
}

/// Mate under the 50-move rule, for every count of plies since the last zeroing
/// move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClockValues {
    /// By clock; at the length of this the game is drawn unless it is mate.
    by_clock: Vec<Value>,
}

/// Clocks in a row at which the value is the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClockSpan {
    /// The first of them.
    pub first: u16,
    /// The last of them.
    pub last: u16,
    /// The value there.
    pub value: Value,
}

impl ClockValues {
    /// Drawn at every clock; the game ends after so many plies.
    pub fn drawn(rule_plies: u16) -> ClockValues {
        ClockValues { by_clock: vec![Value::Draw; usize::from(rule_plies)] }
    }

    /// Takes in when a run decided the position (see `molien-solve`): in the
    /// run in which conversions count so many plies `sooner`, all runs with less
    /// having been taken in.
    pub fn learn(&mut self, sooner: u16, decided: Value) {
        let Some(step) = decided.plies() else { return };
        let rule = u16::try_from(self.by_clock.len()).unwrap_or(u16::MAX);
        for (clock, value) in (0..).zip(&mut self.by_clock) {
            let left: u16 = rule - clock;
            if *value != Value::Draw || step > left {
                continue;
            }
            let plies = if sooner == 0 { step } else { left + sooner };
            *value = match decided {
                Value::Win(_) => Value::Win(plies),
                _ => Value::Loss(plies),
            };
        }
    }

    /// The value with so many plies counted.
    pub fn at(&self, clock: u32) -> Value {
        let known = usize::try_from(clock).ok().and_then(|clock| self.by_clock.get(clock));
        // Mate comes before the rule.
        let mated = self.by_clock.first() == Some(&Value::Loss(0));
        known.copied().unwrap_or(if mated { Value::Loss(0) } else { Value::Draw })
    }

    /// The clocks from 0 on, cut where the value changes.
    pub fn spans(&self) -> Vec<ClockSpan> {
        let mut spans: Vec<ClockSpan> = Vec::new();
        for (clock, &value) in (0..).zip(&self.by_clock) {
            match spans.last_mut() {
                Some(span) if span.value == value => span.last = clock,
                _ => spans.push(ClockSpan { first: clock, last: clock, value }),
            }
        }
        spans
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_runs_decide_what_earlier_ones_left() {
        let mut values = ClockValues::drawn(10);
        values.learn(0, Value::Win(9)); // mate in nine plies, up to clock 1
        values.learn(1, Value::Draw);
        values.learn(2, Value::Win(7)); // by a conversion at clock 3 and before
        let plies = |clock| values.at(clock).plies();
        assert_eq!(
            [0, 1, 2, 3, 4, 10].map(plies),
            [Some(9), Some(9), Some(10), Some(9), None, None]
        );
        let spans = values.spans();
        assert_eq!(spans[0], ClockSpan { first: 0, last: 1, value: Value::Win(9) });
        assert_eq!(spans.last().map(|span| (span.first, span.last)), Some((4, 9)));
    }

    #[test]
    fn clock_zero_tells_where_the_rule_has_no_say() {
        let at = |value, clock| dtm50_at(value, clock, 100);
        assert_eq!(at(Value::Draw, 60), Some(Value::Draw));
        assert_eq!(at(Value::Win(131), 0), Some(Value::Win(131)));
        assert_eq!(at(Value::Win(41), 59), Some(Value::Win(41)));
        assert_eq!(at(Value::Win(41), 60), None);
        assert_eq!(at(Value::Loss(2), 99), None);
        assert_eq!(at(Value::Win(1), 99), Some(Value::Win(1)));
        assert_eq!(at(Value::Win(1), 100), Some(Value::Draw));
        assert_eq!(at(Value::Loss(0), 100), Some(Value::Loss(0)));
        assert_eq!(at(Value::Loss(0), 101), Some(Value::Draw));
        let with = |dtz50, clock| dtm50_with(Value::Win(41), (dtz50, Precision::Exact), clock);
        assert_eq!(with(Value::Win(11), 89), None);
        assert_eq!(with(Value::Win(11), 90), Some(Value::Draw));
        let rounded = dtm50_with(Value::Win(41), (Value::Win(10), Precision::Rounded), 90);
        assert_eq!(rounded, None);
    }

    #[test]
    fn mate_comes_before_the_rule() {
        let mut values = ClockValues::drawn(10);
        values.learn(0, Value::Loss(0));
        assert_eq!(values.at(10), Value::Loss(0));
        assert_eq!(values.at(150), Value::Loss(0));
    }
}
