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
        self.set_aside_for(bytes);
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
            let found = self.budget.take_over(|| {
                let found = lock(&self.tables).take_to_pack(room, when)?;
                let bytes = found.1.len_bytes() as u64;
                Some((found, bytes))
            });
            let Some(((key, table, stored), until_packed)) = found else { return };
            // Who asks for it meanwhile waits, and looks again.
            let claim = self.making.claim(key);
            if let Ok(packed) = self.pool().install(|| PackedTable::new(table, None)) {
                lock(&self.tables).insert(key, Kept::Packed(Arc::new(packed)), stored);
            }
            drop((until_packed, claim));
        }
    }

    /// Moves compressed tables that are still to be read to files without a name, if
    /// there would not be room for so much otherwise: to solve them again takes longer.
    /// What cannot be moved is given up.
    fn set_aside_for(&self, bytes: u64) {
        let to_come: Vec<Key> = lock(&self.to_come).values().flatten().copied().collect();
        let when = |key: &Key| to_come.iter().position(|other| other == key);
        loop {
            let room = self.budget.room(bytes);
            let found = self.budget.take_over(|| {
                let found = lock(&self.tables).take_to_set_aside(room, when)?;
                let bytes = found.1.len_bytes();
                Some((found, bytes))
            });
            let Some(((key, packed), until_moved)) = found else { return };
            // Who asks for it meanwhile waits, and looks again.
            let claim = self.making.claim(key);
            let moved = Arc::into_inner(packed)
                .and_then(|packed| packed.set_aside(self.scratch_folder().ok()?).ok());
            if let Some(moved) = moved {
                lock(&self.tables).insert(key, Kept::Packed(Arc::new(moved)), false);
            }
            drop((until_moved, claim));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use molien_board::Material;
    use molien_solve::Keep;
    use molien_values::Metric;

    /// Tables that are to be read are neither given up nor made again, however little
    /// room there is; those that are not go.
    #[test]
    fn what_is_to_come_waits_in_files() {
        let scratch = tempfile::tempdir().unwrap();
        let solving = Build::new();
        let build =
            Build::new().with_memory_limit(64 << 20).with_scratch(scratch.path()).without_solving();
        let names = ["KRKP", "KNKP", "KNPK"].map(|name| name.parse::<Material>().unwrap());
        let tables = names.map(|material| solving.table(material, Metric::Dtm).unwrap());
        for table in &tables {
            let copy = Arc::new(molien_values::Table::clone(table));
            build.keep((table.material, Metric::Dtm), copy);
        }
        let goal = ("KRPKP".parse().unwrap(), Metric::Dtm);
        let request = build.announce(&names[..2], goal);
        let bytes = lock(&build.tables).bytes();
        let room = build.reserve(goal, build.budget.limit_bytes - (2 << 20)).unwrap();
        assert!(lock(&build.tables).bytes() <= 2 << 20, "of {bytes} at first");
        for &material in &names[..2] {
            assert!(build.is_known(material, Metric::Dtm, Keep::Depths), "{material}");
        }
        assert!(!build.is_known(names[2], Metric::Dtm, Keep::Depths), "nobody reads it");
        drop(room);
        for table in &tables[..2] {
            let back = build.make((table.material, Metric::Dtm), Keep::Depths).unwrap();
            assert_eq!(back.stats, table.stats);
            let same = |(a, b): (&Arc<BoardValues>, &Arc<BoardValues>)| a.values == b.values;
            assert!(back.parts.iter().zip(&table.parts).all(same), "{}", table.material);
        }
        drop(request);
    }
}
