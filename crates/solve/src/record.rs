//! Keeps what the waves decide: values bit-sliced by depth, and histograms.

use molien_board::Color;
use molien_hyper::{Hyperboard, KingAxis, Plane, Tile};
use molien_operators::Graded;
use rayon::prelude::*;

use crate::stats::{Count, Counter, Longest, SideStats, first_position};
use crate::waves::Decided;

/// Whether the depth of every position is kept or only counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Keep {
    /// Outcome and depth of every position.
    Depths,
    /// The outcome of every position; depths are only counted.
    Outcomes,
}

pub(crate) struct Recorder<'a> {
    pub board: &'a Hyperboard,
    pub counter: &'a Counter<'a>,
    pub keep: Keep,
    pub attacker: Color,
}

fn add_plane(into: &mut [Tile], plane: &Plane) {
    into.par_iter_mut().zip(&plane.tiles).zip(&plane.live).with_min_len(64).for_each(
        |((into, tile), live)| {
            if *live {
                into.add(tile);
            }
        },
    );
}

fn add_depth(graded: &mut Graded, ply: u16, plane: &Plane) {
    let bits = (u16::BITS - ply.leading_zeros()) as usize;
    while graded.depth.len() < bits {
        graded.depth.push(vec![Tile::EMPTY; graded.won.len()]);
    }
    for b in (0..bits).filter(|b| ply >> b & 1 != 0) {
        add_plane(&mut graded.depth[b], plane);
    }
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
        let graded = &mut values[turn.index()];
        let side = &mut sides[turn.index()];
        let longest = first_position(self.board, plane, turn)
            .map(|position| Longest { plies: ply, position });
        let count = self.counter.plane(plane);
        match decided {
            Decided::Won(_) => {
                add_plane(&mut graded.won, plane);
                count_at(&mut side.wins, ply, count);
                side.longest_win = longest;
            }
            Decided::Lost(_) => {
                add_plane(&mut graded.lost, plane);
                count_at(&mut side.losses, ply, count);
                side.longest_loss = longest;
            }
            Decided::Stalemate(_) => {}
        }
        if self.keep == Keep::Depths {
            add_depth(graded, ply, plane);
        }
    }
}
