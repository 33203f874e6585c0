//! What the count of the 50-move rule makes of a value.
//!
//! The count (the *halfmove clock* of a FEN) is the number of plies since the
//! last capture or pawn move. Once it stands at 100 either side may claim a
//! draw; mate on the hundredth ply comes before the claim. A value in DTZ50
//! says how soon the winner forces the next zeroing move (or mate) without
//! letting the win slip, and the loser cannot put it off any longer. So with
//! `clock` plies counted and `depth` to come the win stands exactly if
//!
//! ```text
//! clock + depth <= 100
//! ```
//!
//! for the winner to move as for the loser, mate included (depth 0).

use crate::{Category, FIFTY_MOVES_PLIES, Metric, MoveClass, Outcome, Value};

/// How exact a depth is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Precision {
    /// The depth is what it says.
    Exact,
    /// The depth is what it says or one ply more, as in many Syzygy files. It
    /// is never rounded where that would change the class with the count at
    /// zero.
    Rounded,
}

/// The class of a position of this DTZ50 value when so many plies were played
/// since the last zeroing move.
///
/// ```
/// use molien_values::{Category, Precision, Value, category_at};
///
/// let mate_in_one = Value::Win(1);
/// assert_eq!(category_at(mate_in_one, Precision::Exact, 99), Category::Win);
/// assert_eq!(category_at(mate_in_one, Precision::Exact, 100), Category::CursedWin);
/// ```
pub fn category_at(dtz50: Value, precision: Precision, clock: u32) -> Category {
    let Some(depth) = dtz50.plies() else { return Category::Draw };
    // Rounding is refused where it matters with the count at zero.
    let deepest = match precision {
        Precision::Rounded if clock > 0 => depth.saturating_add(1),
        Precision::Exact | Precision::Rounded => depth,
    };
    decided(dtz50.outcome(), in_time(clock, depth), in_time(clock, deepest))
}

/// Whether the win stands with so many plies counted and so many to come.
fn in_time(clock: u32, depth: u16) -> bool {
    clock.saturating_add(u32::from(depth)) <= u32::from(FIFTY_MOVES_PLIES)
}

/// The class after a move, seen from the opponent, who is then to move: the
/// move wins in time exactly if that is [`Category::Loss`]. `clock` is the
/// count before the move, `after` the DTZ50 value after it.
///
/// With 100 plies counted before the move the draw can be claimed instead of
/// it, whatever the move does.
pub fn category_after(
    after: Value,
    precision: Precision,
    class: MoveClass,
    clock: u32,
) -> Category {
    match class {
        _ if clock >= u32::from(FIFTY_MOVES_PLIES) => decided(after.outcome(), false, false),
        MoveClass::Quiet => category_at(after, precision, clock + 1),
        MoveClass::Push | MoveClass::Conversion => category_at(after, precision, 0),
    }
}

/// What a value in any one metric tells about the class with so many plies
/// counted. DTZ50 tells all. A mate before the hundredth ply is safe whoever
/// counts; a zeroing move that comes too late spoils the win, and one in time
/// may lead where the rule spoils it later; DTC does not count pawn moves, and a
/// class alone counts nothing.
pub fn category_in(metric: Metric, value: Value, clock: u32) -> Category {
    let outcome = value.outcome();
    let Some(depth) = value.plies() else { return Category::Draw };
    let this = in_time(clock, depth);
    // The next move may be a zeroing one, unless the game is over.
    let soonest = in_time(clock, depth.min(1));
    match metric {
        Metric::Dtz50 => category_at(value, Precision::Exact, clock),
        Metric::Wdl if depth > FIFTY_MOVES_PLIES => decided(outcome, false, false),
        Metric::Wdl => decided(outcome, soonest, clock == 0),
        _ if value == Value::Loss(0) => decided(outcome, this, this),
        Metric::Dtm => decided(outcome, soonest, this),
        Metric::Dtm50 => decided(outcome, soonest, this || clock == 0),
        Metric::Dtz => decided(outcome, this, false),
        Metric::Dtc => decided(outcome, soonest, false),
    }
}

/// The class from what is possible at best and at worst for the winner.
fn decided(outcome: Outcome, maybe_in_time: bool, surely_in_time: bool) -> Category {
    let for_winner = match (maybe_in_time, surely_in_time) {
        (_, true) => Category::Win,
        (true, false) => Category::MaybeWin,
        (false, false) => Category::CursedWin,
    };
    match outcome {
        Outcome::Win => for_winner,
        Outcome::Draw => Category::Draw,
        Outcome::Loss => for_winner.reverse(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DECIDED: [fn(u16) -> Value; 2] = [Value::Win, Value::Loss];

    #[test]
    fn with_the_count_at_zero_it_is_the_class_of_the_value() {
        for depth in 0..300 {
            for value in DECIDED.map(|value| value(depth)) {
                for precision in [Precision::Exact, Precision::Rounded] {
                    assert_eq!(category_at(value, precision, 0), Category::of(value));
                }
            }
        }
        assert_eq!(category_at(Value::Draw, Precision::Rounded, 100), Category::Draw);
    }

    #[test]
    fn an_exact_depth_is_won_up_to_the_hundredth_ply() {
        for clock in 0..=150 {
            for depth in 0..=150 {
                let win = clock + u32::from(depth) <= 100;
                let expected = if win { Category::Win } else { Category::CursedWin };
                assert_eq!(category_at(Value::Win(depth), Precision::Exact, clock), expected);
                let lost = category_at(Value::Loss(depth), Precision::Exact, clock);
                assert_eq!(lost, expected.reverse());
            }
        }
    }

    #[test]
    fn a_rounded_depth_is_open_on_the_last_ply_only() {
        for clock in 1..=150 {
            for depth in 0..=150 {
                let at = |depth| category_at(Value::Win(depth), Precision::Exact, clock);
                let rounded = category_at(Value::Win(depth), Precision::Rounded, clock);
                let expected =
                    if at(depth) == at(depth + 1) { at(depth) } else { Category::MaybeWin };
                assert_eq!(rounded, expected, "{depth} at {clock}");
            }
        }
    }

    /// The law is that of playing on: the best move's class is the class of the
    /// position, for every mix of moves.
    #[test]
    fn a_position_is_worth_its_best_move() {
        let quiet = |after: Value| (MoveClass::Quiet, after);
        for clock in 0..100 {
            for depth in 1..=120 {
                // The winner has a move to Loss(depth - 1), and worse ones.
                let moves = [quiet(Value::Loss(depth - 1)), quiet(Value::Loss(depth + 3))];
                let best = moves.map(|(class, after)| {
                    category_after(after, Precision::Exact, class, clock).reverse()
                });
                let whole = category_at(Value::Win(depth), Precision::Exact, clock);
                assert_eq!(best.into_iter().max(), Some(whole), "{depth} at {clock}");
            }
        }
        let push = |after| category_after(after, Precision::Exact, MoveClass::Push, 99);
        assert_eq!(push(Value::Loss(100)), Category::Loss);
        assert_eq!(push(Value::Loss(101)), Category::BlessedLoss);
        // The draw was there to be claimed before the move, even if it mates.
        let late = |after| category_after(after, Precision::Exact, MoveClass::Conversion, 100);
        assert_eq!(late(Value::Loss(0)), Category::BlessedLoss);
        assert_eq!(late(Value::Draw), Category::Draw);
    }

    #[test]
    fn other_metrics_never_say_more_than_they_know() {
        assert_eq!(category_in(Metric::Dtm, Value::Win(40), 60), Category::Win);
        assert_eq!(category_in(Metric::Dtm, Value::Win(41), 60), Category::MaybeWin);
        assert_eq!(category_in(Metric::Dtz, Value::Loss(41), 60), Category::BlessedLoss);
        assert_eq!(category_in(Metric::Dtz, Value::Loss(40), 60), Category::MaybeLoss);
        assert_eq!(category_in(Metric::Dtc, Value::Win(400), 0), Category::MaybeWin);
        assert_eq!(category_in(Metric::Dtc, Value::Win(400), 100), Category::CursedWin);
        assert_eq!(category_in(Metric::Dtc, Value::Loss(0), 100), Category::Loss);
        assert_eq!(category_in(Metric::Dtm, Value::Loss(0), 101), Category::BlessedLoss);
        assert_eq!(category_in(Metric::Dtz50, Value::Win(41), 60), Category::CursedWin);
        for metric in Metric::ALL {
            assert_eq!(category_in(metric, Value::Draw, 100), Category::Draw);
        }
    }
}
