//! Our figures beside those of others.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::VERSION;

/// A published table beside ours.
#[derive(Clone, Debug, Serialize)]
pub struct ReproducedJson {
    /// The version of the fields.
    pub schema: u32,
    /// The paper.
    pub paper: String,
    /// The name by which the table is asked for.
    pub table: String,
    /// What it shows.
    pub title: String,
    /// Its figures.
    pub cells: Vec<CellJson>,
}

/// One figure of it.
#[derive(Clone, Debug, Serialize)]
pub struct CellJson {
    /// A material, a square, a position.
    pub row: String,
    /// What is counted.
    pub column: String,
    /// As printed.
    pub published: String,
    /// As found here.
    pub ours: String,
    /// How they compare, in one word.
    pub verdict: &'static str,
    /// Why they are not simply equal.
    pub why: Option<String>,
}

impl ReproducedJson {
    /// A table and its figures.
    pub fn new(paper: &str, table: &str, title: &str, cells: Vec<CellJson>) -> ReproducedJson {
        let (paper, table, title) = (paper.to_owned(), table.to_owned(), title.to_owned());
        ReproducedJson { schema: VERSION, paper, table, title, cells }
    }
}

/// A table compared with figures in a file.
#[derive(Clone, Debug, Serialize)]
pub struct ComparedJson {
    /// The version of the fields.
    pub schema: u32,
    /// The material.
    pub material: String,
    /// What was compared, in words.
    pub compared: Vec<String>,
    /// What differs, in words.
    pub different: Vec<String>,
    /// Whether nothing does.
    pub equal: bool,
    /// How long it took.
    pub seconds: f64,
}

impl ComparedJson {
    /// What was compared, and what differs.
    pub fn new(
        material: String,
        compared: Vec<String>,
        different: Vec<String>,
        seconds: f64,
    ) -> ComparedJson {
        let equal = different.is_empty();
        ComparedJson { schema: VERSION, material, compared, different, equal, seconds }
    }
}

/// A board too large for statistics of both sides: White's wins.
#[derive(Clone, Debug, Serialize)]
pub struct SurveyJson {
    /// The version of the fields.
    pub schema: u32,
    /// The material.
    pub material: String,
    /// What the plies count.
    pub metric: &'static str,
    /// How positions are counted.
    pub counting: String,
    /// Whose wins are known: `white`.
    pub wins_of: &'static str,
    /// The positions with White to move.
    pub white_to_move: SurveySideJson,
    /// The positions with Black to move.
    pub black_to_move: SurveySideJson,
    /// Mutual zugzwangs, as far as they can be told apart.
    pub mutual_zugzwangs: SurveyZugzwangsJson,
}

/// What White has with one side to move.
#[derive(Clone, Debug, Serialize)]
pub struct SurveySideJson {
    /// All positions.
    pub legal: u64,
    /// Won by White, to move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wins: Option<u64>,
    /// Lost by Black, to move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub losses: Option<u64>,
    /// These by depth in plies.
    pub plies: BTreeMap<usize, u64>,
    /// The deepest.
    pub longest: Option<u16>,
    /// Positions of that depth.
    pub deepest: Vec<String>,
}

/// With Black's wins unknown two kinds are counted as one.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct SurveyZugzwangsJson {
    /// White to move does not win, Black to move loses.
    pub white_wins_or_full_point: u64,
}

/// What a graphics card does in a second.
#[derive(Clone, Debug, Serialize)]
pub struct BenchJson {
    /// The version of the fields.
    pub schema: u32,
    /// The card.
    pub device: String,
    /// The material.
    pub material: String,
    /// Copying from its memory to its memory.
    pub copy_bytes_per_second: f64,
    /// The phases of a solve.
    pub phases: Vec<PhaseJson>,
}

/// A phase of a solve.
#[derive(Clone, Debug, Serialize)]
pub struct PhaseJson {
    /// Its name.
    pub phase: String,
    /// How long it took.
    pub seconds: f64,
    /// Tiles looked at.
    pub tiles: u64,
    /// Tiles in a second.
    pub tiles_per_second: f64,
    /// Positions in a second.
    pub positions_per_second: f64,
}
