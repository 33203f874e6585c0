//! Room in memory: tables kept for later make way for work.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use molien_values::BoardValues;

use crate::cache::{Kept, Key};
use crate::memory::{Purpose, Reservation};
use crate::packed::PackedTable;
use crate::whole::Whole;
use crate::{Build, BuildError, lock};

impl Build {
    /// Reserves memory; tables and boards kept for later make room.
    pub(crate) fn reserve(&self, key: Key, bytes: u64) -> Result<Reservation<'_>, BuildError> {
        self.take(key, bytes, Purpose::Work)
    }

    /// Reserves memory to solve a table whose slices are there: for as many boards
    /// side by side as there is room for now. Returns how many those are.
    pub(crate) fn reserve_boards(
        &self,
        key: Key,
        whole: &Whole,
    ) -> Result<(Reservation<'_>, u64), BuildError> {
        let in_use = lock(&self.tables).bytes_in_use();
        let room = self.budget.room(in_use).saturating_add(whole.slices_bytes);
        let at_once = whole.at_once_within(room, self.boards_at_once());
        let more = whole.bytes(at_once).saturating_sub(whole.slices_bytes);
        Ok((self.reserve(key, more)?, at_once))
    }

    /// Reserves memory for what work yet to begin is going to read, and for work that
    /// makes tables on the way.
    pub(crate) fn hold(&self, key: Key, bytes: u64) -> Result<Reservation<'_>, BuildError> {
        self.take(key, bytes, Purpose::Holding)
    }

    fn take(&self, key: Key, bytes: u64, purpose: Purpose) -> Result<Reservation<'_>, BuildError> {
        self.pack_for(bytes);
        let made_room = AtomicBool::new(false);
        let reserved = self.budget.reserve(key, bytes, purpose, |room| {
            let bytes = |boards: &HashMap<_, Arc<BoardValues>>| {
                boards.values().map(|board| board.len_bytes() as u64).sum::<u64>()
            };
            let boards = bytes(&lock(&self.boards));
            let kept = boards + lock(&self.tables).bytes();
            if kept <= room {
                return kept;
            }
            made_room.store(true, Ordering::Relaxed);
            lock(&self.boards).clear();
            let to_come: Vec<Key> = lock(&self.to_come).values().flatten().copied().collect();
            let when = |key: &Key| to_come.iter().position(|other| other == key);
            lock(&self.tables).give_up(room, when)
        });
        if made_room.into_inner() {
            self.progress.made_room();
        }
        reserved
    }

    /// Compresses tables that are still to be read, if there would not be room
    /// for so much otherwise. What cannot be compressed is given up.
    fn pack_for(&self, bytes: u64) {
        let to_come: Vec<Key> = lock(&self.to_come).values().flatten().copied().collect();
        let when = |key: &Key| to_come.iter().position(|other| other == key);
        loop {
            let room = self.budget.room(bytes);
            let found = lock(&self.tables).take_to_pack(room, when);
            let Some((key, table, stored)) = found else { return };
            // Who asks for it meanwhile waits, and looks again.
            let claim = self.making.claim(key);
            if let Ok(packed) = self.pool().install(|| PackedTable::new(table, None)) {
                lock(&self.tables).insert(key, Kept::Packed(Arc::new(packed)), stored);
            }
            drop(claim);
        }
    }
}
