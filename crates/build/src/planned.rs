//! What making tables takes, said before it is begun.

use molien_board::Material;
use molien_table::Directory;
use molien_values::Metric;

use crate::limits::{Storage, storage};
use crate::needs::order;
use crate::store::stored_metrics;
use crate::{Build, BuildError};

/// Bytes of a file for each address and metric: 0.02 (KRBKR) to 0.08 (KQRKQ).
const FILE_BYTES_AN_ADDRESS: f64 = 0.07;
/// Bytes of a log for each address and metric while a table is made.
pub(crate) const LOG_BYTES_AN_ADDRESS: f64 = 0.25;

/// A table that is to be made, and what that takes.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct PlannedTable {
    /// The material, in canonical orientation.
    pub material: Material,
    /// How it is stored.
    pub storage: Storage,
    /// The metrics that are solved.
    pub metrics: Vec<Metric>,
    /// Hyperboards: one for each placement of the pawns.
    pub boards: u64,
    /// Addresses a side, in each metric.
    pub addresses: u64,
    /// Of those, in all metrics, the ones of boards that are solved in little memory.
    pub lean_addresses: u64,
    /// Memory at the peak, what it reads being stored.
    pub memory_bytes: u64,
    /// What its file takes.
    pub file_bytes: u64,
    /// What is on the disk beside it until the file is complete.
    pub log_bytes: u64,
}

impl Build {
    /// What the tables of some materials and all they depend on take, in the order
    /// in which they are made; those left out that the folder has.
    pub fn plan_tables(&self, materials: &[Material], metrics: &[Metric]) -> Vec<PlannedTable> {
        let missing = |material: Material| match &self.folder {
            Some(folder) => self.missing(folder, material, metrics),
            None => stored_metrics(material, metrics),
        };
        let known = |material: Material| material.len() <= 2 || missing(material).is_empty();
        let order = order(materials, known).into_iter();
        order.map(|material| self.plan_table(material, missing(material))).collect()
    }

    pub(crate) fn plan_table(&self, material: Material, metrics: Vec<Metric>) -> PlannedTable {
        let costs = metrics.iter().map(|&metric| self.table_cost(material, metric));
        let costs: Vec<_> = costs.collect();
        let boards = costs.first().map_or(0, |cost| cost.placements);
        let addresses = costs.first().map_or(0, |cost| cost.positions);
        let lean_addresses = costs.iter().map(|cost| cost.lean_positions).sum();
        let memory_bytes = costs.iter().map(|cost| cost.bytes).max().unwrap_or(0);
        let all = addresses as f64 * metrics.len() as f64;
        let storage = storage(material);
        let (file, log) = match storage {
            Storage::None => (0.0, 0.0),
            Storage::Whole => (FILE_BYTES_AN_ADDRESS, 0.0),
            Storage::FromLog | Storage::ByPart => (FILE_BYTES_AN_ADDRESS, LOG_BYTES_AN_ADDRESS),
        };
        let (file_bytes, log_bytes) = ((all * file) as u64, (all * log) as u64);
        PlannedTable {
            material,
            storage,
            metrics,
            boards,
            addresses,
            lean_addresses,
            memory_bytes,
            file_bytes,
            log_bytes,
        }
    }

    /// Looks at the free disk space: the files of these tables, and the log of
    /// the largest.
    pub(crate) fn check_disk(
        &self,
        folder: &Directory,
        materials: &[Material],
        metrics: &[Metric],
    ) -> Result<(), BuildError> {
        let Some(free) = folder.free_bytes() else { return Ok(()) };
        let mut files = 0;
        for &material in materials {
            let missing = self.missing(folder, material, metrics);
            let planned = self.plan_table(material, missing);
            files += planned.file_bytes;
            let needed = files + planned.log_bytes;
            if needed > free {
                let mib = |bytes: u64| bytes.div_ceil(1 << 20);
                let (needed_mib, free_mib) = (mib(needed), mib(free));
                return Err(BuildError::Disk { material, needed_mib, free_mib });
            }
        }
        Ok(())
    }
}
