//! One of the 64 squares.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// A square, numbered rank by rank: a1 = 0, b1 = 1, ..., h8 = 63.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Square(u8);

/// The text was not a square such as `e4`.
#[derive(Debug, Error, PartialEq, Eq, Clone)]
#[error("'{0}' is not a square: expected a file a-h and a rank 1-8, such as e4")]
pub struct ParseSquareError(pub String);

impl Square {
    /// Number of squares.
    pub const COUNT: usize = 64;

    /// The square with this number; the number is taken modulo 64.
    #[inline]
    pub const fn new(index: usize) -> Square {
        Square((index & 63) as u8)
    }

    /// The square on this file and rank, both 0 to 7, if they are on the board.
    #[inline]
    pub const fn at(file: i32, rank: i32) -> Option<Square> {
        if file >= 0 && file < 8 && rank >= 0 && rank < 8 {
            Some(Square((rank * 8 + file) as u8))
        } else {
            None
        }
    }

    /// Its number, 0 to 63.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Its file, 0 for a to 7 for h.
    #[inline]
    pub const fn file(self) -> i32 {
        (self.0 & 7) as i32
    }

    /// Its rank, 0 for the first to 7 for the eighth.
    #[inline]
    pub const fn rank(self) -> i32 {
        (self.0 >> 3) as i32
    }

    /// The square `files` to the right and `ranks` up, if on the board.
    #[inline]
    pub const fn offset(self, files: i32, ranks: i32) -> Option<Square> {
        Square::at(self.file() + files, self.rank() + ranks)
    }

    /// King moves between the two squares on an empty board.
    #[inline]
    pub const fn distance(self, other: Square) -> i32 {
        let files = (self.file() - other.file()).abs();
        let ranks = (self.rank() - other.rank()).abs();
        if files > ranks { files } else { ranks }
    }

    /// The square seen from the other side of the board (e2 becomes e7).
    #[inline]
    pub const fn flip_vertical(self) -> Square {
        Square(self.0 ^ 56)
    }

    /// The square in the left-right mirror (a2 becomes h2).
    #[inline]
    pub const fn flip_horizontal(self) -> Square {
        Square(self.0 ^ 7)
    }

    /// Whether the square is a dark one, as a1 is.
    #[inline]
    pub const fn is_dark(self) -> bool {
        (self.file() + self.rank()) % 2 == 0
    }

    /// All squares from a1 to h8.
    pub fn all() -> impl DoubleEndedIterator<Item = Square> + ExactSizeIterator {
        (0..64u8).map(Square)
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = (b'a' + (self.0 & 7)) as char;
        let rank = (b'1' + (self.0 >> 3)) as char;
        write!(f, "{file}{rank}")
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Square {
    type Err = ParseSquareError;

    fn from_str(text: &str) -> Result<Square, ParseSquareError> {
        match text.as_bytes() {
            [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => {
                Ok(Square((rank - b'1') * 8 + (file - b'a')))
            }
            _ => Err(ParseSquareError(text.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for square in Square::all() {
            assert_eq!(square.to_string().parse(), Ok(square));
        }
        assert!("i1".parse::<Square>().is_err());
        assert!("a9".parse::<Square>().is_err());
        assert!("a10".parse::<Square>().is_err());
    }

    #[test]
    fn a1_is_dark_and_neighbours_alternate() {
        assert!(Square::new(0).is_dark());
        for square in Square::all() {
            if let Some(right) = square.offset(1, 0) {
                assert_ne!(square.is_dark(), right.is_dark());
            }
        }
    }
}
