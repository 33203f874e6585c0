//! Values from a folder of tables.

use std::sync::Arc;

use molien_board::{Material, Position};
use molien_table::{Directory, OpenTables, TableError, TableFile};
use molien_values::{Metric, Stats, Values};

use crate::{Failure, ProbeError, Source};

/// Reads tables from a folder. Files stay open; threads do not wait for each
/// other.
pub struct StoredTables {
    open: OpenTables,
}

impl StoredTables {
    /// The tables of a folder.
    pub fn new(directory: Directory) -> StoredTables {
        StoredTables { open: OpenTables::new(directory) }
    }

    /// The folder.
    pub fn directory(&self) -> &Directory {
        self.open.directory()
    }

    /// Looks again: the file of a material has been replaced.
    pub fn refresh(&self, material: Material) {
        self.open.forget(material);
    }

    /// The file of a material; none if there is none.
    ///
    /// # Errors
    /// If there is one that cannot be used.
    pub fn file(&self, material: Material) -> Result<Option<Arc<TableFile>>, ProbeError> {
        self.open.file(material).map_err(damaged)
    }
}

pub(crate) fn damaged(error: TableError) -> ProbeError {
    ProbeError::Table(Arc::new(error))
}

impl Source for StoredTables {
    fn holds(&self, material: Material, metric: Metric) -> bool {
        self.open.holds(material, metric)
    }

    fn values(
        &self,
        positions: &[Position],
        metrics: &[Metric],
        found: &mut [Values],
    ) -> Vec<Failure> {
        let mut failures: Vec<Failure> = Vec::new();
        for failure in self.open.fill(positions, metrics, found) {
            let metric = failure.metric;
            if failures.iter().all(|known| known.metric != metric) {
                failures.push(Failure { metric, error: damaged(failure.error) });
            }
        }
        failures
    }

    fn stats(&self, material: Material, metric: Metric) -> Result<Option<Stats>, ProbeError> {
        self.open.stats(material, metric).map_err(damaged)
    }
}
