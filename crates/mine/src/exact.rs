//! Queries answered for one position, the obvious way.

use molien_board::{Position, Role};
use molien_values::{Metric, Outcome, Place};

use crate::TableSet;
use crate::query::{Atom, Expr};
use crate::tiles::LAST_PLY;

/// A position of a table, in the table's orientation.
pub(crate) struct Subject<'a> {
    pub tables: &'a TableSet,
    pub place: Place,
    pub position: Position,
}

impl Subject<'_> {
    pub fn matches(&self, expr: &Expr) -> bool {
        match expr {
            Expr::All => true,
            Expr::Atom(atom) => self.atom(atom),
            Expr::Not(inner) => !self.matches(inner),
            Expr::And(a, b) => self.matches(a) && self.matches(b),
            Expr::Or(a, b) => self.matches(a) || self.matches(b),
        }
    }

    fn atom(&self, atom: &Atom) -> bool {
        match *atom {
            Atom::Stands(man, squares) => !(self.position.of(man) & squares).is_empty(),
            Atom::Turn(color) => self.position.turn() == color,
            Atom::Outcome(outcome) => self.tables.outcome(self.place) == outcome,
            Atom::Cursed => self.depth(Metric::Dtz50).is_some_and(|plies| plies > LAST_PLY),
            Atom::Depth(metric, from, to) => {
                self.depth(metric).is_some_and(|plies| from <= plies && plies <= to)
            }
            Atom::Zugzwang => self.zugzwang(),
            Atom::OnlyMove => match &self.tables.moves {
                Some(moves) => moves.good_moves(&self.position).keeping == 1,
                None => false,
            },
            Atom::Check => self.position.in_check(self.position.turn()),
            Atom::Capture => self.capture(),
        }
    }

    fn depth(&self, metric: Metric) -> Option<u16> {
        self.tables.get(metric)?.at(self.place).plies()
    }

    fn zugzwang(&self) -> bool {
        let other = self.position.with_turn(!self.position.turn());
        if other.check_legal().is_err() {
            return false;
        }
        let here = self.tables.outcome(self.place);
        let there = self.tables.outcome(Place { turn: other.turn(), ..self.place });
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
}
