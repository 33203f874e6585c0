//! The folder as a shelf of the solver.

use std::sync::Arc;

use molien_board::Material;
use molien_values::{Metric, Shelf, ShelfError, Table};

use crate::{Directory, TableError, TableFile};

/// Tables of more men are not brought into memory as a whole: they are solved
/// again instead.
const LOADED_MEN: usize = 5;

impl Directory {
    /// Reads a table that is not too large for memory.
    fn read(
        &self,
        (material, metric): (Material, Metric),
        load: impl Fn(&TableFile) -> Result<Table, TableError>,
    ) -> Result<Option<Table>, ShelfError> {
        if material.len() > LOADED_MEN {
            return Ok(None);
        }
        match self.open(material).and_then(|file| load(&file)) {
            Ok(table) => Ok(Some(table)),
            Err(error) if error.is_missing() => Ok(None),
            Err(error) => Err(ShelfError::Read { material, metric, source: Arc::new(error) }),
        }
    }
}

impl Shelf for Directory {
    fn contains(&self, material: Material, metric: Metric) -> bool {
        let is_whole = |file: TableFile| file.has(metric) && file.derived_side(metric).is_none();
        material.len() <= LOADED_MEN && self.open(material).is_ok_and(is_whole)
    }

    fn load(&self, material: Material, metric: Metric) -> Result<Option<Table>, ShelfError> {
        self.read((material, metric), |file| file.load(metric))
    }

    fn load_winners(
        &self,
        material: Material,
        metric: Metric,
    ) -> Result<Option<Table>, ShelfError> {
        self.read((material, metric), |file| file.load_winners(metric))
    }

    fn reads_files(&self) -> bool {
        true
    }
}
