//! FEN in and out.

use std::fmt::{self, Write as _};
use std::str::FromStr;

use thiserror::Error;

use crate::{
    Bitboard, Color, IllegalPosition, MAX_MEN, Man, MoveNameError, ParseSquareError, Position,
    Setup, Square,
};

/// What a FEN looks like.
const EXAMPLE: &str = "a FEN looks like '8/8/8/8/8/2k5/8/K6R w - - 0 1'";

/// The text is not the FEN of a position Molien can answer for.
#[derive(Debug, Error, PartialEq, Eq, Clone)]
#[non_exhaustive]
pub enum FenError {
    /// The text is empty.
    #[error("the FEN is empty; {EXAMPLE}")]
    Empty,
    /// The board does not have eight ranks.
    #[error("the board has {found} of 8 ranks; {EXAMPLE}")]
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
    #[error("'{letter}' on rank {rank} is not a man: use KQRBNP for White, kqrbnp for Black")]
    UnknownMan {
        /// The letter.
        letter: char,
        /// The rank, 1 to 8.
        rank: usize,
    },
    /// The side to move is not `w` or `b`.
    #[error("the side to move is '{0}', expected w or b; {EXAMPLE}")]
    Turn(String),
    /// Castling rights are outside the domain.
    #[error(
        "the FEN has castling rights ('{0}'), which are outside the tables; with '-' in their place it is answered as if they were gone"
    )]
    Castling(String),
    /// The castling field holds something else.
    #[error("the castling field is '{0}', expected '-' or letters of KQkq; {EXAMPLE}")]
    CastlingField(String),
    /// The en-passant field is not a square.
    #[error("en-passant field: {0}")]
    EnPassantSquare(ParseSquareError),
    /// The fifth field is not a number.
    #[error(
        "the halfmove clock is '{0}', expected the number of plies since the last capture or pawn move; {EXAMPLE}"
    )]
    Clock(String),
    /// The sixth field is not a number.
    #[error("the move number is '{0}', expected a number from 1; {EXAMPLE}")]
    Number(String),
    /// The position is not legal.
    #[error("illegal position: {0}")]
    Illegal(IllegalPosition),
    /// There are fields after the six of a FEN.
    #[error("'{0}' follows the six fields of a FEN; only 'moves' and moves may; {EXAMPLE}")]
    Trailing(String),
    /// A move after the FEN cannot be played.
    #[error(transparent)]
    Move(#[from] MoveNameError),
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

/// How a FEN is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FenOptions {
    /// Castling rights are read as if they were gone.
    pub ignore_castling: bool,
}

/// The fields of a FEN as they stand, which need not make a legal position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FenFields {
    /// The men with their squares.
    pub men: Vec<(Man, Square)>,
    /// The side to move; White if the field is missing.
    pub turn: Color,
    /// The square a pawn has just passed.
    pub en_passant: Option<Square>,
    /// Plies since the last capture or pawn move; 0 if the field is missing.
    pub halfmove_clock: u32,
    /// The number of the next move; 1 if the field is missing.
    pub fullmove_number: u32,
}

impl FenFields {
    /// Reads the fields, and gives the names of the moves that follow them
    /// after the word `moves`. Fields at the end may be missing, and blanks may
    /// be written as underscores.
    ///
    /// # Errors
    /// If a field is not what it should be.
    pub fn parse(
        text: &str,
        options: FenOptions,
    ) -> Result<(FenFields, impl Iterator<Item = &str>), FenError> {
        // Web tools write FENs with underscores for blanks.
        let words = || text.split([' ', '_', '\t', '\n', '\r']).filter(|word| !word.is_empty());
        let mut fields = words().take_while(|word| *word != "moves");
        let board = fields.next().ok_or(FenError::Empty)?;
        let turn = match fields.next().unwrap_or("w") {
            "w" => Color::White,
            "b" => Color::Black,
            other => return Err(FenError::Turn(other.to_owned())),
        };
        check_castling(fields.next().unwrap_or("-"), options)?;
        let en_passant = match fields.next().unwrap_or("-") {
            "-" => None,
            square => Some(square.parse()?),
        };
        let clock = fields.next().unwrap_or("0");
        let number = fields.next().unwrap_or("1");
        if let Some(extra) = fields.next() {
            return Err(FenError::Trailing(extra.to_owned()));
        }
        let read = FenFields {
            men: parse_board(board)?,
            turn,
            en_passant,
            halfmove_clock: count(clock).ok_or_else(|| FenError::Clock(clock.to_owned()))?,
            fullmove_number: count(number)
                .ok_or_else(|| FenError::Number(number.to_owned()))?
                .max(1),
        };
        Ok((read, words().skip_while(|word| *word != "moves").skip(1)))
    }
}

/// A number of digits alone: no sign, no blank.
fn count(text: &str) -> Option<u32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

fn check_castling(field: &str, options: FenOptions) -> Result<(), FenError> {
    let right = |c: char| "KQkq".contains(c) || matches!(c, 'A'..='H' | 'a'..='h');
    match field {
        "-" => Ok(()),
        rights if !rights.chars().all(right) => Err(FenError::CastlingField(rights.to_owned())),
        _ if options.ignore_castling => Ok(()),
        rights => Err(FenError::Castling(rights.to_owned())),
    }
}

/// Reads a FEN as [`Setup`] does and forgets the clocks.
impl FromStr for Position {
    type Err = FenError;

    fn from_str(fen: &str) -> Result<Position, FenError> {
        fen.parse::<Setup>().map(|setup| setup.position)
    }
}

fn parse_board(text: &str) -> Result<Vec<(Man, Square)>, FenError> {
    let found = text.split('/').count();
    if found != 8 {
        return Err(FenError::Ranks { found });
    }
    let mut men = Vec::with_capacity(MAX_MEN);
    for (i, rank_text) in text.split('/').enumerate() {
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
            return Err(FenError::Files { rank, text: rank_text.to_owned() });
        }
    }
    Ok(men)
}

/// Writes so many empty squares.
fn write_gap(f: &mut fmt::Formatter<'_>, squares: i32) -> fmt::Result {
    if squares == 0 { Ok(()) } else { write!(f, "{squares}") }
}

/// Writes the first four fields of the FEN.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in (0..8).rev() {
            let mut file = 0;
            for square in self.occupied() & Bitboard::rank(rank) {
                let Some(man) = self.man_at(square) else { continue };
                write_gap(f, square.file() - file)?;
                f.write_char(man.letter())?;
                file = square.file() + 1;
            }
            write_gap(f, 8 - file)?;
            if rank > 0 {
                f.write_char('/')?;
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
    fn what_is_refused_is_shown_how_it_should_look() {
        for fen in ["", "8/8", "8/8/8/8/8/8/8/K1k5 x", "8/8/8/8/8/8/8/K1k5 w - - 0 1 2"] {
            let error = fen.parse::<Position>().unwrap_err().to_string();
            assert!(error.ends_with("'8/8/8/8/8/2k5/8/K6R w - - 0 1'"), "{error}");
        }
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
        assert!(matches!(error("8/8/8/8/8/8/8/K1k4R w x -"), FenError::CastlingField(_)));
        assert!(matches!(error("8/8/8/8/8/8/8/K1k4R w - - a b"), FenError::Clock(_)));
        assert!(matches!(error("8/8/8/8/8/8/8/K1k4R w - - -1 0"), FenError::Clock(_)));
        assert!(matches!(error("8/8/8/8/8/8/8/K1k4R w - - +1 1"), FenError::Clock(_)));
        assert!(matches!(error("8/8/8/8/8/8/8/K1k4R w - - 99999999999 1"), FenError::Clock(_)));
        assert!(matches!(error("8/8/8/8/8/8/8/K1k4R w - - 0 -1"), FenError::Number(_)));
        assert!(matches!(error("8/8/8/8/8/8/8/K1k4R b - - moves h1h2"), FenError::Move(_)));
        assert!(matches!(error("8/8/8/8/8/8/8/R1k4K w - -"), FenError::Illegal(_)));
    }
}
