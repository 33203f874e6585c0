//! Tables in memory, those least missed given up first.

use std::collections::HashMap;
use std::sync::Arc;

use molien_board::Material;
use molien_values::{Metric, Table};

use crate::packed::PackedTable;

/// What a table is known by.
pub(crate) type Key = (Material, Metric);

/// The key under which a material's table in a metric is kept.
pub(crate) fn key(material: Material, metric: Metric) -> Key {
    let metric = if material.has_pawns() { metric } else { metric.without_pawns() };
    (material.canonical(), metric)
}

/// How a table is kept.
#[derive(Clone)]
pub(crate) enum Kept {
    /// As the solver needs it.
    Planes(Arc<Table>),
    /// Compressed.
    Packed(Arc<PackedTable>),
}

impl Kept {
    /// Whether nobody else holds it.
    fn is_free(&self) -> bool {
        match self {
            Kept::Planes(table) => Arc::strong_count(table) == 1,
            Kept::Packed(packed) => Arc::strong_count(packed) == 1,
        }
    }

    fn len_bytes(&self) -> u64 {
        match self {
            Kept::Planes(table) => table.len_bytes() as u64,
            Kept::Packed(packed) => packed.len_bytes(),
        }
    }
}

struct Entry {
    kept: Kept,
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

/// Smaller tables are not worth compressing.
const PACKED_BYTES: u64 = 8 << 20;

impl Cache {
    pub fn get(&mut self, key: &Key) -> Option<Arc<Table>> {
        match self.kept(key)? {
            Kept::Planes(table) => Some(table),
            Kept::Packed(_) => None,
        }
    }

    /// A table, however it is kept.
    pub fn kept(&mut self, key: &Key) -> Option<Kept> {
        self.clock += 1;
        let entry = self.entries.get_mut(key)?;
        entry.last_used = self.clock;
        Some(entry.kept.clone())
    }

    pub fn insert(&mut self, key: Key, kept: Kept, stored: bool) {
        self.clock += 1;
        let bytes = kept.len_bytes();
        self.entries.insert(key, Entry { kept, bytes, stored, last_used: self.clock });
    }

    /// Keeps a table unless there is one already; the one that is kept.
    pub fn insert_new(&mut self, key: Key, table: Arc<Table>) -> Arc<Table> {
        if let Some(known) = self.get(&key) {
            return known;
        }
        self.insert(key, Kept::Planes(table.clone()), false);
        table
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

    /// What all tables take together.
    pub fn bytes(&self) -> u64 {
        self.bytes_of(|_, _| true)
    }

    /// What those take that somebody holds.
    pub fn bytes_in_use(&self) -> u64 {
        self.bytes_of(|_, entry| !entry.kept.is_free())
    }

    /// What some tables take together. Tables in two metrics may share their
    /// boards.
    fn bytes_of(&self, wanted: impl Fn(&Key, &Entry) -> bool) -> u64 {
        let mut boards = HashMap::new();
        let mut packed = 0;
        for (_, entry) in self.entries.iter().filter(|(key, entry)| wanted(key, entry)) {
            match &entry.kept {
                Kept::Planes(table) => {
                    boards.insert(table.parts.first().map(Arc::as_ptr), entry.bytes);
                }
                Kept::Packed(_) => packed += entry.bytes,
            }
        }
        packed + boards.values().sum::<u64>()
    }

    /// Takes out a table that should be compressed so that all take at most so
    /// much together: of those that are still to be read, the one that is read
    /// last. To decode a file takes several times as long, so that they have one
    /// makes no difference; returned is whether they do. `to_come` says when a
    /// table is read, if it is.
    pub fn take_to_pack(
        &mut self,
        limit_bytes: u64,
        to_come: impl Fn(&Key) -> Option<usize>,
    ) -> Option<(Key, Arc<Table>, bool)> {
        let stays = |key: &Key, entry: &Entry| !entry.kept.is_free() || to_come(key).is_some();
        if self.bytes_of(stays) <= limit_bytes {
            return None;
        }
        let planes = |entry: &Entry| matches!(entry.kept, Kept::Planes(_)) && entry.kept.is_free();
        let worth = |entry: &Entry| planes(entry) && entry.bytes >= PACKED_BYTES;
        let found = self.entries.iter().filter(|(_, entry)| worth(entry));
        let read = found.filter_map(|(key, _)| Some((to_come(key)?, *key)));
        let (_, key) = read.max_by_key(|(when, _)| *when)?;
        match self.entries.remove(&key)? {
            Entry { kept: Kept::Planes(table), stored, .. } => Some((key, table, stored)),
            _ => None,
        }
    }

    /// Takes out a compressed table that should be moved to a file so that all that are
    /// still to be read take at most so much together: of those that no file has, the
    /// one that is read last.
    pub fn take_to_set_aside(
        &mut self,
        limit_bytes: u64,
        to_come: impl Fn(&Key) -> Option<usize>,
    ) -> Option<(Key, Arc<PackedTable>)> {
        let stays = |key: &Key, entry: &Entry| !entry.kept.is_free() || to_come(key).is_some();
        if self.bytes_of(stays) <= limit_bytes {
            return None;
        }
        let worth = |entry: &Entry| match &entry.kept {
            Kept::Packed(packed) => entry.kept.is_free() && !entry.stored && !packed.is_aside(),
            Kept::Planes(_) => false,
        };
        let found = self.entries.iter().filter(|(_, entry)| worth(entry));
        let read = found.filter_map(|(key, _)| Some((to_come(key)?, *key)));
        let (_, key) = read.max_by_key(|(when, _)| *when)?;
        match self.entries.remove(&key)? {
            Entry { kept: Kept::Packed(packed), .. } => Some((key, packed)),
            _ => None,
        }
    }

    /// Gives up tables until all take at most so much together: first those
    /// that nobody is going to read, the least recently used first, then those
    /// that can be read from a file, then the others, each time those first that
    /// are read last. Tables that somebody holds would free no memory and stay; those in
    /// files of their own would free little, and stay while they are to be read.
    /// Returns what is left.
    pub fn give_up(&mut self, limit_bytes: u64, to_come: impl Fn(&Key) -> Option<usize>) -> u64 {
        let mut left = self.bytes();
        if left <= limit_bytes {
            return left;
        }
        let rank = |key: &Key, entry: &Entry| match (to_come(key), entry.stored) {
            (None, _) => (0, 0),
            (Some(when), true) => (1, usize::MAX - when),
            (Some(when), false) => (2, usize::MAX - when),
        };
        let aside = |kept: &Kept| matches!(kept, Kept::Packed(packed) if packed.is_aside());
        let free = |(key, entry): &(&Key, &Entry)| {
            entry.kept.is_free() && !(aside(&entry.kept) && to_come(key).is_some())
        };
        let ranked = |(key, entry): (&Key, &Entry)| (rank(key, entry), entry.last_used, *key);
        let mut ranked: Vec<_> = self.entries.iter().filter(free).map(ranked).collect();
        ranked.sort_by_key(|&(rank, last_used, _)| (rank, last_used));
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
