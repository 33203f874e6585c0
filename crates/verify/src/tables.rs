//! The tables a referee reads: one material and all it can become.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use molien_board::{Material, Position};
use molien_build::{Build, BuildError, Storage, storage};
use molien_table::TableFile;
use molien_values::{Metric, Table, Value};

/// At most this many metrics are looked at together.
pub(crate) const MAX_METRICS: usize = Metric::EVERY.len();

/// The values of a position in the metrics of a [`TableSet`], by their order.
pub(crate) type ValueSet = [Value; MAX_METRICS];

/// Tables by canonical material, each in the same metrics.
pub(crate) struct TableSet {
    pub metrics: Vec<Metric>,
    tables: HashMap<Material, Vec<Arc<Table>>>,
    /// Tables that are read in their files.
    files: HashMap<Material, Arc<TableFile>>,
    /// Single positions of tables too large for memory that have no file.
    learnt: HashMap<Position, ValueSet>,
}

impl TableSet {
    /// The tables of a material and of everything one move leads to. An
    /// en-passant capture after a double step leads to one of those, too.
    pub fn new(
        solver: &Build,
        material: Material,
        metrics: &[Metric],
    ) -> Result<TableSet, BuildError> {
        let metrics = metrics[..metrics.len().min(MAX_METRICS)].to_vec();
        let (tables, files, learnt) = (HashMap::new(), HashMap::new(), HashMap::new());
        let mut set = TableSet { metrics, tables, files, learnt };
        set.add(solver, material)?;
        set.add_successors(solver, material)?;
        Ok(set)
    }

    /// A table in its file, and everything one move leads to: in memory, or in its file if
    /// it is too large for that; if it has none, single positions are to be
    /// [learnt](Self::learn).
    pub fn around(
        solver: &Build,
        file: Arc<TableFile>,
        metrics: &[Metric],
    ) -> Result<TableSet, BuildError> {
        let metrics = metrics[..metrics.len().min(MAX_METRICS)].to_vec();
        let material = file.material();
        let files = HashMap::from([(material, file)]);
        let (tables, learnt) = (HashMap::new(), HashMap::new());
        let mut set = TableSet { metrics, tables, files, learnt };
        for sub in material.successors() {
            let told = || set.metrics.iter().all(|&metric| solver.is_told(sub, metric));
            let learnt = solver.is_never_whole(sub) && (!sub.has_pawns() || told());
            if !learnt || has_file(solver, sub)? {
                set.add(solver, sub)?;
            }
        }
        Ok(set)
    }

    /// Learns the values of those positions that no table here holds.
    pub fn learn(
        &mut self,
        solver: &Build,
        positions: impl IntoIterator<Item = Position>,
    ) -> Result<(), BuildError> {
        let holds = |position: &Position| {
            let material = position.material().canonical();
            material.len() == 2
                || self.files.contains_key(&material)
                || self.tables.contains_key(&material)
        };
        let open: HashSet<Position> = positions
            .into_iter()
            .filter(|position| !holds(position) && !self.learnt.contains_key(position))
            .collect();
        let open: Vec<Position> = open.into_iter().collect();
        let mut values = vec![[Value::Draw; MAX_METRICS]; open.len()];
        for (number, &metric) in self.metrics.iter().enumerate() {
            solver.watch_many(&open, metric)?;
            for (position, values) in open.iter().zip(&mut values) {
                values[number] = solver.value(position, metric)?;
            }
        }
        self.learnt.extend(open.into_iter().zip(values));
        Ok(())
    }

    fn add_successors(&mut self, solver: &Build, material: Material) -> Result<(), BuildError> {
        material.successors().into_iter().try_for_each(|material| self.add(solver, material))
    }

    fn add(&mut self, solver: &Build, material: Material) -> Result<(), BuildError> {
        let material = material.canonical();
        if self.files.contains_key(&material) {
            return Ok(());
        }
        let large = matches!(storage(material), Storage::FromLog | Storage::ByPart);
        if let Some(folder) = solver.folder().filter(|_| large) {
            match folder.open(material) {
                Err(error) if error.is_missing() => {} // solved, if it fits
                file => {
                    self.files.insert(material, Arc::new(file?));
                    return Ok(());
                }
            }
        }
        if !self.tables.contains_key(&material) {
            let solve = |&metric: &Metric| solver.table(material, metric);
            let tables = self.metrics.iter().map(solve).collect::<Result<_, _>>()?;
            self.tables.insert(material, tables);
        }
        Ok(())
    }

    /// Uses these tables, one for each metric in order, for their material.
    pub fn replace(&mut self, tables: Vec<Arc<Table>>) {
        if let Some(first) = tables.first() {
            self.tables.insert(first.material, tables);
        }
    }

    /// The tables of a material, in the order of the metrics.
    pub fn of(&self, material: Material) -> &[Arc<Table>] {
        self.tables.get(&material.canonical()).map_or(&[], Vec::as_slice)
    }

    /// The values of a position, its en-passant right ignored.
    pub fn values(&self, position: &Position) -> Option<ValueSet> {
        if let Some(file) = self.files.get(&position.material().canonical()) {
            return self.values_in(file, position);
        }
        if let Some(values) = self.learnt.get(position) {
            return Some(*values);
        }
        let tables = self.of(position.material());
        let place = tables.first()?.locate(position)?;
        let mut values = [Value::Draw; MAX_METRICS];
        for (value, table) in values.iter_mut().zip(tables) {
            *value = table.at(place);
        }
        Some(values)
    }

    fn values_in(&self, file: &TableFile, position: &Position) -> Option<ValueSet> {
        let mut values = [Value::Draw; MAX_METRICS];
        for (value, &metric) in values.iter_mut().zip(&self.metrics) {
            *value = file.get(position, metric).ok()?;
        }
        Some(values)
    }
}

/// Whether a table is stored.
fn has_file(solver: &Build, material: Material) -> Result<bool, BuildError> {
    match solver.folder().map(|folder| folder.open(material.canonical())) {
        None => Ok(false),
        Some(Err(error)) if error.is_missing() => Ok(false),
        Some(file) => Ok(file.map(|_| true)?),
    }
}
