//! What a position's moves lead to.

use std::collections::HashMap;
use std::sync::Arc;

use molien_board::{Material, Position};
use molien_build::{Build, BuildError};
use molien_values::{Metric, MoveClass, Table, Value, better, value_before};

/// The tables of a material and of everything one move leads to, in one
/// metric.
pub(crate) struct MoveTables {
    metric: Metric,
    tables: HashMap<Material, Arc<Table>>,
}

/// How many moves of a position are good.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct GoodMoves {
    /// Legal moves.
    pub legal: u32,
    /// Moves after which the outcome is the same.
    pub keeping: u32,
    /// Moves after which the depth is the best there is, too.
    pub optimal: u32,
}

impl MoveTables {
    pub fn solve(
        solver: &Build,
        material: Material,
        metric: Metric,
    ) -> Result<MoveTables, BuildError> {
        let mut tables = HashMap::new();
        let mut wanted = vec![material.canonical()];
        wanted.extend(material.successors().iter().map(Material::canonical));
        for material in wanted {
            tables.insert(material, solver.table(material, metric)?);
        }
        Ok(MoveTables { metric, tables })
    }

    /// The value without its en-passant right. Positions of other material
    /// than the tables' do not occur.
    fn plain(&self, position: &Position) -> Value {
        let table = self.tables.get(&position.material().canonical());
        table.and_then(|table| table.get(position)).unwrap_or(Value::Draw)
    }

    /// The value of a position, en passant included.
    fn value(&self, position: &Position) -> Value {
        if position.en_passant().is_none() {
            return self.plain(position);
        }
        let moves = position.legal_moves();
        let other = moves.iter().any(|m| !m.is_en_passant());
        let mut best = other.then(|| self.plain(&position.without_en_passant()));
        for m in moves.iter().filter(|m| m.is_en_passant()) {
            let value = value_before(self.metric, MoveClass::of(m), self.plain(&position.play(m)));
            best = Some(best.map_or(value, |best| better(best, value)));
        }
        best.unwrap_or(Value::Draw)
    }

    /// Counts the good moves of a position.
    pub fn good_moves(&self, position: &Position) -> GoodMoves {
        let mut best: Option<Value> = None;
        let mut count = GoodMoves::default();
        for m in position.legal_moves() {
            let after = self.value(&position.play(&m));
            let value = value_before(self.metric, MoveClass::of(&m), after);
            count.legal += 1;
            match best {
                Some(old) if old == value => {
                    count.keeping += 1;
                    count.optimal += 1;
                }
                Some(old) if better(old, value) == old => {
                    count.keeping += u32::from(old.outcome() == value.outcome());
                }
                _ => {
                    let same = best.is_some_and(|old| old.outcome() == value.outcome());
                    count.keeping = if same { count.keeping + 1 } else { 1 };
                    count.optimal = 1;
                    best = Some(value);
                }
            }
        }
        count
    }
}
