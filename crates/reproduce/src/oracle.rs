//! Tables as an oracle of the search for king and pawn endings.

use std::sync::Arc;

use molien_board::Position;
use molien_pawns::{Oracle, Value};
use molien_probe::Tablebase;
use molien_values::{Metric, Outcome};

/// Men up to which the search asks tables.
const ORACLE_MEN: usize = 4;

/// The search's way to tables of up to four men, solved on demand.
pub struct TableOracle {
    tables: Tablebase,
}

impl TableOracle {
    /// Asks these tables.
    pub fn new(tables: Tablebase) -> Arc<TableOracle> {
        Arc::new(TableOracle { tables })
    }
}

impl Oracle for TableOracle {
    fn value(&self, position: &Position) -> Option<Value> {
        if position.occupied().len() > ORACLE_MEN {
            return None;
        }
        let value = self.tables.value(position, Metric::Dtc).ok()?;
        Some(match value.outcome() {
            Outcome::Win => Value::Win,
            Outcome::Draw => Value::Draw,
            Outcome::Loss => Value::Loss,
        })
    }
}
