//! What is looked at, and what was found.

use std::fmt;

use molien_board::{Color, Setup};
use molien_values::Category;

use super::pgn::PgnError;

/// What is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Positions with more men are passed over.
    pub max_men: usize,
    /// Whether the 50-move rule counts, from the clock of the FEN on.
    pub fifty_moves: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { max_men: 5, fifty_moves: true }
    }
}

/// A move that was judged.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct MoveReport {
    /// Which item of the move text it is.
    pub item: usize,
    /// The line of the file.
    pub line: usize,
    /// Its number, such as `12.` or `12...`.
    pub number: String,
    /// Its name.
    pub san: String,
    /// Who plays it.
    pub mover: Color,
    /// Whether it belongs to the main line.
    pub main: bool,
    /// What the mover had.
    pub before: Category,
    /// What the move leaves the mover.
    pub after: Category,
    /// The other moves that keep what the mover had.
    pub others: Vec<String>,
    /// Those of them that only come back to the main line of a study.
    pub detours: Vec<String>,
    /// How many legal moves there are.
    pub legal: usize,
    /// The position before the move, with its clock.
    pub setup: Setup,
}

impl MoveReport {
    /// Whether the move keeps the result: a win by the clock, a draw by
    /// whatever rule.
    pub fn kept(&self) -> bool {
        self.before.result() == self.after.result()
    }

    fn lost(&self) -> bool {
        self.before == Category::Loss
    }

    /// Whether it is the only move that keeps a win or a draw.
    pub fn unique(&self) -> bool {
        self.kept() && self.others.is_empty() && !self.lost()
    }

    /// Whether other moves would have kept the win or draw as well.
    pub fn dual(&self) -> bool {
        self.kept() && self.others.len() > self.detours.len() && !self.lost()
    }

    /// The class before the move, seen from White.
    pub(super) fn for_white(&self) -> Category {
        if self.mover == Color::White { self.before } else { self.before.reverse() }
    }
}

/// Why a move was not judged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unjudged {
    /// More men on the board than were to be looked at.
    Men {
        /// How many may be on the board.
        most: usize,
    },
    /// A side may still castle: outside the tables.
    Castling,
    /// The turn is passed.
    NullMove,
    /// The position is not legal where tables are concerned.
    Position,
    /// The values cannot be had.
    Table(String),
}

impl fmt::Display for Unjudged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unjudged::Men { most } => write!(f, "more than {most} men on the board"),
            Unjudged::Castling => f.write_str("castling is still possible"),
            Unjudged::NullMove => f.write_str("a null move"),
            Unjudged::Position => f.write_str("the position is outside the tables"),
            Unjudged::Table(why) => f.write_str(why),
        }
    }
}

/// What is wrong with a study; `at` is an index of the moves judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flaw {
    /// The value is not the result claimed.
    WrongResult {
        /// The first such position is before this move.
        at: usize,
    },
    /// The solution itself throws the result away.
    Mistake {
        /// With this move.
        at: usize,
    },
    /// Another move does it too: a cook.
    SecondSolution {
        /// Instead of this move.
        at: usize,
    },
}

/// What was found in a game.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct GameReport {
    /// Its number in the file.
    pub number: usize,
    /// The line it begins on.
    pub line: usize,
    /// Who, where and when.
    pub title: String,
    /// The moves that were judged.
    pub moves: Vec<MoveReport>,
    /// Why others were not, and how many for each reason.
    pub passed_over: Vec<(Unjudged, usize)>,
    /// Whether it is a study: it starts from a position of its own and claims
    /// a result.
    pub study: bool,
    /// The first flaw of the study.
    pub flaw: Option<Flaw>,
    /// What is malformed; the moves before it were judged.
    pub problem: Option<PgnError>,
    /// The item that cannot be played: what follows was not looked at.
    pub stopped_at: Option<usize>,
}

impl GameReport {
    /// How many moves were not judged.
    pub fn passed_over_moves(&self) -> usize {
        self.passed_over.iter().map(|(_, count)| count).sum()
    }

    pub(super) fn pass_over(&mut self, why: Unjudged) {
        match self.passed_over.iter_mut().find(|(known, _)| *known == why) {
            Some((_, count)) => *count += 1,
            None => self.passed_over.push((why, 1)),
        }
    }
}
