//! The zeroing moves of a whole table, for formats that leave them to the reader.

use std::sync::Arc;

use molien_hyper::Hyperboard;
use molien_solve::{SolveError, Zeroing};
use molien_values::{Metric, Table};

use crate::build::outside_rayon;
use crate::cache::key;
use crate::inputs::Inputs;
use crate::limits::keep_for_others;
use crate::needs::reads;
use crate::{Build, BuildError};

/// What the zeroing moves of a table lead to, all of it at hand.
pub struct ZeroingMoves<'a> {
    build: &'a Build,
    inputs: Inputs,
}

impl Build {
    /// Gets ready what the zeroing moves of a table in DTZ50 lead to.
    ///
    /// # Errors
    /// If a table that is read cannot be had.
    pub fn zeroing_moves(&self, table: &Table) -> Result<ZeroingMoves<'_>, BuildError> {
        let metric = Metric::Dtz50;
        let inputs = Inputs::new(self.backend, metric, &self.promotions);
        outside_rayon(|| {
            for sub in reads(table.material) {
                inputs.add_table(self.request(key(sub, metric), keep_for_others(sub, metric))?);
            }
            Ok::<(), BuildError>(())
        })?;
        // Pawn moves lead to other boards of the table itself.
        inputs.add_table(Arc::new(table.clone()));
        Ok(ZeroingMoves { build: self, inputs })
    }
}

impl ZeroingMoves<'_> {
    /// Those of one board of the table.
    ///
    /// # Errors
    /// If the board is not one of the table.
    pub fn of(&self, board: &Hyperboard) -> Result<Zeroing, SolveError> {
        Ok(Zeroing::new(self.build.backend, self.inputs.exits(board)?))
    }
}
