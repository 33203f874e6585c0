//! Waves of which several ranks decide a share each.
//!
//! After its half of a wave a rank tells those that read its classes what it has
//! decided there; what it hears goes into its own planes. So it has all of a plane
//! that its operators read: lost positions of the last wave, and `open`, off which
//! the others' wins are taken as its own are. All other planes have its own classes
//! only. Alone, none of this does anything.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use molien_board::{Color, Square};
use molien_hyper::{Index, Plane, Tile};
use molien_operators::for_each_king_neighbour;
use molien_values::RunLog;
use rayon::prelude::*;

use super::counter::Raw;
use super::pending::NEVER;
use super::undecided::{Dirty, SLAB_TILES};
use super::{CHUNK_TILES, State, Stop, Tally, Waves};
use crate::ranks::{ExchangeError, Posted};

/// Where there is no first address.
const NOWHERE: u64 = u64::MAX;

impl Waves<'_> {
    /// The number of a tile on the whole board.
    pub(super) fn on_whole_board(&self, tile: usize) -> usize {
        self.share.map_or(tile, |share| share.on_whole_board(tile))
    }

    /// Tiles a task takes. Those of a share are all of one class.
    pub(super) fn slab_tiles(&self) -> usize {
        self.share.map_or(SLAB_TILES, |share| greatest_divisor(SLAB_TILES, share.class_tiles))
    }

    /// Agrees with the others on whether to go on, and on whether the wave is in the
    /// log.
    pub(super) fn agree(&self, cancelled: bool, logged: bool) -> Result<(), Stop> {
        let Some(share) = self.share else {
            return if cancelled { Err(Stop::Cancelled) } else { Ok(()) };
        };
        let mut said = [u64::from(cancelled), u64::from(logged)];
        share.exchange.sum(&mut said)?;
        if said[0] > 0 {
            return Err(Stop::Cancelled);
        }
        match said[1] == 0 || said[1] == share.exchange.size() as u64 {
            true => Ok(()),
            false => Err(ExchangeError::Differ { what: "the waves in the log" }.into()),
        }
    }

    /// Begins to tell the others what was decided.
    pub(super) fn post(&self, decided: &Plane, read_by: Color) -> Result<Option<Posted>, Stop> {
        Ok(self.share.map(|share| share.post(decided, read_by)).transpose()?)
    }

    /// Takes in what the others have decided to be lost. It belongs to the next wave; the
    /// ghosts of the wave before have been read.
    pub(super) fn collect_lost(
        &self,
        state: &mut State,
        posted: Option<Posted>,
    ) -> Result<(), Stop> {
        let (Some(share), Some(posted)) = (self.share, posted) else { return Ok(()) };
        let State { open, lost_before, lost_now, .. } = state;
        lost_before.live[share.board.tiles()..].fill(false);
        let put = |ghost: &mut Tile, sent: &Tile| *ghost = *sent;
        let found = share.collect(posted, lost_now, lost_before, put)?;
        self.mark_near(&found, self.attacker, &open.dirty);
        Ok(())
    }

    /// Takes in what the others have decided to be won: it is open no longer.
    pub(super) fn collect_won(
        &self,
        state: &mut State,
        posted: Option<Posted>,
    ) -> Result<(), Stop> {
        let (Some(share), Some(posted)) = (self.share, posted) else { return Ok(()) };
        let State { open, candidates, won_now, .. } = state;
        let put = |ghost: &mut Tile, sent: &Tile| *ghost = self.backend.difference(ghost, sent);
        let found = share.collect(posted, won_now, &mut open.positions, put)?;
        self.mark_near(&found, !self.attacker, &candidates.dirty);
        Ok(())
    }

    /// Marks the tiles from which this side's king moves to some tiles of others.
    fn mark_near(&self, tiles: &[usize], side: Color, reached: &Dirty) {
        let board = self.boards[side.index()];
        let mark = |number: &usize| {
            if let Some(cell) = board.cell(*number) {
                for_each_king_neighbour(board, side, &cell, |tile| reached.set(tile));
            }
        };
        tiles.par_iter().with_min_len(CHUNK_TILES).for_each(mark);
    }

    /// Notes what is told of a plane beside its size: the first address, and the
    /// signature if there is to be one.
    pub(super) fn sealed(&self, tally: Tally, plane: &Plane) -> Tally {
        if tally.decided.is_empty() {
            return Tally { signature: self.signed.then_some(0), ..tally };
        }
        let first = plane.live.iter().position(|&live| live).and_then(|tile| {
            let (row, column) = plane.tiles[tile].pairs().next()?;
            Some(Index { tile: self.on_whole_board(tile), row, column })
        });
        let signature = self.signed.then(|| self.signature(plane));
        Tally { first, signature, ..tally }
    }

    fn signature(&self, plane: &Plane) -> u64 {
        let sum = AtomicU64::new(0);
        let live = plane.live.par_iter().enumerate().with_min_len(CHUNK_TILES);
        live.filter(|(_, live)| **live).for_each(|(number, _)| {
            let place = self.on_whole_board(number);
            sum.fetch_add(tile_signature(place, &plane.tiles[number]), Relaxed);
        });
        sum.into_inner()
    }

    /// Adds up what all ranks have done, and whether any of them has a conversion
    /// due later.
    pub(super) fn total(
        &self,
        state: &State,
        wave: [Tally; 2],
    ) -> Result<([Tally; 2], bool), Stop> {
        let Some(share) = self.share else { return Ok((wave, false)) };
        let sums = wave.iter().flat_map(|half| {
            let [a, b, c] = half.decided.numbers();
            [a, b, c, half.tiles, half.signature.unwrap_or(0)]
        });
        let mut sums: Vec<u64> = sums.collect();
        share.exchange.sum(&mut sums)?;
        let due = state.open.first_due().min(state.candidates.first_due());
        let [lost, won] = wave.each_ref().map(|half| half.first.map_or(NOWHERE, number_of));
        let mut least = [lost, won, u64::from(due)];
        share.exchange.least(&mut least)?;
        let half = |i: usize| {
            let [a, b, c, tiles, signature] = std::array::from_fn(|j| sums[5 * i + j]);
            let first = (least[i] != NOWHERE).then(|| index_of(least[i]));
            let signature = wave[i].signature.map(|_| signature);
            Tally { decided: Raw::of_numbers([a, b, c]), tiles, first, signature }
        };
        Ok(([half(0), half(1)], least[2] != u64::from(NEVER)))
    }

    /// Appends a wave to the log, each rank its share.
    pub(super) fn append(&self, log: &mut dyn RunLog, state: &State) -> Result<(), Stop> {
        let State { lost_now, won_now, .. } = state;
        let Some(share) = self.share else {
            return log.append(lost_now, won_now).map_err(Stop::NotLogged);
        };
        let mut lengths = log.code(lost_now, won_now).map_err(Stop::NotLogged)?;
        share.exchange.sum(&mut lengths)?;
        log.write(&lengths).map_err(Stop::NotLogged)?;
        // The wave counts once all have written their parts.
        share.exchange.barrier()?;
        log.commit(&lengths, share.exchange.rank() == 0).map_err(Stop::NotLogged)
    }
}

fn greatest_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { greatest_divisor(b, a % b) }
}

/// An address as a number in the order of the table.
fn number_of(index: Index) -> u64 {
    (index.tile << 12 | index.row.index() << 6 | index.column.index()) as u64
}

fn index_of(number: u64) -> Index {
    let number = number as usize;
    let (row, column) = (Square::new(number >> 6 & 63), Square::new(number & 63));
    Index { tile: number >> 12, row, column }
}

/// A number for the positions of a tile. Those of several tiles are added up.
fn tile_signature(number: usize, tile: &Tile) -> u64 {
    let word = |(row, &word): (usize, &u64)| {
        let place = (number << 6 | row) as u64;
        let mut x = word ^ place.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    };
    let words = tile.0.as_flattened().iter().enumerate().filter(|(_, word)| **word != 0);
    words.map(word).fold(0, u64::wrapping_add)
}
