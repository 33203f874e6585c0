//! What is read of a large table after a promotion, copied off it: from memory,
//! from its compressed form, from its file or from its log, a part at a time.

use std::collections::HashMap;

use molien_solve::{SolveError, Wanted};
use molien_values::Placement;
use rayon::prelude::*;

use crate::cache::Key;
use crate::inputs::Inputs;
use crate::limits::keep_for_others;
use crate::memory::{board_bytes, cutting_bytes, decoding_bytes};
use crate::sources::BoardSource;
use crate::{Build, BuildError};

/// Parts brought into memory at a time take at most this much, or are one.
const PARTS_BYTES: u64 = 256 << 20;

impl Build {
    /// Copies slices of a table, which is made if need be, and lets go of it.
    pub(crate) fn copy_slices(
        &self,
        inputs: &Inputs,
        key: Key,
        slices: &[Wanted],
    ) -> Result<(), BuildError> {
        let (material, metric) = key;
        if self.is_logged(material) {
            return self.copy_piece_slices(inputs, key, slices);
        }
        let source = self.source(key, keep_for_others(material, metric))?;
        self.copy_slices_from(inputs, key, &source, slices)
    }

    /// Copies slices of boards that are read from a source.
    pub(crate) fn copy_slices_from(
        &self,
        inputs: &Inputs,
        key: Key,
        source: &BoardSource,
        slices: &[Wanted],
    ) -> Result<(), BuildError> {
        let material = key.0;
        inputs.note_curses(source.is_cursed()?);
        let mut by_board: HashMap<Placement, Vec<&Wanted>> = HashMap::new();
        for wanted in slices {
            by_board.entry(wanted.node().pawns).or_default().push(wanted);
        }
        let mut boards: Vec<(Placement, Vec<&Wanted>)> = by_board.into_iter().collect();
        boards.sort_unstable_by_key(|(pawns, _)| *pawns);
        let each = match source {
            BoardSource::Planes(_) => cutting_bytes(material),
            BoardSource::Packed(_) | BoardSource::Log(_) => {
                board_bytes(material) + cutting_bytes(material)
            }
            BoardSource::File { .. } => board_bytes(material) + decoding_bytes(material),
        };
        let at_once = (PARTS_BYTES / each.max(1)).clamp(1, self.boards_at_once());
        let _room = self.reserve(key, at_once * each)?;
        self.pool().install(|| {
            boards.chunks(at_once as usize).try_for_each(|boards| {
                boards.par_iter().try_for_each(|(pawns, wanted)| {
                    let missing = BuildError::NotCovered { material };
                    if self.progress.cancelled() {
                        return Err(SolveError::Cancelled { material }.into());
                    }
                    let turn = wanted[0].stored_turn();
                    let one_side = wanted.iter().all(|wanted| wanted.stored_turn() == turn);
                    let board = source.board(*pawns, one_side.then_some(turn))?.ok_or(missing)?;
                    wanted.iter().try_for_each(|wanted| inputs.keep_slice(&board, wanted))?;
                    Ok(())
                })
            })
        })
    }
}
