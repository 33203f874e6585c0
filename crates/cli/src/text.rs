//! Numbers for people.

use std::error::Error;
use std::fmt::Display;
use std::io::Write as _;

use molien_mine::MineError;
pub use molien_probe::words::grouped;
pub use molien_values::winner_moves;
use serde::Serialize;

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

/// Says something beside the answer, on standard error. Nobody need listen.
pub fn note(line: impl Display) {
    writeln!(std::io::stderr(), "{line}").ok();
}

/// Whether somebody stopped reading what we write, as `head` does: no error of
/// ours.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let of_file = |cause: &'_ (dyn Error + 'static)| match cause.downcast_ref() {
        Some(MineError::Io(error)) => Some(error.kind()),
        _ => cause.downcast_ref::<std::io::Error>().map(std::io::Error::kind),
    };
    error.chain().any(|cause| of_file(cause) == Some(std::io::ErrorKind::BrokenPipe))
}

/// One word for one, another for several.
pub fn plural<'a>(count: u64, one: &'a str, several: &'a str) -> &'a str {
    if count == 1 { one } else { several }
}

/// `1 ply`, `2 plies`.
pub fn plies(count: u16) -> String {
    format!("{count} {}", plural(u64::from(count), "ply", "plies"))
}

/// A number of bytes, three digits of it: `1.25 GiB`.
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    if bytes < 1 << 10 {
        return format!("{bytes} {}", plural(bytes, "byte", "bytes"));
    }
    let mut unit = 0;
    let mut number = bytes as f64 / 1024.0;
    // What would be shown as 1000 and more is shown in the next unit.
    while number >= 999.5 && unit + 1 < UNITS.len() {
        number /= 1024.0;
        unit += 1;
    }
    let digits = if number < 9.995 { 2 } else { usize::from(number < 99.95) };
    format!("{number:.digits$} {}", UNITS[unit])
}

/// Prints one answer as JSON on a line of its own.
pub fn print_answer(answer: &impl Serialize) -> anyhow::Result<()> {
    print_line(&serde_json::to_string(answer)?)
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
    fn sizes_have_three_digits() {
        let sizes = [(1, "1 byte"), (1023, "1023 bytes"), (1 << 10, "1.00 KiB")];
        let more = [(1_023_900, "0.98 MiB"), (5 << 19, "2.50 MiB"), (200 << 30, "200 GiB")];
        for (bytes, text) in sizes.into_iter().chain(more) {
            assert_eq!(size(bytes), text);
        }
        assert_eq!(size(3 << 40), "3.00 TiB");
    }
}
