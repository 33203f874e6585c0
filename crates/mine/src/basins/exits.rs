//! Best moves that leave the material.

use std::collections::HashMap;
use std::sync::Arc;

use molien_board::{Color, Material, Position};
use molien_build::Build;
use molien_hyper::{Hyperboard, Index, Tile};
use molien_values::{Metric, MoveClass, Table, Value, value_before};

use crate::MineError;

/// Where captures lead.
pub(super) struct Exits {
    metric: Metric,
    tables: HashMap<Material, Arc<Table>>,
}

impl Exits {
    pub fn new(build: &Build, material: Material, metric: Metric) -> Result<Exits, MineError> {
        let mut tables = HashMap::new();
        for next in material.successors() {
            let next = next.canonical();
            tables.insert(next, build.table_with_depths(next, metric)?);
        }
        Ok(Exits { metric, tables })
    }

    /// The positions of a tile, all of one value, that have no best move out of
    /// the material.
    pub fn without_exit(
        &self,
        board: &Hyperboard,
        (tile, set): (usize, &Tile),
        (turn, value): (Color, Value),
    ) -> Tile {
        let mut kept = Tile::EMPTY;
        for (row, column) in set.pairs() {
            let position = board.decode(Index { tile, row, column }, turn);
            if position.is_some_and(|position| !self.leaves(&position, value)) {
                kept.insert(row, column);
            }
        }
        kept
    }

    fn leaves(&self, position: &Position, value: Value) -> bool {
        let moves = position.legal_moves();
        moves.iter().filter(|m| m.is_conversion()).any(|m| {
            let after = position.play(m);
            // Two kings alone are in no table.
            let table = self.tables.get(&after.material().canonical());
            let known = table.and_then(|table| table.get(&after)).unwrap_or(Value::Draw);
            value_before(self.metric, MoveClass::Conversion, known) == value
        })
    }
}
