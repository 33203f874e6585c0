//! Where tables may come from instead of being solved.

use molien_board::Material;

use crate::{Metric, ShelfError, Table};

/// Tables solved earlier, on disk for instance.
pub trait Shelf: Send + Sync {
    /// Whether the table of a canonical material can be had.
    fn contains(&self, material: Material, metric: Metric) -> bool;

    /// The table, if it is there.
    ///
    /// # Errors
    /// If it is there but cannot be read or made.
    fn load(&self, material: Material, metric: Metric) -> Result<Option<Table>, ShelfError>;

    /// Whether tables are decoded from files, which can take longer than solving them.
    fn reads_files(&self) -> bool {
        false
    }
}
