//! Games in PGN, read with their line numbers.
//!
//! Lenient where files in the wild differ (move numbers, spacing, zeros for
//! castling) and exact about where something is wrong.

use thiserror::Error;

/// What is wrong with a game, and where.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[error("game {game}, line {line}: {problem}")]
pub struct PgnError {
    /// The number of the game, from 1.
    pub game: usize,
    /// The line of the file, from 1.
    pub line: usize,
    /// What is wrong.
    pub problem: String,
}

/// A piece of the move text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Item {
    /// A move in standard notation.
    Move {
        /// Its name, without `!` and `?`.
        san: String,
        /// The line of the file.
        line: usize,
    },
    /// A comment.
    Comment(String),
    /// A numeric annotation.
    Nag(u32),
    /// A variation begins: it replaces the move before.
    Open,
    /// A variation ends.
    Close,
}

/// A game: tags, moves, result.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Game {
    /// Its number in the file, from 1.
    pub number: usize,
    /// The line it begins on.
    pub line: usize,
    /// Names and values of the tags.
    pub tags: Vec<(String, String)>,
    /// The move text, as far as it could be read.
    pub items: Vec<Item>,
    /// `1-0`, `0-1`, `1/2-1/2` or `*`, if the move text ends with it.
    pub result: Option<String>,
    /// Why reading stopped early.
    pub problem: Option<PgnError>,
}

impl Game {
    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }
}

/// Reads all games of a file. A game that is malformed ends where it goes
/// wrong; the next one starts with the next tags.
pub fn read(text: &str) -> Vec<Game> {
    let mut reader = Reader { rest: text.trim_start_matches('\u{feff}'), line: 1 };
    let mut games = Vec::new();
    loop {
        reader.skip_blank();
        if reader.rest.is_empty() {
            return games;
        }
        games.push(reader.game(games.len() + 1));
    }
}

struct Reader<'a> {
    rest: &'a str,
    line: usize,
}

const RESULTS: [&str; 4] = ["1-0", "0-1", "1/2-1/2", "*"];

impl<'a> Reader<'a> {
    /// Takes so many bytes.
    fn take(&mut self, len: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(len);
        self.line += taken.matches('\n').count();
        self.rest = rest;
        taken
    }

    fn take_line(&mut self) -> &'a str {
        let len = self.rest.find('\n').map_or(self.rest.len(), |i| i + 1);
        self.take(len)
    }

    /// Skips white space, and lines that begin with `%`.
    fn skip_blank(&mut self) {
        loop {
            let blank = self.rest.len() - self.rest.trim_start().len();
            let at_start = self.take(blank).ends_with('\n');
            if !(at_start && self.rest.starts_with('%')) {
                return;
            }
            self.take_line();
        }
    }

    fn game(&mut self, number: usize) -> Game {
        let mut game = Game { number, line: self.line, ..Game::default() };
        if let Err((line, problem)) = self.tags(&mut game).and_then(|()| self.moves(&mut game)) {
            game.problem = Some(PgnError { game: number, line, problem });
            self.recover();
        }
        game
    }

    fn tags(&mut self, game: &mut Game) -> Result<(), (usize, String)> {
        while self.rest.starts_with('[') {
            let line = self.line;
            let text = self.take_line().trim();
            let wrong = || (line, format!("'{text}' is not a tag such as [White \"Name\"]"));
            let inner =
                text.strip_prefix('[').and_then(|t| t.strip_suffix(']')).ok_or_else(wrong)?;
            let (name, value) = inner.split_once(' ').ok_or_else(wrong)?;
            let value = value.trim().strip_prefix('"').and_then(|v| v.strip_suffix('"'));
            let value = value.ok_or_else(wrong)?.replace("\\\"", "\"").replace("\\\\", "\\");
            game.tags.push((name.to_owned(), value));
            self.skip_blank();
        }
        Ok(())
    }

    fn moves(&mut self, game: &mut Game) -> Result<(), (usize, String)> {
        let mut open: Vec<usize> = Vec::new();
        loop {
            self.skip_blank();
            let line = self.line;
            match self.rest.chars().next() {
                None | Some('[') => break,
                Some('{') => game.items.push(Item::Comment(self.braces(line)?)),
                Some(';') => {
                    let text = self.take_line();
                    game.items.push(Item::Comment(text[1..].trim().to_owned()));
                }
                Some('(') => {
                    open.push(line);
                    self.take(1);
                    game.items.push(Item::Open);
                }
                Some(')') => {
                    self.take(1);
                    open.pop().ok_or((line, "a ')' without its '('".to_owned()))?;
                    game.items.push(Item::Close);
                }
                Some(_) => {
                    let token = self.token();
                    if RESULTS.contains(&token) && open.is_empty() {
                        game.result = Some(token.to_owned());
                        return Ok(());
                    }
                    word(token, line, &mut game.items)?;
                }
            }
        }
        match open.pop() {
            Some(line) => Err((line, "a '(' without its ')'".to_owned())),
            None => Ok(()),
        }
    }

    /// A comment in braces. One that runs into the tags of another game has
    /// lost its end.
    fn braces(&mut self, line: usize) -> Result<String, (usize, String)> {
        let end = self.rest.find('}');
        let next_game = self.rest.find("\n[");
        match end {
            Some(end) if next_game.is_none_or(|next| end < next) => {
                let text = self.take(end + 1);
                let words: Vec<&str> = text[1..text.len() - 1].split_whitespace().collect();
                Ok(words.join(" "))
            }
            _ => Err((line, "a comment without its '}'".to_owned())),
        }
    }

    fn token(&mut self) -> &'a str {
        let ends = |c: char| c.is_whitespace() || "{}()[];".contains(c);
        // At least one character, so that reading always advances.
        let first = self.rest.chars().next().map_or(0, char::len_utf8);
        let len = self.rest[first..].find(ends).map_or(self.rest.len(), |i| first + i);
        self.take(len)
    }

    /// Skips to the tags of the next game.
    fn recover(&mut self) {
        while self.rest.starts_with('[') {
            self.take_line();
            self.skip_blank();
        }
        while !self.rest.is_empty() && !self.rest.starts_with('[') {
            self.take_line();
        }
    }
}

/// A move number, a numeric annotation, or a move with `!` and `?`.
fn word(token: &str, line: usize, items: &mut Vec<Item>) -> Result<(), (usize, String)> {
    if let Some(nag) = token.strip_prefix('$') {
        let number = nag.parse().map_err(|_| (line, format!("'{token}' is not an annotation")))?;
        items.push(Item::Nag(number));
        return Ok(());
    }
    let after_number = token.trim_start_matches(|c: char| c.is_ascii_digit());
    let token = match after_number {
        "" => return Ok(()),
        dots if dots.starts_with('.') => dots.trim_start_matches('.'),
        _ => token,
    };
    let san = token.trim_end_matches(['!', '?']);
    if !san.is_empty() {
        items.push(Item::Move { san: san.replace('0', "O"), line });
    }
    let nag = match &token[san.len()..] {
        "!" => 1,
        "?" => 2,
        "!!" => 3,
        "??" => 4,
        "!?" => 5,
        "?!" => 6,
        _ => return Ok(()),
    };
    items.push(Item::Nag(nag));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_read_with_its_lines() {
        let games =
            read("[White \"A \\\"B\\\"\"]\n\n1.e4! {good\nmove} e5 (1... c5 $6) 2. 0-0 *\n");
        assert_eq!(games.len(), 1);
        let game = &games[0];
        assert_eq!(game.tag("White"), Some("A \"B\""));
        assert_eq!(game.result.as_deref(), Some("*"));
        let expected = [
            Item::Move { san: "e4".to_owned(), line: 3 },
            Item::Nag(1),
            Item::Comment("good move".to_owned()),
            Item::Move { san: "e5".to_owned(), line: 4 },
            Item::Open,
            Item::Move { san: "c5".to_owned(), line: 4 },
            Item::Nag(6),
            Item::Close,
            Item::Move { san: "O-O".to_owned(), line: 4 },
        ];
        assert_eq!(game.items, expected);
    }

    #[test]
    fn a_malformed_game_does_not_spoil_the_next() {
        let games = read(
            "[A \"1\"]\n\n1. e4 {lost end\n\n[A \"2\"]\n\n1. d4 )\n\n[B]\n\n1. c4 *\n\n[A \"4\"]\n1. f4 1-0",
        );
        let lines: Vec<_> =
            games.iter().map(|g| g.problem.as_ref().map(|p| (p.game, p.line))).collect();
        assert_eq!(lines, [Some((1, 3)), Some((2, 7)), Some((3, 9)), None]);
    }
}
