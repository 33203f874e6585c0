//! Numbers for people.

use std::io::Write as _;

pub use molien_values::winner_moves;
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

/// Prints one line on standard output. A reader that has gone away (as `head`
/// does) is no error of ours.
pub fn print_line(line: &str) -> anyhow::Result<()> {
    match writeln!(std::io::stdout(), "{line}") {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => std::process::exit(0),
        result => Ok(result?),
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
}
