//! Tables, and answers from them.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use molien::local::{MemoryLimit, tables_folder};
use molien::schema::{PositionJson, SolvedJson};
use molien::{
    Build, Directory, Making, Material, Metric, Pack, Storage, Tablebase, WriteOptions, storage,
};
use pyo3::prelude::*;
use pythonize::pythonize;

use crate::batch::Batch;
use crate::desk::Desk;
use crate::errors::Failure;
use crate::input;
use crate::many::{self, Unknown};

/// Where tables are kept unless something else is said.
#[pyfunction]
pub fn default_folder() -> PathBuf {
    tables_folder()
}

/// What answers: stored tables, and what is solved on demand.
#[pyclass(frozen, module = "molien._molien")]
pub struct Tables {
    pub(crate) build: Arc<Build>,
    pub(crate) tables: Tablebase,
    pub(crate) desk: Arc<Desk>,
    memory_bytes: u64,
}

/// An answer as plain dictionaries and lists.
pub fn plain<'py>(py: Python<'py>, answer: &impl serde::Serialize) -> PyResult<Bound<'py, PyAny>> {
    Ok(pythonize(py, answer).map_err(Failure::from)?)
}

fn pack(name: &str) -> Result<Pack, Failure> {
    match name {
        "fast" => Ok(Pack::Fast),
        "small" => Ok(Pack::Small),
        "quick" => Ok(Pack::QUICK),
        _ => Err(Failure::invalid(format!("'{name}' is no way to pack: use fast, small or quick"))),
    }
}

impl Tables {
    /// Stores tables, and says how long each took.
    fn store(
        &self,
        materials: &[Material],
        metrics: &[Metric],
        pack: Option<Pack>,
    ) -> Result<Vec<(Material, Duration)>, Failure> {
        let times: Mutex<Vec<(Material, Duration)>> = Mutex::default();
        let done = |material: Material, time: Duration| {
            times.lock().unwrap_or_else(PoisonError::into_inner).push((material, time));
        };
        let writing = |_: Material, _: usize, _: usize| !self.desk.stopped();
        let making = Making {
            options: WriteOptions { pack, new_pack: Pack::for_new(metrics), sides: None },
            // The other half is room for what is being written.
            assembly_bytes: self.memory_bytes / 2,
            done: &done,
            writing: &writing,
        };
        self.build.store(materials, metrics, &making)?;
        Ok(times.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    fn solved(
        &self,
        materials: &[Material],
        metrics: &[Metric],
        pack: Option<Pack>,
    ) -> Result<Vec<SolvedJson>, Failure> {
        let stores = |material: &&Material| storage(**material) != Storage::None;
        let stored: Vec<Material> = match self.build.folder() {
            Some(_) => materials.iter().filter(stores).copied().collect(),
            None => Vec::new(),
        };
        let times =
            if stored.is_empty() { Vec::new() } else { self.store(&stored, metrics, pack)? };
        let mut solved = Vec::new();
        for &material in materials {
            let canonical = material.canonical();
            let stored = times.iter().find(|(known, _)| *known == canonical);
            for &metric in metrics {
                let start = Instant::now();
                let stats = self.tables.stats(material, metric)?;
                let time = stored.map_or_else(|| start.elapsed(), |(_, time)| *time);
                solved.push(SolvedJson::new(material, metric, &stats, time.as_secs_f64()));
            }
        }
        Ok(solved)
    }
}

#[pymethods]
impl Tables {
    #[new]
    #[pyo3(signature = (folder, solve, memory, threads))]
    fn new(
        folder: Option<PathBuf>,
        solve: bool,
        memory: &str,
        threads: Option<std::num::NonZeroUsize>,
    ) -> PyResult<Tables> {
        let memory: MemoryLimit = memory.parse().map_err(Failure::invalid)?;
        let (memory_bytes, desk) = (memory.bytes(), Arc::new(Desk::default()));
        let mut build = Build::new().with_progress(desk.clone()).with_memory_limit(memory_bytes);
        if let Some(threads) = threads {
            build = build.with_threads(threads);
        }
        let directory = folder.map(Directory::new);
        if let Some(directory) = &directory {
            build = build.with_folder(directory.clone()).logging_waves();
        }
        if !solve {
            build = build.without_solving();
        }
        let build = Arc::new(build);
        let tables = match (solve, directory) {
            (false, Some(directory)) => Tablebase::stored(directory),
            _ => Tablebase::solving(build.clone()),
        };
        Ok(Tables { build, tables, desk, memory_bytes })
    }

    /// Whether a whole table is at hand.
    fn holds(&self, py: Python<'_>, material: &str, metric: &str) -> PyResult<bool> {
        let (material, metric) = (input::material(material)?, input::metric(metric)?);
        Ok(py.detach(|| self.tables.holds(material, metric)))
    }

    /// A position with its moves.
    fn probe<'py>(
        &self,
        py: Python<'py>,
        fen: &str,
        metrics: Vec<String>,
        moves: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (setup, metrics) = (input::setup(fen)?, input::metrics(&metrics)?);
        let work = || -> Result<PositionJson, Failure> {
            let answer = self.tables.probe_at(&setup, &metrics)?;
            let json = PositionJson::new(&setup, &metrics, &answer);
            if !moves {
                return Ok(json);
            }
            Ok(json.with_moves(&setup, &self.tables.moves_at(&setup, &metrics)?))
        };
        plain(py, &self.desk.watch(py, None, work)?)
    }

    /// Many positions: a class and plies for each.
    fn probe_many(
        &self,
        py: Python<'_>,
        fens: Vec<String>,
        metrics: Vec<String>,
        null: bool,
    ) -> PyResult<Batch> {
        let metrics = input::metrics(&metrics)?;
        let unknown = if null { Unknown::Null } else { Unknown::Raise };
        let work = || {
            let (layout, rows) = many::values(&self.tables, &self.desk, &fens, &metrics, unknown)?;
            Ok(rows.finish(&layout)?)
        };
        Ok(Batch::new(self.desk.watch(py, None, work)?))
    }

    /// Solves materials and all they depend on, and stores them if there is a
    /// folder.
    #[pyo3(signature = (materials, metrics, pack_as, progress))]
    fn solve<'py>(
        &self,
        py: Python<'py>,
        materials: Vec<String>,
        metrics: Vec<String>,
        pack_as: Option<&str>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let materials = materials.iter().map(|name| input::material(name));
        let materials = materials.collect::<Result<Vec<Material>, Failure>>()?;
        let (metrics, pack) = (input::metrics(&metrics)?, pack_as.map(pack).transpose()?);
        let work = || self.solved(&materials, &metrics, pack);
        plain(py, &self.desk.watch(py, progress.as_ref(), work)?)
    }
}
