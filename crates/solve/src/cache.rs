//! Tables in memory, the least recently used given up first.

use std::collections::HashMap;
use std::sync::Arc;

use molien_board::Material;

use molien_values::{Metric, Table};

/// What a table is known by.
pub(crate) type Key = (Material, Metric);

struct Entry {
    table: Arc<Table>,
    bytes: u64,
    /// Can be read again from the shelf.
    stored: bool,
    last_used: u64,
}

/// Tables by material and metric. Those that are on a shelf too are given up
/// when they take more than the limit together.
pub(crate) struct Cache {
    entries: HashMap<Key, Entry>,
    clock: u64,
    limit_bytes: u64,
}

impl Cache {
    pub fn new() -> Cache {
        Cache { entries: HashMap::new(), clock: 0, limit_bytes: u64::MAX }
    }

    pub fn set_limit(&mut self, bytes: u64) {
        self.limit_bytes = bytes;
    }

    pub fn get(&mut self, key: &Key) -> Option<Arc<Table>> {
        self.clock += 1;
        let entry = self.entries.get_mut(key)?;
        entry.last_used = self.clock;
        Some(entry.table.clone())
    }

    pub fn insert(&mut self, key: Key, table: Arc<Table>, stored: bool) {
        self.clock += 1;
        let bytes = table.len_bytes() as u64;
        self.entries.insert(key, Entry { table, bytes, stored, last_used: self.clock });
        self.shrink();
    }

    /// The table can be read from the shelf from now on.
    pub fn mark_stored(&mut self, key: &Key) {
        if let Some(entry) = self.entries.get_mut(key) {
            entry.stored = true;
        }
        self.shrink();
    }

    pub fn remove(&mut self, key: &Key) {
        self.entries.remove(key);
    }

    /// What all tables take together. Tables in two metrics may share their
    /// boards.
    pub fn bytes(&self) -> u64 {
        let boards = |entry: &Entry| entry.table.parts.first().map(Arc::as_ptr);
        let apart: HashMap<_, u64> =
            self.entries.values().map(|entry| (boards(entry), entry.bytes)).collect();
        apart.values().sum()
    }

    /// Gives up tables until all take at most so much together: first those
    /// that are not wanted, then those that can be read again, the least
    /// recently used first. Returns what is left.
    pub fn give_up(&mut self, limit_bytes: u64, wanted: impl Fn(&Key) -> bool) -> u64 {
        let class = |key: &Key, entry: &Entry| match (wanted(key), entry.stored) {
            (false, _) => Some(0),
            (true, true) => Some(1),
            (true, false) => None,
        };
        let ranked = |(key, entry): (&Key, &Entry)| {
            class(key, entry).map(|class| (class, entry.last_used, *key))
        };
        let mut ranked: Vec<(u8, u64, Key)> = self.entries.iter().filter_map(ranked).collect();
        ranked.sort_by_key(|&(class, last_used, _)| (class, last_used));
        for (_, _, key) in ranked {
            if self.bytes() <= limit_bytes {
                break;
            }
            self.entries.remove(&key);
        }
        self.bytes()
    }

    fn shrink(&mut self) {
        loop {
            let stored = || self.entries.iter().filter(|(_, entry)| entry.stored);
            let total: u64 = stored().map(|(_, entry)| entry.bytes).sum();
            // The one used last is about to be read: keep it.
            let oldest = stored()
                .filter(|(_, entry)| entry.last_used < self.clock)
                .min_by_key(|(_, entry)| entry.last_used)
                .map(|(key, _)| *key);
            match oldest {
                Some(key) if total > self.limit_bytes => self.entries.remove(&key),
                _ => return,
            };
        }
    }
}
