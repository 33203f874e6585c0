//! What can be wrong with a question.

use molien_board::{Color, Role, Square};
use thiserror::Error;

/// Why a position cannot be answered for here.
#[derive(Debug, Error, PartialEq, Eq, Clone)]
#[non_exhaustive]
pub enum Error {
    /// A function for pawns met another man. Ask the search instead.
    #[error("there is a {role} on {square}: explanations are for kings and pawns only", role = name(*.role))]
    NotAPawn {
        /// What stands there.
        role: Role,
        /// Where it stands.
        square: Square,
    },
    /// A function met pawns it was not made for.
    #[error("{color} has {found} pawns, but this function is for {expected}")]
    PawnCount {
        /// Whose pawns.
        color: Color,
        /// How many there are.
        found: usize,
        /// What the function is for.
        expected: &'static str,
    },
    /// Two bare kings need no explanation.
    #[error("only the kings are left: the game is drawn")]
    NoPawns,
    /// The side to move has no legal move, so there is nothing to search.
    #[error("{color} has no legal move: the game is over ({result})")]
    GameOver {
        /// The side to move.
        color: Color,
        /// `checkmate` or `stalemate`.
        result: &'static str,
    },
    /// A line of a study table is malformed.
    #[error("study table, line {line}: {problem}")]
    StudyTable {
        /// The line, counted from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
}

/// The English name of a role.
pub(crate) const fn name(role: Role) -> &'static str {
    match role {
        Role::King => "king",
        Role::Queen => "queen",
        Role::Rook => "rook",
        Role::Bishop => "bishop",
        Role::Knight => "knight",
        Role::Pawn => "pawn",
    }
}
