//! One man left free: the value for each square it could stand on.

use molien_board::{
    Color, FenError, FenFields, FenOptions, IllegalPosition, Man, Position, Role, Setup, Square,
};
use molien_probe::{Answer, Tablebase};
use molien_values::Metric;

use crate::MineError;

/// A placement to which one man is added.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FreeMan {
    men: Vec<(Man, Square)>,
    turn: Color,
    halfmove_clock: u32,
    fullmove_number: u32,
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
    /// If the text is no FEN, has an en-passant square or moves, or if with the
    /// free man a side does not have one king.
    pub fn parse(fen: &str, free: Man, options: FenOptions) -> Result<FreeMan, MineError> {
        let text = fen.replace('?', "1");
        let (fields, mut moves) = FenFields::parse(&text, options)?;
        if moves.next().is_some() {
            return Err(FenError::Trailing("moves".to_owned()).into());
        }
        if let Some(square) = fields.en_passant {
            return Err(FenError::Illegal(IllegalPosition::EnPassant { square }).into());
        }
        for color in Color::BOTH {
            let king = Man::new(color, Role::King);
            let others = fields.men.iter().filter(|(man, _)| *man == king).count();
            let found = others + usize::from(free == king);
            if found != 1 {
                return Err(FenError::Illegal(IllegalPosition::Kings { color, found }).into());
            }
        }
        Ok(FreeMan {
            men: fields.men,
            turn: fields.turn,
            halfmove_clock: fields.halfmove_clock,
            fullmove_number: fields.fullmove_number,
            free,
        })
    }

    /// Sets free one of the men of a position, the first of its kind; none if
    /// there is no such man. En passant is forgotten: it belongs to one placement.
    pub fn lift(setup: &Setup, free: Man) -> Option<FreeMan> {
        let (_, from) = setup.position.men().find(|(man, _)| *man == free)?;
        Some(FreeMan {
            men: setup.position.men().filter(|(_, square)| *square != from).collect(),
            turn: setup.position.turn(),
            halfmove_clock: setup.halfmove_clock,
            fullmove_number: setup.fullmove_number,
            free,
        })
    }

    /// The side to move.
    pub fn turn(&self) -> Color {
        self.turn
    }

    /// The free man.
    pub fn free(&self) -> Man {
        self.free
    }

    /// The other men.
    pub fn others(&self) -> &[(Man, Square)] {
        &self.men
    }

    /// The position with the free man on a square, and the clocks of the FEN.
    ///
    /// # Errors
    /// If it is not legal.
    pub fn setup(&self, square: Square) -> Result<Setup, IllegalPosition> {
        let men = self.men.iter().copied().chain([(self.free, square)]);
        Ok(Setup {
            position: Position::new(men, self.turn)?,
            halfmove_clock: self.halfmove_clock,
            fullmove_number: self.fullmove_number,
        })
    }

    /// The meaning of every square, a1 first.
    ///
    /// # Errors
    /// If the tables cannot be had, or no square is legal.
    pub fn squares(
        &self,
        tables: &Tablebase,
        metric: Metric,
    ) -> Result<Vec<FreeSquare>, MineError> {
        let taken = |square| self.men.iter().find(|(_, taken)| *taken == square);
        let legal: Vec<Setup> =
            Square::all().filter_map(|square| self.setup(square).ok()).collect();
        let empty = Square::all().filter(|&square| taken(square).is_none());
        if let (true, Some(Err(why))) = (legal.is_empty(), empty.map(|s| self.setup(s)).next()) {
            return Err(FenError::Illegal(why).into());
        }
        let mut metrics = vec![metric];
        metrics.extend((metric != Metric::Dtz50).then_some(Metric::Dtz50));
        let mut answers = tables.answers_at(&legal, &metrics)?.into_iter();
        let of_square = |square| {
            if let Some((man, _)) = taken(square) {
                return Ok(FreeSquare::Taken(*man));
            }
            match self.setup(square).ok().and_then(|_| answers.next()) {
                None => Ok(FreeSquare::Illegal),
                Some(answer) => Ok(FreeSquare::Legal(answer?)),
            }
        };
        Square::all().map(of_square).collect()
    }
}
