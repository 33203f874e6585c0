//! Games written back with what was found.

use std::fmt::Write as _;

use molien_values::Outcome;

use super::pgn::{Game, Item};
use super::walk::{GameReport, MoveReport};
use crate::text::wrap;

/// `??`: a blunder.
const BLUNDER: u32 = 4;
/// A forced move: the only one.
const FORCED: u32 = 7;

/// The annotation of a judged move: numeric sign and comment.
fn note(m: &MoveReport) -> (Option<u32>, String) {
    let nag = match m.before {
        _ if !m.kept() => Some(BLUNDER),
        Outcome::Loss => None,
        _ => m.unique().then_some(FORCED),
    };
    (nag, m.remark())
}

/// The game in PGN with numeric signs and comments on the moves judged.
pub fn annotated(game: &Game, report: &GameReport) -> String {
    let mut text = String::new();
    for (name, value) in &game.tags {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        // Writing to a string cannot fail.
        let _ = writeln!(text, "[{name} \"{value}\"]");
    }
    let mut words = Vec::new();
    // A comment may have to wait for the signs that follow its move.
    let mut waiting: Option<String> = None;
    let mut numbers = Numbers::new(game);
    for (i, item) in game.items.iter().enumerate() {
        if !matches!(item, Item::Nag(_)) {
            words.extend(waiting.take());
        }
        match item {
            Item::Move { san, .. } => {
                words.push(format!("{}{san}", numbers.next()));
                if let Some(found) = report.moves.iter().find(|m| m.item == i) {
                    let (nag, comment) = note(found);
                    words.extend(nag.map(|nag| format!("${nag}")));
                    waiting = (!comment.is_empty()).then(|| format!("{{{comment}}}"));
                }
            }
            Item::Comment(comment) => words.push(format!("{{{}}}", comment.replace('}', ")"))),
            Item::Nag(nag) => words.push(format!("${nag}")),
            Item::Open => {
                numbers.open();
                words.push("(".to_owned());
            }
            Item::Close => {
                numbers.close();
                words.push(")".to_owned());
            }
        }
    }
    words.extend(waiting);
    words.extend(report.verdict().map(|verdict| format!("{{{verdict}}}")));
    words.extend(report.problem.as_ref().map(|problem| format!("{{malformed: {problem}}}")));
    words.push(game.result.clone().unwrap_or("*".to_owned()));
    text + "\n" + &wrap(words) + "\n"
}

/// Counts moves through variations.
struct Numbers {
    /// Half-moves from the first move of White's.
    ply: usize,
    stack: Vec<usize>,
}

impl Numbers {
    fn new(game: &Game) -> Numbers {
        let fields: Vec<&str> = game.tag("FEN").unwrap_or("").split_whitespace().collect();
        let number = fields.get(5).and_then(|n| n.parse::<usize>().ok()).unwrap_or(1).max(1);
        let black = fields.get(1) == Some(&"b");
        Numbers { ply: 2 * (number - 1) + usize::from(black), stack: Vec::new() }
    }

    /// The number to write before the next move.
    fn next(&mut self) -> String {
        let dots = if self.ply.is_multiple_of(2) { "." } else { "..." };
        self.ply += 1;
        format!("{}{dots} ", self.ply.div_ceil(2))
    }

    fn open(&mut self) {
        self.stack.push(self.ply);
        self.ply = self.ply.saturating_sub(1);
    }

    fn close(&mut self) {
        self.ply = self.stack.pop().unwrap_or(self.ply);
    }
}
