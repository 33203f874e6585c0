//! Tables too large for memory whose boards a shelf hands over, a card for instance:
//! they are counted, compressed and logged while it makes the next ones.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use molien_board::{Color, Material};
use molien_solve::{SolveError, board_stats};
use molien_table::BoardLog;
use molien_values::{BoardReceiver, BoardValues, Metric, Placement, Shelf, Stats};
use rayon::prelude::*;

use crate::cache::Key;
use crate::{Build, BuildError, lock};

/// Batches in work at a time. Each is worked on by all threads, but its end, and what
/// is written to the file, by few.
const BATCHES_IN_WORK: usize = 3;
/// Of the memory there is, what boards that have been handed over may take; and the most
/// that is of use.
const HELD_PART: u64 = 8;
const MOST_HELD_BYTES: u64 = 8 << 30;
/// Batches that may be held at a time, in work and waiting.
const BATCHES_HELD: u64 = 8;

/// Boards that wait for being logged.
struct Waiting {
    batches: VecDeque<Vec<BoardValues>>,
    /// Of all boards in here and in work.
    held_bytes: u64,
    /// No more will come.
    closed: bool,
    failed: Option<BuildError>,
}

/// Takes boards and logs them.
struct Receiver<'a> {
    build: &'a Build,
    log: &'a BoardLog,
    material: Material,
    metric: Metric,
    /// If not all boards are.
    wanted: Option<&'a BTreeSet<Placement>>,
    most_bytes: u64,
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

/// A batch in work. Its room is given back however the work ends.
struct InWork<'a> {
    receiver: &'a Receiver<'a>,
    bytes: u64,
}

impl Drop for InWork<'_> {
    fn drop(&mut self) {
        let mut waiting = lock(&self.receiver.waiting);
        waiting.held_bytes -= self.bytes;
        if std::thread::panicking() {
            let material = self.receiver.material;
            waiting.failed.get_or_insert(BuildError::Lost { material });
        }
        self.receiver.changed.notify_all();
    }
}

fn batch_bytes(boards: &[BoardValues]) -> u64 {
    boards.iter().map(|board| board.len_bytes() as u64).sum()
}

impl BoardReceiver for Receiver<'_> {
    fn batch_bytes(&self) -> u64 {
        self.most_bytes / BATCHES_HELD
    }

    fn wants(&self, pawns: Placement) -> bool {
        self.wanted.is_none_or(|wanted| wanted.contains(&pawns))
    }

    fn take(&self, boards: Vec<BoardValues>) -> bool {
        let bytes = batch_bytes(&boards);
        let mut waiting = lock(&self.waiting);
        // One batch is taken however large it is.
        while waiting.failed.is_none()
            && waiting.held_bytes > 0
            && waiting.held_bytes + bytes > self.most_bytes
        {
            waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
        if waiting.failed.is_some() || self.build.progress.cancelled() {
            return false;
        }
        waiting.held_bytes += bytes;
        waiting.batches.push_back(boards);
        self.changed.notify_all();
        true
    }
}

impl Receiver<'_> {
    fn close(&self) {
        lock(&self.waiting).closed = true;
        self.changed.notify_all();
    }

    /// The next batch; none if there are no more, or no more are wanted.
    fn next(&self) -> Option<(Vec<BoardValues>, InWork<'_>)> {
        let mut waiting = lock(&self.waiting);
        loop {
            if waiting.failed.is_some() {
                return None;
            }
            if let Some(boards) = waiting.batches.pop_front() {
                let bytes = batch_bytes(&boards);
                return Some((boards, InWork { receiver: self, bytes }));
            }
            if waiting.closed {
                return None;
            }
            waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn work(&self) {
        while let Some((boards, _in_work)) = self.next() {
            let log = || boards.into_par_iter().try_for_each(|board| self.log_board(&board));
            if let Err(error) = self.build.pool().install(log) {
                lock(&self.waiting).failed.get_or_insert(error);
            }
        }
    }

    /// Counts a board once more and logs it, if an earlier run has not.
    fn log_board(&self, board: &BoardValues) -> Result<(), BuildError> {
        let pawns = Placement::new(Color::BOTH.map(|color| board.board.pawns(color)));
        if self.log.has(pawns) || !self.wants(pawns) {
            return Ok(());
        }
        let stats = board_stats(self.build.backend, board, self.metric)?;
        Ok(self.log.add(board, &stats)?)
    }
}

impl Build {
    /// The shelf that hands over the boards of a table with pawns too large for memory, if
    /// there is one. Several ranks solve such tables themselves.
    pub(crate) fn board_shelf(
        &self,
        material: Material,
        metric: Metric,
    ) -> Option<&Arc<dyn Shelf>> {
        let apart = self.ranks().is_none() && self.is_by_part(material);
        self.shelves.iter().filter(|_| apart).find(|shelf| shelf.has_boards(material, metric))
    }

    /// Fills a log with the boards that a shelf hands over. What they count together must
    /// be what the shelf has counted.
    pub(crate) fn log_handed_over(
        &self,
        shelf: &dyn Shelf,
        (material, metric): Key,
        log: &BoardLog,
    ) -> Result<(), BuildError> {
        if log.len() == Placement::all(&material).len() {
            return Ok(());
        }
        let counted = self.receive(shelf, (material, metric), log, None)?;
        match counted == log.stats()? {
            true => Ok(()),
            false => Err(BuildError::HandedOver { material, metric }),
        }
    }

    /// Fills a log with the boards around some pawns.
    pub(crate) fn log_some(
        &self,
        shelf: &dyn Shelf,
        (material, metric): Key,
        log: &BoardLog,
        pawns: &BTreeSet<Placement>,
    ) -> Result<(), BuildError> {
        self.receive(shelf, (material, metric), log, Some(pawns))?;
        match log.len() == pawns.len() {
            true => Ok(()),
            false => Err(BuildError::NotCovered { material }),
        }
    }

    /// Logs what a shelf hands over, and returns what it has counted.
    fn receive(
        &self,
        shelf: &dyn Shelf,
        (material, metric): Key,
        log: &BoardLog,
        wanted: Option<&BTreeSet<Placement>>,
    ) -> Result<Stats, BuildError> {
        let most_bytes = (self.budget.limit_bytes / HELD_PART).min(MOST_HELD_BYTES);
        let _room = self.reserve((material, metric), most_bytes)?;
        let waiting =
            Waiting { batches: VecDeque::new(), held_bytes: 0, closed: false, failed: None };
        let (waiting, changed) = (Mutex::new(waiting), Condvar::new());
        let receiver =
            Receiver { build: self, log, material, metric, wanted, most_bytes, waiting, changed };
        let handed = std::thread::scope(|scope| {
            for _ in 0..BATCHES_IN_WORK {
                scope.spawn(|| receiver.work());
            }
            let handed = match wanted {
                Some(wanted) => {
                    let pawns: Vec<Placement> = wanted.iter().copied().collect();
                    shelf.hand_over_some(material, metric, &pawns, &receiver)
                }
                None => shelf.hand_over(material, metric, &receiver),
            };
            receiver.close();
            handed
        });
        if let Some(failed) = lock(&receiver.waiting).failed.take() {
            return Err(failed);
        }
        if self.progress.cancelled() {
            return Err(SolveError::Cancelled { material }.into());
        }
        Ok(handed?)
    }
}
