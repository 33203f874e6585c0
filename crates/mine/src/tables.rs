//! The tables of one material, in the orientation asked for.

use std::sync::Arc;

use molien_board::{Color, Material};
use molien_build::Build;
use molien_values::{BoardValues, Metric, Outcome, Place, Table, Value};

use crate::MineError;
use crate::moves::MoveTables;

/// Values by metric; none where the metric was not asked for.
pub type MetricValues = [Option<Value>; Metric::EVERY.len()];

/// The tables of a material in some metrics. Those of one material have the
/// same places, so that one address reads them all.
#[derive(Clone)]
pub struct TableSet {
    material: Material,
    swapped: bool,
    tables: [Option<Arc<Table>>; Metric::EVERY.len()],
    first: Arc<Table>,
    /// Where moves lead, if they are looked at.
    pub(crate) moves: Option<Arc<MoveTables>>,
}

impl TableSet {
    /// The tables of a material in these metrics (DTM if none is named),
    /// solved if need be.
    ///
    /// # Errors
    /// If a table cannot be solved.
    pub fn solve(
        solver: &Build,
        material: Material,
        metrics: &[Metric],
    ) -> Result<TableSet, MineError> {
        let metrics = if metrics.is_empty() { &[Metric::Dtm] } else { metrics };
        let mut tables: [Option<Arc<Table>>; Metric::EVERY.len()] = Default::default();
        let mut first = None;
        for &metric in metrics {
            let table = solver.table(material, metric)?;
            first.get_or_insert_with(|| table.clone());
            tables[metric as usize] = Some(table);
        }
        let Some(first) = first else {
            return Err(MineError::NoMetric { material, metric: Metric::Dtm });
        };
        let swapped = first.material != material;
        Ok(TableSet { material, swapped, tables, first, moves: None })
    }

    /// The same, with the tables that moves lead to: for questions about
    /// moves.
    ///
    /// # Errors
    /// If a table cannot be solved.
    pub fn with_moves(mut self, solver: &Build) -> Result<TableSet, MineError> {
        self.moves = Some(Arc::new(MoveTables::solve(solver, self.material, self.first.metric)?));
        Ok(self)
    }

    /// The material, in the orientation asked for.
    pub fn material(&self) -> Material {
        self.material
    }

    /// Whether the tables hold the material with colours exchanged.
    pub fn is_swapped(&self) -> bool {
        self.swapped
    }

    /// The metrics at hand.
    pub fn metrics(&self) -> Vec<Metric> {
        let at_hand = |metric: &Metric| self.tables[*metric as usize].is_some();
        Metric::EVERY.into_iter().filter(at_hand).collect()
    }

    /// The first table: any of them answers who wins.
    pub fn first(&self) -> &Arc<Table> {
        &self.first
    }

    /// The table of a metric.
    ///
    /// # Errors
    /// If it is not at hand, or holds no depths.
    pub fn with_depths(&self, metric: Metric) -> Result<&Arc<Table>, MineError> {
        let material = self.material;
        let table = self.tables[metric as usize].as_ref();
        let table = table.ok_or(MineError::NoMetric { material, metric })?;
        if table.has_depths() { Ok(table) } else { Err(MineError::NoDepths { material, metric }) }
    }

    pub(crate) fn get(&self, metric: Metric) -> Option<&Arc<Table>> {
        self.tables[metric as usize].as_ref()
    }

    /// The values at a place; a depth is 0 where depths are not kept.
    pub fn values(&self, place: Place) -> MetricValues {
        std::array::from_fn(|i| self.tables[i].as_ref().map(|table| table.at(place)))
    }

    /// Who wins at a place, seen from the side to move.
    pub fn outcome(&self, place: Place) -> Outcome {
        self.first.at(place).outcome()
    }

    /// The hyperboards.
    pub(crate) fn parts(&self) -> &[Arc<BoardValues>] {
        &self.first.parts
    }

    /// The side to move in the table for a side to move as asked.
    pub(crate) fn table_color(&self, color: Color) -> Color {
        if self.swapped { !color } else { color }
    }
}
