//! FEN in and out.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::{Color, IllegalPosition, Man, ParseSquareError, Position, Square};

/// The text is not the FEN of a position Molien can answer for.
#[derive(Debug, Error, PartialEq, Eq, Clone)]
#[non_exhaustive]
pub enum FenError {
    /// The text is empty.
    #[error("the FEN is empty; expected something like '8/8/8/8/8/2k5/8/K6R w - -'")]
    Empty,
    /// The board does not have eight ranks.
    #[error("the board has {found} ranks instead of 8")]
    Ranks {
        /// How many it has.
        found: usize,
    },
    /// A rank does not have eight files.
    #[error("rank {rank} ('{text}') does not have 8 files")]
    Files {
        /// The rank, 1 to 8.
        rank: usize,
        /// Its text.
        text: String,
    },
    /// A letter that is no man.
    #[error("'{letter}' on rank {rank} is not a man")]
    UnknownMan {
        /// The letter.
        letter: char,
        /// The rank, 1 to 8.
        rank: usize,
    },
    /// The side to move is not `w` or `b`.
    #[error("the side to move is '{0}', expected w or b")]
    Turn(String),
    /// Castling rights are outside the domain.
    #[error(
        "the FEN has castling rights ('{0}'): positions with castling are not covered, write '-' to answer without them"
    )]
    Castling(String),
    /// The en-passant field is not a square.
    #[error("en-passant field: {0}")]
    EnPassantSquare(ParseSquareError),
    /// The position is not legal.
    #[error("illegal position: {0}")]
    Illegal(IllegalPosition),
    /// There are fields after the six of a FEN.
    #[error("'{0}' follows the six fields of a FEN")]
    Trailing(String),
}

// Written out because the message holds the cause already: a cause that is
// also the `source` would be printed twice.
impl From<ParseSquareError> for FenError {
    fn from(error: ParseSquareError) -> FenError {
        FenError::EnPassantSquare(error)
    }
}

impl From<IllegalPosition> for FenError {
    fn from(error: IllegalPosition) -> FenError {
        FenError::Illegal(error)
    }
}

impl FromStr for Position {
    type Err = FenError;

    fn from_str(fen: &str) -> Result<Position, FenError> {
        // Web tools write FENs with underscores for blanks.
        let mut fields = fen.split([' ', '_', '\t', '\n']).filter(|field| !field.is_empty());
        let board = fields.next().ok_or(FenError::Empty)?;
        let turn = match fields.next().unwrap_or("w") {
            "w" => Color::White,
            "b" => Color::Black,
            other => return Err(FenError::Turn(other.to_owned())),
        };
        let castling = fields.next().unwrap_or("-");
        if castling != "-" {
            return Err(FenError::Castling(castling.to_owned()));
        }
        let en_passant = fields.next().unwrap_or("-");
        if let Some(extra) = fields.nth(2) {
            return Err(FenError::Trailing(extra.to_owned()));
        }
        let position = Position::new(parse_board(board)?, turn)?;
        match en_passant {
            "-" => Ok(position),
            square => Ok(position.with_en_passant(square.parse()?)?),
        }
    }
}

fn parse_board(text: &str) -> Result<Vec<(Man, Square)>, FenError> {
    let ranks: Vec<&str> = text.split('/').collect();
    if ranks.len() != 8 {
        return Err(FenError::Ranks { found: ranks.len() });
    }
    let mut men = Vec::new();
    for (i, rank_text) in ranks.iter().enumerate() {
        let rank = 8 - i;
        let mut file = 0;
        for letter in rank_text.chars() {
            match letter.to_digit(10) {
                Some(gap) => file += gap as usize,
                None => {
                    let man =
                        Man::from_letter(letter).ok_or(FenError::UnknownMan { letter, rank })?;
                    if file < 8 {
                        men.push((man, Square::new((rank - 1) * 8 + file)));
                    }
                    file += 1;
                }
            }
        }
        if file != 8 {
            return Err(FenError::Files { rank, text: (*rank_text).to_owned() });
        }
    }
    Ok(men)
}

/// Writes the first four fields of the FEN.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in (0..8).rev() {
            let mut gap = 0;
            for file in 0..8 {
                match self.man_at(Square::new(rank * 8 + file)) {
                    None => gap += 1,
                    Some(man) => {
                        if gap > 0 {
                            write!(f, "{gap}")?;
                        }
                        gap = 0;
                        write!(f, "{}", man.letter())?;
                    }
                }
            }
            if gap > 0 {
                write!(f, "{gap}")?;
            }
            if rank > 0 {
                f.write_str("/")?;
            }
        }
        let turn = if self.turn() == Color::White { 'w' } else { 'b' };
        match self.en_passant() {
            Some(square) => write!(f, " {turn} - {square}"),
            None => write!(f, " {turn} - -"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_it_writes() {
        for fen in [
            "8/8/8/8/8/2k5/8/K6R w - -",
            "8/8/8/2k5/3Pp3/8/8/K7 b - d3",
            "kb6/8/8/8/8/8/8/6QK b - -",
        ] {
            assert_eq!(fen.parse::<Position>().unwrap().to_string(), fen);
        }
        let with_clocks: Position = "8/8/8/8/8/2k5/8/K6R w - - 3 17".parse().unwrap();
        assert_eq!(with_clocks.to_string(), "8/8/8/8/8/2k5/8/K6R w - -");
    }

    #[test]
    fn useless_en_passant_is_dropped() {
        let far: Position = "8/8/8/2k5/3P3p/8/8/K7 b - d3".parse().unwrap();
        assert_eq!(far.en_passant(), None);
        // The capture would uncover the rook on the fourth rank.
        let pinned: Position = "8/8/8/8/k2Pp2R/8/8/K7 b - d3".parse().unwrap();
        assert_eq!(pinned.en_passant(), None);
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let error = |fen: &str| fen.parse::<Position>().unwrap_err();
        assert_eq!(error(""), FenError::Empty);
        assert!(matches!(error("8/8 w - -"), FenError::Ranks { found: 2 }));
        assert!(matches!(error("9/8/8/8/8/8/8/Kk6 w - -"), FenError::Files { rank: 8, .. }));
        assert!(matches!(error("x7/8/8/8/8/8/8/Kk6 w - -"), FenError::UnknownMan { .. }));
        assert!(matches!(error("8/8/8/8/8/8/8/K1k5 x - -"), FenError::Turn(_)));
        assert!(matches!(error("8/8/8/8/8/8/8/K1k4R w K -"), FenError::Castling(_)));
        assert!(matches!(error("8/8/8/8/8/8/8/K1k5 w - j9"), FenError::EnPassantSquare(_)));
        assert!(matches!(error("8/8/8/8/8/8/8/K1k5 w - e3"), FenError::Illegal(_)));
        assert!(matches!(error("8/8/8/8/8/8/8/Kk6 w - -"), FenError::Illegal(_)));
        assert!(matches!(error("8/8/8/8/8/8/8/KKk5 w - -"), FenError::Illegal(_)));
        assert!(matches!(error("P7/8/8/8/8/8/8/K1k5 w - -"), FenError::Illegal(_)));
        assert!(matches!(error("8/8/8/8/8/8/8/K1k4R w - - 0 1 x"), FenError::Trailing(_)));
        assert!(matches!(error("8/8/8/8/8/8/8/R1k4K w - -"), FenError::Illegal(_)));
    }
}
