//! Games in PGN. Every piece keeps its place in the bytes of its game, so that
//! a game can be written back as it was, with something inserted here and
//! there.

use std::ops::Range;

use thiserror::Error;

/// What is wrong with a game, and where.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[error("game {game}, line {line}: {problem}")]
#[non_exhaustive]
pub struct PgnError {
    /// The number of the game, from 1.
    pub game: usize,
    /// The line of the file, from 1.
    pub line: usize,
    /// What is wrong.
    pub problem: String,
}

/// What a piece of the move text is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Item {
    /// A move by its name, without `!` and `?`.
    Move(String),
    /// A comment.
    Comment(String),
    /// A numeric annotation, or `!` and `?` as one.
    Nag(u32),
    /// A variation begins: it replaces the move before.
    Open,
    /// A variation ends.
    Close,
}

/// A piece of the move text and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placed {
    /// What it is.
    pub item: Item,
    /// The line of the file.
    pub line: usize,
    /// The bytes of the game that it takes.
    pub span: Range<usize>,
}

/// What is missing at the end of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Missing {
    /// The brace of the last comment.
    pub brace: bool,
    /// Brackets of variations.
    pub brackets: usize,
}

/// A game: tags, moves, result, and the bytes they were read from.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Game {
    /// Its number in the file, from 1.
    pub number: usize,
    /// The line it begins on.
    pub line: usize,
    /// Its text as it stands in the file, with the blank lines around it.
    pub bytes: Vec<u8>,
    /// Names and values of the tags.
    pub tags: Vec<(String, String)>,
    /// The move text, as far as it could be read.
    pub items: Vec<Placed>,
    /// `1-0`, `0-1`, `1/2-1/2` or `*`, if the move text ends with it.
    pub result: Option<String>,
    /// The first thing that is wrong with it.
    pub problem: Option<PgnError>,
    /// Where the result stands.
    pub(super) result_at: Option<usize>,
    /// Where lines begin that should be tags and are not.
    pub(super) bad_tags: Vec<usize>,
    /// Where reading stopped for good.
    pub(super) unread: Option<usize>,
    pub(super) missing: Missing,
}

impl Game {
    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }

    /// Where its text ends and only blanks follow.
    pub(super) fn text_end(&self) -> usize {
        self.bytes.trim_ascii_end().len()
    }

    pub(super) fn complain(&mut self, line: usize, problem: String) {
        let error = PgnError { game: self.number, line, problem };
        self.problem.get_or_insert(error);
    }
}
