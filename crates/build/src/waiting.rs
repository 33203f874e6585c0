//! The metrics of a material that are solved and wait to be written together: in memory
//! while there is room, then in files without a name.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use molien_board::Material;
use molien_hyper::Hyperboard;
use molien_table::{TableError, TableParts};
use molien_values::{BoardValues, Metric, Stats, Table};

use crate::packed::PackedTable;
use crate::{Build, BuildError};

/// Tables of one material.
pub(crate) struct Waiting<'a> {
    build: &'a Build,
    /// Where files without a name go.
    folder: &'a Path,
    tables: Vec<Waits>,
}

enum Waits {
    InMemory(Arc<Table>),
    Aside(Box<OnDisk>),
}

impl Waits {
    fn parts(&self) -> &dyn TableParts {
        match self {
            Waits::InMemory(table) => table,
            Waits::Aside(table) => &**table,
        }
    }
}

/// A table in a file without a name.
struct OnDisk {
    packed: PackedTable,
    /// What its planes take in memory.
    planes_bytes: u64,
    folder: PathBuf,
}

impl<'a> Waiting<'a> {
    pub fn new(build: &'a Build, folder: &'a Path) -> Waiting<'a> {
        Waiting { build, folder, tables: Vec::new() }
    }

    pub fn push(&mut self, table: Arc<Table>) {
        self.tables.push(Waits::InMemory(table));
    }

    /// What those in memory take. Tables in two metrics may share their boards.
    pub fn held_bytes(&self) -> u64 {
        let mut boards = HashMap::new();
        for table in &self.tables {
            if let Waits::InMemory(table) = table {
                boards.insert(table.parts.first().map(Arc::as_ptr), table.len_bytes() as u64);
            }
        }
        boards.values().sum()
    }

    /// What the planes of those in files would take in memory.
    pub fn aside_bytes(&self) -> u64 {
        let aside = |table: &Waits| match table {
            Waits::InMemory(_) => 0,
            Waits::Aside(table) => table.planes_bytes,
        };
        self.tables.iter().map(aside).sum()
    }

    /// Whether some are in files.
    pub fn is_any_aside(&self) -> bool {
        self.tables.iter().any(|table| matches!(table, Waits::Aside(_)))
    }

    /// Puts the one that has waited longest into a file; whether there was one in memory.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn put_one_aside(&mut self) -> Result<bool, BuildError> {
        let in_memory = |table: &Waits| matches!(table, Waits::InMemory(_));
        let Some(place) = self.tables.iter().position(in_memory) else { return Ok(false) };
        // Nobody else may hold it while it is packed: its boards are given up on the way.
        let Waits::InMemory(table) = self.tables.remove(place) else { return Ok(false) };
        let aside = self.build.set_aside(self.folder, table)?;
        self.tables.insert(place, Waits::Aside(Box::new(aside)));
        Ok(true)
    }

    /// Puts tables into files until what is to be done next fits into so much memory beside
    /// those that stay there, or all are in files.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn make_room(
        &mut self,
        limit_bytes: u64,
        next_bytes: impl Fn(&Waiting<'_>) -> u64,
    ) -> Result<(), BuildError> {
        let is_full = |all: &Self| all.held_bytes().saturating_add(next_bytes(all)) > limit_bytes;
        while is_full(self) && self.put_one_aside()? {}
        Ok(())
    }

    /// All of them, in the order in which they came.
    pub fn tables(&self) -> Vec<&dyn TableParts> {
        self.tables.iter().map(Waits::parts).collect()
    }
}

impl TableParts for OnDisk {
    fn stats(&self) -> &Stats {
        &self.packed.stats
    }

    fn boards(&self) -> Vec<&Hyperboard> {
        self.packed.boards().collect()
    }

    fn has_depths(&self) -> bool {
        self.packed.has_depths()
    }

    fn part(&self, number: usize) -> Result<Arc<BoardValues>, TableError> {
        let failed = |error| TableError::Io {
            path: self.folder.clone(),
            doing: "reading a table set aside in",
            source: Arc::new(error),
        };
        self.packed.part(number).map(Arc::new).map_err(failed)
    }
}

impl Build {
    /// The table of a material, made if need be, in a file without a name in a folder,
    /// compressed lightly: so several metrics take the memory of one.
    ///
    /// # Errors
    /// As [`Build::table`], and if the file cannot be written.
    pub fn table_aside(
        &self,
        material: Material,
        metric: Metric,
        folder: &Path,
    ) -> Result<Box<dyn TableParts>, BuildError> {
        let table = self.table(material, metric)?;
        Ok(Box::new(self.set_aside(folder, table)?))
    }

    /// Puts a table into a file without a name, to make room for the next metric.
    fn set_aside(&self, folder: &Path, table: Arc<Table>) -> Result<OnDisk, BuildError> {
        let material = table.material;
        let planes_bytes = table.len_bytes() as u64;
        let _until_packed = self.budget.take_over(|| {
            self.forget(material, table.metric);
            Some(((), planes_bytes))
        });
        let packed = self.pool().install(|| PackedTable::new(table, Some(folder)));
        let packed = packed.map_err(|error| BuildError::packing(material, error))?;
        Ok(OnDisk { packed, planes_bytes, folder: folder.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Boards that two metrics share count once; tables go into files one after the other,
    /// and what is written of them is the same.
    #[test]
    fn tables_wait_in_memory_or_in_files() {
        let build = Build::new();
        let scratch = tempfile::tempdir().unwrap();
        let material: Material = "KPKP".parse().unwrap();
        let solved = |metric| build.table(material, metric).unwrap();
        let dtm = solved(Metric::Dtm);
        let (own, expected) = (dtm.len_bytes() as u64, Table::clone(&dtm));
        let mut waiting = Waiting::new(&build, scratch.path());
        waiting.push(dtm);
        let shared = Table { metric: Metric::Dtc, ..expected.clone() };
        waiting.push(Arc::new(shared));
        assert_eq!((waiting.held_bytes(), waiting.aside_bytes()), (own, 0));
        waiting.make_room(own + 5, |_| 5).unwrap();
        assert!(!waiting.is_any_aside(), "there is room for five bytes more");
        assert!(waiting.put_one_aside().unwrap());
        assert_eq!((waiting.held_bytes(), waiting.aside_bytes()), (own, own));
        waiting.make_room(own + 5, |_| 6).unwrap();
        assert_eq!((waiting.held_bytes(), waiting.aside_bytes()), (0, 2 * own));
        assert!(!waiting.put_one_aside().unwrap());
        let tables = waiting.tables();
        for (number, part) in expected.parts.iter().enumerate() {
            for table in &tables {
                assert!(table.part(number).unwrap().values == part.values);
            }
        }
    }
}
