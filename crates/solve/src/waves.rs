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

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering::Relaxed};

use molien_board::Color;
use molien_hyper::{Hyperboard, Plane, Tile};
use molien_operators::{Backend, Release, difference, for_each_neighbour, take};
use rayon::prelude::*;

use crate::wave_log::{RunLog, Wave};

/// Tiles a thread takes at a time.
const CHUNK_TILES: usize = 16;

/// Where the waves start.
pub(crate) struct Start {
    /// Legal positions with the attacker to move.
    pub open: Plane,
    /// Legal positions with the defender to move and no escape.
    pub candidates: Plane,
    /// The attacker's winning conversions, per tile.
    pub wins: Vec<Release>,
    /// The defender's losing conversions, per tile.
    pub holds: Vec<Release>,
}

/// What a wave has decided.
pub(crate) enum Decided<'a> {
    /// Won positions, attacker to move.
    Won(&'a Plane),
    /// Lost positions, defender to move.
    Lost(&'a Plane),
    /// Stalemates, defender to move (ply 0 only).
    Stalemate(&'a Plane),
}

/// Why the waves stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    Finished,
    Cancelled,
    /// A wave could not be logged.
    NotLogged(String),
}

/// The tiles with a release due at each ply.
struct Schedule {
    by_ply: Vec<Vec<u32>>,
}

impl Schedule {
    fn new<'a>(releases: impl IndexedParallelIterator<Item = &'a Release>) -> Schedule {
        let plies: Vec<Vec<u16>> = releases.map(Release::plies).collect();
        let mut by_ply: Vec<Vec<u32>> = Vec::new();
        for (tile, plies) in plies.iter().enumerate() {
            for &ply in plies {
                let ply = usize::from(ply);
                if by_ply.len() <= ply {
                    by_ply.resize(ply + 1, Vec::new());
                }
                by_ply[ply].push(tile as u32);
            }
        }
        Schedule { by_ply }
    }

    fn due(&self, ply: u16) -> &[u32] {
        self.by_ply.get(usize::from(ply)).map_or(&[], Vec::as_slice)
    }

    fn last_ply(&self) -> u16 {
        self.by_ply.len().saturating_sub(1) as u16
    }
}

/// A neighbour of the tile changed in the wave before.
const CHANGED: u8 = 1;
/// The tile has a conversion due.
const DUE: u8 = 2;

/// Tiles to look at in the next wave and why, and whether there are any.
struct Dirty {
    reasons: Vec<AtomicU8>,
    any: AtomicBool,
}

impl Dirty {
    fn new(tiles: usize, reason: u8) -> Dirty {
        Dirty {
            reasons: (0..tiles).map(|_| AtomicU8::new(reason)).collect(),
            any: AtomicBool::new(reason != 0),
        }
    }

    /// Only threads that set the same reason run at the same time, so a plain
    /// load and store lose nothing.
    #[inline]
    fn set(&self, tile: usize, reason: u8) {
        let reasons = &self.reasons[tile];
        let before = reasons.load(Relaxed);
        if before & reason == 0 {
            reasons.store(before | reason, Relaxed);
        }
    }

    fn clear(&self) {
        self.reasons.par_iter().with_min_len(1024).for_each(|reasons| reasons.store(0, Relaxed));
        self.any.store(false, Relaxed);
    }

    #[inline]
    fn take(&self, tile: usize) -> u8 {
        let reasons = self.reasons[tile].load(Relaxed);
        if reasons != 0 {
            self.reasons[tile].store(0, Relaxed);
        }
        reasons
    }
}

pub(crate) struct Waves<'a> {
    pub backend: &'a dyn Backend,
    pub board: &'a Hyperboard,
    pub attacker: Color,
}

/// Everything that changes from wave to wave.
struct State {
    open: Plane,
    candidates: Plane,
    wins: Vec<Release>,
    holds: Vec<Release>,
    /// Lost positions of the wave before and of this one.
    lost_before: Plane,
    lost_now: Plane,
    won_now: Plane,
    dirty_open: Dirty,
    dirty_candidates: Dirty,
}

impl State {
    /// Takes in a wave decided by an earlier process, as `defend` and
    /// `attack` would have.
    fn replay(&mut self, wave: Wave, ply: u16, holds_due: &[u32]) {
        let take = |from: &mut Plane, plane: &Plane| {
            let tiles = from.tiles.par_iter_mut().zip(&mut from.live);
            tiles.zip(&plane.tiles).zip(&plane.live).with_min_len(64).for_each(
                |(((tile, alive), gone), live)| {
                    if *live {
                        *tile = tile.minus(gone);
                        *alive = !tile.is_empty();
                    }
                },
            );
        };
        take(&mut self.candidates, &wave.lost);
        take(&mut self.open, &wave.won);
        for &tile in holds_due {
            let hold = &mut self.holds[tile as usize];
            hold.some = hold.some.minus(&hold.at(ply));
        }
        self.dirty_open.clear();
        self.dirty_candidates.clear();
        self.lost_now = wave.lost;
        self.won_now = wave.won;
    }
}

impl Waves<'_> {
    /// Runs all waves. `decide` is told of every wave that decides something
    /// (ply, positions, number of addresses and of tiles computed); `cancelled`
    /// is asked once a ply. Waves found in the log are taken from it, the
    /// others are added to it.
    pub fn run(
        &self,
        start: Start,
        mut log: Option<Box<dyn RunLog>>,
        mut decide: impl FnMut(u16, Decided<'_>, u64, u64),
        cancelled: impl Fn() -> bool,
    ) -> Stop {
        let mut state = self.begin(start);
        let wins_due = Schedule::new(state.wins.par_iter());
        let holds_due = Schedule::new(state.holds.par_iter());
        let last_due = wins_due.last_ply().max(holds_due.last_ply());
        let mut ply = 0;
        loop {
            if cancelled() {
                return Stop::Cancelled;
            }
            let logged = log.as_mut().filter(|_| ply > 0).and_then(|log| log.next());
            let replayed = logged.is_some();
            if let Some(wave) = logged {
                state.replay(wave, ply, holds_due.due(ply));
            }
            let (mut lost, lost_tiles) = if replayed {
                (count(&state.lost_now), 0)
            } else if state.dirty_candidates.any.swap(false, Relaxed)
                || !holds_due.due(ply).is_empty()
            {
                self.defend(&mut state, ply, holds_due.due(ply))
            } else {
                clear(&mut state.lost_now)
            };
            if ply == 0 {
                let stalemates = self.take_stalemates(&mut state.lost_now);
                lost -= count(&stalemates);
                decide(ply, Decided::Stalemate(&stalemates), 0, 0);
            }
            if lost > 0 {
                decide(ply, Decided::Lost(&state.lost_now), lost, lost_tiles);
            }
            let (won, won_tiles) = if replayed {
                (count(&state.won_now), 0)
            } else if state.dirty_open.any.swap(false, Relaxed) || !wins_due.due(ply).is_empty() {
                self.attack(&mut state, ply, wins_due.due(ply))
            } else {
                clear(&mut state.won_now)
            };
            if won > 0 {
                decide(ply, Decided::Won(&state.won_now), won, won_tiles);
            }
            if let Some(log) = log.as_mut().filter(|_| ply > 0 && !replayed)
                && let Err(reason) = log.append(&state.lost_now, &state.won_now)
            {
                return Stop::NotLogged(reason);
            }
            if lost > 0 {
                self.mark(&state.lost_now, self.attacker, &state.dirty_open);
            }
            if won > 0 {
                self.mark(&state.won_now, !self.attacker, &state.dirty_candidates);
            }
            std::mem::swap(&mut state.lost_before, &mut state.lost_now);
            if lost == 0 && won == 0 && ply >= last_due {
                return Stop::Finished;
            }
            ply += 1;
        }
    }

    fn begin(&self, start: Start) -> State {
        let tiles = self.board.tiles();
        let Start { open, candidates, wins, holds } = start;
        State {
            open,
            candidates,
            wins,
            holds,
            lost_before: Plane::empty(tiles),
            lost_now: Plane::empty(tiles),
            won_now: Plane::empty(tiles),
            dirty_open: Dirty::new(tiles, 0),
            dirty_candidates: Dirty::new(tiles, CHANGED),
        }
    }

    /// The defender's half of a wave: fills `lost_now`.
    fn defend(&self, state: &mut State, ply: u16, due: &[u32]) -> (u64, u64) {
        let (counted, computed) = (AtomicU64::new(0), AtomicU64::new(0));
        for &tile in due {
            state.dirty_candidates.set(tile as usize, DUE);
        }
        let (open, dirty) = (&state.open, &state.dirty_candidates);
        let candidates = state.candidates.tiles.par_iter_mut().zip(&mut state.candidates.live);
        let lost = state.lost_now.tiles.par_iter_mut().zip(&mut state.lost_now.live);
        candidates.zip(lost).zip(&mut state.holds).enumerate().with_min_len(CHUNK_TILES).for_each(
            |(number, (((candidates, alive), (lost, lost_live)), hold))| {
                if *lost_live {
                    *lost = Tile::EMPTY;
                    *lost_live = false;
                }
                let reasons = dirty.take(number);
                if reasons == 0 || !*alive {
                    return;
                }
                let Some(cell) = self.board.cell(number) else { return };
                computed.fetch_add(1, Relaxed);
                // Conversions due now hold no longer.
                if reasons & DUE != 0 {
                    hold.some = difference(&hold.some, &hold.at(ply));
                }
                let stuck = difference(candidates, &hold.some);
                let moving =
                    self.backend.quiet_within(self.board, !self.attacker, open, &cell, &stuck);
                *lost = difference(&stuck, &moving);
                let decided;
                (decided, *alive) = take(candidates, lost);
                *lost_live = decided > 0;
                counted.fetch_add(decided, Relaxed);
            },
        );
        (counted.into_inner(), computed.into_inner())
    }

    /// At ply 0 the "lost" have no legal move. Those not in check are
    /// stalemated: takes them out.
    fn take_stalemates(&self, lost: &mut Plane) -> Plane {
        let split = |(number, (tile, live)): (usize, (&mut Tile, &mut bool))| {
            let Some(cell) = self.board.cell(number).filter(|_| *live) else { return Tile::EMPTY };
            let mated = tile.and(&self.backend.in_check(self.board, !self.attacker, &cell));
            let stalemated = tile.minus(&mated);
            *tile = mated;
            *live = !mated.is_empty();
            stalemated
        };
        let tiles = lost.tiles.par_iter_mut().zip(&mut lost.live).enumerate();
        Plane::from_tiles(tiles.with_min_len(CHUNK_TILES).map(split).collect())
    }

    /// The attacker's half of a wave: fills `won_now`.
    fn attack(&self, state: &mut State, ply: u16, due: &[u32]) -> (u64, u64) {
        let (counted, computed) = (AtomicU64::new(0), AtomicU64::new(0));
        for &tile in due {
            state.dirty_open.set(tile as usize, DUE);
        }
        let (lost, dirty) = (&state.lost_before, &state.dirty_open);
        let open = state.open.tiles.par_iter_mut().zip(&mut state.open.live);
        let won = state.won_now.tiles.par_iter_mut().zip(&mut state.won_now.live);
        open.zip(won).zip(&state.wins).enumerate().with_min_len(CHUNK_TILES).for_each(
            |(number, (((open, alive), (won, won_live)), win))| {
                if *won_live {
                    *won = Tile::EMPTY;
                    *won_live = false;
                }
                let reasons = dirty.take(number);
                if reasons == 0 || !*alive {
                    return;
                }
                let Some(cell) = self.board.cell(number) else { return };
                computed.fetch_add(1, Relaxed);
                *won = if reasons & DUE != 0 { win.at(ply).and(open) } else { Tile::EMPTY };
                if reasons & CHANGED != 0 {
                    let side = self.attacker;
                    won.add(&self.backend.quiet_within(self.board, side, lost, &cell, open));
                }
                let decided;
                (decided, *alive) = take(open, won);
                *won_live = decided > 0;
                counted.fetch_add(decided, Relaxed);
            },
        );
        (counted.into_inner(), computed.into_inner())
    }

    /// Marks the tiles from which `side` moves into a live tile of the plane.
    fn mark(&self, plane: &Plane, side: Color, dirty: &Dirty) {
        dirty.any.store(true, Relaxed);
        plane.live.par_iter().enumerate().with_min_len(CHUNK_TILES).for_each(|(number, live)| {
            if let (true, Some(cell)) = (*live, self.board.cell(number)) {
                for_each_neighbour(self.board, side, &cell, |tile| dirty.set(tile, CHANGED));
            }
        });
    }
}

fn count(plane: &Plane) -> u64 {
    let live = plane.tiles.par_iter().zip(&plane.live).with_min_len(64).filter(|(_, live)| **live);
    live.map(|(tile, _)| molien_operators::count(tile)).sum()
}

fn clear(plane: &mut Plane) -> (u64, u64) {
    plane.tiles.par_iter_mut().zip(&mut plane.live).for_each(|(tile, live)| {
        if *live {
            *tile = Tile::EMPTY;
            *live = false;
        }
    });
    (0, 0)
}
