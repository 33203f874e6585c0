//! Best play, and given play compared with it.

use molien_board::{Color, Material, Move, Setup};
use molien_probe::{Tablebase, chess};
use molien_values::{Category, FIFTY_MOVES_PLIES, Metric, Outcome, Precision, Value, category_in};

use crate::judge::{Candidate, Judged};
use crate::{LineError, Play, Strategy};

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
#[non_exhaustive]
pub struct Ply {
    /// The position before it, with its clock.
    pub before: Setup,
    /// The move.
    pub played: Move,
    /// Its name.
    pub san: String,
    /// How it stands out.
    pub mark: Mark,
    /// The other optimal moves by name.
    pub equals: Vec<String>,
    /// The metric that decides first, and the best value the strategy finds
    /// in it, seen from the mover.
    pub best: (Metric, Value),
    /// What the move makes of that value.
    pub got: Value,
    /// Whether the best value and what the move makes of it may be one ply more.
    pub rounded: [bool; 2],
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
    /// A hundred plies without a capture or a pawn move: the draw is claimed.
    FiftyMoves,
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
            End::FiftyMoves => "fifty-moves",
            End::Conversion => "conversion",
            End::Limit => "limit",
        }
    }
}

/// A line of play.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Line {
    /// Where it starts.
    pub start: Setup,
    /// Its moves.
    pub plies: Vec<Ply>,
    /// The position after them.
    pub last: Setup,
    /// Why it ends there.
    pub end: End,
    /// Who wins, the 50-move rule left aside.
    pub winner: Option<Color>,
    /// The class of the first and of the last position at their clocks, each
    /// for its side to move; none if the 50-move rule is left aside.
    pub categories: Option<[Category; 2]>,
    /// Whether the side to move first plays within the 50-move rule.
    pub minds_the_rule: bool,
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
    /// When a draw can be claimed by the 50-move rule. If not, the rule is left
    /// aside altogether.
    pub fifty_moves: bool,
}

impl Default for Until {
    fn default() -> Until {
        Until { plies: 2000, conversion: false, fifty_moves: true }
    }
}

/// The draw can be claimed.
const CLAIM: u32 = FIFTY_MOVES_PLIES as u32;

fn ply(judged: &Judged, played: &Move, strategy: &Strategy) -> Option<Ply> {
    let position = &judged.setup.position;
    let first = judged.moves.first()?;
    let candidate = judged.find(played)?;
    let equals = judged.optimal_moves().iter().filter(|m| m.played != *played);
    let material = || position.play(played).material();
    Some(Ply {
        before: judged.setup,
        played: *played,
        san: chess::san(position, played),
        mark: Mark::of(judged, played),
        equals: equals.map(|m| judged.san(m)).collect(),
        best: (strategy.metrics().next()?, *first.values.first()?),
        got: *candidate.values.first()?,
        rounded: [first, candidate].map(|m| m.precision == Precision::Rounded),
        conversion: played.is_conversion().then(material),
    })
}

/// Who wins without the 50-move rule.
fn winner(judged: &Judged) -> Option<Color> {
    let position = &judged.setup.position;
    let turn = position.turn();
    match judged.moves.iter().map(Candidate::plain_outcome).max() {
        Some(Outcome::Win) => Some(turn),
        Some(Outcome::Loss) => Some(!turn),
        None if position.in_check(turn) => Some(!turn),
        Some(Outcome::Draw) | None => None,
    }
}

fn terminal(judged: &Judged, until: Until) -> Option<End> {
    let position = &judged.setup.position;
    let checked = position.in_check(position.turn());
    match winner(judged) {
        _ if judged.moves.is_empty() && checked => Some(End::Mate),
        _ if judged.moves.is_empty() => Some(End::Stalemate),
        None => Some(End::Draw),
        _ if until.fifty_moves && judged.setup.halfmove_clock >= CLAIM => Some(End::FiftyMoves),
        Some(_) => None,
    }
}

/// The class of a position at its clock. What the judged moves tell is taken
/// first; DTZ50 is asked only where they leave it open.
fn category(
    tables: &Tablebase,
    judged: &Judged,
    strategy: &Strategy,
) -> Result<Category, LineError> {
    let Setup { position, halfmove_clock: clock, .. } = judged.setup;
    let known = match (judged.category(), judged.moves.first(), strategy.metrics().next()) {
        (Some(category), ..) => Some(category),
        (None, None, _) if position.in_check(position.turn()) => {
            Some(category_in(Metric::Dtm, Value::Loss(0), clock))
        }
        (None, None, _) => Some(Category::Draw),
        (None, Some(best), Some(metric)) => {
            best.values.first().map(|&value| category_in(metric, value, clock))
        }
        _ => None,
    };
    match known.filter(|category| category.result().is_some()) {
        Some(category) => Ok(category),
        None => {
            let answer = tables.probe_at(&judged.setup, &[Metric::Dtz50])?;
            Ok(answer.category)
        }
    }
}

/// The move that is played: the first of the optimal ones. A win is not given
/// away by a third repetition: R may have to repeat what the clock forbids to
/// improve.
fn choice<'a>(judged: &'a Judged, line: &Line) -> Option<&'a Candidate> {
    let best = judged.moves.first()?;
    let twice = |m: &&Candidate| {
        let after = judged.setup.position.play(&m.played);
        line.plies.iter().filter(|ply| ply.before.position == after).count() >= 2
    };
    let as_good = judged.moves.iter().filter(|m| m.category == best.category);
    match best.category {
        Some(Category::Win) if twice(&best) => as_good.into_iter().find(|m| !twice(m)),
        _ => None,
    }
    .or(Some(best))
}

/// Best play of both sides, each by its strategy. Among several optimal moves
/// the first by name is played.
///
/// # Errors
/// If a value cannot be had.
pub fn best_line(
    tables: &Tablebase,
    start: impl Into<Setup>,
    play: &Play,
    until: Until,
) -> Result<Line, LineError> {
    let mut line = Line::empty(start.into());
    let mut first = None;
    loop {
        let strategy = play.of(line.last.position.turn());
        let judged = Judged::new(tables, line.last, strategy)?;
        if line.plies.is_empty() {
            line.winner = winner(&judged);
            line.minds_the_rule = strategy.minds_the_rule();
            if until.fifty_moves {
                first = Some(category(tables, &judged, strategy)?);
            }
        }
        let converted = line.plies.last().is_some_and(|ply| ply.conversion.is_some());
        let next = choice(&judged, &line).and_then(|m| ply(&judged, &m.played, strategy));
        line.end = match (terminal(&judged, until), next) {
            (Some(end), _) => end,
            _ if until.conversion && converted => End::Conversion,
            (None, Some(next)) if line.plies.len() < until.plies => {
                line.push(next);
                continue;
            }
            _ => End::Limit,
        };
        if line.end == End::Draw {
            line.drawing = judged.preserving_moves().map(|m| judged.san(m)).collect();
        }
        if let Some(first) = first {
            line.categories = Some([first, category(tables, &judged, strategy)?]);
        }
        return Ok(line);
    }
}

impl Line {
    fn empty(start: Setup) -> Line {
        Line {
            start,
            plies: Vec::new(),
            last: start,
            end: End::Limit,
            winner: None,
            categories: None,
            minds_the_rule: false,
            drawing: Vec::new(),
        }
    }

    fn push(&mut self, ply: Ply) {
        self.last = self.last.play(&ply.played);
        self.plies.push(ply);
    }

    /// Whether every move of it is optimal.
    pub fn is_optimal(&self) -> bool {
        self.plies.iter().all(|ply| ply.mark != Mark::NotOptimal)
    }

    /// Whether a win that was there at the start, 50-move rule and all, ends
    /// in a draw by that rule: the strategies did not mind it.
    pub fn throws_the_win_away(&self) -> bool {
        let won = |[first, _]: [Category; 2]| matches!(first, Category::Win | Category::Loss);
        self.end == End::FiftyMoves && self.categories.is_some_and(won)
    }
}

/// Moves in UCI notation, judged one by one; the 50-move rule is left aside
/// unless a strategy minds it.
///
/// # Errors
/// If a move is not legal or a value cannot be had.
pub fn check_line<S: AsRef<str>>(
    tables: &Tablebase,
    start: impl Into<Setup>,
    moves: &[S],
    play: &Play,
) -> Result<Line, LineError> {
    let mut line = Line::empty(start.into());
    for (number, name) in moves.iter().enumerate() {
        let strategy = play.of(line.last.position.turn());
        let judged = Judged::new(tables, line.last, strategy)?;
        if line.plies.is_empty() {
            line.winner = winner(&judged);
        }
        let found = judged.moves.iter().find(|m| m.played.to_string() == name.as_ref());
        let next = found.and_then(|m| ply(&judged, &m.played, strategy));
        let fen = line.last.position.to_string();
        let illegal =
            || LineError::IllegalMove { ply: number + 1, name: name.as_ref().to_owned(), fen };
        line.push(next.ok_or_else(illegal)?);
    }
    Ok(line)
}
