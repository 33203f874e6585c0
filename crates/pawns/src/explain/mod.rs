//! Why a position is won or drawn, in words.
//!
//! The rules give the value. What is said for it is a [`Fact`] about a position
//! in which a rule decides without looking ahead: the position itself, or the
//! first such one on the way of the side that keeps the value. It is said only
//! if it can be shown on the board (`proof`). Where the rules do not decide, a
//! search does ([`SearchPlan`]).

mod direct;
mod fact;
mod names;
mod plan;
pub(crate) mod proof;

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use molien_board::{Color, Move, Position, Role};

use crate::error::Error;
use crate::search::Limits;
use crate::value::Value;
use crate::verdict::{Verdict, one_pawn, pawn_duel, two_pawns};

pub use fact::{Fact, FactKind};
pub use plan::{Prize, SearchPlan};

use names::line_in_words;

/// The longest way to a position in which a rule decides, in plies.
const MOST_PLIES: usize = 3;
/// How long a search for an explanation takes at most, unless the caller says.
const SEARCH_TIME: Duration = Duration::from_secs(10);

/// A verdict in words.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Explanation {
    /// The value for the side to move; `None` where neither rules nor search
    /// decide.
    pub value: Option<Value>,
    /// The side that wins, if one does.
    pub winner: Option<Color>,
    /// What decided: `one_pawn`, `two_pawns`, `pawn_duel` or `search`.
    pub function: &'static str,
    /// The name of the rule.
    pub rule: String,
    /// The explanation, sentence by sentence, without full stops.
    pub sentences: Vec<String>,
    /// What the rules say for the value.
    pub argument: Option<Argument>,
    /// What a search found, where the rules do not decide.
    pub plan: Option<SearchPlan>,
}

/// Statements that show what a position is worth.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Argument {
    /// The moves to the position the statements are about: those of the side
    /// that keeps the value are forced on nobody, the other side's are examples.
    pub line: Vec<Move>,
    /// The position the statements are about.
    pub position: Position,
    /// The statements: one for a win, one or two for a draw.
    pub facts: Vec<Fact>,
}

/// Explains a position of kings and pawns; where the rules for one or two
/// pawns do not decide, a search takes up to ten seconds.
///
/// ```
/// use molien_pawns::explain;
///
/// let explanation = explain(&"8/8/8/4P3/8/8/8/K6k b - -".parse()?)?;
/// assert_eq!(explanation.sentences[1], "Black is outside the square of the e-pawn");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If there are other men than kings and pawns, or no pawns.
pub fn explain(position: &Position) -> Result<Explanation, Error> {
    let limits = Limits { time: Some(SEARCH_TIME), ..Limits::default() };
    explain_within(position, limits, &AtomicBool::new(false))
}

/// The same with other limits for the search, which `stop` ends from outside.
///
/// # Errors
/// If there are other men than kings and pawns, or no pawns.
pub fn explain_within(
    position: &Position,
    limits: Limits,
    stop: &AtomicBool,
) -> Result<Explanation, Error> {
    let judged = judge(position)?;
    let decided = judged.and_then(|(function, verdict)| Some((function, verdict.value?)));
    match decided {
        Some((function, value)) => Ok(by_rules(position, function, value)),
        None => Ok(plan::by_search(position, limits, stop)),
    }
}

/// The function that is made for the position, and its verdict; none if there
/// are more than two pawns.
fn judge(position: &Position) -> Result<Option<(&'static str, Verdict)>, Error> {
    let other = position.men().find(|(man, _)| !matches!(man.role, Role::King | Role::Pawn));
    if let Some((man, square)) = other {
        return Err(Error::NotAPawn { role: man.role, square });
    }
    let (white, black) = (position.pawns(Color::White).len(), position.pawns(Color::Black).len());
    Ok(Some(match (white, black) {
        (0, 0) => return Err(Error::NoPawns),
        (1, 0) | (0, 1) => ("one_pawn", one_pawn(position)?),
        (2, 0) | (0, 2) => ("two_pawns", two_pawns(position)?),
        (1, 1) => ("pawn_duel", pawn_duel(position)?),
        _ => return Ok(None),
    }))
}

/// The value by the rules, if they decide.
pub(crate) fn value_by_rules(position: &Position) -> Option<Value> {
    judge(position).ok()??.1.value
}

fn by_rules(position: &Position, function: &'static str, value: Value) -> Explanation {
    let argument = argue(position, value);
    let mut sentences = vec![headline(position, value)];
    let mut rule = "look-ahead".to_owned();
    if let Some(argument) = &argument {
        sentences.extend(in_words(position, value, argument));
        let names: Vec<&str> = argument.facts.iter().map(|fact| fact.kind.name()).collect();
        rule = names.join("; ");
    }
    let winner = winner(position, value);
    Explanation { value: Some(value), winner, function, rule, sentences, argument, plan: None }
}

fn winner(position: &Position, value: Value) -> Option<Color> {
    match value {
        Value::Win => Some(position.turn()),
        Value::Loss => Some(!position.turn()),
        Value::Draw => None,
    }
}

fn headline(position: &Position, value: Value) -> String {
    let mover = position.turn();
    match winner(position, value) {
        Some(color) => format!("{mover} is to move, and {color} wins"),
        None => format!("{mover} is to move, and the position is drawn"),
    }
}

/// The shortest argument for a value that the rules have found.
pub(crate) fn argue(position: &Position, value: Value) -> Option<Argument> {
    let found = (0..=MOST_PLIES).find_map(|plies| argue_within(position, value, plies));
    found.or_else(|| {
        let facts = if value == Value::Draw { direct::drawing_facts(position) } else { Vec::new() };
        let argument = Argument { line: Vec::new(), position: *position, facts };
        Some(argument).filter(|argument| !argument.facts.is_empty())
    })
}

/// An argument at the end of exactly so many plies.
fn argue_within(position: &Position, value: Value, plies: usize) -> Option<Argument> {
    if plies == 0 {
        let facts = direct::facts(position, value);
        let found = Argument { line: Vec::new(), position: *position, facts };
        return Some(found).filter(|argument| !argument.facts.is_empty());
    }
    position.legal_moves().into_iter().find_map(|m| {
        let after = position.play(&m);
        if value_by_rules(&after) != Some(-value) {
            return None;
        }
        let mut argument = argue_within(&after, -value, plies - 1)?;
        argument.line.insert(0, m);
        Some(argument)
    })
}

/// The sentences of an argument.
fn in_words(position: &Position, value: Value, argument: &Argument) -> Vec<String> {
    let facts: Vec<String> = argument.facts.iter().map(ToString::to_string).collect();
    if argument.line.is_empty() {
        return facts;
    }
    let line = line_in_words(position, &argument.line);
    // Whoever loses has the choice of how.
    let after = if value == Value::Loss { "For instance, after" } else { "After" };
    vec![format!("{after} {line}: {}", facts.join("; "))]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(fen: &str) -> String {
        explain(&fen.parse().unwrap()).unwrap().sentences.join(". ")
    }

    #[test]
    fn sentences_name_the_right_sides() {
        assert!(said("8/8/8/4P3/8/8/8/K6k b - -").contains("White wins"));
        assert!(said("k7/8/8/8/4p3/8/8/7K w - -").contains("Black"));
        assert!(said("4k3/8/4K3/4P3/8/8/8/8 b - -").contains("key square"));
        assert!(said("k7/8/K7/P7/8/8/8/8 w - -").contains("corner"));
    }

    #[test]
    fn a_covered_square_is_not_called_too_far() {
        let covered = said("8/8/8/8/8/p7/1k6/3K4 w - -");
        assert!(covered.contains("Black's king keeps White's away from the a-pawn"), "{covered}");
        assert!(!covered.contains("outside"), "{covered}");
    }

    #[test]
    fn a_duel_is_explained_for_both_sides() {
        let held = said("8/8/8/1k6/8/P4p2/8/5K2 w - -");
        assert!(held.contains("drawn"), "{held}");
        assert!(held.contains("White's king would hold Black's pawn"), "{held}");
        assert!(held.contains("Black's king would hold White's pawn"), "{held}");
        let race = said("8/8/8/7K/P1k5/6p1/8/8 b - -");
        assert!(race.contains("Black wins") && race.contains("Black's pawn runs home"), "{race}");
        assert!(said("8/8/8/8/8/p7/P1k5/K7 w - -").contains("White is stalemated"));
    }

    #[test]
    fn a_verdict_some_moves_later_names_the_moves() {
        let later = said("4k3/8/8/8/8/4K3/4P3/8 w - -");
        assert!(later.contains("After 1. K"), "{later}");
    }

    #[test]
    fn nonsense_gets_a_clear_error() {
        let error = |fen: &str| explain(&fen.parse().unwrap()).unwrap_err();
        assert!(matches!(error("8/8/8/8/8/2k5/8/K6R w - -"), Error::NotAPawn { .. }));
        assert!(matches!(error("8/8/8/8/8/2k5/8/K7 w - -"), Error::NoPawns));
        assert!(error("8/8/8/8/8/2k5/P7/K6R w - -").to_string().contains("rook on h1"));
    }
}
