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

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use molien_board::Color;
use molien_hyper::{Hyperboard, Plane, Tile};
use molien_operators::{Backend, Release, difference, for_each_neighbour, take};
use rayon::prelude::*;

use molien_values::{LogError, RunLog};

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
#[derive(Clone, Debug)]
pub(crate) enum Stop {
    Finished,
    Cancelled,
    /// A wave could not be logged.
    NotLogged(LogError),
}

/// What conversions do to each tile, and when next.
struct Pending {
    releases: Vec<Release>,
    /// By tile, the least ply of a position that still matters; [`NEVER`] if
    /// there is none. Apart from the releases, since every wave reads all of
    /// it.
    next: Vec<u16>,
}

const NEVER: u16 = u16::MAX;

/// The next ply at which one of these positions is due; none of them is due
/// yet.
fn next_due(release: &Release, among: &Tile) -> u16 {
    release.least(among).unwrap_or(NEVER)
}

impl Pending {
    fn new(releases: Vec<Release>, plane: &Plane) -> Pending {
        let tiles = releases.par_iter().zip(&plane.tiles).with_min_len(CHUNK_TILES);
        let next = tiles.map(|(release, among)| next_due(release, among)).collect();
        Pending { releases, next }
    }

    /// The first ply at which a tile has a conversion due.
    fn first_due(&self) -> u16 {
        self.next.iter().copied().min().unwrap_or(NEVER)
    }

    fn par_iter_mut(&mut self) -> impl IndexedParallelIterator<Item = (&mut Release, &mut u16)> {
        self.releases.par_iter_mut().zip(&mut self.next)
    }
}

/// The positions whose conversions hold until this ply no longer do.
fn let_go(hold: &mut Release, ply: u16) {
    hold.some = difference(&hold.some, &hold.at(ply));
}

/// Tiles of which a neighbour changed, and whether there are any.
struct Dirty {
    tiles: Vec<AtomicBool>,
    any: AtomicBool,
}

impl Dirty {
    fn new(tiles: usize, dirty: bool) -> Dirty {
        Dirty {
            tiles: (0..tiles).map(|_| AtomicBool::new(dirty)).collect(),
            any: AtomicBool::new(dirty),
        }
    }

    #[inline]
    fn set(&self, tile: usize) {
        // Most are set already: a load is cheaper than a store.
        if !self.tiles[tile].load(Relaxed) {
            self.tiles[tile].store(true, Relaxed);
        }
    }

    fn clear(&self) {
        self.tiles.par_iter().with_min_len(1024).for_each(|tile| tile.store(false, Relaxed));
        self.any.store(false, Relaxed);
    }

    #[inline]
    fn take(&self, tile: usize) -> bool {
        let dirty = self.tiles[tile].load(Relaxed);
        if dirty {
            self.tiles[tile].store(false, Relaxed);
        }
        dirty
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
    wins: Pending,
    holds: Pending,
    /// Lost positions of the wave before and of this one.
    lost_before: Plane,
    lost_now: Plane,
    won_now: Plane,
    dirty_open: Dirty,
    dirty_candidates: Dirty,
}

impl State {
    /// Takes in the wave in `lost_now` and `won_now`, decided by an earlier
    /// process, as `defend` and `attack` would have.
    fn replay(&mut self, ply: u16) {
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
        take(&mut self.candidates, &self.lost_now);
        take(&mut self.open, &self.won_now);
        let holds = self.holds.par_iter_mut().zip(&self.candidates.tiles);
        holds.filter(|((_, next), _)| **next == ply).for_each(|((hold, next), candidates)| {
            let_go(hold, ply);
            *next = next_due(hold, candidates);
        });
        let wins = self.wins.par_iter_mut().zip(&self.open.tiles);
        wins.filter(|((_, next), _)| **next == ply).for_each(|((win, next), open)| {
            *next = next_due(win, open);
        });
        self.dirty_open.clear();
        self.dirty_candidates.clear();
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
        let mut ply = 0;
        loop {
            if cancelled() {
                return Stop::Cancelled;
            }
            let State { lost_now, won_now, .. } = &mut state;
            let logged = log.as_mut().is_some_and(|log| log.next(lost_now, won_now));
            // Wave 0 is computed again: it finds the stalemates too.
            let replayed = logged && ply > 0;
            if replayed {
                state.replay(ply);
            }
            let (mut lost, lost_tiles) = if replayed {
                (count(&state.lost_now), 0)
            } else if state.dirty_candidates.any.swap(false, Relaxed)
                || state.holds.first_due() == ply
            {
                self.defend(&mut state, ply)
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
            } else if state.dirty_open.any.swap(false, Relaxed) || state.wins.first_due() == ply {
                self.attack(&mut state, ply)
            } else {
                clear(&mut state.won_now)
            };
            if won > 0 {
                decide(ply, Decided::Won(&state.won_now), won, won_tiles);
            }
            if let Some(log) = log.as_mut().filter(|_| !logged)
                && let Err(error) = log.append(&state.lost_now, &state.won_now)
            {
                return Stop::NotLogged(error);
            }
            if lost > 0 {
                self.mark(&state.lost_now, self.attacker, &state.dirty_open);
            }
            if won > 0 {
                self.mark(&state.won_now, !self.attacker, &state.dirty_candidates);
            }
            std::mem::swap(&mut state.lost_before, &mut state.lost_now);
            if lost == 0 && won == 0 && state.wins.first_due().min(state.holds.first_due()) == NEVER
            {
                return Stop::Finished;
            }
            ply += 1;
        }
    }

    fn begin(&self, start: Start) -> State {
        let tiles = self.board.tiles();
        let Start { open, candidates, wins, holds } = start;
        let (wins, holds) = (Pending::new(wins, &open), Pending::new(holds, &candidates));
        State {
            open,
            candidates,
            wins,
            holds,
            lost_before: Plane::empty(tiles),
            lost_now: Plane::empty(tiles),
            won_now: Plane::empty(tiles),
            dirty_open: Dirty::new(tiles, false),
            dirty_candidates: Dirty::new(tiles, true),
        }
    }

    /// The defender's half of a wave: fills `lost_now`.
    fn defend(&self, state: &mut State, ply: u16) -> (u64, u64) {
        let (counted, computed) = (AtomicU64::new(0), AtomicU64::new(0));
        let (open, dirty) = (&state.open, &state.dirty_candidates);
        let candidates = state.candidates.tiles.par_iter_mut().zip(&mut state.candidates.live);
        let lost = state.lost_now.tiles.par_iter_mut().zip(&mut state.lost_now.live);
        candidates
            .zip(lost)
            .zip(state.holds.par_iter_mut())
            .enumerate()
            .with_min_len(CHUNK_TILES)
            .for_each(|(number, (((candidates, alive), (lost, lost_live)), (hold, next)))| {
                if *lost_live {
                    *lost = Tile::EMPTY;
                    *lost_live = false;
                }
                let due = *next == ply;
                if !(dirty.take(number) || due) {
                    return;
                }
                if !*alive {
                    *next = NEVER;
                    return;
                }
                if due {
                    hold.prefetch();
                }
                let Some(cell) = self.board.cell(number) else { return };
                computed.fetch_add(1, Relaxed);
                if due {
                    let_go(hold, ply);
                }
                let stuck = difference(candidates, &hold.some);
                let moving =
                    self.backend.quiet_within(self.board, !self.attacker, open, &cell, &stuck);
                *lost = difference(&stuck, &moving);
                let decided;
                (decided, *alive) = take(candidates, lost);
                *lost_live = decided > 0;
                counted.fetch_add(decided, Relaxed);
                if due {
                    *next = next_due(hold, candidates);
                }
            });
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
    fn attack(&self, state: &mut State, ply: u16) -> (u64, u64) {
        let (counted, computed) = (AtomicU64::new(0), AtomicU64::new(0));
        let (lost, dirty) = (&state.lost_before, &state.dirty_open);
        let open = state.open.tiles.par_iter_mut().zip(&mut state.open.live);
        let won = state.won_now.tiles.par_iter_mut().zip(&mut state.won_now.live);
        open.zip(won)
            .zip(state.wins.par_iter_mut())
            .enumerate()
            .with_min_len(CHUNK_TILES)
            .for_each(|(number, (((open, alive), (won, won_live)), (win, next)))| {
                if *won_live {
                    *won = Tile::EMPTY;
                    *won_live = false;
                }
                let (changed, due) = (dirty.take(number), *next == ply);
                if !(changed || due) {
                    return;
                }
                if !*alive {
                    *next = NEVER;
                    return;
                }
                if due {
                    win.prefetch();
                }
                let Some(cell) = self.board.cell(number) else { return };
                computed.fetch_add(1, Relaxed);
                if changed {
                    *won = self.backend.quiet_within(self.board, self.attacker, lost, &cell, open);
                }
                if due {
                    won.add(&win.at(ply).and(open));
                }
                let decided;
                (decided, *alive) = take(open, won);
                *won_live = decided > 0;
                counted.fetch_add(decided, Relaxed);
                if due {
                    *next = next_due(win, open);
                }
            });
        (counted.into_inner(), computed.into_inner())
    }

    /// Marks the tiles from which `side` moves into a live tile of the plane.
    fn mark(&self, plane: &Plane, side: Color, dirty: &Dirty) {
        dirty.any.store(true, Relaxed);
        plane.live.par_iter().enumerate().with_min_len(CHUNK_TILES).for_each(|(number, live)| {
            if let (true, Some(cell)) = (*live, self.board.cell(number)) {
                for_each_neighbour(self.board, side, &cell, |tile| dirty.set(tile));
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
