//! Tables too large for memory: solved for their waves, assembled from them.

use std::sync::PoisonError;

use molien_board::Material;
use molien_table::{Assembly, Logged};
use molien_values::Metric;

use crate::folder::damaged;
use crate::{FolderSource, ProbeError, Source};

/// Tables of so many men are stored if they have no pawns.
const LOGGED_MEN: usize = 6;

/// The order in which metrics are solved: DTZ50 may turn out to be DTC.
const ORDER: [Metric; 3] = [Metric::Dtc, Metric::Dtz50, Metric::Dtm];

impl FolderSource {
    /// Whether a material is stored by [`FolderSource::make_large`].
    pub fn is_large(material: Material) -> bool {
        material.len() == LOGGED_MEN && !material.has_pawns()
    }

    /// Solves and stores a material without pawns in some metrics, its values
    /// never being in memory as a whole; what is in the folder already is left
    /// alone. What it depends on must be there. `memory_bytes` may be used while
    /// the table is written; `watch` is told how many of how many blocks
    /// are, and says whether to go on.
    ///
    /// # Errors
    /// If the table cannot be solved or stored.
    pub fn make_large(
        &self,
        material: Material,
        metrics: &[Metric],
        memory_bytes: u64,
        watch: &(dyn Fn(usize, usize) -> bool + Sync),
    ) -> Result<(), ProbeError> {
        let material = material.canonical();
        let missing = |metric: &Metric| !self.directory().has(material, *metric);
        let Some(&first) = metrics.iter().find(|metric| missing(metric)) else { return Ok(()) };
        self.missing(material, first)?;
        let _lock = self.directory().wait_for_lock(material).map_err(damaged)?;
        let wanted: Vec<Metric> =
            metrics.iter().filter(|metric| missing(metric)).map(|m| m.without_pawns()).collect();
        if wanted.is_empty() {
            return Ok(()); // another process was faster
        }
        let mut logged: Vec<Logged> = Vec::new();
        for metric in ORDER.into_iter().filter(|metric| wanted.contains(metric)) {
            self.add_logged(material, metric, &mut logged)?;
        }
        // All memory is for the table now.
        self.solver().forget_all();
        let options = self.options();
        let assembly = Assembly { options, memory_bytes, watch };
        self.directory().store_logged(&logged, &assembly).map_err(damaged)?;
        self.files().remove(&material);
        Ok(())
    }

    /// Adds a metric to those that are logged. Where the 50-move rule spoils
    /// nothing that a capture leads to, DTZ50 is DTC.
    fn add_logged(
        &self,
        material: Material,
        metric: Metric,
        logged: &mut Vec<Logged>,
    ) -> Result<(), ProbeError> {
        let known = |logged: &[Logged], metric| {
            logged.iter().find(|logged| logged.stats.metric == metric).cloned()
        };
        if metric == Metric::Dtz50 && !self.is_cursed_below(material)? {
            if known(logged, Metric::Dtc).is_none() {
                logged.push(self.logged(material, Metric::Dtc)?);
            }
            if let Some(dtc) = known(logged, Metric::Dtc) {
                logged.push(dtc.also(Metric::Dtz50));
                return Ok(());
            }
        }
        logged.push(self.logged(material, metric)?);
        Ok(())
    }

    /// Whether a capture can lead to where the 50-move rule matters.
    fn is_cursed_below(&self, material: Material) -> Result<bool, ProbeError> {
        for sub in material.successors().into_iter().filter(|sub| sub.len() > 2) {
            if self.stats(sub.canonical(), Metric::Dtz50)?.is_cursed() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The log of a material in one metric, solved unless it was before.
    fn logged(&self, material: Material, metric: Metric) -> Result<Logged, ProbeError> {
        let logs = self.directory().wave_logs().with_worth_tiles(0);
        if let Some(logged) = logs.finished(material, metric) {
            return Ok(logged);
        }
        let _one_at_a_time = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        let stats = self.solver().solve_logged(material, metric, &logs)?;
        logs.finish(&stats).map_err(damaged)
    }
}
