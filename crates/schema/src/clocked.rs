//! Mate under the 50-move rule, clock by clock.

use molien_board::{Move, Setup};
use molien_probe::{ClockAnswer, ClockMove};
use molien_values::{ClockSpan, FIFTY_MOVES_PLIES};
use serde::Serialize;

use crate::VERSION;
use crate::value::side_name;

/// A position at its clock, and at every other.
#[derive(Clone, Debug, Serialize)]
pub struct ClockJson {
    /// The version of the fields.
    pub schema: u32,
    /// The position, all six fields.
    pub fen: String,
    /// `white` or `black`.
    pub side_to_move: &'static str,
    /// Plies since the last capture or pawn move.
    pub halfmove_clock: u32,
    /// The clock at which the game is drawn.
    pub draw_at: u16,
    /// Plies to mate at this clock.
    pub dtm50: Option<i32>,
    /// Every legal move, the best first.
    pub moves: Vec<ClockMoveJson>,
    /// The clocks, in spans of equal value.
    pub clocks: Vec<ClockSpanJson>,
    /// Best play in UCI, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<Vec<String>>,
}

/// A move at the clock given.
#[derive(Clone, Debug, Serialize)]
pub struct ClockMoveJson {
    /// Its name in UCI.
    pub uci: String,
    /// Its name on a score sheet.
    pub san: String,
    /// Plies to mate after it, seen from the side then to move.
    pub dtm50: Option<i32>,
}

/// Clocks at which a position has the same value.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ClockSpanJson {
    /// The first of them.
    pub first: u16,
    /// The last of them.
    pub last: u16,
    /// Plies to mate.
    pub dtm50: Option<i32>,
}

impl ClockJson {
    /// What is known of a position.
    pub fn new(setup: &Setup, answer: &ClockAnswer) -> ClockJson {
        ClockJson {
            schema: VERSION,
            fen: setup.to_string(),
            side_to_move: side_name(setup.position.turn()),
            halfmove_clock: setup.halfmove_clock,
            draw_at: FIFTY_MOVES_PLIES,
            dtm50: answer.value.signed_plies(),
            moves: answer.moves.iter().map(ClockMoveJson::from).collect(),
            clocks: answer.values.spans().into_iter().map(ClockSpanJson::from).collect(),
            line: None,
        }
    }

    /// With a line of best play.
    pub fn with_line<'a>(self, moves: impl IntoIterator<Item = &'a Move>) -> ClockJson {
        ClockJson { line: Some(moves.into_iter().map(ToString::to_string).collect()), ..self }
    }
}

impl From<&ClockMove> for ClockMoveJson {
    fn from(one: &ClockMove) -> ClockMoveJson {
        let (uci, san) = (one.played.to_string(), one.san.clone());
        ClockMoveJson { uci, san, dtm50: one.after.signed_plies() }
    }
}

impl From<ClockSpan> for ClockSpanJson {
    fn from(span: ClockSpan) -> ClockSpanJson {
        ClockSpanJson { first: span.first, last: span.last, dtm50: span.value.signed_plies() }
    }
}
