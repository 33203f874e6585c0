//! Best play.

use molien_lines::{Line, Play, Ply};
use molien_values::{Precision, Value};
use serde::Serialize;

use crate::value::side_name;
use crate::{VERSION, ValuesJson};

/// A line of best play.
#[derive(Clone, Debug, Serialize)]
pub struct LineJson {
    /// The version of the fields.
    pub schema: u32,
    /// Where it starts, all six fields.
    pub fen: String,
    /// Who moves first.
    pub side_to_move: &'static str,
    /// The class at the start; none if the 50-move rule was left aside.
    pub category: Option<&'static str>,
    /// The result in the words of PGN.
    pub result: &'static str,
    /// White's strategy.
    pub white: String,
    /// Black's strategy.
    pub black: String,
    /// How many moves of either side it has.
    pub plies: usize,
    /// The moves.
    pub moves: Vec<LineMoveJson>,
    /// Why it ends.
    pub end: &'static str,
    /// The moves that hold the draw at the end.
    pub drawing_moves: Vec<String>,
    /// The position at the end, all six fields.
    pub last_fen: String,
}

/// A move of a line, beside the position before it.
#[derive(Clone, Debug, Serialize)]
pub struct LineMoveJson {
    /// Its name in UCI.
    pub uci: String,
    /// Its name in standard notation.
    pub san: String,
    /// How it stands out.
    pub mark: &'static str,
    /// The sign for that.
    pub sign: &'static str,
    /// The other optimal moves.
    pub equals: Vec<String>,
    /// The material after a capture or a promotion.
    pub conversion: Option<String>,
    /// The position before it, all six fields.
    pub fen: String,
    /// Who plays it.
    pub side_to_move: &'static str,
    /// The depth of that position in the metric that decides first.
    #[serde(flatten)]
    pub values: ValuesJson,
    /// What the move makes of that depth.
    pub played_plies: Option<i32>,
    /// Where that is rounded: the plies may be these instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub played_plies_or: Option<i32>,
}

impl LineMoveJson {
    fn new(ply: &Ply) -> LineMoveJson {
        let (metric, best): (_, Value) = ply.best;
        let precision = if ply.rounded[0] { Precision::Rounded } else { Precision::Exact };
        let played = ply.got.signed_plies();
        LineMoveJson {
            uci: ply.played.to_string(),
            san: ply.san.clone(),
            mark: ply.mark.name(),
            sign: ply.mark.sign(),
            equals: ply.equals.clone(),
            conversion: ply.conversion.map(|material| material.to_string()),
            fen: ply.before.to_string(),
            side_to_move: side_name(ply.before.position.turn()),
            values: ValuesJson::one_to(metric, best, precision),
            played_plies: played,
            played_plies_or: played.filter(|_| ply.rounded[1]).map(|plies| plies + plies.signum()),
        }
    }
}

impl LineJson {
    /// A line, played by these strategies.
    pub fn new(line: &Line, play: &Play) -> LineJson {
        LineJson {
            schema: VERSION,
            fen: line.start.to_string(),
            side_to_move: side_name(line.start.position.turn()),
            category: line.categories.map(|[first, _]| first.name()),
            result: line.result(),
            white: play.white.to_string(),
            black: play.black.to_string(),
            plies: line.plies.len(),
            moves: line.plies.iter().map(LineMoveJson::new).collect(),
            end: line.end.name(),
            drawing_moves: line.drawing.clone(),
            last_fen: line.last.to_string(),
        }
    }
}
