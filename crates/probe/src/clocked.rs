//! Mate under the 50-move rule, exact at every clock.

use std::sync::Arc;

use molien_board::{Move, Position, Setup};
use molien_build::Build;
use molien_values::{
    ClockValues, FIFTY_MOVES_PLIES, Metric, MoveClass, Value, better, value_before,
};

use crate::{ProbeError, Tablebase, chess};

/// What mate under the 50-move rule takes from a position.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ClockAnswer {
    /// The value at the clock of the question.
    pub value: Value,
    /// The values at all clocks, the en-passant right ignored.
    pub values: ClockValues,
    /// Every legal move, best first.
    pub moves: Vec<ClockMove>,
}

/// A move and what it leads to.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ClockMove {
    /// The move.
    pub played: Move,
    /// Its name.
    pub san: String,
    /// The value after it, at the clock it leaves, seen from the side then to
    /// move.
    pub after: Value,
}

impl ClockMove {
    /// What the move is worth to the mover.
    pub fn value(&self) -> Value {
        value_before(Metric::Dtm50, MoveClass::of(&self.played), self.after)
    }
}

impl ClockAnswer {
    /// Solves the board of a position for every clock, and the tables that
    /// captures and pawn moves lead to.
    ///
    /// # Errors
    /// If the position is not legal or a table it needs cannot be solved.
    pub fn new(build: &Arc<Build>, setup: &Setup) -> Result<ClockAnswer, ProbeError> {
        let position = &setup.position;
        position.check_legal()?;
        let played = position.legal_moves();
        let quiet = played.iter().filter(|m| MoveClass::of(m) == MoveClass::Quiet);
        let asked: Vec<Position> =
            [*position].into_iter().chain(quiet.map(|m| setup.play(m).position)).collect();
        let mut found = build.at_clocks(&asked)?.into_iter();
        let values = found.next().unwrap_or_else(|| ClockValues::drawn(FIFTY_MOVES_PLIES));
        let tables = Tablebase::solving(build.clone());
        let mut moves = Vec::with_capacity(played.len());
        for m in &played {
            let next = setup.play(m);
            let is_quiet = MoveClass::of(m) == MoveClass::Quiet;
            let after = match if is_quiet { found.next() } else { None } {
                Some(values) => values.at(next.halfmove_clock),
                None => tables.value(&next.position, Metric::Dtm50)?,
            };
            moves.push(ClockMove { played: *m, san: chess::san(position, m), after });
        }
        if setup.halfmove_clock >= u32::from(FIFTY_MOVES_PLIES) {
            // Either side may claim the draw, whatever the move.
            moves.iter_mut().for_each(|m| m.after = Value::Draw);
        }
        let over = || values.at(setup.halfmove_clock);
        let value = moves.iter().map(ClockMove::value).reduce(better).unwrap_or_else(over);
        sort(&mut moves);
        Ok(ClockAnswer { value, values, moves })
    }
}

/// Best first: fast wins, draws, slow losses.
fn sort(moves: &mut [ClockMove]) {
    moves.sort_by(|a, b| {
        let (x, y) = (a.value(), b.value());
        let order = match (x == y, better(x, y) == x) {
            (true, _) => std::cmp::Ordering::Equal,
            (false, true) => std::cmp::Ordering::Less,
            (false, false) => std::cmp::Ordering::Greater,
        };
        order.then_with(|| a.san.cmp(&b.san))
    });
}
