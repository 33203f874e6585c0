//! The zeroing moves of a whole table, for formats that leave them to the reader.

use std::sync::Arc;

use molien_hyper::Hyperboard;
use molien_solve::{SolveError, Zeroing};
use molien_values::{Metric, Table};

use crate::build::outside_rayon;
use crate::cache::key;
use crate::inputs::Inputs;
use crate::memory::Reservation;
use crate::{Build, BuildError};

/// What the zeroing moves of a table lead to, all of it at hand.
pub struct ZeroingMoves<'a> {
    build: &'a Build,
    inputs: Inputs,
    _held: [Reservation<'a>; 2],
}

impl Build {
    /// Gets ready what the zeroing moves of a table in DTZ50 lead to, and takes
    /// memory for what the caller makes of them.
    ///
    /// # Errors
    /// If a table that is read cannot be had, or there is too little memory.
    pub fn zeroing_moves(
        &self,
        table: &Table,
        working_bytes: u64,
    ) -> Result<ZeroingMoves<'_>, BuildError> {
        let wanted = key(table.material, Metric::Dtz50);
        let (inputs, held) = outside_rayon(|| self.inputs_for(wanted))?;
        // Pawn moves lead to other boards of the table itself.
        inputs.add_table(Arc::new(table.clone()));
        // Last: who has taken memory for work must not wait for tables.
        let room = self.reserve(wanted, working_bytes)?;
        Ok(ZeroingMoves { build: self, inputs, _held: [held, room] })
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
