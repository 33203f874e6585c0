//! Storing tables in a folder.

use molien_board::Material;
use molien_values::{Metric, Table};

use crate::folder::directory::io_error;
use crate::write::assemble::{MetricValues, assemble, kept_parts, temporary};
use crate::{Assembly, Directory, Logged, TableError, TableFile, WriteOptions, write};

impl Directory {
    /// Stores the tables of one material, with those of its metrics that are
    /// in the file already and not among them. Wave logs of what is stored are
    /// removed. The file depends on nothing but the tables it then holds and
    /// the options.
    ///
    /// # Errors
    /// If the tables do not belong together, the disk refuses, or another
    /// process is working on the table.
    pub fn store(&self, tables: &[&Table], options: &WriteOptions) -> Result<(), TableError> {
        let Some(first) = tables.first() else { return Ok(()) };
        let _lock = self.lock(first.material)?;
        self.store_locked(tables, options)
    }

    /// As [`Directory::store`], for a caller that holds the lock.
    ///
    /// # Errors
    /// If the tables do not belong together or the disk refuses.
    pub fn store_locked(
        &self,
        tables: &[&Table],
        options: &WriteOptions,
    ) -> Result<(), TableError> {
        let Some(first) = tables.first() else { return Ok(()) };
        let material = first.material;
        self.make()?;
        // What cannot be read is replaced.
        let earlier = self.open(material).ok();
        let mut kept = Vec::new();
        for metric in earlier.iter().flat_map(TableFile::solved_metrics) {
            let own = if material.has_pawns() { metric } else { metric.without_pawns() };
            let given = |table: &&Table| table.metric == own;
            let mut known = tables.iter().copied().chain(&kept);
            if !known.any(|table| given(&table))
                && let Some(Ok(table)) = earlier.as_ref().map(|file| file.load(own))
            {
                kept.push(table);
            }
        }
        let all: Vec<&Table> = tables.iter().copied().chain(&kept).collect();
        write(&self.path(material), &all, options)?;
        let metrics: Vec<Metric> = all.iter().map(|table| table.metric).collect();
        self.tidy(material, &metrics)
    }

    /// Removes what is of no use once a material is stored in some metrics: their
    /// wave logs, and what killed processes have left of the file. The caller
    /// holds the lock.
    fn tidy(&self, material: Material, metrics: &[Metric]) -> Result<(), TableError> {
        let logs = self.wave_logs();
        logs.remove(material, metrics).map_err(io_error(self.folder(), "removing a wave log"))?;
        self.remove_incomplete(material)
    }

    /// Stores a material without pawns from its wave logs, for a caller that
    /// holds the lock: class by class, never all of it in memory. Metrics
    /// that are in the file already and not among the logs are kept. Writing
    /// that was interrupted resumes where it stopped. The wave logs are removed
    /// at the end.
    ///
    /// # Errors
    /// If the disk refuses or a log is damaged; solving again then computes the
    /// damaged waves.
    pub fn store_logged(
        &self,
        logged: &[Logged],
        assembly: &Assembly<'_>,
    ) -> Result<(), TableError> {
        let Some(first) = logged.first() else { return Ok(()) };
        let material = first.stats.material;
        self.make()?;
        let logs = self.wave_logs();
        let mut parts: Vec<MetricValues> = logged.iter().map(MetricValues::from).collect();
        if let Ok(earlier) = self.open(material) {
            let new = |metric: &Metric| parts.iter().all(|part| part.stats.metric != *metric);
            let kept: Vec<Metric> = earlier.solved_metrics().into_iter().filter(new).collect();
            parts.extend(kept_parts(earlier, &kept)?);
        }
        let mut metrics: Vec<Metric> = parts.iter().map(|part| part.stats.metric).collect();
        metrics.sort_unstable();
        let name = material.file_name();
        let temporary = temporary(logs.folder(), &name, &metrics, assembly.options.level);
        let assembled = assemble(&self.path(material), &temporary, &parts, assembly);
        if let Err(TableError::DamagedLog { .. }) = &assembled {
            metrics.iter().for_each(|&metric| logs.unfinish(material, metric));
        }
        assembled?;
        self.tidy(material, &metrics)
    }
}
