//! The tables a referee reads: one material and all it can become.

use std::collections::HashMap;
use std::sync::Arc;

use molien_board::{Material, Position};
use molien_solve::{Metric, SolveError, Solver, Table, Value};

/// At most this many metrics are looked at together.
pub(crate) const MAX_METRICS: usize = Metric::ALL.len();

/// The values of a position in the metrics of a [`TableSet`], by their order.
pub(crate) type ValueSet = [Value; MAX_METRICS];

/// Tables by canonical material, each in the same metrics.
pub(crate) struct TableSet {
    pub metrics: Vec<Metric>,
    tables: HashMap<Material, Vec<Arc<Table>>>,
}

impl TableSet {
    /// The tables of a material and of everything one move leads to. An
    /// en-passant capture after a double step leads to one of those, too.
    pub fn new(
        solver: &Solver,
        material: Material,
        metrics: &[Metric],
    ) -> Result<TableSet, SolveError> {
        let metrics = metrics[..metrics.len().min(MAX_METRICS)].to_vec();
        let mut set = TableSet { metrics, tables: HashMap::new() };
        let mut wanted = vec![material.canonical()];
        wanted.extend(material.successors().iter().map(Material::canonical));
        for material in wanted {
            if !set.tables.contains_key(&material) {
                let solve = |&metric: &Metric| solver.solve(material, metric);
                let tables = set.metrics.iter().map(solve).collect::<Result<_, _>>()?;
                set.tables.insert(material, tables);
            }
        }
        Ok(set)
    }

    /// Uses these tables, one for each metric in order, for their material.
    pub fn replace(&mut self, tables: Vec<Arc<Table>>) {
        if let (Some(first), true) = (tables.first(), tables.len() == self.metrics.len()) {
            self.tables.insert(first.material, tables);
        }
    }

    /// The tables of a material, in the order of the metrics.
    pub fn of(&self, material: Material) -> &[Arc<Table>] {
        self.tables.get(&material.canonical()).map_or(&[], Vec::as_slice)
    }

    /// The values of a position, its en-passant right ignored.
    pub fn values(&self, position: &Position) -> Option<ValueSet> {
        let tables = self.of(position.material());
        let place = tables.first()?.locate(position)?;
        let mut values = [Value::Draw; MAX_METRICS];
        for (value, table) in values.iter_mut().zip(tables) {
            *value = table.at(place);
        }
        Some(values)
    }
}
