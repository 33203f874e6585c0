//! One man left free: the value for each square it could stand on.

use molien_board::{Color, FenError, Man, Position, Square};
use molien_probe::{Answer, ProbeError, Tablebase};
use molien_values::Metric;

use crate::MineError;

/// A placement to which one man is added.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FreeMan {
    men: Vec<(Man, Square)>,
    turn: Color,
    free: Man,
}

/// What a square means to the free man.
#[derive(Clone, Debug)]
pub enum FreeSquare {
    /// Another man stands there.
    Taken(Man),
    /// The position would not be legal.
    Illegal,
    /// The value for the side to move.
    Legal(Answer),
}

impl FreeMan {
    /// Reads the other men as a FEN, which need not be a legal position by
    /// itself: a king may be missing. A `?` is an empty square.
    ///
    /// # Errors
    /// If the text is no FEN, has castling rights or an en-passant square.
    pub fn parse(fen: &str, free: Man) -> Result<FreeMan, MineError> {
        let mut fields = fen.split([' ', '_', '\t', '\n']).filter(|field| !field.is_empty());
        let board = fields.next().ok_or(FenError::Empty)?;
        let turn = match fields.next().unwrap_or("w") {
            "w" => Color::White,
            "b" => Color::Black,
            other => return Err(FenError::Turn(other.to_owned()).into()),
        };
        let castling = fields.next().unwrap_or("-");
        if castling != "-" {
            return Err(FenError::Castling(castling.to_owned()).into());
        }
        if let Some(extra) = fields.find(|field| *field != "-" && field.parse::<u32>().is_err()) {
            return Err(FenError::Trailing(extra.to_owned()).into());
        }
        Ok(FreeMan { men: parse_men(board)?, turn, free })
    }

    /// The side to move.
    pub fn turn(&self) -> Color {
        self.turn
    }

    /// The free man.
    pub fn free(&self) -> Man {
        self.free
    }

    /// The position with the free man on a square; none if it is not legal.
    pub fn position(&self, square: Square) -> Option<Position> {
        let men = self.men.iter().copied().chain([(self.free, square)]);
        Position::new(men, self.turn).ok()
    }

    /// The meaning of every square, a1 first.
    ///
    /// # Errors
    /// If the tables cannot be had.
    pub fn squares(
        &self,
        tables: &Tablebase,
        metric: Metric,
    ) -> Result<Vec<FreeSquare>, ProbeError> {
        let of_square = |square| {
            if let Some((man, _)) = self.men.iter().find(|(_, taken)| *taken == square) {
                return Ok(FreeSquare::Taken(*man));
            }
            match self.position(square) {
                None => Ok(FreeSquare::Illegal),
                Some(position) => tables.probe_in(&position, &[metric]).map(FreeSquare::Legal),
            }
        };
        Square::all().map(of_square).collect()
    }
}

fn parse_men(board: &str) -> Result<Vec<(Man, Square)>, FenError> {
    let ranks: Vec<&str> = board.split('/').collect();
    if ranks.len() != 8 {
        return Err(FenError::Ranks { found: ranks.len() });
    }
    let mut men = Vec::new();
    for (rank, text) in (1..=8).rev().zip(ranks) {
        let mut file = 0;
        for letter in text.chars() {
            if let Some(gap) = letter.to_digit(10) {
                file += gap as i32;
                continue;
            }
            if letter != '?' {
                let man = Man::from_letter(letter).ok_or(FenError::UnknownMan { letter, rank })?;
                men.extend(Square::at(file, rank as i32 - 1).map(|square| (man, square)));
            }
            file += 1;
        }
        if file != 8 {
            return Err(FenError::Files { rank, text: text.to_owned() });
        }
    }
    Ok(men)
}
