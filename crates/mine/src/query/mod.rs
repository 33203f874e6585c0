//! Queries: which positions are wanted.
//!
//! The language is described in `docs/find.md`. A query is an expression of
//! [`Atom`]s; it can be moved by a symmetry of the board and seen from the
//! other side, so that tables which hold one position of each class answer
//! for all of them.

mod expr;
mod lex;
mod parse;

pub(crate) use expr::Expr;

use molien_board::{Bitboard, Color, Man, Material, Symmetry};
use molien_values::{Category, Metric, Outcome};
use thiserror::Error;

/// A mistake in a query.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[error("query, column {column}: {message}")]
#[non_exhaustive]
pub struct QueryError {
    /// Where, counted from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

/// What is attacked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Target {
    /// A man of this kind.
    Man(Man),
    /// One of these squares.
    Squares(Bitboard),
}

/// A question that one position answers with yes or no.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Atom {
    /// A man of this kind stands on one of the squares.
    Stands(Man, Bitboard),
    /// This side is to move.
    Turn(Color),
    /// The outcome for the side to move, without the 50-move rule.
    Outcome(Outcome),
    /// The class for the side to move, the count of the 50-move rule at zero.
    Class(Category),
    /// The depth lies in this range, ends included.
    Depth(Metric, u16, u16),
    /// The placement is a mutual zugzwang.
    Zugzwang,
    /// Exactly one move keeps the outcome.
    OnlyMove,
    /// The side to move is in check.
    Check,
    /// The side to move is mated.
    Mate,
    /// The side to move is stalemated.
    Stalemate,
    /// The side to move has a legal capture.
    Capture,
    /// The king moves between the nearest two men of these kinds, on an empty
    /// board, lie in this range.
    Distance([Man; 2], u16, u16),
    /// A man of this kind attacks something, or protects it.
    Attacks(Man, Target),
}

impl Atom {
    /// The atom that the image of a position answers as the position does this
    /// one.
    fn transform(self, symmetry: Symmetry) -> Atom {
        match self {
            Atom::Stands(man, squares) => Atom::Stands(man, symmetry.bitboard(squares)),
            Atom::Attacks(man, Target::Squares(squares)) => {
                Atom::Attacks(man, Target::Squares(symmetry.bitboard(squares)))
            }
            other => other,
        }
    }

    /// The atom seen from the other side.
    fn swap_colors(self) -> Atom {
        let swap = |man: Man| Man::new(!man.color, man.role);
        match self {
            Atom::Stands(man, squares) => Atom::Stands(swap(man), squares.flip_vertical()),
            Atom::Turn(color) => Atom::Turn(!color),
            Atom::Distance(men, from, to) => Atom::Distance(men.map(swap), from, to),
            Atom::Attacks(man, Target::Man(target)) => {
                Atom::Attacks(swap(man), Target::Man(swap(target)))
            }
            Atom::Attacks(man, Target::Squares(squares)) => {
                Atom::Attacks(swap(man), Target::Squares(squares.flip_vertical()))
            }
            other => other,
        }
    }
}

/// Which positions of a material are wanted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Query {
    pub(crate) expr: Expr,
}

impl Query {
    /// Reads a query about positions of a material.
    ///
    /// # Errors
    /// The first mistake, with its column.
    pub fn parse(text: &str, material: Material) -> Result<Query, QueryError> {
        Ok(Query { expr: parse::parse(text, material)? })
    }

    /// Every position.
    pub fn all() -> Query {
        Query { expr: Expr::all_of(Vec::new()) }
    }

    pub(crate) fn atoms(atoms: &[Atom]) -> Query {
        Query { expr: Expr::all_of(atoms.iter().copied().map(Expr::Atom).collect()) }
    }

    fn any(&self, wanted: impl Fn(&Atom) -> bool) -> bool {
        let mut found = false;
        self.expr.visit(&mut |atom| found |= wanted(atom));
        found
    }

    /// The metrics whose depths the answer needs.
    pub fn metrics(&self) -> Vec<Metric> {
        let asks = |wanted: Metric| {
            self.any(|atom| matches!(atom, Atom::Depth(metric, ..) if *metric == wanted))
        };
        Metric::ALL.into_iter().filter(|&metric| asks(metric)).collect()
    }

    /// Whether the answer depends on the 50-move rule.
    pub fn minds_the_rule(&self) -> bool {
        self.any(|atom| matches!(atom, Atom::Class(_)))
    }

    /// Whether the answer needs the tables that moves lead to.
    pub fn needs_moves(&self) -> bool {
        self.any(|atom| *atom == Atom::OnlyMove)
    }

    /// Whether the answer for one side to move needs the values of the other.
    pub(crate) fn needs_both_sides(&self) -> bool {
        self.any(|atom| *atom == Atom::Zugzwang)
    }
}
