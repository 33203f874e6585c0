//! Tables too large for memory: solved for their waves, assembled from them.

use molien_board::Material;
use molien_table::{Assembly, Directory, Logged, TableError};
use molien_values::{Metric, Stats, WaveLog};

use crate::build::outside_rayon;
use crate::cache::key;
use crate::needs::reads;
use crate::store::Making;
use crate::watch::Extras;
use crate::{Build, BuildError};

/// The order in which metrics are solved: DTZ50 may turn out to be DTC.
pub(crate) const ORDER: [Metric; 3] = [Metric::Dtc, Metric::Dtz50, Metric::Dtm];

impl Build {
    /// Solves and stores a material without pawns in some metrics, its values
    /// never being in memory as a whole. What it depends on is there.
    pub(crate) fn store_from_log(
        &self,
        folder: &Directory,
        material: Material,
        metrics: &[Metric],
        making: &Making<'_>,
    ) -> Result<(), BuildError> {
        let lock = || self.lock_table(folder, material);
        self.store_missing(folder, (material, metrics), lock, |wanted| {
            self.store_waves(folder, material, wanted, making)
        })
    }

    /// Has those of the metrics stored that the folder lacks, by whoever has the lock.
    pub(crate) fn store_missing<L>(
        &self,
        folder: &Directory,
        (material, metrics): (Material, &[Metric]),
        lock: impl FnOnce() -> Result<L, BuildError>,
        store: impl FnOnce(&[Metric]) -> Result<(), BuildError>,
    ) -> Result<(), BuildError> {
        let Some(&metric) = self.missing(folder, material, metrics).first() else { return Ok(()) };
        if !self.may_solve {
            return Err(BuildError::Missing { material, metric });
        }
        let _lock = lock()?;
        let wanted = self.missing(folder, material, metrics);
        if wanted.is_empty() {
            return Ok(()); // another process was faster
        }
        store(&wanted)
    }

    /// The same for who has the lock.
    pub(crate) fn store_waves(
        &self,
        folder: &Directory,
        material: Material,
        wanted: &[Metric],
        making: &Making<'_>,
    ) -> Result<(), BuildError> {
        let mut logged: Vec<Logged> = Vec::new();
        for metric in ORDER.into_iter().filter(|metric| wanted.contains(metric)) {
            self.add_logged(folder, material, metric, &mut logged)?;
        }
        self.assemble(material, making, |assembly| folder.store_logged(&logged, assembly))
    }

    /// Has a table written from its logs, by the leader.
    pub(crate) fn assemble(
        &self,
        material: Material,
        making: &Making<'_>,
        store: impl Fn(&Assembly<'_>) -> Result<(), TableError> + Sync,
    ) -> Result<(), BuildError> {
        // All memory is for the table now.
        self.forget_all();
        let watch = |written, blocks| (making.writing)(material, written, blocks);
        let (options, memory_bytes) = (&making.options, making.assembly_bytes);
        let assembly = Assembly { options, memory_bytes, watch: &watch };
        self.by_leader(|| Ok(self.pool().install(|| store(&assembly))?))
    }

    /// Adds a metric to those that are logged. Where the 50-move rule spoils
    /// nothing that a capture leads to, DTZ50 is DTC.
    fn add_logged(
        &self,
        folder: &Directory,
        material: Material,
        metric: Metric,
        logged: &mut Vec<Logged>,
    ) -> Result<(), BuildError> {
        let known = |logged: &[Logged], metric| {
            logged.iter().find(|logged| logged.stats.metric == metric).cloned()
        };
        if metric == Metric::Dtz50 && !self.is_cursed_below(material)? {
            if known(logged, Metric::Dtc).is_none() {
                logged.push(self.logged(folder, material, Metric::Dtc)?);
            }
            if let Some(dtc) = known(logged, Metric::Dtc) {
                logged.push(dtc.also(Metric::Dtz50));
                return Ok(());
            }
        }
        logged.push(self.logged(folder, material, metric)?);
        Ok(())
    }

    /// Whether a capture or a promotion can lead to where the 50-move rule matters.
    pub(crate) fn is_cursed_below(&self, material: Material) -> Result<bool, BuildError> {
        for sub in reads(material) {
            if self.is_cursed(key(sub, Metric::Dtz50))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The log of a material in one metric, solved unless it was before.
    fn logged(
        &self,
        folder: &Directory,
        material: Material,
        metric: Metric,
    ) -> Result<Logged, BuildError> {
        let logs = folder.wave_logs().with_worth_tiles(0);
        if let Some(ranks) = self.ranks() {
            return self.logged_together(ranks, &logs, (material, metric));
        }
        if let Some(logged) = logs.finished(material, metric) {
            return Ok(logged);
        }
        Ok(logs.finish(&self.solve_logged(material, metric, &logs)?)?)
    }

    /// Solves a material without pawns, given in canonical orientation, and
    /// leaves its waves in `log`, even if its table is known already. What it
    /// depends on is solved if need be; of itself only the statistics are
    /// returned. A solve that was interrupted resumes from the waves in `log`.
    /// Without pawns DTZ is DTC.
    ///
    /// # Errors
    /// If there are pawns, it needs too much memory, is cancelled, or cannot be
    /// logged.
    pub fn solve_logged(
        &self,
        material: Material,
        metric: Metric,
        log: &dyn WaveLog,
    ) -> Result<Stats, BuildError> {
        let extras = Extras { log: Some(log), ..Extras::default() };
        let solve = || self.solve_pieces(material, metric.without_pawns(), &extras);
        outside_rayon(solve).map(|(_, stats, _)| stats)
    }
}
