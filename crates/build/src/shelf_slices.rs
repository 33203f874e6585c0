//! Slices of tables without pawns too large for memory that a shelf cuts, a card for
//! instance: no wave of such a table is logged here.

use std::sync::Arc;

use molien_hyper::OuterAxes;
use molien_solve::{SolveError, Wanted};
use molien_table::PackedSide;
use molien_values::{MAX_BITS, PieceSlice, Shelf};
use rayon::prelude::*;

use crate::cache::Key;
use crate::inputs::Inputs;
use crate::memory::plane_bytes;
use crate::{Build, BuildError, lock};

/// Of the memory there is, what slices may take that are not compressed yet; and the most
/// that is of use.
const HELD_PART: u64 = 4;
const MOST_HELD_BYTES: u64 = 16 << 30;
/// Planes of a slice, at most: legal, won and lost, and the bits of a depth.
const SLICE_PLANES: u64 = 3 + MAX_BITS as u64;

fn slice_bytes(wanted: &Wanted) -> u64 {
    SLICE_PLANES * plane_bytes(OuterAxes::new(&wanted.men).len() as u64)
}

/// What a shelf is asked for; nothing if no man was promoted.
fn piece_slice(wanted: &Wanted) -> Option<PieceSlice> {
    let promoted = wanted.fixed?;
    let (material, men, depths) = (wanted.material(), wanted.men.clone(), wanted.depths);
    let slice = PieceSlice { material, men, promoted, depths };
    (slice.turn() == wanted.turn).then_some(slice)
}

impl Build {
    /// The shelf that cuts the slices of a table without pawns, if there is one and the
    /// table is neither stored nor solved already.
    fn slice_shelf(&self, key: Key) -> Result<Option<&Arc<dyn Shelf>>, BuildError> {
        let known = lock(&self.waves).contains_key(&key) || self.stored_file(key)?.is_some();
        let apart = self.ranks().is_none() && self.may_solve && !known;
        Ok(self.shelves.iter().filter(|_| apart).find(|shelf| shelf.has_slices(key.0, key.1)))
    }

    /// Has slices cut by a shelf and keeps them; says whether there is one that does.
    pub(crate) fn take_slices(
        &self,
        inputs: &Inputs,
        key: Key,
        slices: &[Wanted],
    ) -> Result<bool, BuildError> {
        let (material, metric) = key;
        let Some(shelf) = self.slice_shelf(key)? else { return Ok(false) };
        let asked: Option<Vec<PieceSlice>> = slices.iter().map(piece_slice).collect();
        let Some(asked) = asked else { return Ok(false) };
        let most_bytes = (self.budget.limit_bytes / HELD_PART).min(MOST_HELD_BYTES);
        let each_bytes = slices.iter().map(slice_bytes).max().unwrap_or(1).max(1);
        let at_once = (most_bytes / each_bytes).max(1) as usize;
        for (slices, asked) in slices.chunks(at_once).zip(asked.chunks(at_once)) {
            if self.progress.cancelled() {
                return Err(SolveError::Cancelled { material }.into());
            }
            let _room = self.reserve(key, each_bytes * slices.len() as u64)?;
            let (cut, stats) = shelf.slices(material, metric, asked)?;
            inputs.note_curses(stats.is_cursed());
            let store = inputs.slice_store().ok_or(BuildError::NoFolder)?;
            let keep = |(wanted, values)| {
                let packed = PackedSide::new(values, store);
                let packed = packed.map_err(|error| BuildError::packing(material, error))?;
                inputs.keep_packed(wanted, packed);
                Ok::<(), BuildError>(())
            };
            self.pool().install(|| slices.par_iter().zip(cut).try_for_each(keep))?;
        }
        Ok(true)
    }
}
