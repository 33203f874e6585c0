//! Colours, roles, men.

use std::fmt;
use std::ops::Not;

/// White or Black.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Color {
    /// The side that moves up the board.
    White,
    /// The side that moves down the board.
    Black,
}

impl Color {
    /// Both colours, White first.
    pub const BOTH: [Color; 2] = [Color::White, Color::Black];

    /// 0 for White, 1 for Black.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The other colour (usable in constants, unlike `!`).
    #[inline]
    pub const fn other(self) -> Color {
        match self {
            Color::White => Color::Black,
            Color::Black => Color::White,
        }
    }

    /// The rank direction of this colour's pawns: +1 or -1.
    #[inline]
    pub const fn forward(self) -> i32 {
        match self {
            Color::White => 1,
            Color::Black => -1,
        }
    }

    /// The rank (0 to 7) on which this colour's pawns start.
    #[inline]
    pub const fn pawn_rank(self) -> i32 {
        match self {
            Color::White => 1,
            Color::Black => 6,
        }
    }

    /// The rank (0 to 7) on which this colour's pawns promote.
    #[inline]
    pub const fn promotion_rank(self) -> i32 {
        match self {
            Color::White => 7,
            Color::Black => 0,
        }
    }
}

impl Not for Color {
    type Output = Color;
    #[inline]
    fn not(self) -> Color {
        self.other()
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Color::White => "White",
            Color::Black => "Black",
        })
    }
}

/// What a man is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Role {
    /// King.
    King,
    /// Queen.
    Queen,
    /// Rook.
    Rook,
    /// Bishop.
    Bishop,
    /// Knight.
    Knight,
    /// Pawn.
    Pawn,
}

impl Role {
    /// All roles, the heaviest first.
    pub const ALL: [Role; 6] =
        [Role::King, Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn];

    /// The roles a pawn can promote to.
    pub const PROMOTIONS: [Role; 4] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];

    /// 0 for the king to 5 for the pawn.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The English letter, upper case.
    pub const fn letter(self) -> char {
        match self {
            Role::King => 'K',
            Role::Queen => 'Q',
            Role::Rook => 'R',
            Role::Bishop => 'B',
            Role::Knight => 'N',
            Role::Pawn => 'P',
        }
    }

    /// The role of an English letter of either case.
    pub fn from_letter(letter: char) -> Option<Role> {
        Role::ALL.into_iter().find(|role| role.letter() == letter.to_ascii_uppercase())
    }

    /// Whether the role moves along rays until it is blocked.
    #[inline]
    pub const fn is_slider(self) -> bool {
        matches!(self, Role::Queen | Role::Rook | Role::Bishop)
    }

    /// The directions (files, ranks) of the role's steps; empty for the pawn.
    pub const fn directions(self) -> &'static [(i32, i32)] {
        match self {
            Role::King | Role::Queen => &DIRECTIONS,
            Role::Rook => DIRECTIONS.split_at(4).0,
            Role::Bishop => DIRECTIONS.split_at(4).1,
            Role::Knight => &KNIGHT_STEPS,
            Role::Pawn => &[],
        }
    }
}

/// The four rook directions, then the four bishop directions.
const DIRECTIONS: [(i32, i32); 8] =
    [(1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)];
const KNIGHT_STEPS: [(i32, i32); 8] =
    [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)];

/// A man: a colour and a role.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Man {
    /// Whose it is.
    pub color: Color,
    /// What it is.
    pub role: Role,
}

impl Man {
    /// A man of this colour and role.
    #[inline]
    pub const fn new(color: Color, role: Role) -> Man {
        Man { color, role }
    }

    /// The FEN letter: upper case for White.
    pub const fn letter(self) -> char {
        match self.color {
            Color::White => self.role.letter(),
            Color::Black => self.role.letter().to_ascii_lowercase(),
        }
    }

    /// The man of a FEN letter.
    pub fn from_letter(letter: char) -> Option<Man> {
        let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
        Role::from_letter(letter).map(|role| Man { color, role })
    }
}
