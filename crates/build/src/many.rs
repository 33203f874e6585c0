//! Many tables, one after the other, none of them kept for longer than it is
//! read.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use molien_board::Material;
use molien_values::{Metric, Table};

use crate::build::outside_rayon;
use crate::cache::{Key, key};
use crate::limits::keep_alone;
use crate::needs::order;
use crate::store::AT_ONCE_FROM_SHELF;
use crate::{Build, BuildError, lock};

/// Is told of a table, in canonical orientation, and of the time it took.
pub type Visit<'a> = &'a (dyn Fn(&Table, Duration) + Sync);

impl Build {
    /// Makes the tables of many materials in one metric, in an order in which
    /// few wait for their readers, and gives up what no later one reads.
    ///
    /// # Errors
    /// The first table that cannot be made; later ones are not begun.
    pub fn visit_tables(
        &self,
        materials: &[Material],
        metric: Metric,
        visit: Visit<'_>,
    ) -> Result<(), BuildError> {
        let wanted: Vec<Material> = materials.iter().map(Material::canonical).collect();
        let mut order = order(&wanted, |_| false);
        order.retain(|material| wanted.contains(material));
        outside_rayon(|| match order.iter().all(|&m| self.is_on_shelf(m, metric)) {
            true => self.visit_shelf(&order, metric, visit),
            false => self.visit_one_by_one(&order, metric, visit),
        })
    }

    fn visit_one_by_one(
        &self,
        order: &[Material],
        metric: Metric,
        visit: Visit<'_>,
    ) -> Result<(), BuildError> {
        let Some(&last) = order.last() else { return Ok(()) };
        let request = self.announce(order, key(last, metric));
        for &material in order {
            let start = Instant::now();
            let table = self.request(key(material, metric), keep_alone(material))?;
            visit(&table, start.elapsed());
            drop(table);
            request.done(material);
            self.forget_in(metric, |key| !self.is_to_come(key));
        }
        Ok(())
    }

    /// Where a shelf makes every table by itself, several are under way at once.
    fn visit_shelf(
        &self,
        materials: &[Material],
        metric: Metric,
        visit: Visit<'_>,
    ) -> Result<(), BuildError> {
        let (next, failed) = (AtomicUsize::new(0), Mutex::new(None));
        let work = || {
            while let Some(&material) = materials.get(next.fetch_add(1, Ordering::Relaxed)) {
                let start = Instant::now();
                match self.request(key(material, metric), keep_alone(material)) {
                    Ok(table) => visit(&table, start.elapsed()),
                    Err(error) => {
                        lock(&failed).get_or_insert(error);
                        return;
                    }
                }
                self.forget(material, metric);
            }
        };
        std::thread::scope(|scope| {
            (0..AT_ONCE_FROM_SHELF).for_each(|_| drop(scope.spawn(work)));
        });
        let error = lock(&failed).take();
        error.map_or(Ok(()), Err)
    }

    /// Whether a request in progress is going to read a table.
    fn is_to_come(&self, key: &Key) -> bool {
        lock(&self.to_come).values().any(|keys| keys.contains(key))
    }
}
