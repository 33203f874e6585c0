//! What a position's moves lead to.

use std::collections::HashMap;
use std::sync::Arc;

use molien_board::{Material, Position};
use molien_build::Build;
use molien_table::TableFile;
use molien_values::{
    Metric, MoveClass, Outcome, Table, Value, better, value_before, value_with_en_passant,
};

use crate::MineError;

/// A table in memory, or in a file from which single values are read.
enum MoveTable {
    Whole(Arc<Table>),
    Stored(Box<TableFile>),
}

/// The tables of a material and of everything one move leads to, in one
/// metric.
pub(crate) struct MoveTables {
    metric: Metric,
    tables: HashMap<Material, MoveTable>,
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

/// A material and what its moves lead to.
fn wanted(material: Material) -> Vec<Material> {
    let successors = material.successors();
    [material.canonical()].into_iter().chain(successors.iter().map(Material::canonical)).collect()
}

impl MoveTables {
    /// Whole tables, in memory: for many positions.
    pub fn solve(
        build: &Build,
        material: Material,
        metric: Metric,
    ) -> Result<MoveTables, MineError> {
        let mut tables = HashMap::new();
        for material in wanted(material) {
            tables.insert(material, MoveTable::Whole(build.table(material, metric)?));
        }
        Ok(MoveTables { metric, tables })
    }

    /// Who wins, from stored tables where there are some: for few positions.
    /// Depths are 0.
    pub fn open(build: &Build, material: Material) -> Result<MoveTables, MineError> {
        let metric = Metric::Dtz;
        let mut tables = HashMap::new();
        for material in wanted(material) {
            let file = build.folder().and_then(|folder| folder.open(material).ok());
            let source = match file {
                Some(file) => MoveTable::Stored(Box::new(file)),
                None => MoveTable::Whole(build.table(material, metric)?),
            };
            tables.insert(material, source);
        }
        Ok(MoveTables { metric, tables })
    }

    /// The value without its en-passant right. Positions of other material
    /// than the tables' do not occur.
    fn plain(&self, position: &Position) -> Result<Value, MineError> {
        match self.tables.get(&position.material().canonical()) {
            Some(MoveTable::Whole(table)) => Ok(table.get(position).unwrap_or(Value::Draw)),
            Some(MoveTable::Stored(file)) => Ok(match file.outcome(position)? {
                Outcome::Win => Value::Win(0),
                Outcome::Draw => Value::Draw,
                Outcome::Loss => Value::Loss(0),
            }),
            None => Ok(Value::Draw),
        }
    }

    /// The value of a position, en passant included.
    fn value(&self, position: &Position) -> Result<Value, MineError> {
        value_with_en_passant(position, self.metric, |position| self.plain(position))
    }

    /// Counts the good moves of a position.
    pub fn good_moves(&self, position: &Position) -> Result<GoodMoves, MineError> {
        let mut best: Option<Value> = None;
        let mut count = GoodMoves::default();
        for m in position.legal_moves() {
            let after = self.value(&position.play(&m))?;
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
        Ok(count)
    }
}
