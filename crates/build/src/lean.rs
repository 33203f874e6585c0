//! Large boards in little memory: which are solved so, what that takes, and where
//! things wait meanwhile.

use std::io;
use std::sync::{Arc, PoisonError, RwLock};

use molien_board::Material;
use molien_hyper::Hyperboard;
use molien_solve::{Exits, Keep, LeanSolve, SolveError, Spill, Watch};
use molien_table::{PackedBytes, PlaneStore};
use molien_values::{BoardValues, Metric, Stats};

use crate::Build;
use crate::cache::Key;
use crate::inputs::unreadable;
use crate::limits::keep_for_others;
use crate::memory::lean_bytes;
use crate::needs::reads;
use crate::whole::table_bytes;

/// A file without a name, for one board.
pub(crate) struct Scratch {
    store: PlaneStore,
    put: RwLock<Vec<Arc<PackedBytes>>>,
}

impl Scratch {
    pub fn new(store: PlaneStore) -> Scratch {
        Scratch { store, put: RwLock::default() }
    }
}

impl Spill for Scratch {
    fn put(&self, bytes: &[u8]) -> io::Result<u64> {
        let packed = Arc::new(self.store.put_bytes(bytes)?);
        let mut put = self.put.write().unwrap_or_else(PoisonError::into_inner);
        put.push(packed);
        Ok(put.len() as u64 - 1)
    }

    fn get(&self, number: u64) -> io::Result<Vec<u8>> {
        let packed = {
            let put = self.put.read().unwrap_or_else(PoisonError::into_inner);
            put.get(number as usize).cloned().ok_or(io::ErrorKind::NotFound)?
        };
        self.store.bytes(&packed)
    }
}

impl Build {
    /// Whether a board of so many tiles that would usually take so much is solved in
    /// little memory.
    pub(crate) fn is_lean(&self, tiles: u64, metric: Metric, usual_bytes: u64) -> bool {
        let short = usual_bytes > self.budget.limit_bytes || tiles >= self.lean_tiles;
        short && metric != Metric::Dtm50
    }

    /// A place where things wait while one board is solved.
    pub(crate) fn spill(&self, material: Material) -> Result<Arc<dyn Spill>, SolveError> {
        let store = self.plane_store().map_err(unreadable(material))?;
        Ok(Arc::new(Scratch::new(store)))
    }

    /// Whether a table has no pawns and is solved in little memory. Classes under the
    /// 50-move rule come from DTZ50.
    pub(crate) fn is_lean_table(&self, (material, metric): Key) -> bool {
        let solved = metric != Metric::Wdl && self.is_logged(material) && self.may_solve;
        let fits = |(bytes, lean): (u64, bool)| lean && bytes <= self.budget.limit_bytes;
        solved && fits(self.pieces_bytes(material, metric))
    }

    /// What solving a material without pawns takes on top of what it reads, and
    /// whether it is done in little memory.
    pub(crate) fn pieces_bytes(&self, material: Material, metric: Metric) -> (u64, bool) {
        let usual = self.whole(material, metric, Keep::Outcomes).schedule.cost.bytes;
        let subs = reads(material).into_iter();
        let read: u64 = subs.map(|sub| table_bytes(sub, keep_for_others(sub, metric))).sum();
        let tiles = Hyperboard::pieces(material).tiles() as u64;
        match self.is_lean(tiles, metric, usual.saturating_add(read)) {
            true => (lean_bytes(material, tiles, Keep::Outcomes), true),
            false => (usual, false),
        }
    }
}

/// Solves a board in little memory. What its moves lead to is given up before the
/// waves.
pub(crate) fn solve_lean(
    solve: &LeanSolve<'_>,
    exits: Box<dyn Exits>,
    watch: &mut Watch,
) -> Result<(BoardValues, Stats), SolveError> {
    let gathered = solve.gather(&*exits)?;
    drop(exits);
    solve.run(gathered, watch)
}
