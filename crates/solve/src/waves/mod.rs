//! The waves of retrograde analysis, for the wins of one side.
//!
//! With `open` the attacker-to-move positions not yet known to be won and
//! `candidates` the defender-to-move positions not yet known to be lost (those
//! that can escape are left out from the start), ply p decides
//!
//! ```text
//! lost(p) = candidates with no quiet move into `open`, all conversions lost by p
//! won(p)  = open with a quiet move into lost(p - 1), or a conversion that wins in p
//! ```
//!
//! Only tiles whose neighbours changed, or which have a conversion due, are
//! looked at.

mod bishops;
mod board;
mod clocks;
mod counter;
mod depths;
mod figures;
mod late;
mod lean;
mod outside;
mod pending;
mod record;
mod together;
mod undecided;
mod watch;
mod winners;

pub use bishops::BishopPair;
pub use board::BoardSolve;
pub use clocks::ClockRuns;
pub use figures::board_stats;
pub use lean::{Gathered, LeanSolve};
pub use outside::Spill;
pub use record::Keep;
pub use watch::Watch;

use std::sync::Arc;

use molien_board::Color;
use molien_hyper::{Cell, Hyperboard, Index, Plane, Tile};
use molien_operators::{Backend, QuietMoves, Which, empty_tiles, for_each_neighbour};
use molien_values::{LogError, RunLog};
use rayon::prelude::*;

use counter::{Counter, Raw};
use undecided::{Dirty, Slab, TileStep, Undecided};

use crate::Progress;
use crate::ranks::{ExchangeError, Share};

/// Tiles a task takes where there is little to do for each.
const CHUNK_TILES: usize = 64;

/// What a wave has decided.
pub(crate) enum Decided<'a> {
    /// Won positions, attacker to move.
    Won(&'a Plane),
    /// Lost positions, defender to move.
    Lost(&'a Plane),
    /// Stalemates, defender to move (ply 0 only).
    Stalemate(&'a Plane),
}

/// Is told of every wave.
pub(crate) trait Listener {
    /// A wave has decided something at this ply.
    fn decided(&mut self, ply: u16, decided: Decided<'_>, tally: Tally);

    /// Whether to stop; asked before every wave.
    fn cancelled(&self) -> bool;
}

/// Why the waves stopped before the end.
#[derive(Clone, Debug)]
pub(crate) enum Stop {
    Cancelled,
    /// A wave could not be logged.
    NotLogged(LogError),
    /// The ranks cannot go on together.
    Apart(ExchangeError),
    /// What waits outside of memory cannot be had.
    NotOutside(Arc<std::io::Error>),
}

impl From<std::io::Error> for Stop {
    fn from(error: std::io::Error) -> Stop {
        Stop::NotOutside(Arc::new(error))
    }
}

impl From<ExchangeError> for Stop {
    fn from(error: ExchangeError) -> Stop {
        Stop::Apart(error)
    }
}

/// What half a wave has done.
#[derive(Clone, Copy, Default)]
pub(crate) struct Tally {
    /// What it has decided.
    pub decided: Raw,
    /// Tiles looked at.
    pub tiles: u64,
    /// The first address decided, once all are known.
    pub first: Option<Index>,
    /// A number for what is decided, if that is wanted, once all of it is known.
    pub signature: Option<u64>,
}

impl Tally {
    fn add(self, other: Tally) -> Tally {
        let decided = self.decided.add(other.decided);
        Tally { decided, tiles: self.tiles + other.tiles, ..self }
    }
}

/// The state of a run.
pub(crate) struct State {
    /// Attacker to move, not yet won.
    pub open: Undecided,
    /// Defender to move, not yet lost.
    pub candidates: Undecided,
    /// Lost positions of the wave before, with those of other ranks that moves lead
    /// to, and of this one.
    lost_before: Plane,
    lost_now: Plane,
    won_now: Plane,
}

impl State {
    /// Before the first wave. The attacker's moves lead to so many tiles.
    pub fn new(open: Undecided, candidates: Undecided, reached_tiles: usize) -> State {
        let own = candidates.positions.tiles.len();
        let empty = |tiles| Plane { tiles: empty_tiles(tiles), live: vec![false; tiles] };
        let (lost_before, lost_now, won_now) = (empty(reached_tiles), empty(own), empty(own));
        State { open, candidates, lost_before, lost_now, won_now }
    }

    /// Goes on to the next ply; false if there is nothing left to decide.
    fn advance(&mut self, [lost, won]: [Tally; 2]) -> bool {
        self.open.dirty.advance(!lost.decided.is_empty());
        self.candidates.dirty.advance(!won.decided.is_empty());
        self.hand_down_lost();
        self.open.will_change() || self.candidates.will_change()
    }

    /// What is lost now becomes what was lost before. Where others' losses follow
    /// there, they are in place.
    fn hand_down_lost(&mut self) {
        let State { lost_before, lost_now, .. } = self;
        if lost_before.tiles.len() == lost_now.tiles.len() {
            std::mem::swap(lost_before, lost_now);
            return;
        }
        let own = lost_now.tiles.len();
        lost_before.live[..own].copy_from_slice(&lost_now.live);
        let both = lost_before.tiles.par_iter_mut().zip(&lost_now.tiles).zip(&lost_now.live);
        let live = both.with_min_len(CHUNK_TILES).filter(|(_, live)| **live);
        live.for_each(|((before, now), _)| *before = *now);
    }
}

/// The waves of one board and one side's wins.
pub(crate) struct Waves<'a> {
    pub backend: &'a dyn Backend,
    /// The board, by who moves: with all tiles that the moves of one side lead to.
    /// What is decided here has the same numbers on both.
    pub boards: [&'a Hyperboard; 2],
    pub counter: &'a Counter<'a>,
    pub attacker: Color,
    /// The waves end after this ply.
    pub last_ply: u16,
    /// What is decided here, if other ranks decide the rest.
    pub share: Option<&'a Share<'a>>,
    /// Whether waves are to have signatures.
    pub signed: bool,
    /// Is asked whether to stop within a wave.
    pub progress: &'a dyn Progress,
}

impl Waves<'_> {
    /// Runs all waves. Waves found in the log are taken from it, the others are
    /// added to it.
    pub fn run(
        &self,
        state: &mut State,
        mut log: Option<Box<dyn RunLog>>,
        listener: &mut impl Listener,
    ) -> Result<(), Stop> {
        if let (Some(share), Some(log)) = (self.share, &mut log) {
            log.hold_only(&share.owned);
        }
        for ply in 0..=self.last_ply {
            let cancelled = listener.cancelled();
            let State { lost_now, won_now, .. } = state;
            let logged = !cancelled && log.as_mut().is_some_and(|log| log.next(lost_now, won_now));
            self.agree(cancelled, logged)?;
            // Wave 0 is computed in any case: it finds the stalemates, too.
            let wave = match logged && ply > 0 {
                true => self.replay(state, ply)?,
                false => self.decide(state, ply, listener)?,
            };
            let (wave, more) = self.total(state, wave)?;
            self.report(state, ply, wave, listener);
            if let Some(log) = log.as_deref_mut().filter(|_| !logged) {
                self.append(log, state)?;
            }
            if !state.advance(wave) && !more {
                break;
            }
        }
        Ok(())
    }

    /// Decides a wave. What is lost travels while it is found out what is won.
    fn decide(
        &self,
        state: &mut State,
        ply: u16,
        listener: &mut impl Listener,
    ) -> Result<[Tally; 2], Stop> {
        let lost = match ply {
            0 => self.first_losses(state, listener)?,
            _ => self.defend(state, ply)?,
        };
        let posted = self.post(&state.lost_now, self.attacker)?;
        let won = self.attack(state, ply)?;
        self.collect_lost(state, posted)?;
        // What is won travels while it is looked through.
        let posted = self.post(&state.won_now, !self.attacker)?;
        let wave = [self.sealed(lost, &state.lost_now), self.sealed(won, &state.won_now)];
        self.collect_won(state, posted)?;
        Ok(wave)
    }

    /// The defender's half of a wave: fills `lost_now`.
    fn defend(&self, state: &mut State, ply: u16) -> Result<Tally, Stop> {
        let State { open, candidates, lost_now, .. } = state;
        self.half(candidates, lost_now, ply, (&open.dirty, self.attacker), |cell, mut tile| {
            if tile.due {
                tile.waiting.let_go(self.backend, ply);
            }
            let moves = self.moves(!self.attacker, &open.positions, cell);
            let which = Which::Stuck { held: tile.waiting.held() };
            self.backend.take_by_moves(&moves, which, tile.open, tile.decided)
        })
    }

    /// The attacker's half of a wave: fills `won_now`.
    fn attack(&self, state: &mut State, ply: u16) -> Result<Tally, Stop> {
        let State { open, candidates, lost_before, won_now, .. } = state;
        self.half(open, won_now, ply, (&candidates.dirty, !self.attacker), |cell, tile| {
            let converting = match tile.due {
                true => tile.waiting.due(self.backend, ply),
                false => Tile::EMPTY,
            };
            if !tile.changed {
                *tile.decided = converting.and(tile.open);
                return self.backend.take(tile.open, tile.decided);
            }
            let moves = self.moves(self.attacker, lost_before, cell);
            let which = Which::Moving { also: &converting };
            self.backend.take_by_moves(&moves, which, tile.open, tile.decided)
        })
    }

    fn moves<'a>(&'a self, side: Color, plane: &'a Plane, cell: &'a Cell) -> QuietMoves<'a> {
        QuietMoves { board: self.boards[side.index()], side, plane, cell }
    }

    /// A tile that is decided here.
    fn cell(&self, number: usize) -> Option<Cell> {
        self.boards[0].cell(number)
    }

    /// Half a wave: what `decide` takes out of each tile that is due goes from
    /// the undecided to `decided`. The tiles from which the other side moves
    /// there are marked.
    fn half(
        &self,
        undecided: &mut Undecided,
        decided: &mut Plane,
        ply: u16,
        (reached, by): (&Dirty, Color),
        decide: impl Fn(&Cell, TileStep<'_>) -> (u64, bool) + Sync,
    ) -> Result<Tally, Stop> {
        if !undecided.is_due(ply) {
            decided.live.fill(false);
            return Ok(Tally::default());
        }
        undecided.depths.reserve(ply);
        let tiles = undecided.stretch_tiles().unwrap_or(self.slab_tiles());
        let (slabs, dirty) = undecided.slabs(decided, tiles);
        let slab = |mut slab: Slab<'_>| {
            // Ranks stop together, between waves.
            if self.share.is_none() && self.progress.cancelled() {
                return Err(Stop::Cancelled);
            }
            slab.bring_back(ply)?;
            let mut tally = Tally::default();
            for i in 0..slab.open.len() {
                let number = slab.first + i;
                let Some(tile) = slab.step(i, ply, dirty.take(number)) else { continue };
                let Some(cell) = self.cell(number) else { continue };
                let due = tile.due;
                let (count, left) = decide(&cell, tile);
                tally.tiles += 1;
                slab.finish(self.backend, i, due, left);
                if count > 0 {
                    slab.keep(self.backend, i, ply);
                    tally.decided.count(self.counter, number, &slab.decided[i], count);
                    let board = self.boards[by.index()];
                    for_each_neighbour(board, by, &cell, |tile| reached.set(tile));
                }
            }
            Ok(tally)
        };
        let add = |a: Tally, b: Tally| Ok(a.add(b));
        slabs.into_par_iter().map(slab).try_reduce(Tally::default, add)
    }

    /// The defender's half of wave 0, in which those without a legal move are lost
    /// or stalemated.
    fn first_losses(&self, state: &mut State, listener: &mut impl Listener) -> Result<Tally, Stop> {
        let tiles = self.defend(state, 0)?.tiles;
        // Nothing is won yet: there is room for them.
        let State { lost_now, won_now, .. } = state;
        self.take_stalemates(lost_now, won_now);
        listener.decided(0, Decided::Stalemate(won_now), Tally::default());
        won_now.live.fill(false);
        Ok(Tally { decided: self.count(&state.lost_now), tiles, ..Tally::default() })
    }

    /// Takes in the wave in `lost_now` and `won_now`, decided by an earlier
    /// process, as `defend` and `attack` would have.
    fn replay(&self, state: &mut State, ply: u16) -> Result<[Tally; 2], Stop> {
        let State { open, candidates, lost_now, won_now, .. } = state;
        candidates.dirty.replace(&lost_now.live);
        open.dirty.replace(&won_now.live);
        let take = |tile: TileStep<'_>| {
            // What is not logged was not decided.
            let none = if tile.changed { None } else { Some(Tile::EMPTY) };
            self.backend.take(tile.open, none.as_ref().unwrap_or(tile.decided))
        };
        let reached = (&open.dirty, self.attacker);
        let lost = self.half(candidates, lost_now, ply, reached, |_, mut tile| {
            if tile.due {
                tile.waiting.let_go(self.backend, ply);
            }
            take(tile)
        })?;
        let reached = (&candidates.dirty, !self.attacker);
        let won = self.half(open, won_now, ply, reached, |_, tile| take(tile))?;
        let wave = [self.sealed(lost, &state.lost_now), self.sealed(won, &state.won_now)];
        let posted = self.post(&state.lost_now, self.attacker)?;
        self.collect_lost(state, posted)?;
        let posted = self.post(&state.won_now, !self.attacker)?;
        self.collect_won(state, posted)?;
        Ok(wave.map(|half| Tally { tiles: 0, ..half }))
    }

    /// Decides at this ply what is undecided but not among those left.
    fn leave(
        &self,
        state: &mut State,
        ply: u16,
        [open_left, candidates_left]: [&[Tile]; 2],
    ) -> Result<[Tally; 2], Stop> {
        let State { open, candidates, lost_now, won_now, .. } = state;
        let all = vec![true; open_left.len()];
        candidates.dirty.replace(&all);
        open.dirty.replace(&all);
        let take = |cell: &Cell, tile: TileStep<'_>, left: &[Tile]| {
            *tile.decided = self.backend.difference(tile.open, &left[cell.tile]);
            self.backend.take(tile.open, tile.decided)
        };
        let reached = (&open.dirty, self.attacker);
        let lost = self.half(candidates, lost_now, ply, reached, |cell, tile| {
            take(cell, tile, candidates_left)
        })?;
        let reached = (&candidates.dirty, !self.attacker);
        let won =
            self.half(open, won_now, ply, reached, |cell, tile| take(cell, tile, open_left))?;
        Ok([lost, won])
    }

    /// Tells what the wave has decided.
    fn report(
        &self,
        state: &State,
        ply: u16,
        [lost, won]: [Tally; 2],
        listener: &mut impl Listener,
    ) {
        if !lost.decided.is_empty() {
            listener.decided(ply, Decided::Lost(&state.lost_now), lost);
        }
        if !won.decided.is_empty() {
            listener.decided(ply, Decided::Won(&state.won_now), won);
        }
    }

    /// At ply 0 the "lost" have no legal move. Those not in check are
    /// stalemated: takes them out.
    fn take_stalemates(&self, lost: &mut Plane, stalemates: &mut Plane) {
        let take = |number: usize, tile: &mut Tile, live: &mut bool| {
            let Some(cell) = self.cell(number).filter(|_| *live) else { return Tile::EMPTY };
            let mated = tile.and(&self.backend.in_check(self.boards[0], !self.attacker, &cell));
            let stalemated = tile.minus(&mated);
            *tile = mated;
            *live = !mated.is_empty();
            stalemated
        };
        let lost = lost.tiles.par_iter_mut().zip(&mut lost.live);
        let stalemates = stalemates.tiles.par_iter_mut().zip(&mut stalemates.live);
        let both = lost.zip(stalemates).enumerate().with_min_len(CHUNK_TILES);
        both.for_each(|(number, ((tile, live), (stalemated, any)))| {
            *stalemated = take(number, tile, live);
            *any = !stalemated.is_empty();
        });
    }

    fn count(&self, plane: &Plane) -> Raw {
        let live = plane.live.par_iter().enumerate().with_min_len(CHUNK_TILES);
        let count = |(number, _)| {
            let (mut raw, tile) = (Raw::default(), &plane.tiles[number]);
            raw.count(self.counter, number, tile, self.backend.count(tile));
            raw
        };
        live.filter(|(_, live)| **live).map(count).reduce(Raw::default, Raw::add)
    }
}
