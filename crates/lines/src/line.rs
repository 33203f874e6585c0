//! Best play, and given play compared with it.

use molien_board::{Color, Material, Move, Position};
use molien_probe::{Tablebase, chess};
use molien_values::{Metric, Outcome, Value};

use crate::judge::Judged;
use crate::{LineError, Play};

/// How a move stands out, in the signs of Nalimov, Wirth and Haworth.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mark {
    /// `°`: the only legal move.
    OnlyLegal,
    /// `"`: the only move that keeps the value.
    OnlyPreserving,
    /// `'`: the only optimal move.
    OnlyOptimal,
    /// One of several optimal moves.
    OneOfSeveral,
    /// Not optimal.
    NotOptimal,
}

impl Mark {
    /// The sign, if there is one.
    pub const fn sign(self) -> &'static str {
        match self {
            Mark::OnlyLegal => "°",
            Mark::OnlyPreserving => "\"",
            Mark::OnlyOptimal => "'",
            Mark::OneOfSeveral | Mark::NotOptimal => "",
        }
    }

    /// The name used in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Mark::OnlyLegal => "only-legal",
            Mark::OnlyPreserving => "only-value-preserving",
            Mark::OnlyOptimal => "only-optimal",
            Mark::OneOfSeveral => "one-of-several",
            Mark::NotOptimal => "not-optimal",
        }
    }

    /// The mark of a move.
    pub fn of(judged: &Judged, played: &Move) -> Mark {
        if judged.moves.len() == 1 {
            Mark::OnlyLegal
        } else if !judged.is_optimal(played) {
            Mark::NotOptimal
        } else if judged.preserving == 1 {
            Mark::OnlyPreserving
        } else if judged.optimal == 1 {
            Mark::OnlyOptimal
        } else {
            Mark::OneOfSeveral
        }
    }
}

/// One move of a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ply {
    /// The position before it.
    pub before: Position,
    /// The move.
    pub played: Move,
    /// Its name.
    pub san: String,
    /// How it stands out.
    pub mark: Mark,
    /// The other optimal moves by name.
    pub equals: Vec<String>,
    /// The metric that decides first, and the value of the position before
    /// the move in it, seen from the mover.
    pub best: (Metric, Value),
    /// What the move makes of that value.
    pub got: Value,
    /// The material after a capture or a promotion.
    pub conversion: Option<Material>,
}

/// Why a line ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum End {
    /// Mate.
    Mate,
    /// Stalemate.
    Stalemate,
    /// The position is drawn: no move makes progress.
    Draw,
    /// The first conversion, which was asked for.
    Conversion,
    /// The limit on its length, or the end of the moves given.
    Limit,
}

impl End {
    /// The name used in output.
    pub const fn name(self) -> &'static str {
        match self {
            End::Mate => "mate",
            End::Stalemate => "stalemate",
            End::Draw => "draw",
            End::Conversion => "conversion",
            End::Limit => "limit",
        }
    }
}

/// A line of play.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// Where it starts.
    pub start: Position,
    /// Its moves.
    pub plies: Vec<Ply>,
    /// The position after them.
    pub last: Position,
    /// Why it ends there.
    pub end: End,
    /// Who wins.
    pub winner: Option<Color>,
    /// The moves that hold the draw at the end, if it ends in one.
    pub drawing: Vec<String>,
}

/// Where best play stops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Until {
    /// After so many plies.
    pub plies: usize,
    /// After the first capture or promotion.
    pub conversion: bool,
}

impl Default for Until {
    fn default() -> Until {
        Until { plies: 2000, conversion: false }
    }
}

fn ply(judged: &Judged, played: &Move, metric: Metric) -> Option<Ply> {
    let first = judged.moves.first()?;
    let candidate = judged.find(played)?;
    let equals = judged.optimal_moves().iter().filter(|m| m.played != *played);
    let material = || judged.position.play(played).material();
    Some(Ply {
        before: judged.position,
        played: *played,
        san: chess::san(&judged.position, played),
        mark: Mark::of(judged, played),
        equals: equals.map(|m| judged.san(m)).collect(),
        best: (metric, *first.values.first()?),
        got: *candidate.values.first()?,
        conversion: played.is_conversion().then(material),
    })
}

fn winner(judged: &Judged) -> Option<Color> {
    let turn = judged.position.turn();
    match judged.outcome() {
        Some(Outcome::Win) => Some(turn),
        Some(Outcome::Loss) => Some(!turn),
        None if judged.position.in_check(turn) => Some(!turn),
        Some(Outcome::Draw) | None => None,
    }
}

fn terminal(judged: &Judged) -> Option<End> {
    let checked = judged.position.in_check(judged.position.turn());
    match judged.outcome() {
        None if checked => Some(End::Mate),
        None => Some(End::Stalemate),
        Some(Outcome::Draw) => Some(End::Draw),
        Some(_) => None,
    }
}

/// Best play of both sides, each by its strategy. Among several optimal moves
/// the first by name is played.
///
/// # Errors
/// If a value cannot be had.
pub fn best_line(
    tables: &Tablebase,
    start: &Position,
    play: &Play,
    until: Until,
) -> Result<Line, LineError> {
    let mut line = Line::empty(start);
    loop {
        let turn = line.last.turn();
        let strategy = play.of(turn);
        let judged = Judged::new(tables, &line.last, strategy)?;
        if line.plies.is_empty() {
            line.winner = winner(&judged);
        }
        let converted = line.plies.last().is_some_and(|ply| ply.conversion.is_some());
        if let Some(end) = terminal(&judged) {
            line.end = end;
            line.drawing = judged.preserving_moves().map(|m| judged.san(m)).collect();
            return Ok(line);
        }
        let metric = strategy.metrics()[0];
        let next = judged.moves.first().and_then(|best| ply(&judged, &best.played, metric));
        match next {
            _ if until.conversion && converted => {
                line.end = End::Conversion;
                return Ok(line);
            }
            Some(next) if line.plies.len() < until.plies => line.push(next),
            _ => return Ok(line),
        }
    }
}

impl Line {
    fn empty(start: &Position) -> Line {
        let (plies, drawing) = (Vec::new(), Vec::new());
        Line { start: *start, plies, last: *start, end: End::Limit, winner: None, drawing }
    }

    fn push(&mut self, ply: Ply) {
        self.last = self.last.play(&ply.played);
        self.plies.push(ply);
    }

    /// Whether every move of it is optimal.
    pub fn is_optimal(&self) -> bool {
        self.plies.iter().all(|ply| ply.mark != Mark::NotOptimal)
    }
}

/// Moves in UCI notation, judged one by one.
///
/// # Errors
/// If a move is not legal or a value cannot be had.
pub fn check_line<S: AsRef<str>>(
    tables: &Tablebase,
    start: &Position,
    moves: &[S],
    play: &Play,
) -> Result<Line, LineError> {
    let mut line = Line::empty(start);
    for (number, name) in moves.iter().enumerate() {
        let strategy = play.of(line.last.turn());
        let judged = Judged::new(tables, &line.last, strategy)?;
        if line.plies.is_empty() {
            line.winner = winner(&judged);
        }
        let found = judged.moves.iter().find(|m| m.played.to_string() == name.as_ref());
        let next = found.and_then(|m| ply(&judged, &m.played, strategy.metrics()[0]));
        let fen = line.last.to_string();
        let illegal =
            || LineError::IllegalMove { ply: number + 1, name: name.as_ref().to_owned(), fen };
        line.push(next.ok_or_else(illegal)?);
    }
    Ok(line)
}
