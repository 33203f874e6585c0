//! Atoms put together.

use std::collections::HashSet;

use molien_board::Symmetry;

use super::Atom;

/// An expression of atoms. Chains of `and` and `or` are flat, however long;
/// only brackets and `not` nest, and the reader limits how deep.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Expr {
    Atom(Atom),
    Not(Box<Expr>),
    /// All of them: without any, every position.
    And(Vec<Expr>),
    /// Any of them.
    Or(Vec<Expr>),
}

impl Expr {
    /// All of these; said twice is said once.
    pub fn all_of(parts: Vec<Expr>) -> Expr {
        chain(parts, Expr::And, |expr| match expr {
            Expr::And(parts) => Ok(parts),
            other => Err(other),
        })
    }

    /// Any of these; said twice is said once.
    pub fn any_of(parts: Vec<Expr>) -> Expr {
        chain(parts, Expr::Or, |expr| match expr {
            Expr::Or(parts) => Ok(parts),
            other => Err(other),
        })
    }

    pub fn not(self) -> Expr {
        Expr::Not(Box::new(self))
    }

    /// The same expression of other atoms.
    fn map(&self, f: &impl Fn(Atom) -> Atom) -> Expr {
        let all = |parts: &[Expr]| parts.iter().map(|part| part.map(f)).collect();
        match self {
            Expr::Atom(atom) => Expr::Atom(f(*atom)),
            Expr::Not(inner) => inner.map(f).not(),
            Expr::And(parts) => Expr::And(all(parts)),
            Expr::Or(parts) => Expr::Or(all(parts)),
        }
    }

    pub fn visit(&self, f: &mut impl FnMut(&Atom)) {
        match self {
            Expr::Atom(atom) => f(atom),
            Expr::Not(inner) => inner.visit(f),
            Expr::And(parts) | Expr::Or(parts) => parts.iter().for_each(|part| part.visit(f)),
        }
    }

    /// The query that the image of a position answers as the position does
    /// this one.
    pub fn transform(&self, symmetry: Symmetry) -> Expr {
        self.map(&|atom| atom.transform(symmetry))
    }

    /// The query seen from the other side.
    pub fn swap_colors(&self) -> Expr {
        self.map(&|atom| atom.swap_colors())
    }

    /// What the atoms that are known settle; none if it depends on others.
    pub fn settled(&self, known: &impl Fn(&Atom) -> Option<bool>) -> Option<bool> {
        let chain = |parts: &[Expr], decisive: bool| {
            let mut open = false;
            for part in parts {
                match part.settled(known) {
                    Some(answer) if answer == decisive => return Some(decisive),
                    Some(_) => {}
                    None => open = true,
                }
            }
            (!open).then_some(!decisive)
        };
        match self {
            Expr::Atom(atom) => known(atom),
            Expr::Not(inner) => inner.settled(known).map(|answer| !answer),
            Expr::And(parts) => chain(parts, false),
            Expr::Or(parts) => chain(parts, true),
        }
    }
}

/// Puts parts together, those that are chains of the same kind opened and
/// repeated atoms left out. A chain of one is that one.
fn chain(
    parts: Vec<Expr>,
    build: fn(Vec<Expr>) -> Expr,
    open: fn(Expr) -> Result<Vec<Expr>, Expr>,
) -> Expr {
    let mut flat = Vec::with_capacity(parts.len());
    let mut seen: HashSet<Atom> = HashSet::new();
    let parts = parts.into_iter().flat_map(|part| open(part).unwrap_or_else(|part| vec![part]));
    for part in parts {
        match part {
            Expr::Atom(atom) if !seen.insert(atom) => {}
            part => flat.push(part),
        }
    }
    match flat.len() {
        1 => flat.remove(0),
        _ => build(flat),
    }
}
