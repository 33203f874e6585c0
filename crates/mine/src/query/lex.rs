//! A query's words and signs.

use super::QueryError;

/// A word (letters, digits, hyphens) or a sign.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token {
    Word(String),
    Sign(&'static str),
    End,
}

/// A token with its column, counted from 1.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub token: Token,
    pub column: usize,
}

/// The longer signs first.
const SIGNS: [&str; 11] = [">=", "<=", "!=", "==", "..", "=", ">", "<", "(", ")", ","];

fn in_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '-'
}

pub(super) fn tokens(text: &str) -> Result<Vec<Placed>, QueryError> {
    let mut found = Vec::new();
    let (mut rest, mut column) = (text, 1);
    loop {
        let trimmed = rest.trim_start();
        column += rest[..rest.len() - trimmed.len()].chars().count();
        rest = trimmed;
        let Some(first) = rest.chars().next() else {
            found.push(Placed { token: Token::End, column });
            return Ok(found);
        };
        let (token, len) = if in_word(first) {
            let len = rest.find(|c| !in_word(c)).unwrap_or(rest.len());
            (Token::Word(rest[..len].to_owned()), len)
        } else if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
            (Token::Sign(sign), sign.len())
        } else {
            return Err(QueryError { column, message: format!("'{first}' has no meaning here") });
        };
        found.push(Placed { token, column });
        // Words and signs are ASCII.
        column += len;
        rest = &rest[len..];
    }
}
