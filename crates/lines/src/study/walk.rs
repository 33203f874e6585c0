//! Walks a game and judges its moves.

use molien_board::{Color, MoveName, Role, Setup, Square};
use molien_probe::{Tablebase, chess};
use molien_values::{Category, Metric, Outcome};
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, CastlingSide, Chess, FromSetup, Position as _, PositionError};

use super::detour::Detours;
use super::model::{Flaw, GameReport, MoveReport, Options, Unjudged};
use super::pgn::{Game, Item, PgnError, Placed};
use crate::{Candidate, Judged, LineError, Strategy};

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
            report.problem.get_or_insert(PgnError { game, line, problem });
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
        let main = report.moves.iter().filter(own).map(|m| m.setup.position).collect();
        let detours = Detours { tables, strategy: strategy(options), main };
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
    let wrong = main().find(|(_, m)| m.for_white().result() != Some(claim)).map(|(at, _)| at);
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
        for (number, Placed { item, line, .. }) in self.game.items.iter().enumerate() {
            match item {
                Item::Move(name) => {
                    if let Err(problem) = self.play(number, name, *line)? {
                        let error = PgnError { game: self.game.number, line: *line, problem };
                        // What goes wrong first is what is told.
                        let earlier = self.report.problem.take().filter(|p| p.line < *line);
                        self.report.problem = Some(earlier.unwrap_or(error));
                        self.report.stopped_at = Some(number);
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
        let now = self.at.now.clone();
        let (after, played) = match step(&now, name) {
            Ok(step) => step,
            Err(problem) => return Ok(Err(problem)),
        };
        match played {
            None => self.report.pass_over(Unjudged::NullMove),
            Some(played) => match self.judge(&now)? {
                Err(why) => self.report.pass_over(why),
                Ok(judged) => {
                    let uci = played.to_uci(CastlingMode::Standard).to_string();
                    let report = self.describe(&judged, &uci, (item, line));
                    self.report.moves.extend(report);
                }
            },
        }
        self.at = Node { now: after, before: Some(now) };
        Ok(Ok(()))
    }

    fn describe(&self, judged: &Judged, uci: &str, place: (usize, usize)) -> Option<MoveReport> {
        let candidate = judged.moves.iter().find(|m| m.played.to_string() == uci)?;
        let others = judged.preserving_moves().filter(|m| m.played != candidate.played);
        let setup = judged.setup;
        let mover = setup.position.turn();
        let dots = if mover == Color::White { "." } else { "..." };
        let before = judged.moves.iter().map(category).max()?;
        Some(MoveReport {
            item: place.0,
            line: place.1,
            number: format!("{}{dots}", setup.fullmove_number),
            san: chess::san(&setup.position, &candidate.played),
            mover,
            main: self.stack.is_empty(),
            before,
            after: category(candidate),
            others: others.map(|m| judged.san(m)).collect(),
            detours: Vec::new(),
            legal: judged.moves.len(),
            setup,
        })
    }

    /// Judges a position; the inner error says why it is out of reach.
    fn judge(&self, now: &Chess) -> Result<Result<Judged, Unjudged>, LineError> {
        let most = self.options.max_men;
        if now.board().occupied().count() > most {
            return Ok(Err(Unjudged::Men { most }));
        }
        if now.castles().any() {
            return Ok(Err(Unjudged::Castling));
        }
        let Some(position) = chess::from_chess(now) else { return Ok(Err(Unjudged::Position)) };
        let setup = Setup {
            position,
            halfmove_clock: now.halfmoves(),
            fullmove_number: now.fullmoves().get(),
        };
        match Judged::new(self.tables, setup, &strategy(self.options)) {
            Ok(judged) => Ok(Ok(judged)),
            Err(LineError::Probe(error)) if error.is_cancelled() => Err(error.into()),
            Err(error) => Ok(Err(Unjudged::Table(error.to_string()))),
        }
    }
}

/// What the moves are judged by. Any metric tells who wins, DTZ50 with the
/// 50-move rule, and DTZ is the cheapest.
fn strategy(options: &Options) -> Strategy {
    if options.fifty_moves { Metric::Dtz50.into() } else { Metric::Dtz.into() }
}

/// The class a move leads to, seen from the mover.
fn category(candidate: &Candidate) -> Category {
    candidate.category.unwrap_or(candidate.outcome.into())
}

/// The position after a move, and the move, unless the turn is passed.
fn step(now: &Chess, name: &str) -> Result<(Chess, Option<shakmaty::Move>), String> {
    let illegal = || format!("{name} is not a legal move here");
    let wanted: MoveName = name.parse().map_err(|_| format!("'{name}' is not a move"))?;
    if wanted == MoveName::Null {
        let passed = now.clone().swap_turn();
        return Ok((passed.map_err(|_| illegal())?, None));
    }
    let legal = now.legal_moves();
    let fitting: Vec<&shakmaty::Move> = legal.iter().filter(|m| fits(&wanted, m)).collect();
    match fitting[..] {
        [played] => {
            let mut after = now.clone();
            after.play_unchecked(*played);
            Ok((after, Some(*played)))
        }
        [] => Err(illegal()),
        _ => Err(format!("{name} can mean several moves here")),
    }
}

fn fits(wanted: &MoveName, m: &shakmaty::Move) -> bool {
    let square = |square: shakmaty::Square| Square::new(square.to_usize());
    let role = |role: shakmaty::Role| Role::from_letter(role.upper_char());
    let castles = m.castling_side().map(|side| side == CastlingSide::KingSide);
    match (wanted, castles) {
        (MoveName::Castling { kingside }, Some(side)) => side == *kingside,
        (MoveName::Plain { .. }, _) => {
            // As the king moves: castling in UCI is e1g1.
            let UciMove::Normal { from, to, promotion } = m.to_uci(CastlingMode::Standard) else {
                return false;
            };
            let promotion = promotion.and_then(role);
            role(m.role())
                .is_some_and(|moved| wanted.is(moved, square(from), square(to), promotion))
        }
        _ => false,
    }
}
