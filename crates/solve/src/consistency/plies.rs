//! Which plies occur in each tile, so that a pass over the plies looks at a
//! tile only where it has something of that ply.

use molien_hyper::Tile;
use molien_operators::Release;
use molien_values::Graded;
use rayon::prelude::*;

const WORD_PLIES: usize = u64::BITS as usize;

/// For every tile the set of plies that occur in it.
pub(super) struct PlySets {
    words: usize,
    bits: Vec<u64>,
}

impl PlySets {
    /// The depths of the positions of `set` in each tile.
    pub fn of_values(values: &Graded, set: &[Tile]) -> PlySets {
        let plies = |tile: usize, sets: &mut [u64]| {
            let planes: Vec<&Tile> = values.depth.iter().map(|plane| &plane[tile]).collect();
            add(sets, &set[tile], &planes, 0);
        };
        PlySets::new(set.len(), values.depth.len(), plies)
    }

    /// The plies of the releases of each tile.
    pub fn of_releases<'a>(tiles: usize, release: impl Fn(usize) -> &'a Release + Sync) -> PlySets {
        let planes = (0..tiles).map(|tile| release(tile).bits.len()).max().unwrap_or(0);
        let plies = |tile: usize, sets: &mut [u64]| {
            let release = release(tile);
            if release.bits.is_empty() {
                // Without planes every ply is 1.
                add(sets, &release.some, &[], 1);
            } else {
                add(sets, &release.some, &release.bits.iter().collect::<Vec<_>>(), 0);
            }
        };
        PlySets::new(tiles, planes.max(1), plies)
    }

    fn new(tiles: usize, planes: usize, fill: impl Fn(usize, &mut [u64]) + Sync) -> PlySets {
        let words = (1usize << planes).div_ceil(WORD_PLIES);
        let mut bits = vec![0; tiles * words];
        bits.par_chunks_mut(words)
            .enumerate()
            .with_min_len(64)
            .for_each(|(tile, sets)| fill(tile, sets));
        PlySets { words, bits }
    }

    /// Whether a tile has something of this ply.
    pub fn contains(&self, tile: usize, ply: u16) -> bool {
        let (word, bit) = (usize::from(ply) / WORD_PLIES, usize::from(ply) % WORD_PLIES);
        word < self.words && self.bits[tile * self.words + word] >> bit & 1 != 0
    }

    /// The greatest ply of all.
    pub fn greatest(&self) -> u16 {
        let of_tile = |sets: &[u64]| {
            let top = sets.iter().rposition(|&word| word != 0)?;
            Some(top * WORD_PLIES + sets[top].ilog2() as usize)
        };
        let greatest = self.bits.chunks(self.words).filter_map(of_tile).max();
        greatest.and_then(|ply| u16::try_from(ply).ok()).unwrap_or(0)
    }
}

/// Adds the plies of a set whose bits are in `planes`, the low bits first;
/// `high` are the bits above those.
fn add(sets: &mut [u64], set: &Tile, planes: &[&Tile], high: usize) {
    if set.is_empty() {
        return;
    }
    match planes.split_last() {
        None => sets[high / WORD_PLIES] |= 1 << (high % WORD_PLIES),
        Some((top, low)) => {
            add(sets, &set.minus(top), low, high);
            add(sets, &set.and(top), low, high | 1 << low.len());
        }
    }
}
