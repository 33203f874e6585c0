//! One call of the search: prover and alpha-beta taking turns.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use molien_board::{Move, Position};

use super::alpha_beta::AlphaBeta;
use super::prover::{Judge, Progress, Prover};
use super::score::{PROVED, mate_plies, mate_score};
use super::table::Table;
use super::{Limits, SearchResult};
use crate::Value;

/// The least time alpha-beta gets before the prover's next turn.
const SLICE: Duration = Duration::from_millis(20);
/// The prover gets so many times the time of alpha-beta: it decides most
/// positions, and alpha-beta supplies scores and the wins that are short.
const PROVER_SHARE: u32 = 4;
/// Alpha-beta goes no deeper, in plies.
const DEEPEST: u32 = 100;

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
pub(super) struct Run<'a, R> {
    pub position: Position,
    pub limits: Limits,
    pub start: Instant,
    pub stop: &'a AtomicBool,
    pub report: R,
    pub most_nodes: usize,
    pub history: Vec<Position>,
    /// The moves to choose from.
    pub moves: Vec<Move>,
    /// How long one iteration may take before the prover has its turn.
    pub slice: Option<Duration>,
    pub result: SearchResult,
}

impl<R: FnMut(&SearchResult)> Run<'_, R> {
    /// Alternates prover and alpha-beta until one of them is done.
    pub fn prove(&mut self, judge: Judge<'_>, table: &mut Table) {
        let moves = self.moves.clone();
        let mut prover = Prover::new(&self.position, &moves, judge);
        let (mut proving, mut searching) = (Duration::ZERO, Duration::ZERO);
        let (mut prover_open, mut depth, mut searched) = (true, 1u32, 0u64);
        let deepest = self.limits.depth.unwrap_or(DEEPEST).min(DEEPEST);
        loop {
            let from = Instant::now();
            if prover_open && (proving <= PROVER_SHARE * searching || depth > deepest) {
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
                let fair = proving / PROVER_SHARE;
                self.slice = prover_open.then(|| fair.saturating_sub(searching) + SLICE);
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

    /// Alpha-beta alone, through won positions to the mate.
    pub fn play(&mut self, judge: Judge<'_>, table: &mut Table) {
        let deepest = self.limits.depth.unwrap_or(DEEPEST).min(DEEPEST);
        let mut searched = 0;
        for depth in 1..=deepest {
            let turn = self.iteration(judge, table, depth, (0, &mut searched), true);
            if turn != Turn::Done || self.result.mate.is_some() || self.out_of_time(searched) {
                return;
            }
        }
    }

    fn round(&mut self, prover: &mut Prover<'_>, other: u64) -> Progress {
        let (start, limits, stop) = (self.start, self.limits, self.stop);
        let base = prover.judged() + other;
        let (mut count, mut over) = (0u64, false);
        prover.round(self.most_nodes, &mut || {
            count += 8;
            if count.is_multiple_of(256) {
                over = over || expired(start, limits, stop, base + count);
            }
            over
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
            root_moves: &self.moves,
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
        self.result.mate = if play { mate_plies(iteration.score, depth as i32) } else { None };
        self.result.elapsed = self.start.elapsed();
        self.result.category = match iteration.score {
            score if score >= PROVED => Some(Value::Win),
            score if score <= -PROVED => Some(Value::Loss),
            _ => None,
        };
        (self.report)(&self.result);
        let proved = self.result.category.is_some() && !play;
        let over = proved || (self.moves.len() == 1 && self.limits.time.is_some());
        if over { Turn::Over } else { Turn::Done }
    }

    /// The prover is done: its move, and the score that goes with it.
    fn proved(&mut self, prover: &Prover<'_>) {
        let value = prover.root_bounds().value();
        let Some(best) = prover.best() else { return };
        let scored = -PROVED < self.result.score && self.result.score < PROVED;
        self.result.score = match value {
            Some(Value::Win) => mate_score(prover.depth() as i32),
            Some(Value::Loss) => -mate_score(prover.depth() as i32),
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
