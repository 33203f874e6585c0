//! Queries: which positions are wanted.
//!
//! The language is described in `docs/find.md`. A query is an expression of
//! [`Atom`]s; it can be moved by a symmetry of the board and seen from the
//! other side, so that tables which hold one position of each class answer
//! for all of them.

mod lex;
mod parse;

use molien_board::{Bitboard, Color, Man, Material, Symmetry};
use molien_values::{Metric, Outcome};
use thiserror::Error;

/// A mistake in a query.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[error("query, column {column}: {message}")]
pub struct QueryError {
    /// Where, counted from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

/// A question that one position answers with yes or no.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Atom {
    /// A man of this kind stands on one of the squares.
    Stands(Man, Bitboard),
    /// This side is to move.
    Turn(Color),
    /// The outcome for the side to move.
    Outcome(Outcome),
    /// Won or lost, but drawn under the 50-move rule.
    Cursed,
    /// The depth lies in this range, ends included.
    Depth(Metric, u16, u16),
    /// The placement is a mutual zugzwang.
    Zugzwang,
    /// Exactly one move keeps the outcome.
    OnlyMove,
    /// The side to move is in check.
    Check,
    /// The side to move has a legal capture.
    Capture,
}

/// Atoms put together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Expr {
    Atom(Atom),
    Not(Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    /// Every position.
    All,
}

impl Expr {
    pub(crate) fn and(self, other: Expr) -> Expr {
        Expr::And(Box::new(self), Box::new(other))
    }

    pub(crate) fn or(self, other: Expr) -> Expr {
        Expr::Or(Box::new(self), Box::new(other))
    }

    /// The same expression of other atoms.
    fn map(&self, f: &impl Fn(Atom) -> Atom) -> Expr {
        match self {
            Expr::All => Expr::All,
            Expr::Atom(atom) => Expr::Atom(f(*atom)),
            Expr::Not(inner) => Expr::Not(Box::new(inner.map(f))),
            Expr::And(a, b) => a.map(f).and(b.map(f)),
            Expr::Or(a, b) => a.map(f).or(b.map(f)),
        }
    }

    fn visit(&self, f: &mut impl FnMut(&Atom)) {
        match self {
            Expr::All => {}
            Expr::Atom(atom) => f(atom),
            Expr::Not(inner) => inner.visit(f),
            Expr::And(a, b) | Expr::Or(a, b) => {
                a.visit(f);
                b.visit(f);
            }
        }
    }

    /// The query that the image of a position answers as the position does
    /// this one.
    pub(crate) fn transform(&self, symmetry: Symmetry) -> Expr {
        self.map(&|atom| match atom {
            Atom::Stands(man, squares) => Atom::Stands(man, symmetry.bitboard(squares)),
            other => other,
        })
    }

    /// The query seen from the other side.
    pub(crate) fn swap_colors(&self) -> Expr {
        self.map(&|atom| match atom {
            Atom::Stands(man, squares) => {
                Atom::Stands(Man::new(!man.color, man.role), squares.flip_vertical())
            }
            Atom::Turn(color) => Atom::Turn(!color),
            other => other,
        })
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
        Query { expr: Expr::All }
    }

    pub(crate) fn atom(atom: Atom) -> Query {
        Query { expr: Expr::Atom(atom) }
    }

    pub(crate) fn and(self, atom: Atom) -> Query {
        Query { expr: self.expr.and(Expr::Atom(atom)) }
    }

    /// The metrics whose tables the answer needs.
    pub fn metrics(&self) -> Vec<Metric> {
        let mut found = Vec::new();
        self.expr.visit(&mut |atom| match atom {
            Atom::Depth(metric, ..) => found.push(*metric),
            Atom::Cursed => found.push(Metric::Dtz50),
            _ => {}
        });
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Whether the answer needs the tables that moves lead to.
    pub fn needs_moves(&self) -> bool {
        let mut needed = false;
        self.expr.visit(&mut |atom| needed |= *atom == Atom::OnlyMove);
        needed
    }
}
