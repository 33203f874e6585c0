//! The folder as a shelf of the solver.

use std::sync::Arc;

use molien_board::Material;
use molien_values::{Metric, Shelf, ShelfError, Table};

use crate::{Directory, TableFile};

/// Tables of more men are not brought into memory as a whole: they are solved
/// again instead.
const LOADED_MEN: usize = 5;

impl Shelf for Directory {
    fn contains(&self, material: Material, metric: Metric) -> bool {
        let is_whole = |file: TableFile| file.has(metric) && file.derived_side(metric).is_none();
        material.len() <= LOADED_MEN && self.open(material).is_ok_and(is_whole)
    }

    fn load(&self, material: Material, metric: Metric) -> Result<Option<Table>, ShelfError> {
        if material.len() > LOADED_MEN {
            return Ok(None);
        }
        match self.open(material).and_then(|file| file.load(metric)) {
            Ok(table) => Ok(Some(table)),
            Err(error) if error.is_missing() => Ok(None),
            Err(error) => Err(ShelfError::Read { material, metric, source: Arc::new(error) }),
        }
    }

    fn reads_files(&self) -> bool {
        true
    }
}
