//! The least memory that will do.

use std::collections::HashMap;

use molien_board::Material;
use molien_solve::Keep;
use molien_values::Metric;

use crate::cache::{Key, key};
use crate::limits::{is_small, keep_alone, keep_on_the_way};
use crate::memory::{board_bytes, cut_bytes, cutting_bytes, decoding_bytes, share_bytes};
use crate::needs::reads;
use crate::whole::{Whole, table_bytes};
use crate::{Build, BuildError};

impl Build {
    /// Says at once that a table will not fit, and how much would do, before
    /// what it reads is made.
    pub(crate) fn refuse_hopeless(&self, key: Key, keep: Keep) -> Result<(), BuildError> {
        if self.budget.limit_bytes == u64::MAX {
            return Ok(());
        }
        let needed = Least::new(self, &|key| self.is_stored(key)).bytes(key, keep);
        match needed > self.budget.limit_bytes {
            true => Err(self.budget.refusal(key, needed)),
            false => Ok(()),
        }
    }

    /// The least memory with which some tables can be made, one after the other.
    pub(crate) fn least_for(&self, keys: impl Iterator<Item = Key>) -> u64 {
        let stored = |key: &Key| self.is_stored(key);
        let mut least = Least::new(self, &stored);
        keys.map(|key| least.bytes(key, keep_on_the_way(key.0, key.1))).max().unwrap_or(0)
    }

    /// The memory with which a table can be made where everything that is read is stored,
    /// and so is never made again.
    pub(crate) fn least_from_folder(&self, key: Key) -> u64 {
        let whole = self.whole(key.0, key.1, keep_alone(key.0));
        let cutting = |&(source, _): &(Material, _)| board_bytes(source) + decoding_bytes(source);
        let cutting = whole.slices.iter().map(cutting).max().unwrap_or(0);
        let most = whole.bytes(1).max(whole.slices_bytes + cutting);
        self.read_whole_bytes(key, &whole) + most
    }

    /// The memory that each of so many ranks takes at the peak to solve a material
    /// without pawns together with the others, what it reads being stored.
    pub fn rank_bytes(&self, material: Material, metric: Metric, ranks: usize) -> u64 {
        let key = key(material.canonical(), metric);
        let subs = reads(key.0);
        let read = |sub: &Material| match is_small(*sub) {
            true => table_bytes(*sub, keep_on_the_way(*sub, key.1)),
            false => cut_bytes(*sub, key.0, key.1, ranks),
        };
        let loading =
            |sub: &Material| table_bytes(*sub, keep_on_the_way(*sub, key.1)) + decoding_bytes(*sub);
        let read_bytes: u64 = subs.iter().map(read).sum();
        let loading = subs.iter().map(loading).max().unwrap_or(0);
        read_bytes + share_bytes(key.0, key.1, ranks).max(loading)
    }

    /// What the tables take that are read as they are.
    fn read_whole_bytes(&self, (material, metric): Key, whole: &Whole) -> u64 {
        let is_sliced = |sub: &Material| whole.slices.iter().any(|(source, _)| source == sub);
        let subs = reads(material).into_iter().filter(|sub| !is_sliced(sub));
        subs.map(|sub| table_bytes(sub, keep_on_the_way(sub, metric))).sum()
    }

    /// What bringing a table into memory from a shelf takes, the table included.
    pub(crate) fn load_bytes(&self, material: Material) -> u64 {
        let at_once = if material.has_pawns() { self.boards_at_once() } else { 1 };
        table_bytes(material, Keep::Depths) + at_once * decoding_bytes(material)
    }
}

/// The memory with which tables can be made if everything that can be is given up on
/// the way and made again.
struct Least<'a> {
    build: &'a Build,
    /// What the folder has.
    is_stored: &'a dyn Fn(&Key) -> bool,
    /// Tables looked at already.
    known: HashMap<Key, u64>,
}

impl<'a> Least<'a> {
    fn new(build: &'a Build, is_stored: &'a dyn Fn(&Key) -> bool) -> Least<'a> {
        Least { build, is_stored, known: HashMap::new() }
    }

    fn bytes(&mut self, key: Key, keep: Keep) -> u64 {
        if (self.is_stored)(&key) || self.build.is_on_shelf(key.0, key.1) {
            return self.build.load_bytes(key.0);
        }
        if let Some(&bytes) = self.known.get(&key) {
            return bytes;
        }
        let whole = self.build.whole(key.0, key.1, keep);
        let mut own = whole.bytes(1);
        for &(source, _) in &whole.slices {
            own = own.max(whole.slices_bytes + self.for_slices(source, key));
        }
        let mut most = own + self.build.read_whole_bytes(key, &whole);
        let is_sliced = |sub| whole.slices.iter().any(|&(source, _)| source == sub);
        for sub in reads(key.0) {
            let sub = self::key(sub, key.1);
            // Slices of a file are cut board by board: it is never loaded.
            if !(is_sliced(sub.0) && (self.is_stored)(&sub)) {
                most = most.max(self.bytes(sub, keep_on_the_way(sub.0, sub.1)));
            }
        }
        self.known.insert(key, most);
        most
    }

    /// What cutting slices from a table takes beside the slices.
    fn for_slices(&mut self, source: Material, reader: Key) -> u64 {
        let source = key(source, reader.1);
        if (self.is_stored)(&source) {
            return board_bytes(source.0) + decoding_bytes(source.0);
        }
        let made = self.bytes(source, keep_on_the_way(source.0, source.1));
        made.max(table_bytes(source.0, Keep::Depths) + cutting_bytes(source.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::PROGRAM_BYTES;
    use molien_table::{Pack, WriteOptions};
    use std::num::NonZeroUsize;

    /// What is left of 2 GiB for tables and work.
    const TWO_GIB: u64 = (2 << 30) - (128 << 20) - PROGRAM_BYTES;

    /// Two gigabytes do for every table of five men, stored in all metrics, and
    /// eleven for each of them in memory, however many threads there are.
    #[test]
    fn five_men_fit() {
        for threads in [2, 16] {
            fit(NonZeroUsize::new(threads).unwrap());
        }
    }

    fn fit(threads: NonZeroUsize) {
        let build = Build::new().with_threads(threads).with_memory_limit(11 << 30);
        let mut in_memory = Least::new(&build, &|_| false);
        for material in Material::all(5).into_iter().filter(|material| material.len() == 5) {
            for pack in [Pack::QUICK, Pack::Fast] {
                let options = WriteOptions::packed(pack);
                let stored = build.least_to_store(material, &Metric::ALL, &options);
                assert!(stored <= TWO_GIB, "{material} {pack:?} {}", stored >> 20);
            }
            let key = key(material, Metric::Dtm);
            let bytes = in_memory.bytes(key, keep_alone(material));
            assert!(bytes <= build.budget.limit_bytes, "{material} {}", bytes >> 20);
            // What is not refused when its turn comes, all it reads being stored.
            let others = |other: &Key| other.0 != material;
            let from_folder = Least::new(&build, &others).bytes(key, keep_alone(material));
            assert!(from_folder <= TWO_GIB, "{material} {} from a folder", from_folder >> 20);
        }
    }
}
