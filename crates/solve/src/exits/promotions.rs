//! The better of two promotions on the same square.

use molien_hyper::Tile;
use molien_operators::{Backend, Release, SubView, empty_tiles};
use molien_values::Graded;
use rayon::prelude::*;

use super::en_passant::release;
use crate::views::View;

/// Tiles a task takes.
const CHUNK_TILES: usize = 64;

/// For each position, which of two promotions is better for who plays it; both are
/// legal in the same positions. It is the other side that is to move then: better is a
/// loss, the sooner the better, then a draw, then a win, the later the better. What a
/// conversion counts never falls as the depth after it rises, so the best stays it.
pub(crate) fn better_of(backend: &dyn Backend, one: View, other: &View) -> View {
    let (axes, mut best) = match one {
        View::Own { axes, values } => (axes, values),
        shared => {
            let SubView { axes, values, .. } = shared.sub();
            (axes.clone(), values.clone())
        }
    };
    let other = other.sub().values;
    let (tiles, bits) = (best.legal.len(), best.depth.len().max(other.depth.len()));
    best.depth.resize_with(bits, || empty_tiles(tiles));
    let Graded { won, lost, depth, .. } = &mut best;
    let mut planes: Vec<_> = depth.iter_mut().map(|plane| plane.chunks_mut(CHUNK_TILES)).collect();
    let outcomes = won.chunks_mut(CHUNK_TILES).zip(lost.chunks_mut(CHUNK_TILES));
    let chunks = outcomes.enumerate().map(|(i, (won, lost))| {
        let depth = planes.iter_mut().filter_map(Iterator::next).collect();
        Chunk { first: i * CHUNK_TILES, won, lost, depth }
    });
    let chunks: Vec<Chunk<'_>> = chunks.collect();
    chunks.into_par_iter().for_each(|mut chunk| chunk.merge(backend, other, bits));
    View::Own { axes, values: best }
}

/// A stretch of tiles of the better promotion so far.
struct Chunk<'a> {
    first: usize,
    won: &'a mut [Tile],
    lost: &'a mut [Tile],
    depth: Vec<&'a mut [Tile]>,
}

impl Chunk<'_> {
    fn merge(&mut self, backend: &dyn Backend, other: &Graded, bits: usize) {
        for i in 0..self.won.len() {
            let tile = self.first + i;
            let own = |some: Tile| Release {
                some,
                bits: self.depth.iter().map(|plane| plane[i]).collect(),
            };
            let mut lost = own(self.lost[i]);
            backend.merge_least(&mut lost, &release(other, tile, other.lost[tile], bits));
            // Only what loses by both loses.
            let both = self.won[i].and(&other.won[tile]);
            let mut won = own(both);
            backend.merge_greatest(&mut won, &release(other, tile, both, bits));
            (self.won[i], self.lost[i]) = (won.some, lost.some);
            for (b, plane) in self.depth.iter_mut().enumerate() {
                plane[i] = won.bits[b].and(&won.some).or(&lost.bits[b].and(&lost.some));
            }
        }
    }
}
