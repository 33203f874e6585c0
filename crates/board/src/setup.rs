//! A position and the clocks that stand beside it.

use std::fmt;
use std::str::FromStr;

use crate::{Color, FenError, FenFields, FenOptions, Move, Position};

/// A position with the two counts of a FEN.
///
/// Tables know nothing of clocks; what a value is worth with so many plies
/// counted under the 50-move rule is another question, which is asked of both
/// together.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Setup {
    /// The position.
    pub position: Position,
    /// Plies since the last capture or pawn move.
    pub halfmove_clock: u32,
    /// The number of the next move, counted from 1.
    pub fullmove_number: u32,
}

/// Nothing counted yet.
impl From<Position> for Setup {
    fn from(position: Position) -> Setup {
        Setup { position, halfmove_clock: 0, fullmove_number: 1 }
    }
}

impl From<&Position> for Setup {
    fn from(position: &Position) -> Setup {
        Setup::from(*position)
    }
}

impl Setup {
    /// Reads a FEN, and the moves that follow it after the word `moves`.
    ///
    /// # Errors
    /// If the text is not the FEN of a legal position, or a move is not legal.
    ///
    /// ```
    /// use molien_board::{FenOptions, Setup};
    ///
    /// let setup: Setup = "8/8/8/8/8/2k5/8/K6R w - - 12 40 moves h1h3 Kc4".parse()?;
    /// assert_eq!(setup.to_string(), "8/8/8/8/2k5/7R/8/K7 w - - 14 41");
    /// let castling = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
    /// assert!(castling.parse::<Setup>().is_err());
    /// let ignored = Setup::parse(castling, FenOptions { ignore_castling: true })?;
    /// assert_eq!(ignored.to_string(), "4k3/8/8/8/8/8/8/4K2R w - - 0 1");
    /// # Ok::<(), molien_board::FenError>(())
    /// ```
    pub fn parse(text: &str, options: FenOptions) -> Result<Setup, FenError> {
        let (fen, moves) = FenFields::parse(text, options)?;
        let position = Position::new(fen.men, fen.turn)?;
        let position = match fen.en_passant {
            None => position,
            Some(square) => position.with_en_passant(square)?,
        };
        let mut setup = Setup {
            position,
            halfmove_clock: fen.halfmove_clock,
            fullmove_number: fen.fullmove_number,
        };
        for name in moves {
            let played = setup.position.find_move(name)?;
            setup = setup.play(&played);
        }
        Ok(setup)
    }

    /// The setup after a legal move.
    pub fn play(&self, m: &Move) -> Setup {
        let black = self.position.turn() == Color::Black;
        Setup {
            position: self.position.play(m),
            halfmove_clock: if m.is_zeroing() { 0 } else { self.halfmove_clock.saturating_add(1) },
            fullmove_number: self.fullmove_number.saturating_add(u32::from(black)),
        }
    }
}

impl FromStr for Setup {
    type Err = FenError;

    fn from_str(text: &str) -> Result<Setup, FenError> {
        Setup::parse(text, FenOptions::default())
    }
}

/// Writes all six fields of the FEN.
impl fmt::Display for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.position, self.halfmove_clock, self.fullmove_number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_read_counted_and_written() {
        let setup: Setup = "8/8/8/8/8/2k5/1R6/K7 w - - 90 100".parse().unwrap();
        assert_eq!((setup.halfmove_clock, setup.fullmove_number), (90, 100));
        assert_eq!(setup.to_string(), "8/8/8/8/8/2k5/1R6/K7 w - - 90 100");
        for short in ["8/8/8/8/8/2k5/1R6/K7", "8/8/8/8/8/2k5/1R6/K7 w - -"] {
            let setup: Setup = short.parse().unwrap();
            assert_eq!((setup.halfmove_clock, setup.fullmove_number), (0, 1));
        }
        let clock_only: Setup = "8/8/8/8/8/2k5/1R6/K7_w_-_-_7".parse().unwrap();
        assert_eq!((clock_only.halfmove_clock, clock_only.fullmove_number), (7, 1));
        // Some programs count from 0.
        let zero: Setup = "8/8/8/8/8/2k5/1R6/K7 w - - 0 0".parse().unwrap();
        assert_eq!(zero.fullmove_number, 1);
    }

    #[test]
    fn moves_are_played() {
        let after = |text: &str| text.parse::<Setup>().unwrap().to_string();
        let fen = "8/8/8/8/3p4/2k5/4P3/K6R w - - 5 30";
        assert_eq!(after(&format!("{fen} moves h1d1")), "8/8/8/8/3p4/2k5/4P3/K2R4 b - - 6 30");
        assert_eq!(after(&format!("{fen} moves e4 dxe3")), "8/8/8/8/8/2k1p3/8/K6R w - - 0 31");
        assert_eq!(after(&format!("{fen} moves")), fen);
        assert_eq!(after("8/8/8/8/8/2k5/1R6/K7 w - - moves Ra2"), "8/8/8/8/8/2k5/R7/K7 b - - 1 1");
        let error = format!("{fen} moves h1d1 h1d1").parse::<Setup>().unwrap_err();
        assert!(error.to_string().starts_with("h1d1 is not a legal move in"), "{error}");
    }
}
