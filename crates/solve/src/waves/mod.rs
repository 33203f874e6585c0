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
mod counter;
mod record;
mod watch;

pub use bishops::BishopPair;
pub use board::BoardSolve;
pub use record::Keep;
pub use watch::Watch;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use molien_board::Color;
use molien_hyper::{Cell, Hyperboard, Plane, Tile};
use molien_operators::{Backend, Release, for_each_neighbour};
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

impl Pending {
    fn new(backend: &dyn Backend, releases: Vec<Release>, plane: &Plane) -> Pending {
        let tiles = releases.par_iter().zip(&plane.tiles).with_min_len(CHUNK_TILES);
        let next = tiles.map(|(release, among)| next_due(backend, release, among)).collect();
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

/// The next ply at which one of these positions is due; none of them is due
/// yet.
fn next_due(backend: &dyn Backend, release: &Release, among: &Tile) -> u16 {
    backend.release_least(release, among).unwrap_or(NEVER)
}

/// The positions whose conversions hold until this ply no longer do.
fn let_go(backend: &dyn Backend, hold: &mut Release, ply: u16) {
    hold.some = backend.difference(&hold.some, &backend.release_at(hold, ply));
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

/// A set of positions that only shrinks, with the tiles of it to look at again.
struct Undecided {
    positions: Plane,
    conversions: Pending,
    dirty: Dirty,
}

impl Undecided {
    fn new(
        backend: &dyn Backend,
        positions: Plane,
        conversions: Vec<Release>,
        dirty: bool,
    ) -> Undecided {
        let conversions = Pending::new(backend, conversions, &positions);
        let dirty = Dirty::new(positions.tiles.len(), dirty);
        Undecided { positions, conversions, dirty }
    }

    /// Whether some tile has to be looked at.
    fn is_due(&self, ply: u16) -> bool {
        self.dirty.any.swap(false, Relaxed) || self.conversions.first_due() == ply
    }
}

/// One tile of [`Undecided`], and what this wave decides of it.
struct TileStep<'a> {
    /// Whether a neighbour changed.
    changed: bool,
    /// Whether a conversion is due.
    due: bool,
    open: &'a mut Tile,
    release: &'a mut Release,
}

/// What a wave, or half of one, has decided.
#[derive(Clone, Copy, Default)]
struct Tally {
    /// Addresses.
    decided: u64,
    /// Tiles looked at.
    tiles: u64,
}

/// Everything that changes from wave to wave.
struct State {
    /// Attacker to move, not yet won.
    open: Undecided,
    /// Defender to move, not yet lost.
    candidates: Undecided,
    /// Lost positions of the wave before and of this one.
    lost_before: Plane,
    lost_now: Plane,
    won_now: Plane,
}

pub(crate) struct Waves<'a> {
    pub backend: &'a dyn Backend,
    pub board: &'a Hyperboard,
    pub attacker: Color,
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
        for ply in 0..NEVER {
            if cancelled() {
                return Stop::Cancelled;
            }
            let State { lost_now, won_now, .. } = &mut state;
            let logged = log.as_mut().is_some_and(|log| log.next(lost_now, won_now));
            // Wave 0 is computed in any case: it finds the stalemates, too.
            let [lost, won] = match ply {
                0 => self.first_wave(&mut state, &mut decide),
                _ if logged => self.replay(&mut state, ply),
                _ => [self.defend(&mut state, ply), self.attack(&mut state, ply)],
            };
            self.report(&state, ply, [lost, won], &mut decide);
            if let Some(log) = log.as_mut().filter(|_| !logged)
                && let Err(reason) = log.append(&state.lost_now, &state.won_now)
            {
                return Stop::NotLogged(reason);
            }
            if lost.decided + won.decided == 0 && state.is_over() {
                break;
            }
            std::mem::swap(&mut state.lost_before, &mut state.lost_now);
        }
        Stop::Finished
    }

    fn begin(&self, start: Start) -> State {
        let empty = || Plane::empty(self.board.tiles());
        let Start { open, candidates, wins, holds } = start;
        State {
            open: Undecided::new(self.backend, open, wins, false),
            candidates: Undecided::new(self.backend, candidates, holds, true),
            lost_before: empty(),
            lost_now: empty(),
            won_now: empty(),
        }
    }

    /// Wave 0, in which those without a legal move are lost or stalemated.
    fn first_wave(
        &self,
        state: &mut State,
        decide: &mut impl FnMut(u16, Decided<'_>, u64, u64),
    ) -> [Tally; 2] {
        let mut lost = self.defend(state, 0);
        let stalemates = self.take_stalemates(&mut state.lost_now);
        lost.decided -= self.count(&stalemates);
        decide(0, Decided::Stalemate(&stalemates), 0, 0);
        [lost, self.attack(state, 0)]
    }

    /// Tells what the wave has decided, and marks the tiles it matters to.
    fn report(
        &self,
        state: &State,
        ply: u16,
        [lost, won]: [Tally; 2],
        decide: &mut impl FnMut(u16, Decided<'_>, u64, u64),
    ) {
        if lost.decided > 0 {
            decide(ply, Decided::Lost(&state.lost_now), lost.decided, lost.tiles);
            self.mark(&state.lost_now, self.attacker, &state.open.dirty);
        }
        if won.decided > 0 {
            decide(ply, Decided::Won(&state.won_now), won.decided, won.tiles);
            self.mark(&state.won_now, !self.attacker, &state.candidates.dirty);
        }
    }

    /// The defender's half of a wave: fills `lost_now`.
    fn defend(&self, state: &mut State, ply: u16) -> Tally {
        let (backend, open) = (self.backend, &state.open.positions);
        self.half(&mut state.candidates, &mut state.lost_now, ply, |cell, step| {
            if step.due {
                let_go(backend, step.release, ply);
            }
            let stuck = backend.difference(step.open, &step.release.some);
            let moving = backend.quiet_within(self.board, !self.attacker, open, cell, &stuck);
            backend.difference(&stuck, &moving)
        })
    }

    /// The attacker's half of a wave: fills `won_now`.
    fn attack(&self, state: &mut State, ply: u16) -> Tally {
        let (backend, lost) = (self.backend, &state.lost_before);
        self.half(&mut state.open, &mut state.won_now, ply, |cell, step| {
            let mut won = Tile::EMPTY;
            if step.changed {
                won = backend.quiet_within(self.board, self.attacker, lost, cell, step.open);
            }
            if step.due {
                won.add(&backend.release_at(step.release, ply).and(step.open));
            }
            won
        })
    }

    /// Half a wave: what `decide` says of each tile that is due goes from the
    /// undecided to `decided`.
    fn half(
        &self,
        undecided: &mut Undecided,
        decided: &mut Plane,
        ply: u16,
        decide: impl Fn(&Cell, &mut TileStep<'_>) -> Tile + Sync,
    ) -> Tally {
        if !undecided.is_due(ply) {
            clear(decided);
            return Tally::default();
        }
        let (counted, computed) = (AtomicU64::new(0), AtomicU64::new(0));
        let Undecided { positions, conversions, dirty } = undecided;
        let open = positions.tiles.par_iter_mut().zip(&mut positions.live);
        let decided = decided.tiles.par_iter_mut().zip(&mut decided.live);
        let tiles = open.zip(decided).zip(conversions.par_iter_mut()).enumerate();
        tiles.with_min_len(CHUNK_TILES).for_each(|(number, tile)| {
            let (((open, alive), (decided, live)), (release, next)) = tile;
            if std::mem::take(live) {
                *decided = Tile::EMPTY;
            }
            let (changed, due) = (dirty.take(number), *next == ply);
            if !changed && !due {
                return;
            }
            if !*alive {
                *next = NEVER;
                return;
            }
            if due {
                self.backend.prefetch(release);
            }
            let Some(cell) = self.board.cell(number) else { return };
            let mut step = TileStep { changed, due, open, release };
            *decided = decide(&cell, &mut step);
            let count;
            (count, *alive) = self.backend.take(open, decided);
            *live = count > 0;
            if due {
                *next = next_due(self.backend, release, open);
            }
            counted.fetch_add(count, Relaxed);
            computed.fetch_add(1, Relaxed);
        });
        Tally { decided: counted.into_inner(), tiles: computed.into_inner() }
    }

    /// Takes in the wave in `lost_now` and `won_now`, decided by an earlier
    /// process, as `defend` and `attack` would have.
    fn replay(&self, state: &mut State, ply: u16) -> [Tally; 2] {
        let take = |from: &mut Undecided, decided: &Plane, holds: bool| {
            let Undecided { positions, conversions, dirty } = from;
            let tiles = positions.tiles.par_iter_mut().zip(&mut positions.live);
            let decided_tiles = decided.tiles.par_iter().zip(&decided.live);
            let tiles = tiles.zip(decided_tiles).zip(conversions.par_iter_mut());
            tiles.with_min_len(64).for_each(|(((tile, alive), (gone, live)), (release, next))| {
                if *live {
                    (_, *alive) = self.backend.take(tile, gone);
                }
                if *next == ply {
                    if holds {
                        let_go(self.backend, release, ply);
                    }
                    *next = next_due(self.backend, release, tile);
                }
            });
            dirty.clear();
            Tally { decided: self.count(decided), tiles: 0 }
        };
        let lost = take(&mut state.candidates, &state.lost_now, true);
        [lost, take(&mut state.open, &state.won_now, false)]
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

    /// Marks the tiles from which `side` moves into a live tile of the plane.
    fn mark(&self, plane: &Plane, side: Color, dirty: &Dirty) {
        dirty.any.store(true, Relaxed);
        plane.live.par_iter().enumerate().with_min_len(CHUNK_TILES).for_each(|(number, live)| {
            if let (true, Some(cell)) = (*live, self.board.cell(number)) {
                for_each_neighbour(self.board, side, &cell, |tile| dirty.set(tile));
            }
        });
    }

    fn count(&self, plane: &Plane) -> u64 {
        let tiles = plane.tiles.par_iter().zip(&plane.live).with_min_len(64);
        tiles.filter(|(_, live)| **live).map(|(tile, _)| self.backend.count(tile)).sum()
    }
}

impl State {
    /// Whether no conversion will ever decide anything.
    fn is_over(&self) -> bool {
        let due = |undecided: &Undecided| undecided.conversions.first_due();
        due(&self.open).min(due(&self.candidates)) == NEVER
    }
}

fn clear(plane: &mut Plane) {
    plane.tiles.par_iter_mut().zip(&mut plane.live).with_min_len(64).for_each(|(tile, live)| {
        if std::mem::take(live) {
            *tile = Tile::EMPTY;
        }
    });
}
