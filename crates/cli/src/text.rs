//! Numbers for people.

use std::io::Write as _;

use serde::Serialize;
use serde_json::Value as Json;

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

/// A share of a whole: `99.01 %`; nothing of nothing is `-`.
pub fn percent(part: u64, whole: u64) -> String {
    match whole {
        0 => "-".to_owned(),
        _ => format!("{:.2} %", part as f64 * 100.0 / whole as f64),
    }
}

/// The winner's moves in a win of so many plies (the winner to move) or a loss.
pub fn winner_moves(plies: u16) -> u16 {
    plies.div_ceil(2)
}

/// Prints one line on standard output. A reader that has gone away (as `head`
/// does) is no error of ours.
pub fn print_line(line: &str) -> anyhow::Result<()> {
    match writeln!(std::io::stdout(), "{line}") {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => std::process::exit(0),
        result => Ok(result?),
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

/// Prints one answer as JSON on a line of its own.
pub fn print_answer(answer: &impl Serialize) -> anyhow::Result<()> {
    print_line(&serde_json::to_string(answer)?)
}

/// Prints one JSON value on a line of its own.
pub fn print_json(value: &Json) -> anyhow::Result<()> {
    print_line(&value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1000), "1,000");
        assert_eq!(grouped(1_108_111), "1,108,111");
    }

    #[test]
    fn words_are_listed() {
        assert_eq!(list(&["Ka2"], "or"), "Ka2");
        assert_eq!(list(&["Ka2", "Re2+", "Rg1"], "or"), "Ka2, Re2+ or Rg1");
    }

    #[test]
    fn plies_are_moves_of_the_winner() {
        assert_eq!(winner_moves(31), 16); // mate in 16, the winner to move
        assert_eq!(winner_moves(32), 16); // mated in 16, the loser to move
        assert_eq!(winner_moves(0), 0);
    }
}
