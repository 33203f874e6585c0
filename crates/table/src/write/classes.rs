//! Values of a material without pawns, one class of king pairs at a time: what
//! is too large for memory as a whole.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use molien_board::Color;
use molien_hyper::{Hyperboard, KING_PAIRS, Tile};
use molien_operators::fastest;
use molien_values::{Graded, Stats, Table};

use crate::TableError;

/// The values of one king class, White and Black to move: as those of a
/// hyperboard that has only the tiles of this class.
pub(crate) type ClassValues = [Graded; 2];

/// Something from which the values of single king classes can be had.
pub(crate) trait Classes: Send + Sync {
    /// The hyperboard of all classes.
    fn board(&self) -> &Hyperboard;

    /// Reads the values of a class. Must not wait for other threads: others
    /// wait for it.
    ///
    /// # Errors
    /// If they cannot be read.
    fn load(&self, class: usize) -> Result<ClassValues, TableError>;
}

/// The tiles of a class on its hyperboard.
pub(crate) fn class_tiles(board: &Hyperboard, class: usize) -> Range<usize> {
    let tiles = board.axes().len();
    class * tiles..(class + 1) * tiles
}

/// The legal positions of a class.
pub(crate) fn legal_class(board: &Hyperboard, class: usize, turn: Color) -> Vec<Tile> {
    let tile = |number| board.cell(number).map(|cell| fastest().legal(board, turn, &cell));
    class_tiles(board, class).map(|number| tile(number).unwrap_or(Tile::EMPTY)).collect()
}

/// A table that is in memory after all.
impl Classes for Arc<Table> {
    fn board(&self) -> &Hyperboard {
        &self.parts[0].board
    }

    fn load(&self, class: usize) -> Result<ClassValues, TableError> {
        let tiles = class_tiles(self.board(), class);
        let some = |plane: &Vec<Tile>| plane[tiles.clone()].to_vec();
        Ok(self.parts[0].values.each_ref().map(|all| Graded {
            legal: some(&all.legal),
            won: some(&all.won),
            lost: some(&all.lost),
            depth: all.depth.iter().map(some).collect(),
            stalemate: Vec::new(),
        }))
    }
}

/// A table without pawns that is read one class of king pairs at a time.
#[derive(Clone)]
pub struct ByClass {
    /// Counts, maxima, zugzwangs.
    pub stats: Stats,
    classes: Arc<dyn Classes>,
}

impl ByClass {
    pub(crate) fn new(stats: Stats, classes: Arc<dyn Classes>) -> ByClass {
        ByClass { stats, classes }
    }

    /// The hyperboard of all classes.
    pub fn board(&self) -> &Hyperboard {
        self.classes.board()
    }

    /// The values of a class, White and Black to move: as those of a hyperboard
    /// that has only the tiles of this class, in order of the classes.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn class(&self, class: usize) -> Result<[Graded; 2], TableError> {
        self.classes.load(class)
    }
}

type Slot = Arc<OnceLock<Result<Arc<ClassValues>, TableError>>>;

/// The classes read last.
pub(crate) struct ClassCache {
    classes: Arc<dyn Classes>,
    capacity: usize,
    slots: Mutex<Slots>,
}

#[derive(Default)]
struct Slots {
    /// By class, with the time of its last use.
    found: HashMap<usize, (u64, Slot)>,
    clock: u64,
}

impl ClassCache {
    /// Keeps at most `capacity` classes beside those in use.
    pub fn new(classes: Arc<dyn Classes>, capacity: usize) -> ClassCache {
        let capacity = capacity.clamp(1, KING_PAIRS);
        ClassCache { classes, capacity, slots: Mutex::default() }
    }

    pub fn board(&self) -> &Hyperboard {
        self.classes.board()
    }

    /// Whether both read the same.
    pub fn is(&self, other: &ClassCache) -> bool {
        Arc::ptr_eq(&self.classes, &other.classes)
    }

    fn slot(&self, class: usize) -> Slot {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        slots.clock += 1;
        let now = slots.clock;
        let entry = slots.found.entry(class).or_default();
        entry.0 = now;
        let slot = entry.1.clone();
        if slots.found.len() > self.capacity {
            let oldest = slots.found.iter().min_by_key(|(_, (used, _))| *used);
            if let Some(oldest) = oldest.map(|(&class, _)| class) {
                slots.found.remove(&oldest);
            }
        }
        slot
    }

    /// The values of a class.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn get(&self, class: usize) -> Result<Arc<ClassValues>, TableError> {
        let slot = self.slot(class);
        slot.get_or_init(|| self.classes.load(class).map(Arc::new)).clone()
    }
}
