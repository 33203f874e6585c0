//! Chosen positions while the waves run, and the positions of the deepest
//! waves: for boards too large to keep the depth of every position.

use std::collections::HashSet;
use std::sync::Arc;

use molien_board::{Color, Position, Square, Symmetry};
use molien_hyper::{Hyperboard, Index};

use crate::CudaError;
use crate::device::{Buffer, Device};
use crate::layout::Job;

/// The most positions of a wave that are noted, as in `kernels/base.cu`.
pub(crate) const NOTED_MOST: u64 = 65536;
/// Marks an address as one with the defender to move.
const DEFENDER: u64 = 1 << 63;

/// Watched positions on the card.
pub(crate) struct Watch {
    entries: Buffer,
    plies: Buffer,
    count: usize,
}

fn address(index: Index) -> u64 {
    (index.tile as u64) << 12 | (index.row.index() as u64) << 6 | index.column.index() as u64
}

impl Watch {
    /// Watches legal positions of a board while one attacker's wins are
    /// solved.
    pub fn new(
        device: &Arc<dyn Device>,
        board: &Hyperboard,
        attacker: Color,
        positions: &[Position],
    ) -> Result<Watch, CudaError> {
        let entry = |position: &Position| {
            let defends = position.turn() != attacker;
            board.encode(position).map(|at| address(at) | if defends { DEFENDER } else { 0 })
        };
        let missing = || CudaError::NotOfBoard { material: board.material() };
        let entries: Option<Vec<u64>> = positions.iter().map(entry).collect();
        let entries = Buffer::of(device, &entries.ok_or_else(missing)?)?;
        let plies = Buffer::new(device, positions.len() * 4)?;
        plies.fill(0xff)?;
        Ok(Watch { entries, plies, count: positions.len() })
    }

    pub fn fill(&self, job: &mut Job) {
        job.watched = self.entries.address();
        job.watched_plies = self.plies.address();
        job.watched_count = self.count as u32;
    }

    /// The ply at which each position was decided.
    pub fn plies(&self) -> Result<Vec<Option<u16>>, CudaError> {
        let plies: Vec<u32> = self.plies.read(self.count)?;
        Ok(plies.into_iter().map(|ply| u16::try_from(ply).ok()).collect())
    }
}

/// A list of addresses that one half of a wave writes.
pub(crate) struct Notes {
    list: Buffer,
}

impl Notes {
    pub fn new(device: &Arc<dyn Device>) -> Result<Notes, CudaError> {
        Ok(Notes { list: Buffer::zeroed(device, (NOTED_MOST as usize + 1) * 8)? })
    }

    pub fn address(&self) -> u64 {
        self.list.address()
    }

    /// What was noted of a wave that decided so many addresses, in rising
    /// order; nothing if it is too many. Starts the list anew.
    pub fn take(&self, decided: u64) -> Result<Vec<u64>, CudaError> {
        let wanted = if decided > NOTED_MOST { 0 } else { decided as usize };
        // The first word counts them.
        let mut found: Vec<u64> = self.list.read(wanted + 1)?.split_off(1);
        self.list.clear_first(8)?;
        found.sort_unstable();
        Ok(found)
    }
}

/// The positions at some addresses; of like men exchanged and mirror images
/// one.
pub(crate) fn positions(board: &Hyperboard, turn: Color, addresses: &[u64]) -> Vec<Position> {
    let mut seen = HashSet::new();
    let decode = |&at: &u64| {
        let (row, column) = (Square::new((at >> 6) as usize), Square::new(at as usize));
        let position = board.decode(Index { tile: (at >> 12) as usize, row, column }, turn)?;
        // With both kings on the long diagonal both images are stored.
        let image = position.transform(Symmetry::DIAGONAL);
        let class = board.encode(&position)?.min(board.encode(&image)?);
        seen.insert(class).then_some(position)
    };
    addresses.iter().filter_map(decode).collect()
}
