//! Queries answered for one position, the obvious way.

use molien_board::{Bitboard, Man, Position, Role, attacks};
use molien_values::{Category, FIFTY_MOVES_PLIES, Metric, Outcome, Place};

use crate::part::Part;
use crate::query::{Atom, Expr, Target};
use crate::{MineError, TableSet};

/// A position of a table, in the table's orientation.
pub(crate) struct Subject<'a> {
    pub tables: &'a TableSet,
    pub part: &'a Part,
    pub place: Place,
    pub position: Position,
}

impl Subject<'_> {
    pub fn matches(&self, expr: &Expr) -> Result<bool, MineError> {
        let chain = |parts: &[Expr], decisive: bool| {
            for part in parts {
                if self.matches(part)? == decisive {
                    return Ok(decisive);
                }
            }
            Ok(!decisive)
        };
        match expr {
            Expr::Atom(atom) => self.atom(atom),
            Expr::Not(inner) => Ok(!self.matches(inner)?),
            Expr::And(parts) => chain(parts, false),
            Expr::Or(parts) => chain(parts, true),
        }
    }

    fn atom(&self, atom: &Atom) -> Result<bool, MineError> {
        Ok(match *atom {
            Atom::Stands(man, squares) => !(self.position.of(man) & squares).is_empty(),
            Atom::Turn(color) => self.position.turn() == color,
            Atom::Outcome(outcome) => self.part.outcome(self.place) == outcome,
            Atom::Class(category) => self.class() == category,
            Atom::Depth(metric, from, to) => {
                self.depth(metric).is_some_and(|plies| from <= plies && plies <= to)
            }
            Atom::Zugzwang => self.zugzwang(),
            Atom::OnlyMove => match &self.tables.moves {
                Some(moves) => moves.good_moves(&self.position)?.keeping == 1,
                None => false,
            },
            Atom::Check => self.position.in_check(self.position.turn()),
            Atom::Mate => self.position.is_checkmate(),
            Atom::Stalemate => self.position.is_stalemate(),
            Atom::Capture => self.capture(),
            Atom::Distance(men, from, to) => {
                self.distance(men).is_some_and(|moves| from <= moves && moves <= to)
            }
            Atom::Attacks(man, target) => self.attacks(man, target),
        })
    }

    fn depth(&self, metric: Metric) -> Option<u16> {
        self.part.value(metric, self.place.turn, self.place.index)?.plies()
    }

    fn class(&self) -> Category {
        let spoilt = self.depth(Metric::Dtz50).is_some_and(|plies| plies > FIFTY_MOVES_PLIES);
        match self.part.outcome(self.place) {
            Outcome::Win if spoilt => Category::CursedWin,
            Outcome::Loss if spoilt => Category::BlessedLoss,
            outcome => outcome.into(),
        }
    }

    fn zugzwang(&self) -> bool {
        let other = self.position.with_turn(!self.position.turn());
        if other.check_legal().is_err() {
            return false;
        }
        let here = self.part.outcome(self.place);
        let there = self.part.outcome(Place { turn: other.turn(), ..self.place });
        // Both values are the mover's: whoever moves is worse off if the
        // two together are below an even score.
        matches!(
            (here, there),
            (Outcome::Loss, Outcome::Loss | Outcome::Draw) | (Outcome::Draw, Outcome::Loss)
        )
    }

    fn capture(&self) -> bool {
        let us = self.position.turn();
        let victims = self.position.side(!us);
        let moves = self.position.pseudo_legal_moves();
        let captures =
            moves.iter().filter(|m| victims.contains(m.to) && m.captured != Some(Role::King));
        captures.into_iter().any(|m| !self.position.play(m).in_check(us))
    }

    /// King moves between the nearest two men of these kinds.
    fn distance(&self, [a, b]: [Man; 2]) -> Option<u16> {
        let others = self.position.of(b);
        let pairs = self.position.of(a).into_iter().flat_map(|from| {
            others.into_iter().filter(move |to| *to != from).map(move |to| from.distance(to))
        });
        pairs.min().map(|moves| moves as u16)
    }

    fn attacks(&self, man: Man, target: Target) -> bool {
        let targets = match target {
            Target::Man(target) => self.position.of(target),
            Target::Squares(squares) => squares,
        };
        let occupied = self.position.occupied();
        let mut men = self.position.of(man).into_iter();
        men.any(|from| !(reach(man, from, occupied) & targets).is_empty())
    }
}

/// The squares a man attacks.
pub(crate) fn reach(man: Man, from: molien_board::Square, occupied: Bitboard) -> Bitboard {
    match man.role {
        Role::Pawn => attacks::pawn(man.color, from),
        role => attacks::attacks(role, from, occupied),
    }
}
