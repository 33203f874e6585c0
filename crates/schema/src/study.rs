//! Games and studies.

use molien_lines::study::{Flaw, GameReport, MoveReport, Summary};
use serde::Serialize;

use crate::VERSION;
use crate::value::side_name;

/// What was found in a game.
#[derive(Clone, Debug, Serialize)]
pub struct GameJson {
    /// The version of the fields.
    pub schema: u32,
    /// Where it was read.
    pub file: String,
    /// Its number there.
    pub game: usize,
    /// The line it begins on.
    pub line: usize,
    /// Who, where and when.
    pub title: String,
    /// Whether it is a study.
    pub study: bool,
    /// The first flaw of the study.
    pub flaw: Option<FlawJson>,
    /// The verdict on the study in words.
    pub verdict: Option<String>,
    /// What is malformed.
    pub problem: Option<ProblemJson>,
    /// Moves that were not judged.
    pub passed_over: Vec<PassedOverJson>,
    /// Moves that were.
    pub moves: Vec<JudgedMoveJson>,
}

/// A flaw of a study.
#[derive(Clone, Debug, Serialize)]
pub struct FlawJson {
    /// `wrong-result`, `mistake` or `second-solution`.
    pub kind: &'static str,
    /// Which of the judged moves, from 0.
    #[serde(rename = "move")]
    pub at: usize,
}

/// What is malformed, and where.
#[derive(Clone, Debug, Serialize)]
pub struct ProblemJson {
    /// The line of the file.
    pub line: usize,
    /// What is wrong.
    pub problem: String,
}

/// Moves that were not judged for one reason.
#[derive(Clone, Debug, Serialize)]
pub struct PassedOverJson {
    /// Why.
    pub reason: String,
    /// How many.
    pub moves: usize,
}

/// A move that was judged, beside the position before it.
#[derive(Clone, Debug, Serialize)]
pub struct JudgedMoveJson {
    /// The line of the file.
    pub line: usize,
    /// Its number, such as `12...`.
    pub number: String,
    /// Its name.
    pub san: String,
    /// The position before it, all six fields.
    pub fen: String,
    /// Who plays it.
    pub side_to_move: &'static str,
    /// The class of that position.
    pub category: &'static str,
    /// What the move leaves its player.
    pub category_kept: &'static str,
    /// Whether it belongs to the main line.
    pub main_line: bool,
    /// Whether it keeps the result.
    pub kept: bool,
    /// Whether it is the only move that does.
    pub unique: bool,
    /// Whether others do, too, and not only by losing time.
    pub dual: bool,
    /// The other moves that keep the result.
    pub others: Vec<String>,
    /// Those of them that only lose time.
    pub detours: Vec<String>,
}

impl JudgedMoveJson {
    fn new(report: &MoveReport) -> JudgedMoveJson {
        JudgedMoveJson {
            line: report.line,
            number: report.number.clone(),
            san: report.san.clone(),
            fen: report.setup.to_string(),
            side_to_move: side_name(report.mover),
            category: report.before.name(),
            category_kept: report.after.name(),
            main_line: report.main,
            kept: report.kept(),
            unique: report.unique(),
            dual: report.dual(),
            others: report.others.clone(),
            detours: report.detours.clone(),
        }
    }
}

impl GameJson {
    /// A game read from a file.
    pub fn new(file: impl Into<String>, report: &GameReport) -> GameJson {
        let flaw = report.flaw.map(|flaw| match flaw {
            Flaw::WrongResult { at } => FlawJson { kind: "wrong-result", at },
            Flaw::Mistake { at } => FlawJson { kind: "mistake", at },
            Flaw::SecondSolution { at } => FlawJson { kind: "second-solution", at },
        });
        let problem = report.problem.as_ref();
        let passed_over = report.passed_over.iter();
        GameJson {
            schema: VERSION,
            file: file.into(),
            game: report.number,
            line: report.line,
            title: report.title.clone(),
            study: report.study,
            flaw,
            verdict: report.verdict(),
            problem: problem.map(|p| ProblemJson { line: p.line, problem: p.problem.to_string() }),
            passed_over: passed_over
                .map(|(why, moves)| PassedOverJson { reason: why.to_string(), moves: *moves })
                .collect(),
            moves: report.moves.iter().map(JudgedMoveJson::new).collect(),
        }
    }
}

/// Counts over many games.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct SummaryJson {
    /// The version of the fields.
    pub schema: u32,
    /// Games read.
    pub games: usize,
    /// Games that are malformed.
    pub malformed: usize,
    /// Moves judged.
    pub moves_judged: usize,
    /// Moves not judged.
    pub moves_passed_over: usize,
    /// Moves that threw something away.
    pub mistakes: usize,
    /// Studies by verdict.
    pub studies: StudyCountsJson,
}

/// Studies by verdict.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct StudyCountsJson {
    /// Without a flaw, as far as they were within reach.
    pub sound: usize,
    /// With a second solution.
    pub cooked: usize,
    /// Whose solution is a mistake.
    pub refuted: usize,
    /// Whose stated result is wrong.
    pub wrong_result: usize,
    /// Of which nothing was within reach.
    pub out_of_reach: usize,
}

impl From<&Summary> for SummaryJson {
    fn from(summary: &Summary) -> SummaryJson {
        SummaryJson {
            schema: VERSION,
            games: summary.games,
            malformed: summary.malformed,
            moves_judged: summary.judged,
            moves_passed_over: summary.passed_over,
            mistakes: summary.mistakes,
            studies: StudyCountsJson {
                sound: summary.sound,
                cooked: summary.cooked,
                refuted: summary.refuted,
                wrong_result: summary.wrong_result,
                out_of_reach: summary.out_of_reach,
            },
        }
    }
}
