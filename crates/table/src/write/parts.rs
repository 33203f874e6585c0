//! Solved tables whose parts are fetched as the writer needs them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use molien_hyper::Hyperboard;
use molien_values::{BoardValues, Metric, Placement, Stats, Table};

use crate::{TableError, TableFile};

/// A solved table, in memory or not, that gives its parts one at a time.
pub trait TableParts: Send + Sync {
    /// Statistics, with the material and what is counted.
    fn stats(&self) -> &Stats;

    /// The hyperboard of each part, sorted by placement of the pawns.
    fn boards(&self) -> Vec<&Hyperboard>;

    /// Whether the depth of each position is known, or only their number.
    fn has_depths(&self) -> bool;

    /// The values of a part. Must not wait for other threads: others wait for
    /// it.
    ///
    /// # Errors
    /// If they cannot be read.
    fn part(&self, number: usize) -> Result<Arc<BoardValues>, TableError>;

    /// Whether all parts are in memory anyway, so that to hold one takes nothing more.
    fn is_in_memory(&self) -> bool {
        false
    }
}

impl TableParts for Table {
    fn stats(&self) -> &Stats {
        &self.stats
    }

    fn boards(&self) -> Vec<&Hyperboard> {
        self.parts.iter().map(|part| &part.board).collect()
    }

    fn has_depths(&self) -> bool {
        let deep = |counts: &Vec<molien_values::Count>| counts.len() > 1;
        let any = self.stats.sides.iter().any(|side| deep(&side.wins) || deep(&side.losses));
        let mut values = self.parts.iter().flat_map(|part| &part.values);
        !any || values.any(|side| !side.depth.is_empty())
    }

    fn part(&self, number: usize) -> Result<Arc<BoardValues>, TableError> {
        Ok(self.parts[number].clone())
    }

    fn is_in_memory(&self) -> bool {
        true
    }
}

impl TableParts for Arc<Table> {
    fn stats(&self) -> &Stats {
        &self.stats
    }

    fn boards(&self) -> Vec<&Hyperboard> {
        TableParts::boards(&**self)
    }

    fn has_depths(&self) -> bool {
        TableParts::has_depths(&**self)
    }

    fn part(&self, number: usize) -> Result<Arc<BoardValues>, TableError> {
        TableParts::part(&**self, number)
    }

    fn is_in_memory(&self) -> bool {
        true
    }
}

/// A metric of a file.
pub(crate) struct FileParts {
    file: Arc<TableFile>,
    stats: Stats,
    boards: Vec<Hyperboard>,
}

impl FileParts {
    pub fn new(file: Arc<TableFile>, metric: Metric) -> Result<FileParts, TableError> {
        let (stats, material) = (file.stats(metric)?, file.material());
        let board = |pawns: &Placement| match material.has_pawns() {
            true => Hyperboard::around_pawns(material, pawns.bitboards()),
            false => Hyperboard::pieces(material),
        };
        let boards = file.shared.meta.layout.placements.iter().map(board).collect();
        Ok(FileParts { file, stats, boards })
    }

    /// Cells of one side to move.
    pub fn cells(&self) -> u64 {
        self.boards.iter().map(|board| board.tiles() as u64 * 4096).sum()
    }

    /// Planes of so many bits a cell.
    fn planes_bytes(&self, planes: u64) -> u64 {
        planes * self.cells() / u64::from(u8::BITS)
    }

    fn depth_planes(&self) -> u64 {
        u64::from(usize::BITS - self.stats.deepest().leading_zeros())
    }

    /// What the whole table takes in memory, at most.
    pub fn loaded_bytes(&self) -> u64 {
        self.planes_bytes(2 * (GRADED_PLANES + self.depth_planes()))
    }

    /// What a writer of learnt contexts holds of the values, at most: the classes, and the depths
    /// of two metrics with one side to move.
    pub fn packing_bytes(&self) -> u64 {
        self.planes_bytes(2 * GRADED_PLANES + 2 * self.depth_planes())
    }
}

/// Planes of one side to move beside those of the depths: legal positions, won and lost ones,
/// stalemates or those beyond the 50-move rule.
const GRADED_PLANES: u64 = 4;

impl TableParts for FileParts {
    fn stats(&self) -> &Stats {
        &self.stats
    }

    fn boards(&self) -> Vec<&Hyperboard> {
        self.boards.iter().collect()
    }

    fn has_depths(&self) -> bool {
        self.file.holds(self.stats.metric)
    }

    fn part(&self, number: usize) -> Result<Arc<BoardValues>, TableError> {
        self.file.load_number(self.stats.metric, number).map(Arc::new)
    }
}

/// Which part of which of several tables.
type PartKey = (usize, usize);
type Slot = Arc<OnceLock<Result<Arc<BoardValues>, TableError>>>;

/// The parts of several tables that were read last.
pub(crate) struct PartCache {
    capacity: usize,
    slots: Mutex<Slots>,
}

#[derive(Default)]
struct Slots {
    /// With the time of the last use.
    found: HashMap<PartKey, (u64, Slot)>,
    clock: u64,
}

impl PartCache {
    /// Keeps at most `capacity` parts beside those in use.
    pub fn new(capacity: usize) -> PartCache {
        PartCache { capacity: capacity.max(1), slots: Mutex::default() }
    }

    /// Tables whose parts are kept here.
    pub fn of<'a>(&'a self, tables: &[&'a dyn TableParts]) -> Vec<CachedParts<'a>> {
        let cached = |(number, &parts)| CachedParts { parts, number, cache: self };
        tables.iter().enumerate().map(cached).collect()
    }

    fn slot(&self, key: PartKey) -> Slot {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        slots.clock += 1;
        let now = slots.clock;
        let entry = slots.found.entry(key).or_default();
        entry.0 = now;
        let slot = entry.1.clone();
        if slots.found.len() > self.capacity {
            let oldest = slots.found.iter().min_by_key(|(_, (used, _))| *used);
            if let Some(oldest) = oldest.map(|(&key, _)| key) {
                slots.found.remove(&oldest);
            }
        }
        slot
    }
}

/// One of several tables, the parts of which are read through a cache.
pub(crate) struct CachedParts<'a> {
    /// The table.
    pub parts: &'a dyn TableParts,
    /// Its number among those that share the cache.
    pub number: usize,
    /// What was read last.
    pub cache: &'a PartCache,
}

impl TableParts for CachedParts<'_> {
    fn stats(&self) -> &Stats {
        self.parts.stats()
    }

    fn boards(&self) -> Vec<&Hyperboard> {
        self.parts.boards()
    }

    fn has_depths(&self) -> bool {
        self.parts.has_depths()
    }

    fn part(&self, number: usize) -> Result<Arc<BoardValues>, TableError> {
        if self.is_in_memory() {
            return self.parts.part(number);
        }
        let slot = self.cache.slot((self.number, number));
        slot.get_or_init(|| self.parts.part(number)).clone()
    }

    fn is_in_memory(&self) -> bool {
        self.parts.is_in_memory()
    }
}
