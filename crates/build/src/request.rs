//! What requests in progress are still going to read.

use std::collections::HashSet;
use std::sync::atomic::Ordering;

use molien_board::Material;
use molien_values::Metric;

use crate::cache::{Key, key};
use crate::needs::reads;
use crate::{Build, lock};

impl Build {
    /// Notes what a request is going to read, until it has.
    pub(crate) fn announce(&self, needed: &[Material], key: Key) -> Request<'_> {
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        let keys = needed.iter().map(|&material| self::key(material, key.1)).collect();
        lock(&self.to_come).insert(number, keys);
        Request { build: self, number, goal: key, needed: needed.to_vec() }
    }
}

/// A request in progress; forgotten when it ends.
pub(crate) struct Request<'a> {
    build: &'a Build,
    number: u64,
    goal: Key,
    needed: Vec<Material>,
}

impl Request<'_> {
    /// One of the needed tables is made: what only it and earlier ones read is
    /// not to come any more.
    pub fn done(&self, material: Material) {
        let made = self.needed.iter().position(|&needed| needed == material);
        let later = &self.needed[made.map_or(0, |made| made + 1)..];
        let readers = later.iter().copied().chain([self.goal.0]);
        let keys = readers.flat_map(reads).map(|sub| key(sub, self.goal.1)).collect();
        lock(&self.build.to_come).insert(self.number, keys);
    }

    /// Instead: these materials are going to read what they read in these
    /// metrics, in this order.
    pub fn left(&self, materials: &[Material], metrics: &[Metric]) {
        let mut keys: Vec<Key> = Vec::new();
        let mut known = HashSet::new();
        for &material in materials {
            let subs = reads(material);
            for read in metrics.iter().flat_map(|&metric| subs.iter().map(move |&s| key(s, metric)))
            {
                if known.insert(read) {
                    keys.push(read);
                }
            }
        }
        lock(&self.build.to_come).insert(self.number, keys);
    }
}

impl Drop for Request<'_> {
    fn drop(&mut self) {
        lock(&self.build.to_come).remove(&self.number);
    }
}
