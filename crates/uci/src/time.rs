//! How long to think.

use std::time::Duration;

use molien_board::Color;

use crate::command::Go;

/// Moves a game is assumed to last still.
const MOVES_TO_GO: u32 = 30;
/// With no limit of any kind.
const UNLIMITED: Duration = Duration::from_secs(5);

/// The time for one move; none if something else ends the search. `overhead` is
/// kept back for reading and writing.
pub(crate) fn budget(go: &Go<'_>, turn: Color, overhead: Duration) -> Option<Duration> {
    if let Some(time) = go.move_time {
        return Some(time.saturating_sub(overhead).max(time / 4));
    }
    if let Some(clock) = go.clocks[turn.index()] {
        let moves = go.moves_to_go.unwrap_or(MOVES_TO_GO);
        let share = clock / (moves + 1) + go.increments[turn.index()] * 3 / 4;
        let most = clock.saturating_sub(overhead) / 2;
        return Some(share.min(most).max(Duration::from_millis(1)));
    }
    let limited = go.depth.is_some() || go.nodes.is_some() || go.mate.is_some();
    (!limited && !go.infinite).then_some(UNLIMITED)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OVERHEAD: Duration = Duration::from_millis(30);

    #[test]
    fn never_more_than_there_is() {
        for (clock, increment) in [(10, 0), (100, 1000), (60_000, 0), (0, 0)] {
            let go = Go {
                clocks: [Some(Duration::from_millis(clock)), None],
                increments: [Duration::from_millis(increment), Duration::ZERO],
                ..Go::default()
            };
            let time = budget(&go, Color::White, OVERHEAD).unwrap();
            assert!(time <= Duration::from_millis(clock.max(1)), "{clock}: {time:?}");
        }
    }

    #[test]
    fn a_limit_in_plies_needs_no_clock() {
        let budget = |go: Go<'_>| budget(&go, Color::Black, OVERHEAD);
        assert_eq!(budget(Go { depth: Some(3), ..Go::default() }), None);
        assert_eq!(budget(Go { infinite: true, ..Go::default() }), None);
        assert_eq!(budget(Go::default()), Some(UNLIMITED));
        let second = Some(Duration::from_secs(1));
        assert_eq!(
            budget(Go { move_time: second, ..Go::default() }),
            Some(Duration::from_millis(970))
        );
    }
}
