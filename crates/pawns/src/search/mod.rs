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
mod run;
mod score;
mod table;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use molien_board::{Move, Position};

pub use prover::Oracle;
#[cfg(test)]
pub(crate) use prover::is_dominated;
pub use score::{PROVED, WIN};

use crate::Value;
use crate::knowledge::Functions;
use prover::Judge;
use run::Run;
use table::Table;

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
#[non_exhaustive]
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
    /// Plies to a mate that [`Searcher::play`] found, negative for the side to
    /// move being mated. The mate is the shortest there is.
    pub mate: Option<i32>,
}

/// Searches positions; keeps its transposition table between searches.
pub struct Searcher {
    options: Options,
    table: Table,
    history: Vec<Position>,
    root_moves: Vec<Move>,
}

impl Searcher {
    /// A searcher with these options.
    pub fn new(options: Options) -> Searcher {
        let table = Table::new(options.tt_mib);
        Searcher { options, table, history: Vec::new(), root_moves: Vec::new() }
    }

    /// Forgets everything learnt so far.
    pub fn clear(&mut self) {
        self.table.clear();
        self.history.clear();
        self.root_moves.clear();
    }

    /// The positions of the game so far: alpha-beta avoids repeating them.
    pub fn set_history(&mut self, history: Vec<Position>) {
        self.history = history;
    }

    /// The moves to choose from; none means all. A category then is the value
    /// of the best of them.
    pub fn set_root_moves(&mut self, moves: Vec<Move>) {
        self.root_moves = moves;
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
        self.conduct(position, limits, (stop, report), Run::prove)
    }

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
        self.conduct(position, limits, (stop, report), Run::play)
    }

    /// Sets a run up, lets it go, and takes its result.
    fn conduct<'s, R: FnMut(&SearchResult)>(
        &mut self,
        position: &Position,
        limits: Limits,
        (stop, report): (&'s AtomicBool, R),
        go: impl FnOnce(&mut Run<'s, R>, Judge<'_>, &mut Table),
    ) -> SearchResult {
        let start = Instant::now();
        let mut moves = position.legal_moves();
        if moves.iter().any(|m| self.root_moves.contains(m)) {
            moves.retain(|m| self.root_moves.contains(m));
        }
        let Some(&fallback) = moves.first() else {
            return SearchResult::game_over(position, start);
        };
        let mut run = Run {
            position: *position,
            limits,
            start,
            stop,
            report,
            most_nodes: ((self.options.proof_mib.max(1) << 20) / NODE_BYTES).max(10_000),
            history: self.history.clone(),
            moves,
            slice: None,
            result: SearchResult::so_far(fallback),
        };
        let oracle = self.options.oracle.clone();
        let judge = Judge { functions: self.options.functions, oracle: oracle.as_deref() };
        // Scores that another set of functions, another game or another way
        // of searching left behind must not answer here.
        self.table.clear();
        go(&mut run, judge, &mut self.table);
        run.result.elapsed = start.elapsed();
        run.result
    }
}

impl SearchResult {
    /// Before anything is known: the first legal move.
    fn so_far(fallback: Move) -> SearchResult {
        SearchResult {
            best_move: Some(fallback),
            category: None,
            score: 0,
            depth: 0,
            nodes: 0,
            elapsed: Duration::ZERO,
            pv: vec![fallback],
            mate: None,
        }
    }

    /// Where there is nothing to search.
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
            mate: mated.then_some(0),
        }
    }
}
