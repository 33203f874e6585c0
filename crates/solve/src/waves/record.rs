//! Keeps what the waves decide: who wins, and histograms.

use molien_board::Color;
use molien_hyper::{Hyperboard, Index, KingAxis, Plane, Tile};
use molien_values::{Count, Longest, Metric, SideStats};
use rayon::prelude::*;

use super::counter::Counter;
use super::watch::Watch;
use super::{CHUNK_TILES, Decided, Listener, Tally};
use crate::ranks::Share;
use crate::{Progress, WaveReport};

/// What is kept of every position, and what is counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keep {
    /// Outcome and depth of every position.
    Depths,
    /// The outcome of every position; depths are only counted.
    Outcomes,
    /// The outcome of every position, and how many have it: found in less time, since nobody
    /// asks for depths.
    Winners,
}

/// Listens to the waves of one side's wins.
pub(crate) struct Recorder<'a> {
    pub board: &'a Hyperboard,
    pub counter: &'a Counter<'a>,
    pub progress: &'a dyn Progress,
    pub metric: Metric,
    pub attacker: Color,
    /// What is decided here, if others decide the rest.
    pub share: Option<&'a Share<'a>>,
    pub watch: &'a mut Watch,
    pub sides: &'a mut [SideStats; 2],
    /// The positions that may be lost: candidates without stalemates.
    pub losable: Vec<Tile>,
    /// Stalemates, where they are kept.
    pub stalemates: Vec<Tile>,
}

impl Listener for Recorder<'_> {
    fn decided(&mut self, ply: u16, decided: Decided<'_>, tally: Tally) {
        let place = |tile| self.share.map_or(Some(tile), |share| share.own_tile(tile));
        self.watch.look(ply, self.attacker, &decided, place);
        match decided {
            Decided::Stalemate(plane) => return self.stalemated(plane),
            Decided::Won(_) => {
                let side = &mut self.sides[self.attacker.index()];
                count_at(&mut side.wins, ply, self.counter.finish(tally.decided));
                side.longest_win = longest(self.board, tally.first, self.attacker, ply);
            }
            Decided::Lost(_) => {
                let side = &mut self.sides[self.attacker.other().index()];
                count_at(&mut side.losses, ply, self.counter.finish(tally.decided));
                side.longest_loss = longest(self.board, tally.first, !self.attacker, ply);
            }
        }
        self.progress.wave(&WaveReport {
            material: self.board.material(),
            metric: self.metric,
            attacker: self.attacker,
            ply,
            decided: tally.decided.addresses(),
            tiles: tally.tiles,
            signature: tally.signature,
        });
    }

    fn cancelled(&self) -> bool {
        self.progress.cancelled()
    }
}

impl Recorder<'_> {
    fn stalemated(&mut self, plane: &Plane) {
        take_off(&mut self.losable, plane);
        if self.board.king_axis() == KingAxis::Tile {
            self.stalemates = plane.tiles.clone();
        }
    }
}

/// Takes the positions of a plane off others.
pub(super) fn take_off(tiles: &mut [Tile], plane: &Plane) {
    let tiles = tiles.par_iter_mut().zip(&plane.tiles).zip(&plane.live);
    let live = tiles.with_min_len(CHUNK_TILES).filter(|(_, live)| **live);
    live.for_each(|((tile, gone), _)| *tile = tile.minus(gone));
}

fn longest(board: &Hyperboard, first: Option<Index>, turn: Color, plies: u16) -> Option<Longest> {
    board.decode(first?, turn).map(|position| Longest { plies, position })
}

fn count_at(histogram: &mut Vec<Count>, ply: u16, count: Count) {
    let ply = usize::from(ply);
    if histogram.len() <= ply {
        histogram.resize(ply + 1, Count::default());
    }
    histogram[ply] += count;
}
