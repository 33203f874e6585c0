//! Lines as text and PGN.

use std::fmt::Write as _;

use molien_board::Color;
use molien_probe::words;
use molien_values::{Category, Metric, Outcome, Value, category_in};

use crate::line::{End, Line, Mark, Ply};

/// The most alternatives that are listed; more are counted.
const LISTED: usize = 3;
/// Width of the move text.
const COLUMNS: usize = 78;

fn superscript(number: usize) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let digit = |c: char| c.to_digit(10).map_or(c, |d| DIGITS[d as usize]);
    number.to_string().chars().map(digit).collect()
}

impl Ply {
    /// The other optimal moves in brackets, or the number of all of them if
    /// they are many; empty if there are none.
    fn alternatives(&self) -> String {
        match (self.mark, self.equals.len()) {
            (Mark::OneOfSeveral, 1..=LISTED) => format!("[{}]", self.equals.join(", ")),
            _ => String::new(),
        }
    }

    /// The move with its signs: `Kd2'`, `Qe3⁵`, `Ka8 [Kc8, Qg3]`.
    pub fn annotated(&self) -> String {
        let mut text = format!("{}{}", self.san, self.mark.sign());
        if self.mark == Mark::OneOfSeveral && self.equals.len() > LISTED {
            text += &superscript(self.equals.len() + 1);
        }
        let alternatives = self.alternatives();
        if !alternatives.is_empty() {
            text = format!("{text} {alternatives}");
        }
        match self.conversion {
            Some(material) => format!("{text} {{{material}}}"),
            None => text,
        }
    }

    fn pgn(&self) -> String {
        let mut notes: Vec<String> = Vec::new();
        match self.mark {
            Mark::OnlyLegal => notes.push("only legal move".to_owned()),
            Mark::OnlyPreserving => notes.push("only move that keeps the value".to_owned()),
            Mark::OnlyOptimal => notes.push("only optimal move".to_owned()),
            Mark::OneOfSeveral if self.equals.len() > LISTED => {
                notes.push(format!("one of {} optimal moves", self.equals.len() + 1));
            }
            Mark::OneOfSeveral => notes.push(format!("equal: {}", self.equals.join(", "))),
            Mark::NotOptimal => notes.push("not optimal".to_owned()),
        }
        if let Some(material) = self.conversion {
            notes.push(material.to_string());
        }
        let nag = match self.mark {
            Mark::OnlyLegal | Mark::OnlyPreserving => " $7",
            _ => "",
        };
        format!("{}{nag} {{{}}}", self.san, notes.join("; "))
    }
}

/// Joins words into lines of text.
pub(crate) fn wrap(words: impl IntoIterator<Item = String>) -> String {
    let (mut text, mut column) = (String::new(), 0);
    for word in words.into_iter().flat_map(|w| w.split(' ').map(str::to_owned).collect::<Vec<_>>())
    {
        let len = word.chars().count();
        if column > 0 && column + 1 + len > COLUMNS {
            text.push('\n');
            column = 0;
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        text += &word;
        column += len;
    }
    text
}

impl Line {
    /// The moves with their numbers, each written by `write`.
    fn numbered(&self, write: impl Fn(&Ply) -> String, always: bool) -> Vec<String> {
        let mut number = self.start.fullmove_number;
        let mut words = Vec::new();
        for (i, ply) in self.plies.iter().enumerate() {
            let black = ply.before.position.turn() == Color::Black;
            let prefix = match black {
                false => format!("{number}. "),
                true if i == 0 || always => format!("{number}... "),
                true => String::new(),
            };
            words.push(prefix + &write(ply));
            number = number.saturating_add(u32::from(black));
        }
        words
    }

    /// The result in PGN's words: with the 50-move rule, that of the last
    /// position; without, that of the first.
    pub fn result(&self) -> &'static str {
        const DRAW: &str = "1/2-1/2";
        let wins = |color| if color == Color::White { "1-0" } else { "0-1" };
        let turn = self.last.position.turn();
        match (self.categories, self.winner, self.end) {
            (_, _, End::Draw | End::Stalemate | End::FiftyMoves) => DRAW,
            (Some([_, last]), ..) => match last.result() {
                Some(Outcome::Win) => wins(turn),
                Some(Outcome::Loss) => wins(!turn),
                Some(Outcome::Draw) => DRAW,
                None => "*",
            },
            (None, Some(winner), _) => wins(winner),
            (None, None, _) => "*",
        }
    }

    /// How the line ends, in words.
    fn ending(&self) -> String {
        match self.end {
            End::Mate | End::Stalemate | End::Conversion => self.end.name().to_owned(),
            End::Limit => "...".to_owned(),
            End::Draw => format!("drawn; it is held by {}", self.drawing.join(", ")),
            End::FiftyMoves => "draw by the 50-move rule".to_owned(),
        }
    }

    /// Who wins, how fast, and what the 50-move rule says to it.
    pub fn verdict(&self) -> String {
        let Some(winner) = self.winner else { return "drawn".to_owned() };
        let Some((metric, plies)) = self.depth() else {
            let spoilt = self.end == End::FiftyMoves;
            return match spoilt {
                false => format!("{winner} has won"),
                true => format!("{winner} would win, but it is a draw by the 50-move rule"),
            };
        };
        let rounded = self.plies.first().is_some_and(|ply| ply.rounded[0]);
        let depth = if rounded {
            format!("{metric} {plies} or {} plies", plies + 1)
        } else {
            format!("{metric} {}", words::depth(plies))
        };
        match self.categories.map(|[first, _]| first) {
            Some(Category::CursedWin | Category::BlessedLoss) => {
                format!("{winner} would win, {depth}, but it is a draw by the 50-move rule")
            }
            Some(_) if !self.mate_is_certain() => {
                let least = format!("mate takes at least {}", words::depth(plies));
                format!(
                    "{winner} wins within the 50-move rule; {least}, and the tables cannot tell how many exactly"
                )
            }
            _ => format!("{winner} wins, {depth}"),
        }
    }

    /// Whether the depth is that of the shortest mate under the 50-move rule,
    /// where a strategy plays for it: DTM knows no rule, and is only sure to be
    /// right if mate comes before a draw could be claimed.
    pub fn mate_is_certain(&self) -> bool {
        let clock = self.start.halfmove_clock;
        match self.depth() {
            Some((metric @ Metric::Dtm, plies)) if self.minds_the_rule => {
                category_in(metric, Value::Win(plies), clock) == Category::Win
            }
            _ => true,
        }
    }

    /// The moves with the signs of Nalimov, Wirth and Haworth.
    pub fn to_text(&self) -> String {
        let mut words = self.numbered(Ply::annotated, false);
        words.push(format!("{{{}}}", self.ending()));
        wrap(words)
    }

    /// A game in PGN, the annotations as comments.
    pub fn to_pgn(&self, event: &str) -> String {
        let mut text = String::new();
        let tags = [
            ("Event", event),
            ("Site", "?"),
            ("Date", "????.??.??"),
            ("Round", "-"),
            ("White", "?"),
            ("Black", "?"),
            ("Result", self.result()),
            ("SetUp", "1"),
        ];
        for (name, value) in tags {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "[{name} \"{value}\"]");
        }
        let _ = writeln!(text, "[FEN \"{}\"]\n", self.start);
        let mut words = self.numbered(Ply::pgn, true);
        words.push(format!("{{{}}}", self.ending()));
        words.push(self.result().to_owned());
        text + &wrap(words)
    }

    /// The value of the start in the metric of the side to move there, as
    /// `dtm 27 plies (14 moves)`; none for a draw.
    pub fn depth(&self) -> Option<(Metric, u16)> {
        let (metric, value) = self.plies.first()?.best;
        Some((metric, value.plies()?))
    }
}
