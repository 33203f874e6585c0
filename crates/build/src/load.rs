//! Tables that are at hand: in the folder, or on a shelf.

use std::sync::Arc;

use molien_solve::{Keep, derive_depths};
use molien_table::TableFile;
use molien_values::{BoardValues, Table};
use rayon::prelude::*;

use crate::cache::Key;
use crate::inputs::Inputs;
use crate::limits::is_loaded;
use crate::{Build, BuildError};

impl Build {
    /// Loads what the folder or a shelf has, from a file no more than is to be kept.
    /// `None` if no shelf has it after all.
    pub(crate) fn load(&self, wanted: Key, keep: Keep) -> Result<Option<Table>, BuildError> {
        let (material, metric) = wanted;
        if is_loaded(material) {
            let read = |file: TableFile| match keep {
                Keep::Depths => file.load(metric),
                Keep::Outcomes | Keep::Winners => file.load_winners(metric),
            };
            match self.open_file(material).and_then(|file| file.map(read).transpose()) {
                Ok(Some(table)) => return Ok(Some(table)),
                Ok(None) => {}
                Err(error) if error.is_missing() => {}
                Err(error) => return Err(error.into()),
            }
        }
        for shelf in &self.shelves {
            let table = match keep {
                Keep::Depths => shelf.load(material, metric)?,
                Keep::Outcomes | Keep::Winners => shelf.load_winners(material, metric)?,
            };
            if table.is_some() {
                return Ok(table);
            }
        }
        Ok(None)
    }

    /// Loads a table that the folder has for one side to move, and finds the other
    /// side's depths one move on.
    pub(crate) fn derive(&self, wanted: Key, inputs: &Inputs) -> Result<Option<Table>, BuildError> {
        let (material, metric) = wanted;
        let Some(file) = self.open_file(material)? else { return Ok(None) };
        let Some(side) = file.derived_side(metric) else { return Ok(Some(file.load(metric)?)) };
        let mut table = file.load_stored(metric)?;
        // Pawn moves lead to other boards of the table itself, and there to the
        // other side, whose depths are known.
        inputs.add_table(Arc::new(table.clone()));
        let derive = |game: &Arc<BoardValues>| {
            let exits = inputs.exits(&game.board)?;
            let mut whole = BoardValues::clone(game);
            whole.values[side.index()].depth =
                derive_depths(self.backend, game, side, &*exits, &*self.progress)?;
            Ok::<_, BuildError>(Arc::new(whole))
        };
        table.parts = table.parts.par_iter().map(derive).collect::<Result<_, _>>()?;
        Ok(Some(table))
    }
}
