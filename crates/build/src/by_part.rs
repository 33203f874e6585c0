//! Tables with pawns too large for memory: solved board by board, furthest
//! advanced pawns first, each finished board going to a log, from where the
//! others read it.

use std::io;
use std::path::Path;
use std::sync::{Arc, MutexGuard, TryLockError};

use molien_board::Material;
use molien_solve::{Closure, Cost, Keep, Node, SolveError, Wanted};
use molien_table::{BoardLog, Directory, PlaneStore, WaveLogs};
use molien_values::{BoardValues, Metric, Stats, Table, WaveLog};

use crate::build::outside_rayon;
use crate::cache::{Kept, Key, key};
use crate::inputs::{Inputs, unreadable};
use crate::limits::keep_for_others;
use crate::memory::Reservation;
use crate::needs::reads;
use crate::packed::PackedTable;
use crate::run::{Run, Sink};
use crate::scratch::ScratchFolder;
use crate::slices::Slicing;
use crate::sources::BoardSource;
use crate::store::LOCK_POLL;
use crate::whole::{Whole, stages};
use crate::{Build, BuildError, lock};

/// Of the memory there is, what boards in work may take.
const IN_WORK_SHARE: (u64, u64) = (3, 4);

/// Smaller tables stay in memory while another is solved that reads them.
const PUT_AWAY_BYTES: u64 = 64 << 20;

/// Puts finished boards into a log.
pub(crate) struct LogSink<'a>(pub &'a BoardLog);

impl Sink for LogSink<'_> {
    fn take(&self, node: &Node, board: &Arc<BoardValues>, stats: Stats) -> Result<(), SolveError> {
        self.0.add(board, &stats).map_err(unreadable(node.material))
    }
}

/// Whatever a promotion leads to is read as a slice.
fn is_promotion(wanted: &Wanted, reader: Material) -> bool {
    wanted.fixed.is_some() && wanted.material().len() == reader.len()
}

/// How many boards are in work at a time, and what that takes.
pub(crate) struct Share {
    pub at_once: u64,
    pub bytes: u64,
    /// Room for boards that are read again.
    recent_bytes: u64,
    /// Whether boards are solved in little memory.
    pub lean: bool,
}

impl Build {
    /// Whether a table is solved board by board.
    pub(crate) fn is_by_part(&self, material: Material) -> bool {
        material.has_pawns() && material.len() >= self.by_part_men
    }

    /// Whether a table never is in memory as a whole.
    pub fn is_never_whole(&self, material: Material) -> bool {
        self.is_by_part(material) || self.is_logged(material)
    }

    /// The boards that a log lacks, and what they read.
    fn left(&self, (material, metric): Key, log: &BoardLog) -> Whole {
        let mut boards = stages(material);
        boards.iter_mut().for_each(|stage| stage.retain(|node| !log.has(node.pawns)));
        boards.retain(|stage| !stage.is_empty());
        self.whole_of(boards, metric)
    }

    /// How some boards of a material are worked on, in stages.
    pub(crate) fn whole_of(&self, boards: Vec<Vec<Node>>, metric: Metric) -> Whole {
        self.whole_within(boards, metric, Arc::default())
    }

    /// The same where not all may come about.
    pub(crate) fn whole_within(
        &self,
        boards: Vec<Vec<Node>>,
        metric: Metric,
        closure: Arc<Closure>,
    ) -> Whole {
        let (keep, at_once, roles) = (Keep::Depths, self.boards_at_once(), &self.promotions);
        self.pool().install(|| {
            Whole::of_boards(boards, metric, keep, roles, at_once, is_promotion, closure)
        })
    }

    /// How the memory is shared out.
    pub(crate) fn share(&self, left: &Whole) -> Share {
        let limit = self.budget.limit_bytes;
        let (part, whole) = IN_WORK_SHARE;
        let room = (limit / whole * part).saturating_sub(left.common_bytes);
        let usual = left.in_work_bytes.saturating_add(limit.saturating_sub(room));
        let lean = self.is_lean(left.tiles, left.metric, usual) && self.ranks().is_none();
        let each = if lean { left.lean_bytes } else { left.in_work_bytes };
        let at_once = (room / each.max(1)).clamp(1, self.boards_at_once());
        let bytes = left.common_bytes + at_once * each;
        let recent_bytes = match limit {
            u64::MAX => u64::MAX,
            _ => limit.saturating_sub(bytes) / 2,
        };
        Share { at_once, bytes, recent_bytes, lean }
    }

    /// What a table takes that is solved board by board, what it reads being
    /// stored. What a board reads is looked up of one board of each stage.
    pub(crate) fn by_part_cost(&self, (material, metric): Key) -> Cost {
        let boards = stages(material);
        let placements = boards.iter().map(|stage| stage.len() as u64).sum();
        let tiles = boards.iter().flatten().next().map_or(0, Node::tiles);
        let some = boards.into_iter().map(|mut stage| stage.split_off(stage.len() / 2));
        let some = some.map(|mut stage| {
            stage.truncate(1);
            stage
        });
        let left = self.whole_of(some.collect(), metric);
        let share = self.share(&left);
        let positions = placements * tiles * 4096;
        let lean_positions = if share.lean { positions } else { 0 };
        Cost { placements, positions, bytes: share.bytes, lean_positions, disk_bytes: 0 }
    }

    /// Solves the boards that a log lacks. What they read is made if need be.
    pub(crate) fn solve_by_part(&self, wanted: Key, log: &Arc<BoardLog>) -> Result<(), BuildError> {
        let (material, metric) = wanted;
        let left = self.left(wanted, log);
        if left.schedule.stages.is_empty() {
            return Ok(());
        }
        if !self.may_solve {
            return Err(BuildError::Missing { material, metric });
        }
        let (inputs, share, _room) = self.inputs_by_part(wanted, &left)?;
        inputs.add_source(material, BoardSource::Log(log.clone()));
        let spill = |material| self.spill(material);
        let run = Run {
            backend: self.backend,
            progress: &*self.progress,
            log: None::<&dyn WaveLog>,
            metric,
            rule_plies: self.rule_plies,
            keep: |_, _| Keep::Depths,
            inputs: &inputs,
            sink: &LogSink(log),
            at_once: share.at_once as usize,
            spill: share.lean.then_some(&spill),
        };
        self.progress.begin(material, metric, left.schedule.cost.positions);
        let followed = self.pool().install(|| match self.ranks() {
            None => run.follow(&left.schedule),
            Some(ranks) => self.follow_together(ranks, &run, &left.schedule, log),
        });
        self.progress.end(material, metric);
        Ok(followed?)
    }

    /// Gets ready what some boards of a table read, and room for them.
    pub(crate) fn inputs_by_part(
        &self,
        wanted: Key,
        left: &Whole,
    ) -> Result<(Inputs, Share, Reservation<'_>), BuildError> {
        let (material, metric) = wanted;
        let share = self.share(left);
        let store = self.plane_store().map_err(|error| BuildError::packing(material, error))?;
        let inputs = Inputs::new(self.backend, metric, &self.promotions);
        let inputs = inputs.spilling(store, share.recent_bytes).merging(share.lean);
        for sub in reads(material).into_iter().filter(|sub| sub.len() < material.len()) {
            inputs.add_source(sub, self.board_source(key(sub, metric))?);
        }
        for (source, slices) in &left.slices {
            self.copy_slices(Slicing { inputs: &inputs, key: key(*source, metric), slices })?;
        }
        let held = share.recent_bytes.min(left.schedule.cost.bytes);
        let room = self
            .reserve(wanted, share.bytes.saturating_add(held))
            .or_else(|_| self.reserve(wanted, share.bytes))?;
        Ok((inputs, share, room))
    }

    /// A smaller table, read a board at a time: from its file, or made.
    pub(crate) fn board_source(&self, key: Key) -> Result<BoardSource, BuildError> {
        let keep = keep_for_others(key.0, key.1);
        if !self.is_known(key.0, key.1, keep) {
            self.request(key, keep)?;
        }
        let source = self.source(key, keep)?;
        match source {
            BoardSource::Planes(table) if self.is_worth_putting_away(&table) => {
                self.put_aside(key, table)
            }
            source => Ok(source),
        }
    }

    /// Whether a table should not stay in memory while another is solved that
    /// hardly fits.
    fn is_worth_putting_away(&self, table: &Table) -> bool {
        self.budget.limit_bytes != u64::MAX && table.len_bytes() as u64 >= PUT_AWAY_BYTES
    }

    /// Puts a table that is not stored into a temporary file, compressed.
    fn put_aside(&self, key: Key, table: Arc<Table>) -> Result<BoardSource, BuildError> {
        let packing = |error| BuildError::packing(key.0, error);
        let folder = self.scratch_folder().map_err(packing)?;
        self.forget(key.0, key.1);
        let packed = self.pool().install(|| PackedTable::new(table, Some(folder)));
        let packed = Arc::new(packed.map_err(packing)?);
        lock(&self.tables).insert(key, Kept::Packed(packed.clone()), false);
        Ok(BoardSource::Packed(packed))
    }

    /// The boards of a table that is not stored, in a file without a name; solved
    /// if need be. They stay as long as this lives.
    pub(crate) fn unnamed_log(&self, key: Key) -> Result<Arc<BoardLog>, BuildError> {
        if let Some(log) = lock(&self.logs).get(&key) {
            return Ok(log.clone());
        }
        let packing = |error| BuildError::packing(key.0, error);
        self.make_disk_room(key)?;
        let folder = self.scratch_folder().map_err(packing)?;
        let log = Arc::new(BoardLog::unnamed(folder, key.0, key.1)?);
        self.solve_by_part(key, &log)?;
        lock(&self.logs).insert(key, log.clone());
        Ok(log)
    }

    /// Waits until no other table too large for memory is in work: each plans
    /// with all the memory. The wait can be interrupted.
    pub(crate) fn wait_for_turn(
        &self,
        material: Material,
    ) -> Result<MutexGuard<'_, ()>, BuildError> {
        loop {
            match self.by_part_turn.try_lock() {
                Ok(turn) => return Ok(turn),
                // Whoever panicked had nothing in hand but the turn.
                Err(TryLockError::Poisoned(turn)) => return Ok(turn.into_inner()),
                Err(TryLockError::WouldBlock) if self.progress.cancelled() => {
                    return Err(SolveError::Cancelled { material }.into());
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_POLL),
            }
        }
    }

    /// The statistics of a table too large for memory, without storing it.
    pub(crate) fn stats_by_part(&self, wanted: Key) -> Result<Stats, BuildError> {
        outside_rayon(|| {
            let _turn = self.wait_for_turn(wanted.0)?;
            if wanted.1 == Metric::Wdl {
                let stats = self.unnamed_log((wanted.0, Metric::Dtz50))?.stats()?;
                return Ok(stats.as_classes());
            }
            Ok(self.unnamed_log(wanted)?.stats()?)
        })
    }

    /// Gives up what was solved for others, if there is hardly disk space for one
    /// table more.
    pub(crate) fn make_disk_room(&self, key: Key) -> Result<(), BuildError> {
        let folder = self.scratch_folder().map_err(|error| BuildError::packing(key.0, error))?;
        let needed = 2 * self.plan_table(key.0, vec![key.1]).log_bytes;
        let folder = Directory::new(folder);
        if folder.free_bytes().is_some_and(|free| free < needed) {
            lock(&self.logs).clear();
            let logs = WaveLogs::new(folder.folder());
            let waves: Vec<Key> = lock(&self.waves).drain().map(|(key, _)| key).collect();
            for (material, metric) in waves {
                let removed = logs.remove(material, &[metric]);
                removed.map_err(|error| BuildError::packing(material, error))?;
            }
        }
        Ok(())
    }

    /// Where temporary files go: a folder that is removed at the end.
    pub(crate) fn scratch_folder(&self) -> io::Result<&Path> {
        if let Some(made) = self.scratch_made.get() {
            return Ok(made.path());
        }
        let folder = self.scratch.as_deref();
        let folder = folder.or_else(|| self.folder.as_ref().map(|folder| folder.folder()));
        let system = std::env::temp_dir();
        let made = ScratchFolder::new_in(folder.unwrap_or(&system))?;
        Ok(self.scratch_made.get_or_init(|| made).path())
    }

    /// A store for planes that are put away for a while: in memory if there is
    /// no limit to it.
    pub(crate) fn plane_store(&self) -> io::Result<PlaneStore> {
        match self.budget.limit_bytes {
            u64::MAX => Ok(PlaneStore::in_memory()),
            _ => PlaneStore::in_folder(self.scratch_folder()?),
        }
    }
}
