//! When conversions decide positions.

use std::sync::{Mutex, PoisonError};

use molien_hyper::Tile;
use molien_operators::{Backend, Plies, Release, TileHeap, TileRange, empty_tiles};
use molien_values::MAX_BITS;
use rayon::prelude::*;

use super::CHUNK_TILES;
use super::outside::DueLog;

/// A ply that never comes.
pub(crate) const NEVER: u16 = u16::MAX;

/// What conversions do to each tile, and when next.
pub(crate) struct Pending {
    /// By tile, the positions that have a ply.
    pub some: Vec<Tile>,
    /// By tile, the bits of those plies, and where they are.
    pub bits: TileHeap,
    pub ranges: Vec<TileRange>,
    /// By tile, the least ply of a position that still matters; [`NEVER`] if
    /// there is none. Apart from the plies, since every wave reads all of it.
    pub next: Vec<u16>,
    /// The plies, if they are not in memory. Then `some` are the positions that are
    /// still held, if conversions hold, and nothing otherwise.
    pub outside: Option<DueLog>,
}

/// Tiles a task gathers at a time.
const GATHERED_TILES: usize = 16;

impl Pending {
    /// Gathers, tile by tile, positions to decide and their conversions.
    pub fn gather(
        backend: &dyn Backend,
        tiles: usize,
        tile: impl Fn(usize) -> (Tile, Release) + Sync,
    ) -> (Vec<Tile>, Pending) {
        let (mut positions, mut some) = (empty_tiles(tiles), empty_tiles(tiles));
        let mut ranges = vec![TileRange::default(); tiles];
        let heap = Mutex::new(TileHeap::default());
        let chunks = positions.par_chunks_mut(GATHERED_TILES);
        let chunks = chunks.zip(some.par_chunks_mut(GATHERED_TILES));
        let chunks = chunks.zip(ranges.par_chunks_mut(GATHERED_TILES)).enumerate();
        chunks.for_each_init(Vec::new, |bits: &mut Vec<Tile>, (chunk, ((open, some), ranges))| {
            bits.clear();
            let mut lens = [0; GATHERED_TILES];
            for (i, (open, some)) in open.iter_mut().zip(some).enumerate() {
                let (positions, release) = tile(chunk * GATHERED_TILES + i);
                (*open, *some) = (positions, release.some);
                bits.extend_from_slice(&release.bits);
                lens[i] = release.bits.len();
            }
            let all = {
                let mut heap = heap.lock().unwrap_or_else(PoisonError::into_inner);
                heap.add(bits, tiles * MAX_BITS)
            };
            let mut start = 0;
            for (range, len) in ranges.iter_mut().zip(lens) {
                *range = all.part(start, len);
                start += len;
            }
        });
        let bits = heap.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut pending = Pending { some, bits, ranges, next: Vec::new(), outside: None };
        let numbers = (0..tiles).into_par_iter().with_min_len(CHUNK_TILES);
        let next = |number: usize| next_due(backend, pending.plies(number), &positions[number]);
        pending.next = numbers.map(next).collect();
        (positions, pending)
    }

    /// Conversions that are not in memory: positions they hold, if they do, and for
    /// each tile when it is due first.
    pub fn outside(log: DueLog, held: Vec<Tile>, next: Vec<u16>) -> Pending {
        let (bits, ranges) = (TileHeap::default(), Vec::new());
        Pending { some: held, bits, ranges, next, outside: Some(log) }
    }

    fn plies(&self, number: usize) -> Plies<'_> {
        Plies { some: &self.some[number], bits: self.bits.get(self.ranges[number]) }
    }

    /// What conversions do to each tile.
    pub fn releases(&self) -> Vec<Release> {
        let release = |number| {
            let Plies { some, bits } = self.plies(number);
            Release { some: *some, bits: bits.to_vec() }
        };
        (0..self.some.len()).into_par_iter().with_min_len(CHUNK_TILES).map(release).collect()
    }

    /// The first ply at which a tile has a conversion due.
    pub fn first_due(&self) -> u16 {
        self.next.iter().copied().min().unwrap_or(NEVER)
    }
}

/// The next ply at which one of these positions is due; none of them is due
/// yet.
pub(crate) fn next_due(backend: &dyn Backend, plies: Plies<'_>, among: &Tile) -> u16 {
    backend.release_least(plies, among).unwrap_or(NEVER)
}

/// The positions whose conversions hold until this ply no longer do.
pub(crate) fn let_go(backend: &dyn Backend, held: &mut Tile, bits: &[Tile], ply: u16) {
    *held = backend.difference(held, &backend.release_at(Plies { some: held, bits }, ply));
}
