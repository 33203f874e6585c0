//! Tables in memory, those least missed given up first.

use std::collections::HashMap;
use std::sync::Arc;

use molien_board::Material;
use molien_values::{Metric, Table};

/// What a table is known by.
pub(crate) type Key = (Material, Metric);

/// The key under which a material's table in a metric is kept.
pub(crate) fn key(material: Material, metric: Metric) -> Key {
    let metric = if material.has_pawns() { metric } else { metric.without_pawns() };
    (material.canonical(), metric)
}

struct Entry {
    table: Arc<Table>,
    bytes: u64,
    /// Can be read again from a file.
    stored: bool,
    last_used: u64,
}

/// Tables by material and metric.
#[derive(Default)]
pub(crate) struct Cache {
    entries: HashMap<Key, Entry>,
    clock: u64,
}

impl Cache {
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
    }

    /// The table can be read from a file from now on.
    pub fn mark_stored(&mut self, key: &Key) {
        if let Some(entry) = self.entries.get_mut(key) {
            entry.stored = true;
        }
    }

    pub fn remove(&mut self, key: &Key) {
        self.entries.remove(key);
    }

    pub fn retain(&mut self, keep: impl Fn(&Key) -> bool) {
        self.entries.retain(|key, _| keep(key));
    }

    pub fn clear(&mut self) {
        self.entries.clear();
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
    /// that nobody is going to read, then those that can be read from a file,
    /// then the others; each time the least recently used first. Tables that
    /// somebody holds would free no memory and stay. Returns what is left.
    pub fn give_up(&mut self, limit_bytes: u64, to_come: impl Fn(&Key) -> bool) -> u64 {
        let mut left = self.bytes();
        if left <= limit_bytes {
            return left;
        }
        let class = |key: &Key, entry: &Entry| match (to_come(key), entry.stored) {
            (false, _) => 0,
            (true, true) => 1,
            (true, false) => 2,
        };
        let free = |(_, entry): &(&Key, &Entry)| Arc::strong_count(&entry.table) == 1;
        let ranked = |(key, entry): (&Key, &Entry)| (class(key, entry), entry.last_used, *key);
        let mut ranked: Vec<(u8, u64, Key)> =
            self.entries.iter().filter(free).map(ranked).collect();
        ranked.sort_by_key(|&(class, last_used, _)| (class, last_used));
        for (_, _, key) in ranked {
            if left <= limit_bytes {
                break;
            }
            self.entries.remove(&key);
            left = self.bytes();
        }
        left
    }
}
