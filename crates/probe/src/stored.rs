//! Values from a folder of tables.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::SystemTime;

use molien_board::{Material, Position};
use molien_table::{Directory, TableError, TableFile};
use molien_values::{Metric, Stats, Value, Values};

use crate::{Failure, ProbeError, Source};

/// What is known of a material's file.
#[derive(Clone)]
enum Known {
    File(Arc<TableFile>),
    /// There was none when the folder had last changed at this time.
    Missing {
        folder_changed: Option<SystemTime>,
    },
}

/// Reads tables from a folder. Files stay open; a lookup takes no lock that
/// another one holds for long.
pub struct StoredTables {
    directory: Directory,
    known: RwLock<HashMap<Material, Known>>,
}

impl StoredTables {
    /// The tables of a folder.
    pub fn new(directory: Directory) -> StoredTables {
        StoredTables { directory, known: RwLock::default() }
    }

    /// The folder.
    pub fn directory(&self) -> &Directory {
        &self.directory
    }

    /// Looks again: the file of a material has been replaced.
    pub fn refresh(&self, material: Material) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.remove(&material.canonical());
    }

    fn folder_changed(&self) -> Option<SystemTime> {
        std::fs::metadata(self.directory.folder()).and_then(|found| found.modified()).ok()
    }

    /// The file of a material; none if there is none.
    ///
    /// # Errors
    /// If there is one that cannot be used.
    pub fn file(&self, material: Material) -> Result<Option<Arc<TableFile>>, ProbeError> {
        let material = material.canonical();
        let known = || self.known.read().unwrap_or_else(PoisonError::into_inner);
        let earlier = known().get(&material).cloned();
        let folder_changed = match earlier {
            Some(Known::File(file)) => return Ok(Some(file)),
            Some(Known::Missing { folder_changed }) if folder_changed == self.folder_changed() => {
                return Ok(None);
            }
            // A file that appears from now on is noticed the next time.
            _ => self.folder_changed(),
        };
        let found = match self.directory.open(material) {
            Ok(file) => Known::File(Arc::new(file)),
            Err(error) if error.is_missing() => Known::Missing { folder_changed },
            Err(error) => return Err(damaged(error)),
        };
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.insert(material, found.clone());
        Ok(match found {
            Known::File(file) => Some(file),
            Known::Missing { .. } => None,
        })
    }

    fn value(&self, position: &Position, metric: Metric) -> Result<Option<Value>, ProbeError> {
        let material = position.material();
        if material.len() == 2 {
            return Ok(Some(Value::Draw));
        }
        match self.file(material)?.filter(|file| file.metrics().contains(&metric)) {
            Some(file) => file.get(position, metric).map(Some).map_err(damaged),
            None => Ok(None),
        }
    }
}

pub(crate) fn damaged(error: TableError) -> ProbeError {
    ProbeError::Table(Arc::new(error))
}

impl Source for StoredTables {
    fn holds(&self, material: Material, metric: Metric) -> bool {
        let file = self.file(material).ok().flatten();
        material.len() == 2 || file.is_some_and(|file| file.metrics().contains(&metric))
    }

    fn values(
        &self,
        positions: &[Position],
        metrics: &[Metric],
        found: &mut [Values],
    ) -> Vec<Failure> {
        let mut failures: Vec<Failure> = Vec::new();
        for (position, found) in positions.iter().zip(found) {
            for &metric in metrics {
                if found.get(metric).is_some() {
                    continue;
                }
                match self.value(position, metric) {
                    Ok(Some(value)) => found.set(metric, value),
                    Ok(None) => {}
                    Err(error) if failures.iter().all(|failure| failure.metric != metric) => {
                        failures.push(Failure { metric, error });
                    }
                    Err(_) => {}
                }
            }
        }
        failures
    }

    fn stats(&self, material: Material, metric: Metric) -> Result<Option<Stats>, ProbeError> {
        match self.file(material)?.filter(|file| file.metrics().contains(&metric)) {
            Some(file) => file.stats(metric).map(Some).map_err(damaged),
            None => Ok(None),
        }
    }
}
