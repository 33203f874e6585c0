//! Storing tables in a folder.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use molien_board::Material;
use molien_hyper::Tile;
use molien_values::{Metric, Table};

use crate::folder::directory::io_error;
use crate::write::assemble::{
    MetricValues, PartsRoom, assemble, assemble_parts, kept_parts, temporary,
};
use crate::write::parts::{FileParts, PartCache, TableParts};
use crate::write::{WritingRoom, write_parts};
use crate::{Assembly, Directory, Logged, LoggedBoards, TableError, TableFile, WriteOptions};

/// What is held at a time while tables are coded by keys.
struct KeysRoom {
    /// Parts that are kept, of all tables together.
    parts: usize,
    /// Parts whose keys are held, of all tables together.
    in_work: usize,
    /// Cells whose keys are held.
    cells: usize,
}

/// Parts of fewer cells are worked on many at a time.
const LARGE_CELLS: usize = 1 << 20;

impl KeysRoom {
    /// For some tables of one material. At least one part of each is held, and its
    /// keys, one side to move; what is left is for more parts. Parts that are in memory
    /// anyway take nothing.
    fn new(tables: &[&dyn TableParts], bytes: u64) -> KeysRoom {
        let Some(first) = tables.first() else {
            return KeysRoom { parts: 0, in_work: 0, cells: 0 };
        };
        let (part, keys, cells) = KeysRoom::of_part(*first);
        let elsewhere = tables.iter().filter(|table| !table.is_in_memory()).count();
        let most = if cells < LARGE_CELLS { usize::MAX } else { rayon::current_num_threads() };
        let (bytes, all_keys) = (bytes as usize, tables.len() * keys);
        let at_once = (bytes / (elsewhere * part + all_keys)).clamp(1, most);
        let left = bytes.saturating_sub(at_once * all_keys);
        let in_work = at_once * elsewhere;
        KeysRoom { parts: (left / part).max(in_work), in_work, cells: at_once * cells }
    }

    /// What a part takes, the keys of one side to move, and its cells.
    fn of_part(table: &dyn TableParts) -> (usize, usize, usize) {
        let bits = (usize::BITS - table.stats().deepest().leading_zeros()) as usize;
        let tiles = table.boards().first().map_or(1, |board| board.tiles());
        let cells = tiles * 4096;
        (tiles * size_of::<Tile>() * 2 * (4 + bits), cells * 2, cells)
    }

    /// With which a part of each of some tables is held.
    fn least_bytes(table: &dyn TableParts, tables: usize) -> u64 {
        let (part, keys, _) = KeysRoom::of_part(table);
        (tables * (part + keys)) as u64
    }

    fn for_parts(&self) -> PartsRoom {
        PartsRoom { cells: self.cells, for_next: self.parts >= 2 * self.in_work }
    }
}

/// A metric of an earlier file: in memory as a whole if what writing takes beside it still
/// fits into the room, which then shrinks; else its parts are read whenever they are asked for,
/// some of them several times. `tables` are written together.
fn kept(
    file: &Arc<TableFile>,
    metric: Metric,
    tables: usize,
    options: &WriteOptions,
    room_bytes: &mut Option<u64>,
) -> Result<Box<dyn TableParts>, TableError> {
    let Some(room) = room_bytes else { return Ok(Box::new(file.load(metric)?)) };
    let parts = FileParts::new(file.clone(), metric)?;
    let writing = match options.learning(parts.cells()) {
        Some(learning) => parts.packing_bytes() + learning.classes.max(learning.depths),
        // Values without pawns are one part.
        None if !file.material().has_pawns() => return Ok(Box::new(file.load(metric)?)),
        None => KeysRoom::least_bytes(&parts, tables),
    };
    if parts.loaded_bytes() + writing > *room {
        return Ok(Box::new(parts));
    }
    let table = file.load(metric)?;
    *room = room.saturating_sub(table.len_bytes() as u64);
    Ok(Box::new(table))
}

/// The space that is free where a folder is, or will be.
#[cfg(unix)]
fn free_bytes(folder: &Path) -> Option<u64> {
    let found = folder.ancestors().find(|folder| folder.exists());
    let found = rustix::fs::statvfs(found.unwrap_or(Path::new("."))).ok()?;
    Some(found.f_bavail * found.f_frsize)
}

#[cfg(not(unix))]
fn free_bytes(_folder: &Path) -> Option<u64> {
    None
}

impl Directory {
    /// Stores the tables of one material, with those of its metrics that are
    /// in the file already and not among them. Wave logs of what is stored are
    /// removed. The file depends on nothing but the tables it then holds and
    /// the options.
    ///
    /// # Errors
    /// If the tables do not belong together, the disk refuses, or another
    /// process is working on the table.
    pub fn store(&self, tables: &[&Table], options: &WriteOptions) -> Result<(), TableError> {
        let Some(first) = tables.first() else { return Ok(()) };
        let _lock = self.lock(first.material)?;
        self.store_locked(tables, options)
    }

    /// As [`Directory::store`], for a caller that holds the lock.
    ///
    /// # Errors
    /// If the tables do not belong together or the disk refuses.
    pub fn store_locked(
        &self,
        tables: &[&Table],
        options: &WriteOptions,
    ) -> Result<(), TableError> {
        let parts: Vec<&dyn TableParts> = tables.iter().map(|&table| table as _).collect();
        self.store_parts(&parts, options, None)
    }

    /// As [`Directory::store_locked`], of tables that need not be in memory; then
    /// what is held of them at a time takes about `room_bytes`, and no less than
    /// a part of each.
    ///
    /// # Errors
    /// If the tables do not belong together or the disk refuses, or if the file that
    /// is there holds another metric for one side to move: it has to be given too.
    pub fn store_parts(
        &self,
        tables: &[&dyn TableParts],
        options: &WriteOptions,
        room_bytes: Option<u64>,
    ) -> Result<(), TableError> {
        let Some(first) = tables.first() else { return Ok(()) };
        let material = first.stats().material;
        self.make()?;
        // What cannot be read is replaced.
        let earlier = self.open(material).ok().map(Arc::new);
        let options = options.following(earlier.as_deref());
        let mut room_bytes = room_bytes;
        let kept = match &earlier {
            Some(file) => self.kept_metrics(file, tables, &options, &mut room_bytes)?,
            None => Vec::new(),
        };
        let all = tables.iter().copied().chain(kept.iter().map(|table| &**table));
        let all: Vec<&dyn TableParts> = all.collect();
        self.write_locked(&all, &options, room_bytes)?;
        let metrics: Vec<Metric> = all.iter().map(|table| table.stats().metric).collect();
        self.tidy(material, &metrics)
    }

    /// The metrics of an earlier file that are not among some tables, as far as they can be
    /// read.
    fn kept_metrics(
        &self,
        file: &Arc<TableFile>,
        tables: &[&dyn TableParts],
        options: &WriteOptions,
        room_bytes: &mut Option<u64>,
    ) -> Result<Vec<Box<dyn TableParts>>, TableError> {
        let own = |metric: Metric| match file.material().has_pawns() {
            true => metric,
            false => metric.without_pawns(),
        };
        let mut found: Vec<Box<dyn TableParts>> = Vec::new();
        let most = tables.len() + file.solved_metrics().len();
        for metric in file.solved_metrics().into_iter().map(own) {
            let mut known = tables.iter().copied().chain(found.iter().map(|table| &**table));
            if known.any(|table| table.stats().metric == metric) {
                continue;
            }
            if file.derived_side(metric).is_some() {
                // Half of a table is not what would be stored of it.
                return Err(file.other_side(file.find(metric)?));
            }
            match kept(file, metric, most, options, room_bytes) {
                Err(error) if error.is_interrupted() => return Err(error),
                table => found.extend(table.ok()),
            }
        }
        Ok(found)
    }

    fn write_locked(
        &self,
        tables: &[&dyn TableParts],
        options: &WriteOptions,
        room_bytes: Option<u64>,
    ) -> Result<(), TableError> {
        let Some(first) = tables.first() else { return Ok(()) };
        let path = self.path(first.stats().material);
        // Learnt contexts hold what they need and nothing else.
        let is_packed = options.is_packed() && tables.iter().all(|table| table.has_depths());
        // Who asks may change their mind, but what has been left out by then stays out.
        let ended = AtomicBool::new(false);
        let is_stopped = || {
            if self.stop.is_stopped() {
                ended.store(true, Relaxed);
            }
            ended.load(Relaxed)
        };
        let room = |cells| WritingRoom { cells, bytes: room_bytes, is_stopped: &is_stopped };
        let Some(bytes) = room_bytes.filter(|_| !is_packed) else {
            return write_parts(&path, tables, options, &room(None));
        };
        let keys = KeysRoom::new(tables, bytes);
        let cache = PartCache::new(keys.parts);
        let cached = cache.of(tables);
        let cached: Vec<&dyn TableParts> = cached.iter().map(|table| table as _).collect();
        write_parts(&path, &cached, options, &room(Some(keys.cells)))
    }

    /// Removes what is of no use once a material is stored in some metrics: their
    /// wave logs, and what killed processes have left of the file. The caller
    /// holds the lock.
    fn tidy(&self, material: Material, metrics: &[Metric]) -> Result<(), TableError> {
        let logs = self.wave_logs();
        logs.remove(material, metrics).map_err(io_error(self.folder(), "removing a wave log"))?;
        self.remove_incomplete(material)
    }

    /// Stores a material without pawns from its wave logs, for a caller that
    /// holds the lock: class by class, never all of it in memory. Metrics
    /// that are in the file already and not among the logs are kept. Writing
    /// that was interrupted resumes where it stopped. The wave logs are removed
    /// at the end.
    ///
    /// # Errors
    /// If the disk refuses or a log is damaged; solving again then computes the
    /// damaged waves.
    pub fn store_logged(
        &self,
        logged: &[Logged],
        assembly: &Assembly<'_>,
    ) -> Result<(), TableError> {
        let Some(first) = logged.first() else { return Ok(()) };
        let material = first.stats.material;
        self.make()?;
        let logs = self.wave_logs();
        let mut parts: Vec<MetricValues> = logged.iter().map(MetricValues::from).collect();
        if let Ok(earlier) = self.open(material) {
            let new = |metric: &Metric| parts.iter().all(|part| part.stats.metric != *metric);
            let kept: Vec<Metric> = earlier.solved_metrics().into_iter().filter(new).collect();
            parts.extend(kept_parts(earlier, &kept)?);
        }
        let mut metrics: Vec<Metric> = parts.iter().map(|part| part.stats.metric).collect();
        metrics.sort_unstable();
        let name = material.file_name();
        let temporary =
            temporary(logs.folder(), &name, &metrics, assembly.options.pack(None).level());
        let assembled = assemble(&self.path(material), &temporary, &parts, assembly);
        if let Err(TableError::DamagedLog { .. }) = &assembled {
            metrics.iter().for_each(|&metric| logs.unfinish(material, metric));
        }
        assembled?;
        self.tidy(material, &metrics)
    }

    /// Stores a material with pawns from its board logs, for a caller that holds
    /// the lock: part by part, never all of it in memory. Metrics that are in the
    /// file already and not among the logs are kept. Writing that was
    /// interrupted resumes where it stopped. The logs are removed at the end.
    ///
    /// # Errors
    /// If the disk refuses or a log is damaged.
    pub fn store_boards(
        &self,
        logged: &[LoggedBoards],
        assembly: &Assembly<'_>,
    ) -> Result<(), TableError> {
        let Some(first) = logged.first() else { return Ok(()) };
        let material = first.stats().material;
        self.make()?;
        let mut kept: Vec<FileParts> = Vec::new();
        if let Ok(earlier) = self.open(material).map(Arc::new) {
            let new = |metric: &Metric| logged.iter().all(|log| log.stats().metric != *metric);
            for metric in earlier.solved_metrics().into_iter().filter(new) {
                kept.push(FileParts::new(earlier.clone(), metric)?);
            }
        }
        let logged = logged.iter().map(|log| log as &dyn TableParts);
        let all: Vec<&dyn TableParts> = logged.chain(kept.iter().map(|file| file as _)).collect();
        let mut metrics: Vec<Metric> = all.iter().map(|table| table.stats().metric).collect();
        metrics.sort_unstable();
        let level = assembly.options.pack(None).level();
        let (folder, name) = (self.wave_logs(), material.file_name());
        let temporary = temporary(folder.folder(), &name, &metrics, level);
        let room = KeysRoom::new(&all, assembly.memory_bytes);
        let cache = PartCache::new(room.parts);
        let cached = cache.of(&all);
        let cached: Vec<&dyn TableParts> = cached.iter().map(|table| table as _).collect();
        assemble_parts(&self.path(material), &temporary, &cached, room.for_parts(), assembly)?;
        self.tidy(material, &metrics)
    }

    /// The disk space that is free for this folder, if that can be found out.
    pub fn free_bytes(&self) -> Option<u64> {
        free_bytes(self.folder())
    }
}
