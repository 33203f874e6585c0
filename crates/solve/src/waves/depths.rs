//! Depths, bit by bit, as positions are decided.
//!
//! To add every decided set to the planes of all bits of its ply would write
//! several planes in every wave. Instead a plane changes only where its bit of
//! the ply does: whenever something of a tile is decided, the planes of the
//! bits that differ from those of the ply before (of the same tile) are toggled
//! for all positions *not yet decided*. So far, then, bit b of a position has
//! been toggled as often as bit b of the ply has changed on the way to the ply
//! at which it was decided: it is bit b of its depth. What is never decided is
//! toggled back at the end.
//!
//! Plies at which a tile is decided mostly follow each other two by two, which changes two
//! bits on the average. So what the planes hold on the way is a code of the ply in which such
//! plies differ in one bit ([`code`]), read back at the end.

use molien_hyper::Tile;
use molien_operators::{Backend, empty_tiles};
use rayon::prelude::*;

use super::CHUNK_TILES;

/// The depths of the positions of one side to move.
pub(crate) struct Depths {
    /// Whether they are kept at all.
    kept: bool,
    planes: Vec<Vec<Tile>>,
    /// Planes that came from an earlier run.
    earlier: usize,
    /// By tile, the ply whose bits the planes stand at.
    at: Vec<u16>,
}

impl Depths {
    /// Adds to the planes of an earlier run, in which other positions were
    /// decided.
    pub fn new(kept: bool, planes: Vec<Vec<Tile>>, tiles: usize) -> Depths {
        Depths { kept, earlier: planes.len(), planes, at: vec![0; tiles] }
    }

    /// How many tiles there are.
    pub fn tiles(&self) -> usize {
        self.at.len()
    }

    /// Makes planes for the bits of a ply.
    pub fn reserve(&mut self, ply: u16) {
        while self.kept && self.planes.len() < bits(ply) {
            self.planes.push(empty_tiles(self.at.len()));
        }
    }

    /// Stretches of so many tiles.
    pub fn slabs(&mut self, tiles: usize) -> impl Iterator<Item = DepthSlab<'_>> {
        let mut planes: Vec<_> = self.planes.iter_mut().map(|p| p.chunks_mut(tiles)).collect();
        self.at.chunks_mut(tiles).map(move |at| {
            let planes = planes.iter_mut().filter_map(Iterator::next).collect();
            DepthSlab { planes, at }
        })
    }

    /// The planes, when nothing more will be decided. What is undecided becomes what has been
    /// decided of the positions that were there at first.
    pub fn finish(
        mut self,
        backend: &dyn Backend,
        undecided: &mut [Tile],
        at_first: impl Fn(usize) -> Tile + Sync,
    ) -> Vec<Vec<Tile>> {
        let deepest = bits(self.at.iter().copied().max().unwrap_or(0));
        let chunks = undecided.chunks_mut(CHUNK_TILES);
        let slabs: Vec<_> = self.slabs(CHUNK_TILES).zip(chunks).enumerate().collect();
        slabs.into_par_iter().for_each(|(chunk, (mut slab, tiles))| {
            for (i, tile) in tiles.iter_mut().enumerate() {
                slab.decide(backend, i, 0, [tile, &Tile::EMPTY]);
                *tile = backend.difference(&at_first(chunk * CHUNK_TILES + i), tile);
                slab.read_back(i, tile, deepest);
            }
        });
        self.planes.truncate(deepest.max(self.earlier));
        self.planes
    }
}

/// A code of plies: the lowest bit as it is, above it Gray's.
fn code(ply: u16) -> u16 {
    ply ^ (ply >> 1 & !1)
}

/// Bits that a ply needs.
fn bits(ply: u16) -> usize {
    (u16::BITS - ply.leading_zeros()) as usize
}

/// A stretch of tiles.
pub(crate) struct DepthSlab<'a> {
    planes: Vec<&'a mut [Tile]>,
    at: &'a mut [u16],
}

impl DepthSlab<'_> {
    /// Something of a tile is decided at this ply; not decided before it are
    /// the positions of two tiles.
    pub fn decide(&mut self, backend: &dyn Backend, i: usize, ply: u16, undecided: [&Tile; 2]) {
        let changed = std::mem::replace(&mut self.at[i], ply) ^ ply;
        if changed != 0 && !self.planes.is_empty() {
            backend.toggle(&mut self.planes, code(changed), i, undecided);
        }
    }

    /// Makes plies of the codes of what was decided in this run, of so many bits.
    fn read_back(&mut self, i: usize, decided: &Tile, bits: usize) {
        if decided.is_empty() {
            return;
        }
        for low in (1..bits.min(self.planes.len()).saturating_sub(1)).rev() {
            let high = self.planes[low + 1][i].and(decided);
            let plane = &mut self.planes[low][i];
            *plane = plane.zip(&high, |low, high| low ^ high);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use molien_board::Square;
    use molien_operators::fastest;

    /// Row r of a tile is decided at ply r * r, but for the last three rows,
    /// which are not.
    #[test]
    fn a_depth_is_the_ply_of_its_decision() {
        const TILES: usize = 70;
        let mut depths = Depths::new(true, Vec::new(), TILES);
        let mut open = vec![Tile::FULL; TILES];
        for row in 0..45u16 {
            let ply = row * row;
            depths.reserve(ply);
            for (slab, (first, open)) in
                depths.slabs(32).zip((0..).step_by(32).zip(open.chunks_mut(32)))
            {
                let mut slab = slab;
                for (i, open) in open.iter_mut().enumerate() {
                    // Some tiles sit a wave out.
                    if (first + i) % 7 == usize::from(row) % 7 {
                        continue;
                    }
                    slab.decide(fastest(), i, ply, [open, &Tile::EMPTY]);
                    *open.row_mut(Square::new(usize::from(row))) = 0;
                }
            }
        }
        let planes = depths.finish(fastest(), &mut open, |_| Tile::FULL);
        assert_eq!(planes.len(), 11); // 44 * 44 = 1936
        for tile in 0..TILES {
            for row in 0..64usize {
                let decided = row < 45 && tile % 7 != row % 7;
                let expected = if decided { row * row } else { 0 };
                let bit = |b: usize| planes[b][tile].row(Square::new(row)) & 1;
                let found = (0..planes.len()).map(|b| bit(b) << b).sum::<u64>();
                assert_eq!(found, expected as u64, "{tile} {row}");
            }
        }
    }
}
