//! Which units stay on the card, and making room for others.

use std::sync::{Arc, MutexGuard, PoisonError};

use molien_board::{Color, Man, Material};
use molien_hyper::Hyperboard;
use molien_values::Metric;

use crate::cache::Cache;
use crate::needs::reachable;
use crate::unit::Unit;
use crate::{CudaEngine, CudaError, Request};

impl CudaEngine {
    /// Gives back units until a solve fits.
    pub(crate) fn make_room(&self, request: &Request) -> Result<(), CudaError> {
        let needs = self.needs(request);
        let closure = reachable(request.material);
        let present = self.lock().touch(&closure, request.metric).min(needs.sub_games);
        let needed = needs.total() - present;
        while self.device.memory()?.0 < needed && self.lock().evict() {}
        if self.device.memory()?.0 < needed {
            self.lock().clear();
        }
        let (needed, free) = (needs.total(), self.device.memory()?.0);
        let least = self.least_bytes(&needs);
        if free + self.lock().touch(&closure, request.metric) >= least {
            return Ok(());
        }
        let mib = |bytes: u64| bytes.div_ceil(1 << 20);
        Err(CudaError::Memory {
            material: request.material,
            metric: request.metric,
            needed_mib: mib(needed),
            plan: self.needs(request).to_string(),
            free_mib: mib(free),
        })
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Cache> {
        // Entries are only ever added or removed whole.
        self.units.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A unit solved earlier.
    pub(crate) fn cached(
        &self,
        material: Material,
        attacker: Color,
        metric: Metric,
    ) -> Option<Arc<Unit>> {
        self.lock().get(&(material, attacker, metric))
    }

    /// Keeps a unit.
    pub(crate) fn cache(
        &self,
        material: Material,
        attacker: Color,
        metric: Metric,
        unit: &Arc<Unit>,
    ) {
        self.lock().insert((material, attacker, metric), unit.clone());
    }

    /// The boards without one piece each, taken out of the cache, without the
    /// planes that a solve in DTC does not read. Those of like men are one and
    /// stay whole.
    pub(crate) fn slim(
        &self,
        subs: Vec<Arc<Unit>>,
        board: &Hyperboard,
        attacker: Color,
    ) -> Result<Vec<Arc<Unit>>, CudaError> {
        let one_away = board.material().successors();
        self.lock().retain(|material| !one_away.contains(&material));
        let men = board.pieces_in_order();
        let slim = |(sub, man): (Arc<Unit>, &Man)| match Arc::try_unwrap(sub) {
            Ok(mut sub) => {
                sub.slim(&self.device, man.color, attacker)?;
                Ok(Arc::new(sub))
            }
            Err(shared) => Ok(shared),
        };
        subs.into_iter().zip(&men).map(slim).collect()
    }

    /// Forgets units of more than five men, which are many times larger.
    pub(crate) fn forget_large(&self) {
        self.lock().retain(|material| material.len() <= 5);
    }

    /// Forgets every unit.
    pub fn forget_all(&self) {
        self.lock().clear();
    }
}
