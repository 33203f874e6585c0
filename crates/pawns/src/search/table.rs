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

impl Entry {
    /// The entry with its score seen from elsewhere.
    pub fn with_score(self, score: i32) -> Entry {
        Entry { score, ..self }
    }
}

/// A fixed number of slots; the deeper or newer result stays.
pub(super) struct Table {
    slots: Vec<Option<Entry>>,
    /// Mixed into every key: a new salt makes all old entries strangers.
    salt: u64,
}

impl Table {
    /// A table of about this many MiB (at least a few slots).
    pub fn new(mebibytes: usize) -> Table {
        let count = (mebibytes << 20) / size_of::<Option<Entry>>();
        Table { slots: vec![None; count.max(1024)], salt: 0 }
    }

    /// Forgets everything, without touching the memory.
    pub fn clear(&mut self) {
        self.salt = self.salt.wrapping_add(0x9e37_79b9_7f4a_7c15);
    }

    fn key(&self, position: &Position) -> u64 {
        hash(position) ^ self.salt
    }

    fn slot(&self, key: u64) -> usize {
        ((u128::from(key) * self.slots.len() as u128) >> 64) as usize
    }

    pub fn get(&self, position: &Position) -> Option<Entry> {
        let key = self.key(position);
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
        let key = self.key(position);
        let slot = self.slot(key);
        let keep = self.slots[slot].is_some_and(|old| old.key == key && old.depth > depth);
        if !keep {
            self.slots[slot] = Some(Entry { key, score, depth, bound, best });
        }
    }
}
