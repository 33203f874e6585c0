//! Values of the side to move that a file leaves out: one move on, and better
//! known there.

use molien_board::{Material, Move, Position};
use molien_values::{
    Metric, MoveClass, Outcome, Rule, Value, better, value_before, value_with_en_passant,
};

use crate::{OpenTables, TableError, TableFile};

/// What has to be known of a position after a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Asked {
    /// Who wins.
    Outcome,
    /// The value in a metric.
    Value(Metric),
}

impl Asked {
    /// For the value before a move of this class in a metric.
    fn after(class: MoveClass, metric: Metric) -> Asked {
        match class.rule(metric) {
            Rule::One => Asked::Outcome,
            Rule::Fifty => Asked::Value(Metric::Wdl),
            Rule::Onward => Asked::Value(metric),
        }
    }
}

impl OpenTables {
    /// The value of a position whose depth its file leaves out: the best of what
    /// its moves lead to.
    pub(crate) fn derive(
        &self,
        file: &TableFile,
        position: &Position,
        metric: Metric,
    ) -> Result<Value, TableError> {
        let wanted = file.outcome(position)?;
        if wanted == Outcome::Draw {
            return Ok(Value::Draw);
        }
        let mut best = None;
        for m in position.legal_moves() {
            let after = position.play(&m);
            // Moves that throw the win away need no depth. (All moves of a lost
            // position lose.)
            if wanted == Outcome::Win && self.outcome_after(file, &after, metric)? != Outcome::Loss
            {
                continue;
            }
            let value = self.value_of_move(file, &m, &after, metric)?;
            best = Some(best.map_or(value, |best| better(best, value)));
        }
        // Without a move a position that is not drawn is mate.
        Ok(best.unwrap_or(Value::Loss(0)))
    }

    fn value_of_move(
        &self,
        file: &TableFile,
        m: &Move,
        after: &Position,
        metric: Metric,
    ) -> Result<Value, TableError> {
        let class = MoveClass::of(m);
        let asked = Asked::after(class, metric);
        let counted = if let Asked::Value(counted) = asked { counted } else { metric };
        let plain = |position: &Position| self.known_value(file, position, asked, metric);
        Ok(value_before(metric, class, value_with_en_passant(after, counted, plain)?))
    }

    fn outcome_after(
        &self,
        file: &TableFile,
        after: &Position,
        metric: Metric,
    ) -> Result<Outcome, TableError> {
        let plain = |position: &Position| self.known_value(file, position, Asked::Outcome, metric);
        Ok(value_with_en_passant(after, metric, plain)?.outcome())
    }

    /// What is asked of a position that a move leads to; who wins has no depth.
    fn known_value(
        &self,
        file: &TableFile,
        position: &Position,
        asked: Asked,
        metric: Metric,
    ) -> Result<Value, TableError> {
        let material = position.material().canonical();
        let missing = || TableError::Underneath { path: file.path().to_owned(), metric, material };
        if material.len() == 2 {
            return Ok(Value::Draw);
        }
        match asked {
            Asked::Value(metric) => {
                self.values(position, &[metric])?.get(metric).ok_or_else(missing)
            }
            Asked::Outcome => {
                let known = self.file(material)?.ok_or_else(missing)?;
                Ok(match known.outcome(position)? {
                    Outcome::Win => Value::Win(0),
                    Outcome::Draw => Value::Draw,
                    Outcome::Loss => Value::Loss(0),
                })
            }
        }
    }

    /// Whether everything is there that the moves out of a material lead to, as far
    /// as the values of a side left out need it.
    pub(crate) fn holds_below(&self, material: Material, metric: Metric) -> bool {
        let is_there = |sub: Material| match Asked::after(MoveClass::Conversion, metric) {
            Asked::Outcome => sub.len() == 2 || matches!(self.file(sub), Ok(Some(_))),
            Asked::Value(metric) => self.holds(sub, metric),
        };
        material.canonical().successors().into_iter().all(|sub| is_there(sub.canonical()))
    }
}
