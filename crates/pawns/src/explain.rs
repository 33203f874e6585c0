//! Why a position is won or drawn, in words.

use molien_board::{Color, Move, Position};

use crate::error::Error;
use crate::value::Value;
use crate::verdict::{Verdict, one_pawn, pawn_duel, two_pawns};

/// A verdict in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explanation {
    /// The value for the side to move; `None` where no rule decides.
    pub value: Option<Value>,
    /// The side that wins, if one does.
    pub winner: Option<Color>,
    /// The function that was asked: `one_pawn`, `two_pawns` or `pawn_duel`.
    pub function: &'static str,
    /// The name of the rule.
    pub rule: String,
    /// The explanation, sentence by sentence, without full stops.
    pub sentences: Vec<String>,
}

/// Explains a position of kings with one or two pawns.
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
/// If there are other men than kings and pawns, no pawns, or more than two.
pub fn explain(position: &Position) -> Result<Explanation, Error> {
    let (function, verdict) = judge(position)?;
    Ok(in_words(position, function, &verdict))
}

/// The function that is made for the position, and its verdict.
fn judge(position: &Position) -> Result<(&'static str, Verdict), Error> {
    let (white, black) = (position.pawns(Color::White).len(), position.pawns(Color::Black).len());
    Ok(match (white, black) {
        (1, 0) | (0, 1) => ("one_pawn", one_pawn(position)?),
        (2, 0) | (0, 2) => ("two_pawns", two_pawns(position)?),
        (1, 1) => ("pawn_duel", pawn_duel(position)?),
        (0, 0) => match position.men().find(|(man, _)| man.role != molien_board::Role::King) {
            Some((man, square)) => return Err(Error::NotAPawn { role: man.role, square }),
            None => return Err(Error::NoPawns),
        },
        (white, black) => return Err(Error::TooManyPawns { found: white + black }),
    })
}

/// For a verdict that rests on the next move: that move, and what is known
/// after it. Of several moves the one with the plainest reason.
fn after_best_move(position: &Position, verdict: &Verdict) -> Option<String> {
    let value = verdict.value.filter(|_| verdict.reason.looks_ahead())?;
    let known = |m: &Move| {
        let (_, after) = judge(&position.play(m)).ok()?;
        (after.value == Some(-value)).then_some((*m, after.reason))
    };
    let moves = position.legal_moves();
    let (m, reason) = moves.iter().filter_map(known).min_by_key(|(_, r)| r.looks_ahead())?;
    let after = if value == Value::Loss { "For instance, after" } else { "After" };
    Some(format!("{after} {m}: {reason}"))
}

fn in_words(position: &Position, function: &'static str, verdict: &Verdict) -> Explanation {
    let mover = position.turn();
    let winner = match verdict.value {
        Some(Value::Win) => Some(mover),
        Some(Value::Loss) => Some(!mover),
        _ => None,
    };
    let headline = match (winner, verdict.value) {
        (Some(color), _) => format!("{mover} is to move, and {color} wins"),
        (None, Some(_)) => format!("{mover} is to move, and the position is drawn"),
        (None, None) => format!("{mover} is to move; the result needs a search"),
    };
    Explanation {
        value: verdict.value,
        winner,
        function,
        rule: verdict.reason.rule_name(),
        sentences: [headline, verdict.reason.to_string()]
            .into_iter()
            .chain(after_best_move(position, verdict))
            .collect(),
    }
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
    fn a_duel_is_explained_for_both_sides() {
        let held = said("8/8/8/1k6/8/P4p2/8/5K2 w - -");
        assert!(held.contains("drawn"), "{held}");
        assert!(held.contains("White's king holds Black's pawn"), "{held}");
        assert!(held.contains("Black's king holds White's pawn"), "{held}");
        let race = said("8/8/8/7K/P1k5/6p1/8/8 b - -");
        assert!(race.contains("Black wins") && race.contains("White's comes too late"), "{race}");
        assert!(said("8/8/8/8/8/p7/P1k5/K7 w - -").contains("White is stalemated"));
    }

    /// Where a verdict rests on the next move, that move is named and keeps
    /// the value; nothing else is said twice.
    #[test]
    fn a_verdict_one_move_later_names_the_move() {
        let one: Position = "8/8/8/2k5/8/4K3/1P6/8 w - -".parse().unwrap();
        let mut named = 0;
        for rival in 8..56 {
            let square = molien_board::Square::new(rival);
            let pawn = molien_board::Man::new(Color::Black, molien_board::Role::Pawn);
            let Ok(position) = Position::new(one.men().chain([(pawn, square)]), Color::White)
            else {
                continue;
            };
            let explanation = explain(&position).unwrap();
            let verdict = pawn_duel(&position).unwrap();
            assert_eq!(
                explanation.sentences.len(),
                2 + usize::from(verdict.reason.looks_ahead()),
                "{position}: {explanation:?}"
            );
            named += usize::from(verdict.reason.looks_ahead());
        }
        assert!(named > 0);
    }

    #[test]
    fn nonsense_gets_a_clear_error() {
        let error = |fen: &str| explain(&fen.parse().unwrap()).unwrap_err();
        assert!(matches!(error("8/8/8/8/8/2k5/8/K6R w - -"), Error::NotAPawn { .. }));
        assert!(matches!(error("8/8/8/8/8/2k5/8/K7 w - -"), Error::NoPawns));
        assert!(matches!(error("8/p7/8/8/8/6k1/PP6/K7 w - -"), Error::TooManyPawns { found: 3 }));
        assert!(error("8/8/8/8/8/2k5/P7/K6R w - -").to_string().contains("rook on h1"));
    }
}
