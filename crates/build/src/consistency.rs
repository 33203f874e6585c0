//! Checks finished tables against what they read.

use std::sync::Arc;

use molien_solve::{Consistency, check_board};
use molien_values::{BoardValues, Table};
use rayon::prelude::*;

use crate::build::outside_rayon;
use crate::cache::key;
use crate::{Build, BuildError};

/// Checks every position of a table against the positions one move on; what the
/// moves out of it lead to comes from `build`.
///
/// # Errors
/// If a table that is read cannot be had.
pub fn check_consistency(build: &Build, table: &Table) -> Result<Consistency, BuildError> {
    outside_rayon(|| {
        let (inputs, _held) = build.inputs_for(key(table.material, table.metric))?;
        // Pawn moves lead to other boards of the table itself.
        inputs.add_table(Arc::new(table.clone()));
        build.pool().install(|| {
            let check = |game: &Arc<BoardValues>| {
                Ok(check_board(build.backend, game, &*inputs.exits(&game.board)?))
            };
            let merge = |a: Consistency, b: Consistency| Ok(a.merge(b));
            table.parts.par_iter().map(check).try_reduce(Consistency::default, merge)
        })
    })
}
