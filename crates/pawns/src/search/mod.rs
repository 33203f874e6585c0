//! The search program for king and pawn endings.
//!
//! Two methods share the work. *Alpha-beta* deepens a ply at a time and gives
//! scores and lines in the manner of 1977; its wins are proved, its draws are
//! not. The *prover* grows the graph of reachable positions and proves wins
//! and draws alike, fortresses included. Whichever proves the root first ends
//! the search; until then the category is unknown.

mod alpha_beta;
mod effort;
mod hash;
mod prover;
mod score;
mod table;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use molien_board::{Move, Position};

pub use prover::Oracle;
#[cfg(test)]
pub(crate) use prover::is_dominated;
pub use score::{PROVED, WIN};

use crate::Value;
use crate::knowledge::Functions;
use alpha_beta::AlphaBeta;
use prover::{Judge, Progress, Prover};
use score::mate_score;
use table::Table;

/// The least time alpha-beta gets before the prover's next turn.
const SLICE: Duration = Duration::from_millis(20);
/// Rough memory of one node of the prover's graph.
const NODE_BYTES: usize = 400;

/// How the search works.
#[derive(Clone)]
pub struct Options {
    /// Which evaluation functions it may ask.
    pub functions: Functions,
    /// Memory for the transposition table, in MiB.
    pub tt_mib: usize,
    /// Memory the prover's graph may grow to, in MiB.
    pub proof_mib: usize,
    /// Tables or other outside knowledge, if any.
    pub oracle: Option<Arc<dyn Oracle>>,
}

impl Default for Options {
    fn default() -> Options {
        Options { functions: Functions::All, tt_mib: 64, proof_mib: 2048, oracle: None }
    }
}

/// When to stop; whatever comes first. No limit at all means: until proved or
/// stopped.
#[derive(Clone, Copy, Default, Debug)]
pub struct Limits {
    /// Alpha-beta depth in plies.
    pub depth: Option<u32>,
    /// Time.
    pub time: Option<Duration>,
    /// Positions looked at.
    pub nodes: Option<u64>,
}

/// What is known after an iteration, and at the end.
#[derive(Clone, Debug)]
pub struct SearchResult {
    /// The move to play; `None` if the game is over.
    pub best_move: Option<Move>,
    /// The value for the side to move, if *proved*.
    pub category: Option<Value>,
    /// The score for the side to move (see [`WIN`] and [`PROVED`]).
    pub score: i32,
    /// Plies searched.
    pub depth: u32,
    /// Positions looked at.
    pub nodes: u64,
    /// Time taken.
    pub elapsed: Duration,
    /// The expected line, `best_move` first.
    pub pv: Vec<Move>,
}

/// Searches positions; keeps its transposition table between searches.
pub struct Searcher {
    options: Options,
    table: Table,
    history: Vec<Position>,
}

impl Searcher {
    /// A searcher with these options.
    pub fn new(options: Options) -> Searcher {
        let table = Table::new(options.tt_mib);
        Searcher { options, table, history: Vec::new() }
    }

    /// Forgets everything learnt so far.
    pub fn clear(&mut self) {
        self.table.clear();
        self.history.clear();
    }

    /// The positions of the game so far: alpha-beta avoids repeating them.
    pub fn set_history(&mut self, history: Vec<Position>) {
        self.history = history;
    }

    /// Searches until a limit is reached or the value is proved.
    ///
    /// ```
    /// use molien_pawns::{Limits, Options, Searcher, Value};
    ///
    /// // Réti 1921: White seems too late everywhere, and draws.
    /// let position = "7K/8/k1P5/7p/8/8/8/8 w - -".parse()?;
    /// let result = Searcher::new(Options::default()).search(&position, Limits::default());
    /// assert_eq!(result.category, Some(Value::Draw));
    /// assert_eq!(result.best_move.map(|m| m.to_string()).as_deref(), Some("h8g7"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn search(&mut self, position: &Position, limits: Limits) -> SearchResult {
        self.search_with(position, limits, &AtomicBool::new(false), |_| {})
    }

    /// Like [`Searcher::search`]; `stop` ends it from outside and `report` is
    /// called after every iteration.
    pub fn search_with(
        &mut self,
        position: &Position,
        limits: Limits,
        stop: &AtomicBool,
        report: impl FnMut(&SearchResult),
    ) -> SearchResult {
        let start = Instant::now();
        let Some(mut run) = self.run(position, limits, start, stop, report) else {
            return game_over(position, start);
        };
        let oracle = self.options.oracle.clone();
        let judge = Judge { functions: self.options.functions, oracle: oracle.as_deref() };
        // Scores that another set of functions, another game or play towards
        // mate left behind must not answer here.
        self.table.clear();
        run.go(judge, &mut self.table);
        run.result.elapsed = start.elapsed();
        run.result
    }
}

impl Searcher {
    /// Alpha-beta alone, to make progress in a position whose value is known:
    /// lines go on through won positions towards promotion and mate, and the
    /// score tells which way is shortest. Ends at mate found, or at a limit.
    pub fn play(
        &mut self,
        position: &Position,
        limits: Limits,
        stop: &AtomicBool,
        report: impl FnMut(&SearchResult),
    ) -> SearchResult {
        let start = Instant::now();
        let Some(mut run) = self.run(position, limits, start, stop, report) else {
            return game_over(position, start);
        };
        let oracle = self.options.oracle.clone();
        let judge = Judge { functions: self.options.functions, oracle: oracle.as_deref() };
        self.table.clear();
        let deepest = limits.depth.unwrap_or(100).min(100);
        let mut searched = 0;
        for depth in 1..=deepest {
            let turn = run.iteration(judge, &mut self.table, depth, (0, &mut searched), true);
            let mate_found = run.result.score >= mate_score(depth as i32);
            if turn != Turn::Done || mate_found || run.out_of_time(searched) {
                break;
            }
        }
        run.result.elapsed = start.elapsed();
        run.result
    }

    /// A run with the first legal move as its answer so far; `None` if there
    /// is no legal move.
    fn run<'a, R: FnMut(&SearchResult)>(
        &self,
        position: &Position,
        limits: Limits,
        start: Instant,
        stop: &'a AtomicBool,
        report: R,
    ) -> Option<Run<'a, R>> {
        let moves = position.legal_moves();
        let &fallback = moves.first()?;
        Some(Run {
            position: *position,
            limits,
            start,
            stop,
            report,
            most_nodes: ((self.options.proof_mib.max(1) << 20) / NODE_BYTES).max(10_000),
            history: self.history.clone(),
            only_move: moves.len() == 1,
            slice: None,
            result: SearchResult {
                best_move: Some(fallback),
                category: None,
                score: 0,
                depth: 0,
                nodes: 0,
                elapsed: Duration::ZERO,
                pv: vec![fallback],
            },
        })
    }
}

/// The result where there is nothing to search.
fn game_over(position: &Position, start: Instant) -> SearchResult {
    let mated = position.in_check(position.turn());
    SearchResult {
        best_move: None,
        category: Some(if mated { Value::Loss } else { Value::Draw }),
        score: if mated { -WIN } else { 0 },
        depth: 0,
        nodes: 1,
        elapsed: start.elapsed(),
        pv: Vec::new(),
    }
}

/// How an iteration of alpha-beta ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// It is complete.
    Done,
    /// Its slice of time is used up; it can be taken up again.
    Cut,
    /// The whole search is over.
    Over,
}

/// One call of the search.
struct Run<'a, R> {
    position: Position,
    limits: Limits,
    start: Instant,
    stop: &'a AtomicBool,
    report: R,
    most_nodes: usize,
    history: Vec<Position>,
    only_move: bool,
    /// How long one iteration may take before the prover has its turn.
    slice: Option<Duration>,
    result: SearchResult,
}

impl<R: FnMut(&SearchResult)> Run<'_, R> {
    /// Alternates prover and alpha-beta, each getting about half the time,
    /// until one of them is done.
    fn go(&mut self, judge: Judge<'_>, table: &mut Table) {
        let mut prover = Prover::new(&self.position, judge);
        let (mut proving, mut searching) = (Duration::ZERO, Duration::ZERO);
        let (mut prover_open, mut depth, mut searched) = (true, 1u32, 0u64);
        let deepest = self.limits.depth.unwrap_or(u32::MAX).min(100);
        loop {
            let from = Instant::now();
            if prover_open && (proving <= searching || depth > deepest) {
                let other = searched;
                let progress = self.round(&mut prover, other);
                proving += from.elapsed();
                self.result.nodes = prover.judged() + searched;
                match progress {
                    Progress::Decided => return self.proved(&prover),
                    Progress::Open => {}
                    Progress::Exhausted => prover_open = false,
                }
            } else if depth <= deepest {
                let before = prover.judged();
                // While the prover is at work it must not wait for ever.
                self.slice = prover_open.then(|| proving.saturating_sub(searching) + SLICE);
                let turn = self.iteration(judge, table, depth, (before, &mut searched), false);
                searching += from.elapsed();
                match turn {
                    Turn::Over => return,
                    Turn::Cut => {}
                    Turn::Done => depth += 1,
                }
            } else {
                return;
            }
            // With a depth limit the prover is given as much time again as
            // alpha-beta took, not for ever.
            let limited = self.limits.depth.is_some() && depth > deepest && proving > searching;
            if self.out_of_time(self.result.nodes) || limited {
                return;
            }
        }
    }

    fn round(&mut self, prover: &mut Prover<'_>, other: u64) -> Progress {
        let (start, limits, stop) = (self.start, self.limits, self.stop);
        let base = prover.judged() + other;
        let mut count = 0u64;
        prover.round(self.most_nodes, &mut || {
            count += 8;
            count.is_multiple_of(256) && expired(start, limits, stop, base + count)
        })
    }

    /// One alpha-beta iteration.
    fn iteration(
        &mut self,
        judge: Judge<'_>,
        table: &mut Table,
        depth: u32,
        (proving_nodes, searched): (u64, &mut u64),
        play: bool,
    ) -> Turn {
        let (start, limits, stop) = (self.start, self.limits, self.stop);
        let base = proving_nodes + *searched;
        let (from, slice) = (Instant::now(), self.slice);
        let mut expired = |nodes: u64| {
            expired(start, limits, stop, base + nodes)
                || slice.is_some_and(|slice| from.elapsed() > slice)
        };
        let mut search = AlphaBeta {
            judge,
            table,
            stop: &mut expired,
            nodes: 0,
            stopped: false,
            path: self.history.clone(),
            play,
        };
        let iteration = search.iterate(&self.position, depth as i32);
        *searched += search.nodes;
        self.result.nodes = proving_nodes + *searched;
        let Some(iteration) = iteration else {
            return if self.out_of_time(self.result.nodes) { Turn::Over } else { Turn::Cut };
        };
        self.result.best_move = iteration.line.first().copied();
        self.result.pv = iteration.line;
        self.result.score = iteration.score;
        self.result.depth = depth;
        self.result.elapsed = self.start.elapsed();
        self.result.category = match iteration.score {
            score if score >= PROVED => Some(Value::Win),
            score if score <= -PROVED => Some(Value::Loss),
            _ => None,
        };
        (self.report)(&self.result);
        let proved = self.result.category.is_some() && !play;
        let over = proved || (self.only_move && self.limits.time.is_some());
        if over { Turn::Over } else { Turn::Done }
    }

    /// The prover is done: its move, and the score that goes with it.
    fn proved(&mut self, prover: &Prover<'_>) {
        let value = prover.root_bounds().value();
        let Some(best) = prover.best() else { return };
        let scored = -PROVED < self.result.score && self.result.score < PROVED;
        self.result.score = match value {
            Some(Value::Win) => WIN - 25 * (prover.depth() as i32).min(150),
            Some(Value::Loss) => 25 * (prover.depth() as i32).min(150) - WIN,
            _ if scored && self.result.pv.first() == Some(&best) => self.result.score,
            _ => 0,
        };
        self.result.category = value;
        self.result.best_move = Some(best);
        self.result.pv = prover.line();
        self.result.depth = self.result.depth.max(prover.depth());
        self.result.nodes = self.result.nodes.max(prover.judged());
        self.result.elapsed = self.start.elapsed();
        (self.report)(&self.result);
    }

    fn out_of_time(&self, nodes: u64) -> bool {
        expired(self.start, self.limits, self.stop, nodes)
    }
}

fn expired(start: Instant, limits: Limits, stop: &AtomicBool, nodes: u64) -> bool {
    stop.load(Ordering::Relaxed)
        || limits.time.is_some_and(|time| start.elapsed() >= time)
        || limits.nodes.is_some_and(|most| nodes >= most)
}
