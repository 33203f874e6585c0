//! Walks a game and judges its moves.

use molien_board::{Color, Move, Position};
use molien_probe::{Tablebase, chess};
use molien_values::{Metric, Outcome};
use shakmaty::fen::Fen;
use shakmaty::san::San;
use shakmaty::{CastlingMode, Chess, FromSetup, Position as _, PositionError};

use super::detour::Detours;
use super::pgn::{Game, Item, PgnError};
use crate::{Judged, LineError, Strategy};

/// What is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Positions with more men are passed over.
    pub max_men: usize,
}

/// A move that was judged.
#[derive(Clone, PartialEq, Eq, Debug)]
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
    pub before: Outcome,
    /// What the move leaves the mover.
    pub after: Outcome,
    /// The other moves that keep what the mover had.
    pub others: Vec<String>,
    /// Those of them that only come back to the main line of a study.
    pub detours: Vec<String>,
    /// How many legal moves there are.
    pub legal: usize,
    /// The position before the move.
    pub position: Position,
}

impl MoveReport {
    /// Whether the move keeps the value.
    pub fn kept(&self) -> bool {
        self.before == self.after
    }

    /// Whether it is the only move that keeps a win or a draw.
    pub fn unique(&self) -> bool {
        self.kept() && self.others.is_empty() && self.before != Outcome::Loss
    }

    /// Whether other moves would have kept the win or draw as well.
    pub fn dual(&self) -> bool {
        self.kept() && self.others.len() > self.detours.len() && self.before != Outcome::Loss
    }

    /// The value before the move, seen from White.
    fn for_white(&self) -> Outcome {
        if self.mover == Color::White { self.before } else { self.before.reverse() }
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
pub struct GameReport {
    /// Its number in the file.
    pub number: usize,
    /// The line it begins on.
    pub line: usize,
    /// Who, where and when.
    pub title: String,
    /// The moves that were judged.
    pub moves: Vec<MoveReport>,
    /// How many moves were not, because the position was out of reach.
    pub passed_over: usize,
    /// Whether it is a study: it starts from a position of its own and claims
    /// a result.
    pub study: bool,
    /// The first flaw of the study.
    pub flaw: Option<Flaw>,
    /// What is malformed; the moves before it were judged.
    pub problem: Option<PgnError>,
}

/// Judges the moves of a game.
///
/// # Errors
/// If solving is interrupted. What is wrong with the game itself, and values
/// that cannot be had, are part of the report.
pub fn check_game(
    tables: &Tablebase,
    game: &Game,
    options: &Options,
) -> Result<GameReport, LineError> {
    let mut report = GameReport {
        number: game.number,
        line: game.line,
        title: title(game),
        problem: game.problem.clone(),
        ..GameReport::default()
    };
    let start = match start(game) {
        Ok(start) => start,
        Err(problem) => {
            let (game, line) = (game.number, game.line);
            report.problem = Some(PgnError { game, line, problem });
            return Ok(report);
        }
    };
    let solver = if start.turn().is_white() { Color::White } else { Color::Black };
    let mut walk = Walk { tables, options, game, report, at: Node::new(start), stack: Vec::new() };
    walk.items()?;
    let mut report = walk.report;
    let claim = claim(game);
    report.study = game.tag("FEN").is_some() && claim.is_some();
    if let (true, Some(claim)) = (report.study, claim) {
        let solver = match claim {
            Outcome::Win => Color::White,
            Outcome::Loss => Color::Black,
            Outcome::Draw => solver,
        };
        let own = |m: &&MoveReport| m.main && m.mover == solver;
        let detours = Detours::new(tables, report.moves.iter().filter(own));
        for m in report.moves.iter_mut().filter(|m| own(&&**m) && m.kept()) {
            m.detours = detours.of(m)?;
        }
        report.flaw = flaw(&report.moves, claim, solver);
    }
    Ok(report)
}

fn title(game: &Game) -> String {
    let known = |name| game.tag(name).filter(|value| !value.is_empty() && !value.starts_with('?'));
    let parts: Vec<&str> =
        ["White", "Black", "Event", "Date"].into_iter().filter_map(known).collect();
    parts.join(", ")
}

fn start(game: &Game) -> Result<Chess, String> {
    let Some(text) = game.tag("FEN") else { return Ok(Chess::default()) };
    let fen: Fen = text.parse().map_err(|error| format!("FEN '{text}': {error}"))?;
    Chess::from_setup(fen.into_setup(), CastlingMode::Standard)
        .or_else(PositionError::ignore_impossible_check)
        .or_else(PositionError::ignore_too_much_material)
        .map_err(|error| format!("FEN '{text}': {error}"))
}

/// The result claimed, seen from White.
fn claim(game: &Game) -> Option<Outcome> {
    match game.tag("Result").or(game.result.as_deref())? {
        "1-0" => Some(Outcome::Win),
        "0-1" => Some(Outcome::Loss),
        "1/2-1/2" => Some(Outcome::Draw),
        _ => None,
    }
}

/// The first flaw of a solution. The solver is the side said to win; in a
/// draw, the side that moves first.
fn flaw(moves: &[MoveReport], claim: Outcome, solver: Color) -> Option<Flaw> {
    let main = || moves.iter().enumerate().filter(|(_, m)| m.main);
    let wrong = main().find(|(_, m)| m.for_white() != claim).map(|(at, _)| at);
    let mistake = main().find(|(_, m)| m.mover == solver && !m.kept()).map(|(at, _)| at);
    let dual = main().find(|(_, m)| m.mover == solver && m.dual()).map(|(at, _)| at);
    let flaws = [
        wrong.map(|at| (at, Flaw::WrongResult { at })),
        mistake.map(|at| (at, Flaw::Mistake { at })),
        dual.map(|at| (at, Flaw::SecondSolution { at })),
    ];
    flaws.into_iter().flatten().min_by_key(|(at, _)| *at).map(|(_, flaw)| flaw)
}

/// A place in the tree of moves.
#[derive(Clone)]
struct Node {
    now: Chess,
    /// Before the last move: where a variation starts.
    before: Option<Chess>,
}

impl Node {
    fn new(now: Chess) -> Node {
        Node { now, before: None }
    }
}

struct Walk<'a> {
    tables: &'a Tablebase,
    options: &'a Options,
    game: &'a Game,
    report: GameReport,
    at: Node,
    stack: Vec<Node>,
}

impl Walk<'_> {
    fn items(&mut self) -> Result<(), LineError> {
        for (number, item) in self.game.items.iter().enumerate() {
            match item {
                Item::Move { san, line } => {
                    if let Err(problem) = self.play(number, san, *line)? {
                        let (game, line) = (self.game.number, *line);
                        self.report.problem = Some(PgnError { game, line, problem });
                        return Ok(());
                    }
                }
                Item::Open => {
                    let before = self.at.before.clone().unwrap_or_else(|| self.at.now.clone());
                    self.stack.push(std::mem::replace(&mut self.at, Node::new(before)));
                }
                Item::Close => {
                    if let Some(node) = self.stack.pop() {
                        self.at = node;
                    }
                }
                Item::Comment(_) | Item::Nag(_) => {}
            }
        }
        Ok(())
    }

    /// Plays a move and judges it; the inner error says why it cannot be
    /// played.
    fn play(
        &mut self,
        item: usize,
        name: &str,
        line: usize,
    ) -> Result<Result<(), String>, LineError> {
        let bare = name.trim_end_matches(['+', '#']);
        let now = self.at.now.clone();
        let Ok(san) = bare.parse::<San>() else {
            return Ok(Err(format!("'{name}' is not a move")));
        };
        let Ok(played) = san.to_move(&now) else {
            return Ok(Err(format!("{name} is not a legal move here")));
        };
        let uci = played.to_uci(CastlingMode::Standard).to_string();
        let mut after = now.clone();
        after.play_unchecked(played);
        let judged = self.judge(&now)?;
        let found = judged.and_then(|judged| {
            let played = judged.moves.iter().find(|m| m.played.to_string() == uci)?.played;
            Some((judged, played))
        });
        match found {
            None => self.report.passed_over += 1,
            Some((judged, played)) => {
                let number = now.fullmoves().get();
                let dots = if now.turn().is_white() { "." } else { "..." };
                let report = self.describe(&judged, &played, (item, line));
                let number = format!("{number}{dots}");
                self.report.moves.push(MoveReport { number, ..report });
            }
        }
        self.at = Node { now: after, before: Some(now) };
        Ok(Ok(()))
    }

    fn describe(&self, judged: &Judged, played: &Move, place: (usize, usize)) -> MoveReport {
        let others = judged.preserving_moves().filter(|m| m.played != *played);
        let draw = Outcome::Draw;
        MoveReport {
            item: place.0,
            line: place.1,
            number: String::new(),
            san: chess::san(&judged.position, played),
            mover: judged.position.turn(),
            main: self.stack.is_empty(),
            before: judged.outcome().unwrap_or(draw),
            after: judged.find(played).map_or(draw, |m| m.outcome),
            others: others.map(|m| judged.san(m)).collect(),
            detours: Vec::new(),
            legal: judged.moves.len(),
            position: judged.position,
        }
    }

    /// Judges a position; none if it is out of reach.
    fn judge(&self, now: &Chess) -> Result<Option<Judged>, LineError> {
        if now.board().occupied().count() > self.options.max_men {
            return Ok(None);
        }
        let Some(position): Option<Position> = chess::from_chess(now) else { return Ok(None) };
        // Any metric tells who wins; DTZ is the cheapest.
        match Judged::new(self.tables, &position, &Strategy::from(Metric::Dtz)) {
            Ok(judged) => Ok(Some(judged)),
            Err(LineError::Probe(error)) if error.is_cancelled() => Err(error.into()),
            Err(_) => Ok(None),
        }
    }
}
