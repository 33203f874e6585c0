//! One step back along best moves.

use std::sync::atomic::{AtomicBool, Ordering};

use molien_board::Color;
use molien_hyper::{Plane, Tile};
use molien_operators::{QuietMoves, for_each_neighbour};
use molien_values::Value;
use rayon::prelude::*;

use super::Basins;

/// What a side to move finds among the positions its moves lead to.
pub(super) struct Ahead<'a> {
    /// Positions of the basin; at least those that have just entered it.
    pub fresh: &'a Plane,
    /// The positions of the same value that are not in the basin; `None` if the
    /// side to move may choose, and they do not matter.
    pub rest: Option<&'a Plane>,
}

impl Basins {
    /// The positions that enter the basin: with `turn` to move and this value,
    /// out of `within` (by tile).
    pub(super) fn step(
        &self,
        (turn, value): (Color, Value),
        ahead: &Ahead<'_>,
        within: impl Fn(usize) -> Tile + Sync,
    ) -> Vec<(usize, Tile)> {
        let enter = |tile: usize| {
            let within = within(tile);
            let cell = self.board().cell(tile).filter(|_| !within.is_empty())?;
            let quiet = |plane: &Plane, within: &Tile| {
                let moves = QuietMoves { board: self.board(), side: turn, plane, cell: &cell };
                self.backend.quiet_within(&moves, within)
            };
            let mut found = quiet(ahead.fresh, &within);
            if let Some(rest) = ahead.rest.filter(|_| !found.is_empty()) {
                found = found.minus(&quiet(rest, &found));
                found = self.exits.without_exit(self.board(), (tile, &found), (turn, value));
            }
            (!found.is_empty()).then_some((tile, found))
        };
        self.tiles_before(turn, ahead.fresh).into_par_iter().filter_map(enter).collect()
    }

    /// The tiles from which a quiet move leads to a live tile of the plane.
    fn tiles_before(&self, turn: Color, plane: &Plane) -> Vec<usize> {
        let marks: Vec<AtomicBool> = plane.live.iter().map(|_| AtomicBool::new(false)).collect();
        plane.live.par_iter().enumerate().filter(|(_, live)| **live).for_each(|(tile, _)| {
            if let Some(cell) = self.board().cell(tile) {
                for_each_neighbour(self.board(), turn, &cell, |tile| {
                    marks[tile].store(true, Ordering::Relaxed);
                });
            }
        });
        let marked = |tile: &usize| marks[*tile].load(Ordering::Relaxed);
        (0..marks.len()).filter(marked).collect()
    }
}

/// Empties a plane that only its live tiles fill.
pub(super) fn clear(plane: &mut Plane) {
    let tiles = plane.tiles.par_iter_mut().zip(&mut plane.live);
    tiles.filter(|(_, live)| **live).for_each(|(tile, live)| {
        *tile = Tile::EMPTY;
        *live = false;
    });
}

/// Adds positions to a plane.
pub(super) fn add(plane: &mut Plane, tiles: &[(usize, Tile)]) {
    for (tile, set) in tiles {
        plane.tiles[*tile].add(set);
        plane.live[*tile] = true;
    }
}
