//! Values of positions, without allocating.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use molien_board::{Material, Position};
use molien_table::{Directory, OpenTables, TableError};
use molien_values::{Metric, Table, Value, value_with_en_passant};

/// Why there is no value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Failed {
    /// The table, or the metric in it, is not there.
    Missing,
    /// The file is damaged or cannot be read.
    Damaged,
    /// The file holds the depths of one side to move: it can be read position by
    /// position, but not loaded.
    OneSided,
}

impl From<TableError> for Failed {
    fn from(error: TableError) -> Failed {
        match error {
            TableError::OtherSide { .. } => Failed::OneSided,
            TableError::Underneath { .. } => Failed::Missing,
            error if error.is_missing() => Failed::Missing,
            _ => Failed::Damaged,
        }
    }
}

/// The tables of a folder.
///
/// Threads share it: what is loaded is found under a lock for reading that is
/// held for the time of a copy.
pub struct Tables {
    open: OpenTables,
    loaded: RwLock<HashMap<(Material, Metric), Arc<Table>>>,
}

impl Tables {
    /// The tables of a folder, none of them loaded.
    pub fn new(folder: PathBuf) -> Tables {
        let open = OpenTables::new(Directory::new(folder));
        Tables { open, loaded: RwLock::default() }
    }

    /// Brings a whole table into memory: asking about it no longer allocates.
    ///
    /// # Errors
    /// If it is not there or cannot be read, or is stored with one side to move.
    pub fn load(&self, material: Material, metric: Metric) -> Result<(), Failed> {
        let material = material.canonical();
        let file = self.open.file(material)?;
        let file = file.filter(|file| file.holds(metric)).ok_or(Failed::Missing)?;
        let table = Arc::new(file.load(metric)?);
        let mut loaded = self.loaded.write().unwrap_or_else(PoisonError::into_inner);
        loaded.insert((material, metric), table);
        Ok(())
    }

    /// The value of a legal position, en passant included.
    ///
    /// # Errors
    /// If its table is not there or cannot be read.
    pub fn value(&self, position: &Position, metric: Metric) -> Result<Value, Failed> {
        value_with_en_passant(position, metric, |position| self.stored(position, metric))
    }

    /// The value that a table has.
    fn stored(&self, position: &Position, metric: Metric) -> Result<Value, Failed> {
        let material = position.material();
        if material.len() == 2 {
            return Ok(Value::Draw);
        }
        let loaded = {
            let loaded = self.loaded.read().unwrap_or_else(PoisonError::into_inner);
            loaded.get(&(material.canonical(), metric)).cloned()
        };
        if let Some(table) = loaded {
            return table.get(position).ok_or(Failed::Damaged);
        }
        let file = self.open.file(material)?;
        let file = file.filter(|file| file.holds(metric)).ok_or(Failed::Missing)?;
        match file.get(position, metric) {
            Ok(value) => Ok(value),
            // What the file leaves out follows from the moves.
            Err(TableError::OtherSide { .. }) => {
                self.open.values(position, &[metric])?.get(metric).ok_or(Failed::Missing)
            }
            Err(error) => Err(error.into()),
        }
    }
}
