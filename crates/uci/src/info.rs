//! What the engine says.

use std::fmt;
use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use molien_board::Move;
use molien_values::Category;

/// The stream to the user interface, a line at a time.
pub(crate) struct Output<W>(Mutex<W>);

impl<W: Write> Output<W> {
    pub fn new(stream: W) -> Output<W> {
        Output(Mutex::new(stream))
    }

    /// Writes a line. A user interface that has gone away is not an error
    /// here, because reading from it will end too.
    pub fn say(&self, line: impl fmt::Display) {
        let mut stream = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = writeln!(stream, "{line}");
        let _ = stream.flush();
    }
}

/// A score for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Score {
    /// In hundredths of a pawn.
    Centipawns(i32),
    /// In plies: positive to mate, zero or negative to be mated.
    MatePlies(i32),
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Score::Centipawns(score) => write!(f, "cp {score}"),
            // A move of the winner and the answer to it are one move.
            Score::MatePlies(plies) if *plies > 0 => write!(f, "mate {}", (plies + 1) / 2),
            Score::MatePlies(plies) => write!(f, "mate {}", plies / 2),
        }
    }
}

/// One `info` line.
pub(crate) struct Info<'a> {
    pub depth: usize,
    /// Which line it is, from 1; none if only one was asked for.
    pub multi_pv: Option<usize>,
    pub score: Score,
    /// The outcome, if it is known and to be shown.
    pub wdl: Option<Category>,
    pub nodes: u64,
    pub elapsed: Duration,
    pub tb_hits: u64,
    pub line: &'a [Move],
}

impl fmt::Display for Info<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "info depth {}", self.depth)?;
        if let Some(number) = self.multi_pv {
            write!(f, " multipv {number}")?;
        }
        write!(f, " score {}", self.score)?;
        if let Some(category) = self.wdl {
            f.write_str(match category {
                Category::Win => " wdl 1000 0 0",
                Category::Loss => " wdl 0 0 1000",
                // Cursed and blessed are draws once the clock is claimed.
                _ => " wdl 0 1000 0",
            })?;
        }
        let milliseconds = self.elapsed.as_millis();
        let per_second = u128::from(self.nodes) * 1000 / milliseconds.max(1);
        write!(f, " nodes {} nps {per_second} tbhits {}", self.nodes, self.tb_hits)?;
        write!(f, " time {milliseconds} pv")?;
        self.line.iter().try_for_each(|m| write!(f, " {m}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_are_counted_in_moves() {
        let said = |plies| Score::MatePlies(plies).to_string();
        assert_eq!([1, 3, 4].map(said), ["mate 1", "mate 2", "mate 2"]);
        assert_eq!([0, -2, -4].map(said), ["mate 0", "mate -1", "mate -2"]);
    }
}
