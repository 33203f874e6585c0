//! The laws of depth, ply by ply.

use molien_board::Color;
use molien_hyper::{Plane, Tile};
use molien_operators::Backend;
use molien_values::Graded;
use rayon::prelude::*;

use super::plies::PlySets;
use super::{Check, Consistency, Law, Out};

/// The values of one side to move, and which plies occur where.
pub(super) struct Side<'a> {
    values: &'a Graded,
    won: PlySets,
    lost: PlySets,
}

impl<'a> Side<'a> {
    pub fn new(values: &'a Graded) -> Side<'a> {
        let won = PlySets::of_values(values, &values.won);
        let lost = PlySets::of_values(values, &values.lost);
        Side { values, won, lost }
    }

    pub fn deepest(&self) -> u16 {
        self.won.greatest().max(self.lost.greatest())
    }

    pub fn won_at(&self, tile: usize, ply: u16) -> Tile {
        exactly(self.values, &self.values.won, &self.won, tile, ply)
    }

    pub fn lost_at(&self, tile: usize, ply: u16) -> Tile {
        exactly(self.values, &self.values.lost, &self.lost, tile, ply)
    }
}

/// The positions of `set` in a tile with exactly this depth.
fn exactly(values: &Graded, set: &[Tile], plies: &PlySets, tile: usize, ply: u16) -> Tile {
    if !plies.contains(tile, ply) {
        return Tile::EMPTY;
    }
    values.depth.iter().enumerate().fold(set[tile], |equal, (b, plane)| {
        let wanted = if ply >> b & 1 != 0 { !0 } else { 0 };
        equal.zip(&plane[tile], |e, p| e & !(p ^ wanted))
    })
}

/// Where the pass stands: the positions that matter at one ply.
struct Front {
    ply: u16,
    /// The opponent's positions won and lost in exactly one ply less.
    their_won: Plane,
    their_lost: Plane,
    /// The opponent's positions not won within the plies before.
    holding: Plane,
    /// Our positions won before.
    sooner: Vec<Tile>,
}

impl Front {
    /// Goes on to the ply after `self.ply`.
    fn advance(&mut self, own: &Side<'_>, their: &Side<'_>) {
        let before = self.ply;
        show(&mut self.their_won, |tile| their.won_at(tile, before));
        show(&mut self.their_lost, |tile| their.lost_at(tile, before));
        let (won, live) = (&self.their_won.tiles, &self.their_won.live);
        let holding = self.holding.tiles.par_iter_mut().enumerate().with_min_len(64);
        holding.filter(|(t, _)| live[*t]).for_each(|(t, tile)| *tile = tile.minus(&won[t]));
        let sooner = self.sooner.par_iter_mut().enumerate().with_min_len(64);
        sooner
            .filter(|(t, _)| own.won.contains(*t, before))
            .for_each(|(t, tile)| tile.add(&own.won_at(t, before)));
        self.ply += 1;
    }
}

/// Makes a plane show other tiles, writing only where there was or is one.
pub(super) fn show(plane: &mut Plane, now: impl Fn(usize) -> Tile + Sync) {
    let tiles = plane.tiles.par_iter_mut().zip(&mut plane.live).enumerate().with_min_len(64);
    tiles.for_each(|(number, (tile, live))| {
        let next = now(number);
        let shown = !next.is_empty();
        if *live || shown {
            *tile = next;
        }
        *live = shown;
    });
}

/// Which plies the moves out of the board have in each tile.
pub(super) struct OutPlies {
    wins: PlySets,
    holds: PlySets,
}

impl OutPlies {
    pub fn new(out: &[Out]) -> OutPlies {
        OutPlies {
            wins: PlySets::of_releases(out.len(), |tile| &out[tile].wins.release),
            holds: PlySets::of_releases(out.len(), |tile| &out[tile].holds.release),
        }
    }

    /// The greatest ply of all.
    pub fn greatest(&self) -> u16 {
        self.wins.greatest().max(self.holds.greatest())
    }

    /// Where the best move out of the board wins in exactly so many plies.
    pub fn win_at(&self, backend: &dyn Backend, out: &[Out], tile: usize, ply: u16) -> Tile {
        match self.wins.contains(tile, ply) {
            true => backend.release_at(out[tile].wins.release.plies(), ply),
            false => Tile::EMPTY,
        }
    }

    /// Where the longest move out of the board loses in exactly so many plies.
    pub fn hold_at(&self, backend: &dyn Backend, out: &[Out], tile: usize, ply: u16) -> Tile {
        match self.holds.contains(tile, ply) {
            true => backend.release_at(out[tile].holds.release.plies(), ply),
            false => Tile::EMPTY,
        }
    }
}

impl Check<'_> {
    /// The laws of depth. Takes losing moves out of `out.holds` as their
    /// plies pass.
    pub(super) fn depths(&self, side: Color, out: &mut [Out]) -> Option<Consistency> {
        let values = &self.game.values;
        let own = Side::new(&values[side.index()]);
        let their = Side::new(&values[side.other().index()]);
        let tiles = out.len();
        let plies = OutPlies::new(out);
        let mut front = Front {
            ply: 0,
            their_won: Plane::empty(tiles),
            their_lost: Plane::empty(tiles),
            holding: Plane::from_tiles(their.values.legal.clone()),
            sooner: vec![Tile::EMPTY; tiles],
        };
        let deepest = own.deepest().max(their.deepest()).saturating_add(1);
        let mut found = self.depth(side, &own, &front, out, &plies)?;
        while front.ply < deepest {
            let passed = front.ply;
            out.par_iter_mut()
                .enumerate()
                .with_min_len(64)
                .filter(|(tile, _)| plies.holds.contains(*tile, passed))
                .for_each(|(_, out)| {
                    let release = &mut out.holds.release;
                    release.some =
                        release.some.minus(&self.backend.release_at(release.plies(), passed));
                });
            front.advance(&own, &their);
            found = found.merge(self.depth(side, &own, &front, out, &plies)?);
        }
        Some(found)
    }

    /// The laws of depth at one ply.
    fn depth(
        &self,
        side: Color,
        own: &Side<'_>,
        front: &Front,
        out: &[Out],
        plies: &OutPlies,
    ) -> Option<Consistency> {
        let ply = front.ply;
        let some_lost = front.their_lost.live.contains(&true);
        self.each_tile(|cell| {
            let t = cell.tile;
            let (won, lost) = (own.won_at(t, ply), own.lost_at(t, ply));
            let mut quick = Tile::EMPTY;
            if some_lost {
                quick = self.quiet(side, &front.their_lost, cell);
            }
            quick = quick.or(&plies.win_at(self.backend, out, t, ply));
            let quick = quick.and(&own.values.legal[t]);
            let late = quick.minus(&won).minus(&front.sooner[t]);
            let bad = won.minus(&quick).or(&late);
            let mut found = self.report(side, cell, Law::WinDepth, &bad);
            if !lost.is_empty() {
                let releases = &out[t].holds.release;
                let due = self.backend.release_at(releases.plies(), ply);
                let longest = self.quiet(side, &front.their_won, cell).or(&due);
                let longer = self.quiet(side, &front.holding, cell).or(&releases.some.minus(&due));
                let short = if ply == 0 { Tile::EMPTY } else { lost.minus(&longest) };
                let bad = short.or(&lost.and(&longer));
                found = found.merge(self.report(side, cell, Law::LossDepth, &bad));
            }
            found
        })
    }
}
