//! Searches without tables.

use molien_board::Setup;
use molien_values::Category;
use serde::Serialize;

use crate::VERSION;
use crate::value::side_name;

/// What a search found.
#[derive(Clone, Debug, Serialize)]
pub struct SearchJson {
    /// The version of the fields.
    pub schema: u32,
    /// The position, all six fields.
    pub fen: String,
    /// Who is to move.
    pub side_to_move: &'static str,
    /// The class that was proved, the 50-move rule left aside; none if nothing
    /// was.
    pub category: Option<&'static str>,
    /// The best move in UCI.
    pub best_move: Option<String>,
    /// The score from the side to move.
    pub score: i32,
    /// Plies searched.
    pub depth: u32,
    /// Positions looked at.
    pub nodes: u64,
    /// How long it took.
    pub seconds: f64,
    /// The best line in UCI.
    pub pv: Vec<String>,
}

impl SearchJson {
    /// A position of which nothing is known yet.
    pub fn new(setup: &Setup, category: Option<Category>) -> SearchJson {
        SearchJson {
            schema: VERSION,
            fen: setup.to_string(),
            side_to_move: side_name(setup.position.turn()),
            category: category.map(Category::name),
            best_move: None,
            score: 0,
            depth: 0,
            nodes: 0,
            seconds: 0.0,
            pv: Vec::new(),
        }
    }
}
