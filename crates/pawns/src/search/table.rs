//! The transposition table of the alpha-beta search.

use molien_board::{Move, Position};

use super::hash::hash;

/// What a stored score means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bound {
    /// The score is exact.
    Exact,
    /// The true score is this or more.
    Lower,
    /// The true score is this or less.
    Upper,
}

/// One stored result.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    key: u64,
    pub score: i32,
    pub depth: i32,
    pub bound: Bound,
    pub best: Option<Move>,
}

/// A fixed number of slots; the deeper or newer result stays.
pub(super) struct Table {
    slots: Vec<Option<Entry>>,
}

impl Table {
    /// A table of about this many MiB (at least a few slots).
    pub fn new(mebibytes: usize) -> Table {
        let count = (mebibytes << 20) / size_of::<Option<Entry>>();
        Table { slots: vec![None; count.max(1024)] }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.slots.fill(None);
    }

    fn slot(&self, key: u64) -> usize {
        ((u128::from(key) * self.slots.len() as u128) >> 64) as usize
    }

    pub fn get(&self, position: &Position) -> Option<Entry> {
        let key = hash(position);
        self.slots[self.slot(key)].filter(|entry| entry.key == key)
    }

    pub fn put(
        &mut self,
        position: &Position,
        score: i32,
        depth: i32,
        bound: Bound,
        best: Option<Move>,
    ) {
        let key = hash(position);
        let slot = self.slot(key);
        let keep = self.slots[slot].is_some_and(|old| old.key == key && old.depth > depth);
        if !keep {
            self.slots[slot] = Some(Entry { key, score, depth, bound, best });
        }
    }
}
