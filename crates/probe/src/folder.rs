//! Values from a folder of tables; what is missing is solved and kept there.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use molien_board::{Material, Position};
use molien_solve::{Solver, dependencies};
use molien_table::{Directory, TableError, TableFile, WriteOptions};
use molien_values::{Metric, Stats, Table, Value};

use crate::source::check_men;
use crate::{ProbeError, SolverSource, Source};

/// Complete tables are kept for materials of up to so many men.
const STORED_MEN: usize = 5;
/// A single position with pawns solves its whole table up to so many men;
/// beyond, only what the position can turn into.
const WHOLE_PAWN_TABLE_MEN: usize = 4;

/// Reads tables from a folder. Unless that is forbidden, tables that are
/// missing are solved, with all they depend on, and stored.
pub struct FolderSource {
    directory: Directory,
    solved: SolverSource,
    may_solve: bool,
    options: WriteOptions,
    files: Mutex<HashMap<Material, Arc<TableFile>>>,
    /// One thread makes tables at a time.
    pub(crate) making: Mutex<()>,
}

impl FolderSource {
    /// Answers from a folder; `solver` makes what is missing.
    pub fn new(directory: Directory, solver: Solver) -> FolderSource {
        let solver = solver
            .with_shelf(Arc::new(directory.clone()))
            .with_wave_log(Arc::new(directory.wave_logs().up_to_men(STORED_MEN)));
        FolderSource {
            directory,
            solved: SolverSource::new(solver),
            may_solve: true,
            options: WriteOptions::default(),
            files: Mutex::default(),
            making: Mutex::default(),
        }
    }

    /// Solves nothing: what is missing is an error.
    pub fn without_solving(mut self) -> FolderSource {
        self.may_solve = false;
        self
    }

    /// The folder.
    pub fn directory(&self) -> &Directory {
        &self.directory
    }

    /// The solver, which reads the folder's tables.
    pub fn solver(&self) -> &Solver {
        self.solved.solver()
    }

    pub(crate) fn options(&self) -> &WriteOptions {
        &self.options
    }

    /// The files that are open.
    pub(crate) fn files(&self) -> MutexGuard<'_, HashMap<Material, Arc<TableFile>>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The file of a material, if it holds the metric.
    fn file(
        &self,
        material: Material,
        metric: Metric,
    ) -> Result<Option<Arc<TableFile>>, ProbeError> {
        let material = material.canonical();
        let mut files = self.files();
        let file = match files.get(&material) {
            Some(file) => file.clone(),
            None => match self.directory.open(material) {
                Ok(file) => Arc::new(file),
                Err(error) if error.is_missing() => return Ok(None),
                Err(error) => return Err(damaged(error)),
            },
        };
        if !file.metrics().contains(&metric) {
            return Ok(None);
        }
        files.insert(material, file.clone());
        Ok(Some(file))
    }

    /// Solves and stores a material, and first all it depends on; what is in
    /// the folder already is left alone. `done` is told of every table stored.
    ///
    /// # Errors
    /// If a table cannot be solved or stored.
    pub fn make(
        &self,
        material: Material,
        mut done: impl FnMut(Material),
    ) -> Result<(), ProbeError> {
        let _one_at_a_time = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        for level in dependencies(material).into_iter().chain([vec![material.canonical()]]) {
            for material in level {
                if self.make_one(material, true)? {
                    done(material);
                }
            }
        }
        Ok(())
    }

    /// Solves and stores materials, each of which must follow those it depends
    /// on; what is in the folder already is left alone. So many are worked on
    /// at once: while some are written another is solved, or several if the
    /// solver is one that may solve `together` what depends on each other.
    /// `done` is told of every material and the time it took.
    ///
    /// # Errors
    /// If a table cannot be solved or stored; the others are not begun then.
    pub fn make_all(
        &self,
        materials: &[Material],
        at_once: usize,
        together: bool,
        done: impl Fn(Material, Duration) + Sync,
    ) -> Result<(), ProbeError> {
        let (next, failed) = (AtomicUsize::new(0), Mutex::new(None));
        let failed = || failed.lock().unwrap_or_else(PoisonError::into_inner);
        let work = || {
            while let Some(&material) = materials.get(next.fetch_add(1, Ordering::Relaxed)) {
                if failed().is_some() {
                    return;
                }
                let start = Instant::now();
                match self.make_one(material.canonical(), together) {
                    Ok(_) => done(material, start.elapsed()),
                    Err(error) => *failed() = Some(error),
                }
            }
        };
        std::thread::scope(|scope| {
            (0..at_once.max(1)).for_each(|_| drop(scope.spawn(work)));
        });
        let error = failed().take();
        error.map_or(Ok(()), Err)
    }

    fn is_complete(&self, material: Material) -> bool {
        let metrics = self.directory.open(material).map(|file| file.metrics());
        metrics.is_ok_and(|found| Metric::ALL.iter().all(|metric| found.contains(metric)))
    }

    /// Whether a table was stored that was not there before. Unless materials
    /// may be solved `together`, this one is solved alone.
    fn make_one(&self, material: Material, together: bool) -> Result<bool, ProbeError> {
        if material.len() == 2 || self.is_complete(material) {
            return Ok(false);
        }
        self.missing(material, Metric::Dtm)?;
        let _lock = self.directory.wait_for_lock(material).map_err(damaged)?;
        if self.is_complete(material) {
            return Ok(false); // another process was faster
        }
        let alone = || self.making.lock().unwrap_or_else(PoisonError::into_inner);
        let alone = (!together).then(alone);
        let mut tables: Vec<Arc<Table>> = Vec::new();
        for metric in Metric::ALL {
            let table = self.solver().solve(material, metric)?;
            if !tables.iter().any(|known| known.metric == table.metric) {
                tables.push(table);
            }
        }
        drop(alone);
        let tables: Vec<&Table> = tables.iter().map(|table| &**table).collect();
        self.directory.store_locked(&tables, &self.options).map_err(damaged)?;
        self.files().remove(&material);
        Metric::ALL.into_iter().for_each(|metric| self.solver().mark_stored(material, metric));
        Ok(true)
    }

    pub(crate) fn missing(&self, material: Material, metric: Metric) -> Result<(), ProbeError> {
        if self.may_solve {
            return Ok(());
        }
        Err(ProbeError::MissingTable { material: material.canonical(), metric })
    }

    fn in_file(&self, position: &Position, metric: Metric) -> Result<Option<Value>, ProbeError> {
        let Some(file) = self.file(position.material(), metric)? else { return Ok(None) };
        file.get(position, metric).map(Some).map_err(damaged)
    }
}

/// Whether the whole table of a position's material is made for it.
fn is_whole(material: Material) -> bool {
    let most = if material.has_pawns() { WHOLE_PAWN_TABLE_MEN } else { STORED_MEN };
    material.len() <= most
}

pub(crate) fn damaged(error: TableError) -> ProbeError {
    ProbeError::Table(Arc::new(error))
}

impl Source for FolderSource {
    fn value(&self, position: &Position, metric: Metric) -> Result<Value, ProbeError> {
        let material = position.material();
        check_men(material)?;
        if material.len() == 2 {
            return Ok(Value::Draw);
        }
        if let Some(value) = self.in_file(position, metric)? {
            return Ok(value);
        }
        self.missing(material, metric)?;
        if is_whole(material) {
            self.make(material, |_| {})?;
            if let Some(value) = self.in_file(position, metric)? {
                return Ok(value);
            }
        } else if material.has_pawns() {
            let needed = self.solver().pieces_needed(position)?;
            for material in needed.into_iter().filter(|m| m.len() <= STORED_MEN) {
                self.make(material, |_| {})?;
            }
        }
        self.solved.value(position, metric)
    }

    fn is_stored(&self, material: Material, metric: Metric) -> bool {
        self.file(material, metric).is_ok_and(|file| file.is_some())
    }

    fn expect(&self, positions: &[Position], metric: Metric) -> Result<(), ProbeError> {
        if !self.may_solve {
            return Ok(());
        }
        let unknown = |position: &&Position| !self.is_stored(position.material(), metric);
        let unknown: Vec<Position> = positions.iter().filter(unknown).copied().collect();
        self.solved.expect(&unknown, metric)
    }

    fn stats(&self, material: Material, metric: Metric) -> Result<Stats, ProbeError> {
        check_men(material)?;
        self.prepare(material, metric)?;
        match self.file(material, metric)? {
            Some(file) => file.stats(metric).map_err(damaged),
            None => self.solved.stats(material, metric),
        }
    }

    fn prepare(&self, material: Material, metric: Metric) -> Result<(), ProbeError> {
        check_men(material)?;
        if self.file(material, metric)?.is_some() || material.len() == 2 {
            return Ok(());
        }
        self.missing(material, metric)?;
        if material.len() <= STORED_MEN {
            self.make(material, |_| {})
        } else {
            self.solved.prepare(material, metric)
        }
    }
}
