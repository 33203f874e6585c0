//! Answers in words.

use molien_board::Setup;
use molien_values::{Category, Metric, Value, winner_moves};

use crate::{Answer, MoveAnswer};

/// A number with its digits grouped: `1,108,111`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// What a class means for the side that has it.
pub fn verdict(category: Category) -> &'static str {
    match category {
        Category::Win => "wins",
        Category::MaybeWin => "wins, unless the 50-move rule comes first",
        Category::CursedWin => "would win, but it is a draw by the 50-move rule",
        Category::Draw => "draws",
        Category::BlessedLoss => "would lose, but it is a draw by the 50-move rule",
        Category::MaybeLoss => "loses, unless the 50-move rule comes first",
        Category::Loss => "loses",
    }
}

/// `1 move`, `2 moves`.
pub fn moves(number: u16) -> String {
    if number == 1 { "1 move".to_owned() } else { format!("{number} moves") }
}

/// A depth in both units: `1 ply (1 move)`, `35 plies (18 moves)`.
pub fn depth(plies: u16) -> String {
    format!("{} ({})", Unit::Plies.say(plies), Unit::Moves.say(plies))
}

/// How depths are counted for the reader.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Unit {
    /// Moves of the winner.
    #[default]
    Moves,
    /// Moves of either side.
    Plies,
}

impl Unit {
    /// A depth in this unit.
    pub fn of(self, plies: u16) -> u16 {
        match self {
            Unit::Moves => winner_moves(plies),
            Unit::Plies => plies,
        }
    }

    /// The name of several.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Moves => "moves",
            Unit::Plies => "plies",
        }
    }

    /// `18 moves`, `35 plies`.
    pub fn say(self, plies: u16) -> String {
        match (self, plies) {
            (Unit::Moves, plies) => moves(winner_moves(plies)),
            (Unit::Plies, 1) => "1 ply".to_owned(),
            (Unit::Plies, plies) => format!("{plies} plies"),
        }
    }
}

/// `a`, `a or b`, `a, b or c`.
pub fn list(words: &[&str], conjunction: &str) -> String {
    match words {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} {conjunction} {last}", first.join(", ")),
    }
}

/// The result in one sentence.
pub fn result(setup: &Setup, answer: &Answer) -> String {
    result_in(Unit::Moves, setup, answer)
}

/// The result in one sentence, its depth in a unit.
pub fn result_in(unit: Unit, setup: &Setup, answer: &Answer) -> String {
    let (position, turn) = (&setup.position, setup.position.turn());
    if position.is_checkmate() {
        return format!("{turn} is mated.");
    }
    if position.is_stalemate() {
        return format!("{turn} is stalemated: a draw.");
    }
    let plies = |metric| answer.values.get(metric).and_then(Value::plies);
    // Mate within the rule, if that is known.
    let mate = plies(Metric::Dtm50).or(plies(Metric::Dtm)).map(|plies| unit.say(plies));
    match (answer.category, mate) {
        (Category::Win, Some(n)) => format!("{turn} wins: mate in {n} with best play."),
        (Category::Loss, Some(n)) => format!("{turn} loses: mated in {n} with best play."),
        (category, _) => format!("{turn} {}.", verdict(category)),
    }
}

/// The result in one sentence, and what to play in another, if that is said in
/// a few words.
pub fn sentence(
    setup: &Setup,
    metrics: &[Metric],
    answer: &Answer,
    moves: &[MoveAnswer],
) -> String {
    with_advice(result(setup, answer), metrics, moves)
}

/// A result, and what to play, if that is said in a few words.
pub fn with_advice(result: String, metrics: &[Metric], moves: &[MoveAnswer]) -> String {
    let best: Vec<&str> = best_moves(metrics, moves).iter().map(|m| m.san.as_str()).collect();
    match best.len() {
        1..=4 => format!("{result} Play {}.", list(&best, "or")),
        _ => result,
    }
}

/// The moves that are as good as the best one in class and first metric; they
/// come first.
pub fn best_moves<'a>(metrics: &[Metric], moves: &'a [MoveAnswer]) -> &'a [MoveAnswer] {
    let first = |m: &MoveAnswer| {
        let depth = metrics.iter().find_map(|&metric| m.after.values.plies(metric));
        (m.after.category, depth)
    };
    let best = moves.first().map(first);
    let equal = moves.iter().take_while(|m| Some(first(m)) == best).count();
    &moves[..equal]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depths_are_said_in_either_unit() {
        assert_eq!(
            [1, 2, 35].map(|plies| Unit::Moves.say(plies)),
            ["1 move", "1 move", "18 moves"]
        );
        assert_eq!(
            [1, 2, 35].map(|plies| Unit::Plies.say(plies)),
            ["1 ply", "2 plies", "35 plies"]
        );
        assert_eq!([1, 35].map(depth), ["1 ply (1 move)", "35 plies (18 moves)"]);
    }

    #[test]
    fn words_are_listed() {
        assert_eq!(list(&["Ka2"], "or"), "Ka2");
        assert_eq!(list(&["Ka2", "Re2+", "Rg1"], "or"), "Ka2, Re2+ or Rg1");
    }
}
