//! Who wins, without plies.
//!
//! Of many tables others read only who wins. Then waves need not be kept apart: `open`
//! and `candidates` only shrink, and what leaves them does so because of what has left them
//! before, so that the same is left in the end in whatever order tiles are looked at. What
//! one tile decides counts for the next at once, and a sweep over the board goes as far as
//! several waves.
//!
//! A sweep takes a stretch of tiles after the other: the defender's half of it, then the
//! attacker's, again while that decides something, since what they read is still in a
//! cache. Each half reads one plane and changes others, so that threads share its tiles.
//!
//! The attacker's half reads only *news*: losses that are new to some tile. They are
//! forgotten when the next sweep comes to their stretch; by then every tile from which a
//! move leads there has been looked at. (All sweeps go the same way.)

use std::iter::Sum;
use std::ops::{Add, Range};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use molien_board::Color;
use molien_hyper::{Cell, KingAxis, Plane, Tile};
use molien_operators::{
    Conversions, Goal, QuietMoves, Which, complete_symmetric, empty_tiles, for_each_neighbour,
    make_tiles, valid,
};
use molien_values::{BoardValues, Count, Graded, Stats, Value};
use rayon::prelude::*;

use super::Stop;
use super::board::BoardSolve;
use super::counter::{Counter, finish_stats};
use super::undecided::SLAB_TILES;
use super::watch::is_one_sided;
use crate::{SolveError, WaveReport};

/// Slabs of a stretch for each thread. Threads wait for each other after each half.
const SLABS_EACH: usize = 4;
/// A sweep works on a stretch at most so many times: with more, tiles of five men are looked at
/// a tenth more often.
const ROUNDS: usize = 2;

/// A set that only shrinks.
struct Shrinking {
    positions: Plane,
    /// The tiles to look at.
    dirty: Vec<AtomicBool>,
}

/// One side's wins.
struct Wins<'a> {
    solve: &'a BoardSolve<'a>,
    attacker: Color,
    /// Attacker to move, not yet won.
    open: Shrinking,
    /// Defender to move, not yet lost, and without a conversion that escapes.
    candidates: Shrinking,
    /// Defender to move, lost.
    lost: Vec<Tile>,
    /// Of those, the ones that are new to some tile.
    news: Plane,
    /// Defender to move, stalemated, where that is kept.
    stalemates: Vec<Tile>,
}

/// What half a round does with every tile: takes the positions that move into a
/// plane, or do not.
struct Half<'a> {
    solve: &'a BoardSolve<'a>,
    side: Color,
    plane: &'a Plane,
    which: Which<'a>,
    /// The tiles to look at, and those of the other side.
    dirty: &'a [AtomicBool],
    reached: &'a [AtomicBool],
}

/// Some tiles, the work of one task.
struct Slab<'a> {
    /// Number of the first tile.
    first: usize,
    /// Undecided positions, and whether there are any.
    open: &'a mut [Tile],
    alive: &'a mut [bool],
    /// Where what is taken is noted, if it is lost.
    losses: Option<Losses<'a>>,
}

struct Losses<'a> {
    lost: &'a mut [Tile],
    news: &'a mut [Tile],
    live: &'a mut [bool],
}

/// What was done.
#[derive(Clone, Copy, Default)]
struct Done {
    /// Positions that were decided.
    decided: u64,
    /// Tiles that were looked at.
    tiles: u64,
}

impl Add for Done {
    type Output = Done;

    fn add(self, other: Done) -> Done {
        Done { decided: self.decided + other.decided, tiles: self.tiles + other.tiles }
    }
}

impl Sum for Done {
    fn sum<I: Iterator<Item = Done>>(all: I) -> Done {
        all.fold(Done::default(), Done::add)
    }
}

impl BoardSolve<'_> {
    /// Who wins, and how many positions that are.
    pub(super) fn winners(&self) -> Result<(BoardValues, Stats), SolveError> {
        let board = self.board;
        let mut game = BoardValues { board: board.clone(), values: self.legal(board) };
        let attackers = if is_one_sided(board) { &Color::BOTH[..1] } else { &Color::BOTH[..] };
        for &attacker in attackers.iter().filter(|&&side| self.material().side_len(side) > 1) {
            self.winners_of(attacker, &mut game.values)?;
        }
        for outcome in game.values.iter_mut().flat_map(|side| [&mut side.won, &mut side.lost]) {
            if outcome.is_empty() {
                *outcome = empty_tiles(board.tiles());
            }
        }
        if is_one_sided(board) {
            complete_symmetric(self.backend, &mut game);
        }
        let stats = self.winner_stats(&game)?;
        Ok((game, stats))
    }

    fn winners_of(&self, attacker: Color, values: &mut [Graded; 2]) -> Result<(), SolveError> {
        let mut wins = Wins::new(self, attacker, values);
        wins.run()?;
        let Wins { open, lost, stalemates, .. } = wins;
        let (own, mut won) = (&mut values[attacker.index()], open.positions.tiles);
        let all = won.par_iter_mut().zip(&own.legal).with_min_len(SLAB_TILES);
        all.for_each(|(tile, legal)| *tile = legal.minus(tile));
        own.won = won;
        let their = &mut values[(!attacker).index()];
        (their.lost, their.stalemate) = (lost, stalemates);
        Ok(())
    }

    /// Wins and losses are counted as those of a class.
    fn winner_stats(&self, game: &BoardValues) -> Result<Stats, SolveError> {
        let counter = Counter::new(self.backend, self.board, None);
        let stopped = |source| self.stopped(Stop::Apart(source));
        let [white, black] = &game.values;
        let outcomes =
            |tile, _: &Cell| [white.won[tile], white.lost[tile], black.won[tile], black.lost[tile]];
        let counts = counter.tiles(outcomes).map_err(stopped)?;
        let mut stats = Stats::new(self.material(), self.metric);
        let (counts, _) = counts.as_chunks::<2>();
        for (side, [wins, losses]) in stats.sides.iter_mut().zip(counts) {
            side.wins = as_class(Value::Win(1), *wins);
            side.losses = as_class(Value::Loss(0), *losses);
        }
        let placements = |cell: &Cell| self.wanted(cell, valid(self.board, cell));
        finish_stats(&mut stats, &counter, game, placements).map_err(stopped)?;
        Ok(stats)
    }
}

/// So many positions at the ply of a value's class.
fn as_class(value: Value, count: Count) -> Vec<Count> {
    let plies = value.as_class().plies().filter(|_| count.nalimov > 0);
    let before = plies.map(|plies| vec![Count::default(); usize::from(plies)]);
    before.map_or(Vec::new(), |before| [before, vec![count]].concat())
}

impl<'a> Wins<'a> {
    /// What is decided before any move that stays on the board, and the rest.
    fn new(solve: &'a BoardSolve<'a>, attacker: Color, values: &[Graded; 2]) -> Wins<'a> {
        let (own, their) = (&values[attacker.index()].legal, &values[(!attacker).index()].legal);
        let tiles = solve.board.tiles();
        let keeps_stalemates = solve.board.king_axis() == KingAxis::Tile;
        let mut wins = Wins {
            solve,
            attacker,
            open: Shrinking::new(make_tiles(tiles, |tile| own[tile]), false),
            candidates: Shrinking::new(make_tiles(tiles, |tile| their[tile]), true),
            lost: empty_tiles(tiles),
            news: Plane { tiles: empty_tiles(tiles), live: vec![false; tiles] },
            stalemates: empty_tiles(if keeps_stalemates { tiles } else { 0 }),
        };
        wins.begin_defence();
        wins.begin_attack();
        wins
    }

    /// Takes off the candidates what can escape, and what has no move at all.
    fn begin_defence(&mut self) {
        let (solve, side, tiles) = (self.solve, !self.attacker, self.lost.len());
        let Wins { open, candidates, lost, news, stalemates, .. } = self;
        let Shrinking { positions: open, dirty } = open;
        let (open, dirty) = (&*open, dirty.as_slice());
        let mut stalemates = stalemates.chunks_mut(SLAB_TILES);
        let slabs = slabs(&mut candidates.positions, 0..tiles, Some((lost, news)));
        let slabs: Vec<_> = slabs.into_iter().map(|slab| (slab, stalemates.next())).collect();
        slabs.into_par_iter().for_each(|(mut slab, mut stalemates)| {
            for i in 0..slab.open.len() {
                let Some(cell) = solve.board.cell(slab.first + i) else { continue };
                let tile = &mut slab.open[i];
                let found = conversions(solve, side, Goal::Hold, cell.tile, tile);
                *tile = tile.minus(&found.escape);
                let moves = QuietMoves { board: solve.board, side, plane: open, cell: &cell };
                let (which, mut stuck) = (Which::Stuck { held: &found.release.some }, Tile::EMPTY);
                let (count, left) = solve.backend.take_by_moves(&moves, which, tile, &mut stuck);
                slab.alive[i] = left;
                if count == 0 {
                    continue;
                }
                let mated = stuck.and(&solve.backend.in_check(solve.board, side, &cell));
                if let Some(stalemates) = &mut stalemates {
                    stalemates[i] = stuck.minus(&mated);
                }
                if !mated.is_empty() {
                    slab.lose(i, &mated);
                    for_each_neighbour(solve.board, !side, &cell, |tile| mark(&dirty[tile]));
                }
            }
        });
    }

    /// Takes off what is open the wins by conversions.
    fn begin_attack(&mut self) {
        let (solve, attacker, tiles) = (self.solve, self.attacker, self.lost.len());
        let slabs = slabs(&mut self.open.positions, 0..tiles, None);
        slabs.into_par_iter().for_each(|slab| {
            let tiles = slab.open.iter_mut().zip(slab.alive).enumerate();
            for (i, (tile, alive)) in tiles.filter(|(_, (_, alive))| **alive) {
                let found = conversions(solve, attacker, Goal::Win, slab.first + i, tile);
                *tile = tile.minus(&found.release.some);
                *alive = !tile.is_empty();
            }
        });
    }

    /// Sweeps over the board until nothing changes.
    fn run(&mut self) -> Result<(), SolveError> {
        let tiles = self.lost.len();
        let stretch = SLAB_TILES * SLABS_EACH * rayon::current_num_threads();
        for sweep in 0.. {
            let mut done = Done::default();
            for first in (0..tiles).step_by(stretch) {
                if self.solve.progress.cancelled() {
                    return Err(self.solve.stopped(Stop::Cancelled));
                }
                let stretch = first..tiles.min(first + stretch);
                if sweep > 0 {
                    self.news.live[stretch.clone()].fill(false);
                }
                done = done + self.work_on(&stretch);
            }
            self.tell(done);
            if done.decided == 0 {
                break;
            }
        }
        Ok(())
    }

    /// Says that a sweep is done.
    fn tell(&self, Done { decided, tiles }: Done) {
        let (material, metric) = (self.solve.material(), self.solve.metric);
        let (attacker, ply, signature) = (self.attacker, 0, None);
        let report = WaveReport { material, metric, attacker, ply, decided, tiles, signature };
        self.solve.progress.wave(&report);
    }

    /// Works on a stretch of tiles. What was lost is always followed by a look at what that
    /// wins.
    fn work_on(&mut self, stretch: &Range<usize>) -> Done {
        let mut done = Done::default();
        for round in 0..ROUNDS {
            let lost = self.defend(stretch.clone());
            done = done + lost;
            if lost.decided == 0 && round > 0 {
                break;
            }
            let won = self.attack(stretch.clone());
            done = done + won;
            if won.decided == 0 {
                break;
            }
        }
        done
    }

    /// Finds losses: no move into what is open.
    fn defend(&mut self, stretch: Range<usize>) -> Done {
        let Wins { solve, attacker, open, candidates, lost, news, .. } = self;
        let slabs = slabs(&mut candidates.positions, stretch, Some((lost, news)));
        let half = Half {
            solve,
            side: !*attacker,
            plane: &open.positions,
            which: Which::Stuck { held: &Tile::EMPTY },
            dirty: &candidates.dirty,
            reached: &open.dirty,
        };
        half.run(slabs)
    }

    /// Finds wins: a move into the news.
    fn attack(&mut self, stretch: Range<usize>) -> Done {
        let Wins { solve, attacker, open, candidates, news, .. } = self;
        let slabs = slabs(&mut open.positions, stretch, None);
        let half = Half {
            solve,
            side: *attacker,
            plane: news,
            which: Which::Moving { also: &Tile::EMPTY },
            dirty: &open.dirty,
            reached: &candidates.dirty,
        };
        half.run(slabs)
    }
}

impl Shrinking {
    fn new(tiles: Vec<Tile>, dirty: bool) -> Shrinking {
        let dirty = tiles.iter().map(|_| AtomicBool::new(dirty)).collect();
        Shrinking { positions: Plane::from_tiles(tiles), dirty }
    }
}

/// Makes a tile be looked at.
#[inline]
fn mark(dirty: &AtomicBool) {
    // Most are marked already: a load is cheaper than a store.
    if !dirty.load(Relaxed) {
        dirty.store(true, Relaxed);
    }
}

/// Whether a tile is to be looked at, which it then has been.
#[inline]
fn take(dirty: &AtomicBool) -> bool {
    let is_dirty = dirty.load(Relaxed);
    if is_dirty {
        dirty.store(false, Relaxed);
    }
    is_dirty
}

/// What a side's moves out of the board do to these positions of a tile.
fn conversions(
    solve: &BoardSolve<'_>,
    side: Color,
    goal: Goal,
    number: usize,
    within: &Tile,
) -> Conversions {
    let mut found = solve.exits.conversions(side, goal, number);
    found.restrict(within);
    found
}

/// Some tiles, cut into tasks.
fn slabs<'a>(
    undecided: &'a mut Plane,
    tiles: Range<usize>,
    losses: Option<(&'a mut Vec<Tile>, &'a mut Plane)>,
) -> Vec<Slab<'a>> {
    let first = tiles.start;
    let open = undecided.tiles[tiles.clone()].chunks_mut(SLAB_TILES);
    let alive = undecided.live[tiles.clone()].chunks_mut(SLAB_TILES);
    let losses = losses.into_iter().flat_map(|(lost, Plane { tiles: news, live })| {
        let lost = lost[tiles.clone()].chunks_mut(SLAB_TILES);
        let news = news[tiles.clone()].chunks_mut(SLAB_TILES);
        let live = live[tiles.clone()].chunks_mut(SLAB_TILES);
        lost.zip(news).zip(live).map(|((lost, news), live)| Some(Losses { lost, news, live }))
    });
    let losses = losses.chain(std::iter::repeat_with(|| None));
    let slab =
        |(i, ((open, alive), losses))| Slab { first: first + i * SLAB_TILES, open, alive, losses };
    open.zip(alive).zip(losses).enumerate().map(slab).collect()
}

impl Slab<'_> {
    /// Notes positions of the i-th tile as lost.
    fn lose(&mut self, i: usize, lost: &Tile) {
        let Some(losses) = &mut self.losses else { return };
        losses.lost[i].add(lost);
        if losses.live[i] {
            losses.news[i].add(lost);
        } else {
            losses.news[i] = *lost;
            losses.live[i] = true;
        }
    }
}

impl Half<'_> {
    /// Looks at the tiles that are marked.
    fn run(&self, slabs: Vec<Slab<'_>>) -> Done {
        slabs.into_par_iter().map(|slab| self.look(slab)).sum()
    }

    fn look(&self, mut slab: Slab<'_>) -> Done {
        let Half { solve, side, plane, which, dirty, reached } = *self;
        let mut done = Done::default();
        for i in 0..slab.open.len() {
            let number = slab.first + i;
            if !take(&dirty[number]) || !slab.alive[i] {
                continue;
            }
            let Some(cell) = solve.board.cell(number) else { continue };
            let moves = QuietMoves { board: solve.board, side, plane, cell: &cell };
            let (open, mut taken) = (&mut slab.open[i], Tile::EMPTY);
            let (count, left) = solve.backend.take_by_moves(&moves, which, open, &mut taken);
            slab.alive[i] = left;
            done.tiles += 1;
            if count > 0 {
                slab.lose(i, &taken);
                for_each_neighbour(solve.board, !side, &cell, |tile| mark(&reached[tile]));
                done.decided += count;
            }
        }
        done
    }
}
