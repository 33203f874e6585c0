//! Solved units kept on the card, the least recently used given up first.

use std::collections::HashMap;
use std::sync::Arc;

use molien_board::{Color, Material};
use molien_values::Metric;

use crate::unit::Unit;

/// Whose wins of which board, counted how.
pub(crate) type Key = (Material, Color, Metric);

/// Units by key, with the time of their last use.
#[derive(Default)]
pub(crate) struct Cache {
    units: HashMap<Key, (Arc<Unit>, u64)>,
    clock: u64,
}

impl Cache {
    pub fn get(&mut self, key: &Key) -> Option<Arc<Unit>> {
        self.clock += 1;
        let (unit, used) = self.units.get_mut(key)?;
        *used = self.clock;
        Some(unit.clone())
    }

    pub fn insert(&mut self, key: Key, unit: Arc<Unit>) {
        self.clock += 1;
        self.units.insert(key, (unit, self.clock));
    }

    /// Marks the units of some materials as used now; says how many bytes
    /// they take.
    pub fn touch(&mut self, materials: &[Material], metric: Metric) -> u64 {
        self.clock += 1;
        let mut bytes = 0;
        for ((material, _, of), (unit, used)) in &mut self.units {
            if materials.contains(material) && of.without_pawns() == metric.without_pawns() {
                *used = self.clock;
                bytes += unit.len_bytes();
            }
        }
        bytes
    }

    /// Gives up the unit that was not used for the longest time, but none used
    /// since the last call of [`Cache::touch`]. Says whether there was one.
    pub fn evict(&mut self) -> bool {
        let oldest = self.units.iter().filter(|(_, (_, used))| *used < self.clock);
        let oldest = oldest.min_by_key(|(_, (_, used))| *used).map(|(key, _)| *key);
        oldest.is_some_and(|key| self.units.remove(&key).is_some())
    }

    /// Keeps only units of these materials.
    pub fn retain(&mut self, wanted: impl Fn(Material) -> bool) {
        self.units.retain(|(material, ..), _| wanted(*material));
    }

    /// Of the units in a metric keeps only those of these materials.
    pub fn retain_for(&mut self, metric: Metric, wanted: impl Fn(Material) -> bool) {
        let plain = metric.without_pawns();
        self.units.retain(|(material, _, of), _| of.without_pawns() != plain || wanted(*material));
    }

    pub fn clear(&mut self) {
        self.units.clear();
    }
}
