//! Mate under the 50-move rule at single clocks, by as few runs as it takes.
//!
//! With `left` plies until the rule ends the game, mate takes `left + d` plies
//! where d is the first run of the board (see `molien-solve`) that decides the
//! position by step `left`. A later run decides all that an earlier one does, so
//! d is found by bisection. Runs are kept for the next question, as long as
//! there is room.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lru::LruCache;
use molien_board::Position;
use molien_build::{Build, BuildError, ClockKey, ClockRun, ClockRuns};
use molien_values::{Value, dtm50_at};

use crate::ProbeError;

/// Of the memory that may be used, what kept runs may take: one part in this
/// many.
const KEPT_PART: u64 = 4;

/// Of how many boards the number of runs is kept.
const KEPT_BOARDS: NonZeroUsize = NonZeroUsize::new(4096).expect("not zero");

/// A position at a clock.
#[derive(Clone, Copy, Debug)]
pub struct AtClock {
    /// The position; its en-passant right is ignored.
    pub position: Position,
    /// Plies since the last zeroing move.
    pub clock: u32,
    /// Its value at clock 0.
    pub at_zero: Value,
}

/// Answers at any clock. Solves boards, and keeps what it finds for the next
/// question.
pub struct ClockTables {
    build: Arc<Build>,
    kept: Mutex<Kept>,
}

impl ClockTables {
    /// Answers from what this build makes and reads.
    pub fn new(build: Arc<Build>) -> ClockTables {
        let limit_bytes = build.memory_limit_bytes() / KEPT_PART;
        ClockTables { build, kept: Mutex::new(Kept::new(limit_bytes)) }
    }

    /// The plies without a zeroing move after which the game is drawn.
    pub fn rule_plies(&self) -> u16 {
        self.build.rule_plies()
    }

    /// How many runs are kept.
    pub fn kept_runs(&self) -> usize {
        self.kept().runs.len()
    }

    /// The values at the clocks.
    ///
    /// # Errors
    /// If a table that is read cannot be had.
    pub fn values(&self, asked: &[AtClock]) -> Result<Vec<Value>, ProbeError> {
        let rule_plies = self.rule_plies();
        let mut found = vec![Value::Draw; asked.len()];
        let mut boards: HashMap<ClockKey, Vec<Open>> = HashMap::new();
        for (number, one) in asked.iter().enumerate() {
            match dtm50_at(one.at_zero, one.clock, rule_plies) {
                Some(value) => found[number] = value,
                None => {
                    let key = one.board();
                    boards.entry(key).or_default().push(Open::new(number, one, rule_plies));
                }
            }
        }
        for (key, open) in &boards {
            for (number, value) in self.on_board(key, open)? {
                found[number] = value;
            }
        }
        Ok(found)
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // Changed entry by entry: a panic elsewhere leaves it whole.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers from the runs that are kept, or with others made for it.
    fn on_board(&self, key: &ClockKey, open: &[Open]) -> Result<Vec<(usize, Value)>, ProbeError> {
        let known = self.kept().last.get(key).copied();
        if let Some(last) = known
            && let Ok(found) =
                bisect(open, last, &mut |sooner| self.kept().get(key, sooner).ok_or(()))
        {
            return Ok(found);
        }
        let work = |runs: &ClockRuns<'_>| {
            // Before the lock: a thread that works may take up another question.
            let last = runs.last();
            self.kept().last.put(*key, last);
            bisect(open, last, &mut |sooner| self.run(key, runs, sooner))
        };
        Ok(self.build.with_clock_runs(key, work)??)
    }

    /// A run: one that is kept, or made and kept. Two threads may make the same;
    /// neither waits.
    fn run(
        &self,
        key: &ClockKey,
        runs: &ClockRuns<'_>,
        sooner: u16,
    ) -> Result<Arc<ClockRun>, BuildError> {
        let kept = self.kept().get(key, sooner);
        if let Some(run) = kept {
            return Ok(run);
        }
        let run = Arc::new(runs.run(sooner)?);
        self.kept().insert(*key, sooner, run.clone());
        Ok(run)
    }
}

impl AtClock {
    /// The board, and who wins on it.
    fn board(&self) -> ClockKey {
        let turn = self.position.turn();
        let winner = if matches!(self.at_zero, Value::Win(_)) { turn } else { !turn };
        ClockKey::new(&self.position, winner)
    }
}

/// A question that the value at clock 0 does not answer.
#[derive(Clone, Copy)]
struct Open {
    number: usize,
    position: Position,
    is_win: bool,
    /// Plies until the rule ends the game.
    left: u16,
    /// No earlier run decides it.
    from: u16,
}

impl Open {
    fn new(number: usize, asked: &AtClock, rule_plies: u16) -> Open {
        let left = u32::from(rule_plies).saturating_sub(asked.clock) as u16;
        // Mate comes no sooner than at clock 0.
        let from = asked.at_zero.plies().unwrap_or(0).saturating_sub(left);
        let is_win = matches!(asked.at_zero, Value::Win(_));
        Open { number, position: asked.position, is_win, left, from }
    }

    fn is_decided_by(&self, run: &ClockRun) -> bool {
        run.step(&self.position).is_some_and(|step| step <= self.left)
    }

    /// The answer if this run is the first to decide it; none: no run does.
    fn answer(&self, first: Option<u16>) -> (usize, Value) {
        let value = match (first.map(|first| self.left + first), self.is_win) {
            (None, _) => Value::Draw,
            (Some(plies), true) => Value::Win(plies),
            (Some(plies), false) => Value::Loss(plies),
        };
        (self.number, value)
    }
}

/// Finds the first run that decides each question; from `last` on all runs are
/// alike.
fn bisect<E>(
    open: &[Open],
    last: u16,
    run: &mut impl FnMut(u16) -> Result<Arc<ClockRun>, E>,
) -> Result<Vec<(usize, Value)>, E> {
    let at_last = run(last)?;
    let (won, drawn): (Vec<Open>, Vec<Open>) =
        open.iter().partition(|one| one.is_decided_by(&at_last));
    drop(at_last);
    let mut found: Vec<(usize, Value)> = drawn.iter().map(|one| one.answer(None)).collect();
    let lowest = |some: &[Open]| some.iter().map(|one| one.from).min();
    // Questions that a run between the two is the first to decide.
    let mut ranges = vec![(won, last)];
    while let Some((some, high)) = ranges.pop() {
        let Some(low) = lowest(&some) else { continue };
        if low >= high {
            found.extend(some.iter().map(|one| one.answer(Some(high))));
            continue;
        }
        let middle = low + (high - low) / 2;
        let at_middle = run(middle)?;
        let (sooner, later): (Vec<Open>, Vec<Open>) =
            some.into_iter().partition(|one| one.is_decided_by(&at_middle));
        let later = later.into_iter().map(|one| Open { from: one.from.max(middle + 1), ..one });
        ranges.push((later.collect(), high));
        ranges.push((sooner, middle));
    }
    Ok(found)
}

/// Runs in order of their last use; the oldest make room.
struct Kept {
    runs: LruCache<(ClockKey, u16), Arc<ClockRun>>,
    bytes: u64,
    limit_bytes: u64,
    /// The last run of each board: a few bytes each.
    last: LruCache<ClockKey, u16>,
}

impl Kept {
    fn new(limit_bytes: u64) -> Kept {
        let last = LruCache::new(KEPT_BOARDS);
        Kept { runs: LruCache::unbounded(), bytes: 0, limit_bytes, last }
    }

    fn get(&mut self, key: &ClockKey, sooner: u16) -> Option<Arc<ClockRun>> {
        self.runs.get(&(*key, sooner)).cloned()
    }

    fn insert(&mut self, key: ClockKey, sooner: u16, run: Arc<ClockRun>) {
        self.bytes += run.len_bytes() as u64;
        // Another thread may have made it too.
        if let Some((_, before)) = self.runs.push((key, sooner), run) {
            self.bytes -= before.len_bytes() as u64;
        }
        while self.runs.len() > 1 && self.bytes > self.limit_bytes {
            let Some((_, oldest)) = self.runs.pop_lru() else { break };
            self.bytes -= oldest.len_bytes() as u64;
        }
    }
}
