//! Slices of tables too large for memory that a shelf makes, a card for instance: without
//! pawns it cuts them, with pawns they are cut here off the boards that it hands over. No
//! wave and no board of such a table is logged.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use molien_board::{Color, Material};
use molien_hyper::OuterAxes;
use molien_solve::{SolveError, Wanted};
use molien_table::PackedSide;
use molien_values::{BoardReceiver, BoardValues, MAX_BITS, PieceSlice, Placement, Shelf};
use rayon::prelude::*;

use crate::cache::Key;
use crate::inputs::Inputs;
use crate::memory::plane_bytes;
use crate::slices::{Slicing, by_board};
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

/// Cuts slices off the boards of a table, which are given up then.
struct Cutting<'a> {
    build: &'a Build,
    inputs: &'a Inputs,
    material: Material,
    by_board: HashMap<Placement, Vec<&'a Wanted>>,
    most_bytes: u64,
    /// Boards that were wanted and came.
    came: AtomicUsize,
    failed: Mutex<Option<SolveError>>,
}

impl Cutting<'_> {
    fn cut(&self, board: BoardValues) -> Result<(), SolveError> {
        if self.build.progress.cancelled() {
            return Err(SolveError::Cancelled { material: self.material });
        }
        let pawns = Placement::new(Color::BOTH.map(|color| board.board.pawns(color)));
        let Some(wanted) = self.by_board.get(&pawns) else { return Ok(()) };
        let board = Arc::new(board);
        wanted.iter().try_for_each(|wanted| self.inputs.keep_slice(&board, wanted))?;
        self.came.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

impl BoardReceiver for Cutting<'_> {
    fn batch_bytes(&self) -> u64 {
        self.most_bytes
    }

    fn wants(&self, pawns: Placement) -> bool {
        self.by_board.contains_key(&pawns)
    }

    fn take(&self, boards: Vec<BoardValues>) -> bool {
        let cut = || boards.into_par_iter().try_for_each(|board| self.cut(board));
        match self.build.pool().install(cut) {
            Ok(()) => true,
            Err(error) => {
                lock(&self.failed).get_or_insert(error);
                false
            }
        }
    }
}

impl Build {
    /// Cuts slices off the boards of a table with pawns that a shelf hands over; says
    /// whether there is one that does.
    pub(crate) fn cut_handed_over(&self, some: Slicing<'_>) -> Result<bool, BuildError> {
        let Slicing { inputs, key, slices } = some;
        let (material, metric) = key;
        let known = lock(&self.logs).contains_key(&key) || self.stored_file(key)?.is_some();
        let shelf = self.board_shelf(material, metric).filter(|_| self.may_solve && !known);
        let Some(shelf) = shelf else { return Ok(false) };
        let by_board = by_board(slices);
        let (boards, most_bytes) = (by_board.len(), self.held_bytes());
        let _room = self.reserve(key, most_bytes)?;
        let (came, failed) = (AtomicUsize::new(0), Mutex::new(None));
        let cutting = Cutting { build: self, inputs, material, by_board, most_bytes, came, failed };
        let handed = shelf.hand_over(material, metric, &cutting);
        if let Some(failed) = lock(&cutting.failed).take() {
            return Err(failed.into());
        }
        inputs.note_curses(handed?.is_cursed());
        match cutting.came.into_inner() == boards {
            true => Ok(true),
            false => Err(BuildError::NotCovered { material }),
        }
    }

    /// What boards that have been handed over may take.
    fn held_bytes(&self) -> u64 {
        (self.budget.limit_bytes / HELD_PART).min(MOST_HELD_BYTES)
    }

    /// The shelf that cuts the slices of a table without pawns, if there is one and the
    /// table is neither stored nor solved already.
    fn slice_shelf(&self, key: Key) -> Result<Option<&Arc<dyn Shelf>>, BuildError> {
        let known = lock(&self.waves).contains_key(&key) || self.stored_file(key)?.is_some();
        let apart = self.ranks().is_none() && self.may_solve && !known;
        Ok(self.shelves.iter().filter(|_| apart).find(|shelf| shelf.has_slices(key.0, key.1)))
    }

    /// Has slices cut by a shelf and keeps them; says whether there is one that does.
    pub(crate) fn take_slices(&self, some: Slicing<'_>) -> Result<bool, BuildError> {
        let Slicing { inputs, key, slices } = some;
        let Some(shelf) = self.slice_shelf(key)? else { return Ok(false) };
        let asked: Option<Vec<PieceSlice>> = slices.iter().map(piece_slice).collect();
        let Some(asked) = asked else { return Ok(false) };
        let (material, most_bytes) = (key.0, self.held_bytes());
        let each_bytes = slices.iter().map(slice_bytes).max().unwrap_or(1).max(1);
        let at_once = (most_bytes / each_bytes).max(1) as usize;
        for (slices, asked) in slices.chunks(at_once).zip(asked.chunks(at_once)) {
            if self.progress.cancelled() {
                return Err(SolveError::Cancelled { material }.into());
            }
            let _room = self.reserve(key, each_bytes * slices.len() as u64)?;
            let (cut, stats) = shelf.slices(material, key.1, asked)?;
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
