//! Where tables may come from instead of being solved.

use molien_board::Material;

use crate::{BoardValues, Metric, ShelfError, Stats, Table};

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

    /// Whether the boards of a canonical material with pawns, too large a table for
    /// memory, can be had one after the other.
    fn has_boards(&self, _material: Material, _metric: Metric) -> bool {
        false
    }

    /// Hands over all boards of a table that it [has](Self::has_boards), in any order, in
    /// batches that the receiver takes. Returns the statistics of the whole.
    ///
    /// # Errors
    /// If they cannot be made, or the receiver wants no more.
    fn hand_over(
        &self,
        material: Material,
        metric: Metric,
        _receiver: &dyn BoardReceiver,
    ) -> Result<Stats, ShelfError> {
        Err(ShelfError::NoBoards { material, metric })
    }
}

/// Takes the boards of a table that never is in memory as a whole.
pub trait BoardReceiver: Sync {
    /// Bytes of boards, planes and all, that should come at a time; one board may have
    /// more.
    fn batch_bytes(&self) -> u64;

    /// Takes finished boards, and waits until there is room for them. Says whether to go
    /// on.
    fn take(&self, boards: Vec<BoardValues>) -> bool;
}
