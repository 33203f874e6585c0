//! Where the rules do not decide: what a search finds, and the plan in its
//! line.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use molien_board::{Color, Move, Position, Role, Square};

use super::names::{line_in_words, name};
use super::{Argument, Explanation, argue, headline, value_by_rules, winner};
use crate::search::{Limits, Options, Searcher};
use crate::value::Value;

/// The share of the time that goes to the value; the rest is for what can be
/// said about the moves.
const VALUE_SHARE: u32 = 2;
/// Memory of the proofs about single moves, in MiB.
const PROOF_MIB: usize = 512;

/// What a search found out. The value is proved; so is all that is said about
/// moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SearchPlan {
    /// Positions the search looked at.
    pub nodes: u64,
    /// Best play by both sides, as far as the search followed it.
    pub line: Vec<Move>,
    /// All moves that keep the value, if that was found out in time and there
    /// are others.
    pub keeping: Option<Vec<Move>>,
    /// After the first move of the line the other side would rather not move:
    /// if it were the mover's turn again, the mover would get only this.
    pub zugzwang: Option<Value>,
    /// Pawns won in the line.
    pub prizes: Vec<Prize>,
    /// What the rules say about the first position of the line in which they
    /// decide.
    pub argument: Option<Argument>,
}

/// A pawn that is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Prize {
    /// Who takes it.
    pub winner: Color,
    /// Where it stands then.
    pub square: Square,
    /// Which ply of the line takes it, from 0.
    pub ply: usize,
}

/// Searches and puts what it finds into words.
pub(super) fn by_search(position: &Position, limits: Limits, stop: &AtomicBool) -> Explanation {
    let deadline = limits.time.map(|time| Instant::now() + time);
    let first = Limits { time: limits.time.map(|time| time / VALUE_SHARE), ..limits };
    let found = Searcher::new(Options::default()).search_with(position, first, stop, |_| {});
    let Some(value) = found.category else { return unknown(position, found.nodes) };
    let proofs = Proofs { limits, deadline, stop };
    let (line, ending) = followed(position, value, &found.pv);
    let plan = SearchPlan {
        nodes: found.nodes,
        keeping: proofs.keeping(position, value),
        zugzwang: line.first().and_then(|m| proofs.zugzwang(position, value, m)),
        prizes: prizes(position, &line),
        line,
        argument: ending,
    };
    Explanation {
        value: Some(value),
        winner: winner(position, value),
        function: "search",
        rule: "found by search".to_owned(),
        sentences: in_words(position, value, &plan),
        argument: None,
        plan: Some(plan),
    }
}

fn unknown(position: &Position, nodes: u64) -> Explanation {
    let mover = position.turn();
    Explanation {
        value: None,
        winner: None,
        function: "search",
        rule: "undecided".to_owned(),
        sentences: vec![format!(
            "{mover} is to move; neither the rules nor a search of {nodes} positions decide"
        )],
        argument: None,
        plan: None,
    }
}

/// The line up to the first position in which the rules decide, and what they
/// say there.
fn followed(start: &Position, value: Value, line: &[Move]) -> (Vec<Move>, Option<Argument>) {
    let (mut at, mut value) = (*start, value);
    let mut moves = Vec::new();
    for m in line {
        at = at.play(m);
        value = -value;
        moves.push(*m);
        if value_by_rules(&at) == Some(value)
            && let Some(mut argument) = argue(&at, value)
        {
            // From here on the argument's own line goes on.
            moves.append(&mut argument.line);
            return (moves, Some(argument));
        }
    }
    (moves, None)
}

fn prizes(start: &Position, line: &[Move]) -> Vec<Prize> {
    let mut at = *start;
    let mut prizes = Vec::new();
    for (ply, m) in line.iter().enumerate() {
        if m.captured == Some(Role::Pawn) {
            let passed = m.to.offset(0, -at.turn().forward()).filter(|_| m.is_en_passant());
            prizes.push(Prize { winner: at.turn(), square: passed.unwrap_or(m.to), ply });
        }
        at = at.play(m);
    }
    prizes
}

/// Further proofs within what is left of the limits.
struct Proofs<'a> {
    limits: Limits,
    deadline: Option<Instant>,
    stop: &'a AtomicBool,
}

impl Proofs<'_> {
    fn value(&self, position: &Position, share: u32) -> Option<Value> {
        let left = self.deadline.map(|end| end.saturating_duration_since(Instant::now()));
        if left.is_some_and(|left| left < Duration::from_millis(1)) {
            return None;
        }
        if let Some(value) = value_by_rules(position) {
            return Some(value);
        }
        let limits = Limits { time: left.map(|left| left / share), ..self.limits };
        let options = Options { proof_mib: PROOF_MIB, tt_mib: 16, ..Options::default() };
        Searcher::new(options).search_with(position, limits, self.stop, |_| {}).category
    }

    /// The moves that keep the value, unless all do or one could not be judged.
    fn keeping(&self, position: &Position, value: Value) -> Option<Vec<Move>> {
        let moves = position.legal_moves();
        if value == Value::Loss {
            return None; // all moves lose
        }
        let mut keeping = Vec::new();
        for (i, m) in moves.iter().enumerate() {
            let left = (moves.len() - i) as u32;
            if self.value(&position.play(m), left)? == -value {
                keeping.push(*m);
            }
        }
        (keeping.len() < moves.len()).then_some(keeping)
    }

    /// What the mover would get if it had to move once more after the move, if
    /// that is less.
    fn zugzwang(&self, position: &Position, value: Value, m: &Move) -> Option<Value> {
        let after = position.play(m);
        let again = after.with_turn(position.turn());
        again.check_legal().ok()?;
        self.value(&again, 1).filter(|less| *less < value)
    }
}

/// Kings on one line with an odd number of squares between them.
fn opposed(position: &Position) -> bool {
    let (white, black) = (position.king(Color::White), position.king(Color::Black));
    let (files, ranks) = ((white.file() - black.file()).abs(), (white.rank() - black.rank()).abs());
    let straight = files == 0 || ranks == 0 || files == ranks;
    straight && files.max(ranks) % 2 == 0
}

fn in_words(position: &Position, value: Value, plan: &SearchPlan) -> Vec<String> {
    let mut sentences =
        vec![format!("{} (found by search, {} positions)", headline(position, value), plan.nodes)];
    sentences.extend(keeping_in_words(position, value, plan));
    sentences.extend(zugzwang_in_words(position, plan));
    for prize in &plan.prizes {
        let line = line_in_words(position, &plan.line[..=prize.ply]);
        let (winner, square) = (prize.winner, prize.square);
        sentences.push(format!("{winner} wins the pawn on {square}: {line}"));
    }
    if let Some(argument) = &plan.argument {
        let line = line_in_words(position, &plan.line);
        let facts: Vec<String> = argument.facts.iter().map(ToString::to_string).collect();
        sentences.push(format!("After {line}: {}", facts.join("; ")));
    } else if !plan.line.is_empty() {
        sentences.push(format!("Best play: {}", line_in_words(position, &plan.line)));
    }
    sentences
}

fn keeping_in_words(position: &Position, value: Value, plan: &SearchPlan) -> Option<String> {
    let keeping = plan.keeping.as_ref()?;
    let does = if value == Value::Win { "wins" } else { "draws" };
    let names: Vec<String> = keeping.iter().map(|m| name(position, m)).collect();
    match &names[..] {
        [] => None,
        [only] => Some(format!("Only {only} {does}")),
        [first @ .., last] => {
            let does = does.trim_end_matches('s');
            Some(format!("Only {} and {last} {does}", first.join(", ")))
        }
    }
}

fn zugzwang_in_words(position: &Position, plan: &SearchPlan) -> Option<String> {
    let (less, m) = (plan.zugzwang?, plan.line.first()?);
    let (us, them) = (position.turn(), !position.turn());
    let would = if less == Value::Loss { "lose" } else { "only draw" };
    let after = position.play(m);
    let takes = if opposed(&after) && m.role == Role::King {
        format!("{} takes the opposition", name(position, m))
    } else {
        format!("After {} it matters who is to move", name(position, m))
    };
    Some(format!("{takes}: it is {them}'s turn, and {us} to move would {would}"))
}
