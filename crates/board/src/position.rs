//! Positions: men on squares, the side to move, en passant.

use thiserror::Error;

use crate::{Bitboard, Color, Man, Material, Role, Square, Symmetry, attacks};

/// Men on squares with a side to move.
///
/// The en-passant square is set only if an en-passant capture is really
/// possible (a legal move), so equal positions compare equal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    by_color: [Bitboard; 2],
    by_role: [Bitboard; 6],
    turn: Color,
    en_passant: Option<Square>,
}

/// Why a placement is not a legal position.
#[derive(Debug, Error, PartialEq, Eq, Clone)]
#[non_exhaustive]
pub enum IllegalPosition {
    /// A side does not have exactly one king.
    #[error("{color} has {found} kings instead of one")]
    Kings {
        /// The side.
        color: Color,
        /// How many kings it has.
        found: usize,
    },
    /// Two men share a square.
    #[error("two men stand on {square}")]
    Shared {
        /// The square.
        square: Square,
    },
    /// The kings stand next to each other.
    #[error("the kings stand next to each other")]
    AdjacentKings,
    /// A pawn stands on the first or eighth rank.
    #[error("a pawn stands on {square}, but pawns stand on ranks 2 to 7")]
    PawnRank {
        /// Where it stands.
        square: Square,
    },
    /// The side that has just moved is in check.
    #[error("{color} is in check although it is the other side's move")]
    OpponentInCheck {
        /// The side in check.
        color: Color,
    },
    /// More than eight pawns or sixteen men on one side.
    #[error("{color} has too many men: {men}, of which {pawns} are pawns")]
    TooManyMen {
        /// The side.
        color: Color,
        /// Number of its men.
        men: usize,
        /// Number of its pawns.
        pawns: usize,
    },
    /// No pawn can just have made the double step this square claims.
    #[error("no double step of a pawn has just passed {square}, the en-passant square")]
    EnPassant {
        /// The claimed square.
        square: Square,
    },
}

impl Position {
    /// A position from men and squares, without en passant.
    ///
    /// # Errors
    /// If two men share a square or the position is not legal.
    pub fn new(
        men: impl IntoIterator<Item = (Man, Square)>,
        turn: Color,
    ) -> Result<Position, IllegalPosition> {
        let mut position = Position::empty(turn);
        for (man, square) in men {
            if position.occupied().contains(square) {
                return Err(IllegalPosition::Shared { square });
            }
            position.put(man, square);
        }
        position.check_legal()?;
        Ok(position)
    }

    /// A placement whose legality is not checked, except that each side has
    /// one king and no two men share a square. For reasoning about sets of
    /// placements; probing wants [`Position::new`].
    pub fn placement(
        men: impl IntoIterator<Item = (Man, Square)>,
        turn: Color,
    ) -> Option<Position> {
        let mut position = Position::empty(turn);
        for (man, square) in men {
            if position.occupied().contains(square) {
                return None;
            }
            position.put(man, square);
        }
        let one_king = |color| position.of(Man::new(color, Role::King)).len() == 1;
        Color::BOTH.into_iter().all(one_king).then_some(position)
    }

    pub(crate) fn empty(turn: Color) -> Position {
        Position {
            by_color: [Bitboard::EMPTY; 2],
            by_role: [Bitboard::EMPTY; 6],
            turn,
            en_passant: None,
        }
    }

    #[inline]
    pub(crate) fn put(&mut self, man: Man, square: Square) {
        self.by_color[man.color.index()].insert(square);
        self.by_role[man.role.index()].insert(square);
    }

    #[inline]
    pub(crate) fn take(&mut self, man: Man, square: Square) {
        self.by_color[man.color.index()].remove(square);
        self.by_role[man.role.index()].remove(square);
    }

    #[inline]
    pub(crate) fn pass_turn(&mut self) {
        self.turn = !self.turn;
        self.en_passant = None;
    }

    /// The side to move.
    #[inline]
    pub fn turn(&self) -> Color {
        self.turn
    }

    /// The square an en-passant capture can go to.
    #[inline]
    pub fn en_passant(&self) -> Option<Square> {
        self.en_passant
    }

    /// The squares with a man on them.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.by_color[0] | self.by_color[1]
    }

    /// The squares of one side's men.
    #[inline]
    pub fn side(&self, color: Color) -> Bitboard {
        self.by_color[color.index()]
    }

    /// The squares of all men of one kind.
    #[inline]
    pub fn of(&self, man: Man) -> Bitboard {
        self.by_color[man.color.index()] & self.by_role[man.role.index()]
    }

    /// The squares of one side's pawns.
    #[inline]
    pub fn pawns(&self, color: Color) -> Bitboard {
        self.of(Man::new(color, Role::Pawn))
    }

    /// The square of a side's king (a1 if there is none, which no legal
    /// position has).
    #[inline]
    pub fn king(&self, color: Color) -> Square {
        self.of(Man::new(color, Role::King)).first().unwrap_or(Square::new(0))
    }

    /// The man on a square.
    pub fn man_at(&self, square: Square) -> Option<Man> {
        let color = Color::BOTH.into_iter().find(|&c| self.side(c).contains(square))?;
        let role = Role::ALL.into_iter().find(|r| self.by_role[r.index()].contains(square))?;
        Some(Man { color, role })
    }

    /// All men with their squares, by square.
    pub fn men(&self) -> impl Iterator<Item = (Man, Square)> + '_ {
        self.occupied().into_iter().filter_map(|square| Some((self.man_at(square)?, square)))
    }

    /// The men without their squares.
    pub fn material(&self) -> Material {
        Material::counted(|man| self.of(man).len())
    }

    /// Whether a man of `by` attacks the square.
    pub fn is_attacked(&self, square: Square, by: Color) -> bool {
        let occupied = self.occupied();
        let pieces = Role::ALL.into_iter().any(|role| {
            let men = self.of(Man::new(by, role));
            !men.is_empty() && !(attacks::attacks(role, square, occupied) & men).is_empty()
        });
        pieces || !(attacks::pawn(!by, square) & self.pawns(by)).is_empty()
    }

    /// Whether this side's king is attacked.
    pub fn in_check(&self, color: Color) -> bool {
        self.is_attacked(self.king(color), !color)
    }

    /// The same placement with the other side to move and no en passant. It
    /// may be illegal: see [`Position::check_legal`].
    pub fn with_turn(&self, turn: Color) -> Position {
        Position { turn, en_passant: None, ..*self }
    }

    /// The same placement and side to move, without the en-passant right.
    pub fn without_en_passant(&self) -> Position {
        Position { en_passant: None, ..*self }
    }

    /// Colours exchanged and the board turned upside down: the same game
    /// seen by the other side.
    pub fn swap_colors(&self) -> Position {
        Position {
            by_color: [self.by_color[1].flip_vertical(), self.by_color[0].flip_vertical()],
            by_role: self.by_role.map(Bitboard::flip_vertical),
            turn: !self.turn,
            en_passant: self.en_passant.map(Square::flip_vertical),
        }
    }

    /// The position with every man moved by a symmetry. With pawns only
    /// [`Symmetry::MIRROR`] keeps the meaning.
    pub fn transform(&self, symmetry: Symmetry) -> Position {
        Position {
            by_color: self.by_color.map(|set| symmetry.bitboard(set)),
            by_role: self.by_role.map(|set| symmetry.bitboard(set)),
            turn: self.turn,
            en_passant: self.en_passant.map(|square| symmetry.square(square)),
        }
    }

    /// Checks the rules of legality of a position without en passant.
    ///
    /// # Errors
    /// The first rule that is broken.
    pub fn check_legal(&self) -> Result<(), IllegalPosition> {
        for color in Color::BOTH {
            let found = self.of(Man::new(color, Role::King)).len();
            if found != 1 {
                return Err(IllegalPosition::Kings { color, found });
            }
            let (men, pawns) = (self.side(color).len(), self.pawns(color).len());
            if men > 16 || pawns > 8 {
                return Err(IllegalPosition::TooManyMen { color, men, pawns });
            }
        }
        let edge_ranks = Bitboard::rank(0) | Bitboard::rank(7);
        if let Some(square) = (self.by_role[Role::Pawn.index()] & edge_ranks).first() {
            return Err(IllegalPosition::PawnRank { square });
        }
        if self.king(Color::White).distance(self.king(Color::Black)) < 2 {
            return Err(IllegalPosition::AdjacentKings);
        }
        if self.in_check(!self.turn) {
            return Err(IllegalPosition::OpponentInCheck { color: !self.turn });
        }
        Ok(())
    }

    /// The position after the double step that passed `square`: en passant is
    /// kept only if a capture is legal.
    ///
    /// # Errors
    /// If no pawn can have passed that square on the last move.
    pub fn with_en_passant(&self, square: Square) -> Result<Position, IllegalPosition> {
        let mover = !self.turn;
        let error = IllegalPosition::EnPassant { square };
        let (pawn, from) =
            match (square.offset(0, mover.forward()), square.offset(0, -mover.forward())) {
                (Some(pawn), Some(from)) if from.rank() == mover.pawn_rank() => (pawn, from),
                _ => return Err(error),
            };
        let blocked = self.occupied().contains(square) || self.occupied().contains(from);
        if blocked || !self.pawns(mover).contains(pawn) {
            return Err(error);
        }
        let mut claimed = *self;
        claimed.en_passant = Some(square);
        let mut capturable = false;
        claimed.for_each_legal(|m| capturable |= m.is_en_passant());
        Ok(if capturable { claimed } else { *self })
    }
}
