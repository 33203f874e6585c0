//! Pawn endings in words.

use molien_board::Setup;
use molien_pawns::Explanation;
use serde::Serialize;

use crate::VERSION;
use crate::value::side_name;

/// Why a pawn ending is won or drawn.
#[derive(Clone, Debug, Serialize)]
pub struct ExplanationJson {
    /// The version of the fields.
    pub schema: u32,
    /// The position, all six fields.
    pub fen: String,
    /// `white` or `black`.
    pub side_to_move: &'static str,
    /// The class without the 50-move rule, or `unknown`.
    pub category: String,
    /// `white` or `black`, if one of them wins.
    pub winner: Option<&'static str>,
    /// What decided.
    pub function: &'static str,
    /// By which rule.
    pub rule: String,
    /// The reasons, without full stops.
    pub sentences: Vec<String>,
}

impl ExplanationJson {
    /// What was found out about a position.
    pub fn new(setup: &Setup, found: &Explanation) -> ExplanationJson {
        ExplanationJson {
            schema: VERSION,
            fen: setup.to_string(),
            side_to_move: side_name(setup.position.turn()),
            category: found.value.map_or("unknown".to_owned(), |value| value.to_string()),
            winner: found.winner.map(side_name),
            function: found.function,
            rule: found.rule.clone(),
            sentences: found.sentences.clone(),
        }
    }
}
