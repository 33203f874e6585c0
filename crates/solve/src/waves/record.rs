//! Keeps what the waves decide: values bit-sliced by depth, and histograms.

use molien_board::Color;
use molien_hyper::{Hyperboard, KingAxis, Plane, Tile};
use molien_operators::Backend;
use molien_values::Graded;
use rayon::prelude::*;

use super::Decided;
use super::counter::{Counter, Raw, first_position};
use molien_operators::empty_tiles;
use molien_values::{Count, Longest, SideStats};

/// Tiles a task takes.
const CHUNK_TILES: usize = 512;

/// Whether the depth of every position is kept or only counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keep {
    /// Outcome and depth of every position.
    Depths,
    /// The outcome of every position; depths are only counted.
    Outcomes,
}

pub(crate) struct Recorder<'a> {
    pub backend: &'a dyn Backend,
    pub board: &'a Hyperboard,
    pub counter: &'a Counter<'a>,
    pub keep: Keep,
    pub attacker: Color,
}

fn count_at(histogram: &mut Vec<Count>, ply: u16, count: Count) {
    let ply = usize::from(ply);
    if histogram.len() <= ply {
        histogram.resize(ply + 1, Count::default());
    }
    histogram[ply] += count;
}

impl Recorder<'_> {
    /// Takes in what one wave has decided.
    pub fn record(
        &self,
        ply: u16,
        decided: &Decided<'_>,
        values: &mut [Graded; 2],
        sides: &mut [SideStats; 2],
    ) {
        let (turn, plane) = match decided {
            Decided::Won(plane) => (self.attacker, plane),
            Decided::Lost(plane) => (!self.attacker, plane),
            Decided::Stalemate(plane) => {
                if self.board.king_axis() == KingAxis::Tile {
                    values[self.attacker.other().index()].stalemate = plane.tiles.clone();
                }
                return;
            }
        };
        let Graded { won, lost, depth, .. } = &mut values[turn.index()];
        let side = &mut sides[turn.index()];
        let longest = first_position(self.board, plane, turn)
            .map(|position| Longest { plies: ply, position });
        let won_now = matches!(decided, Decided::Won(_));
        let mut targets = vec![if won_now { won } else { lost }];
        if self.keep == Keep::Depths {
            targets.extend(planes_of_depth(depth, ply, self.board.tiles()));
        }
        let count = self.add(targets, plane);
        if won_now {
            count_at(&mut side.wins, ply, count);
            side.longest_win = longest;
        } else {
            count_at(&mut side.losses, ply, count);
            side.longest_loss = longest;
        }
    }

    /// Adds a plane to each of the targets, and counts it. The same stretch of
    /// all targets is one task, so that each tile is read once.
    fn add(&self, targets: Vec<&mut Vec<Tile>>, plane: &Plane) -> Count {
        let mut chunks: Vec<_> = targets.into_iter().map(|t| t.chunks_mut(CHUNK_TILES)).collect();
        let task =
            |first| (first, chunks.iter_mut().filter_map(Iterator::next).collect::<Vec<_>>());
        let tasks: Vec<_> = (0..plane.tiles.len()).step_by(CHUNK_TILES).map(task).collect();
        let add_chunk = |(first, mut targets): (usize, Vec<&mut [Tile]>)| {
            let live = plane.live[first..].iter().take(CHUNK_TILES).enumerate();
            let numbers = live.filter(|(_, live)| **live).map(|(i, _)| i);
            numbers.fold(Raw::default(), |sum, i| {
                let tile = &plane.tiles[first + i];
                let addresses = self.backend.add_to_all(&mut targets, i, tile);
                sum.add(self.counter.raw(first + i, tile, addresses))
            })
        };
        let raw = tasks.into_par_iter().map(add_chunk).reduce(Raw::default, Raw::add);
        self.counter.finish(raw)
    }
}

/// The planes of the bits that are set in a depth.
fn planes_of_depth(
    depth: &mut Vec<Vec<Tile>>,
    ply: u16,
    tiles: usize,
) -> impl Iterator<Item = &mut Vec<Tile>> {
    let bits = (u16::BITS - ply.leading_zeros()) as usize;
    while depth.len() < bits {
        depth.push(empty_tiles(tiles));
    }
    depth.iter_mut().enumerate().filter(move |(b, _)| ply >> b & 1 != 0).map(|(_, plane)| plane)
}
