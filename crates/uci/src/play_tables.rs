//! Tables of the other crates behind the engine: the only file here that
//! knows how they are probed and made.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use molien_board::{Material, Position};
use molien_build::{Build, Making, dependencies};
use molien_probe::{MadeTables, ProbeError, Source, Sources, StoredTables, Tablebase};
use molien_solve::{Progress, WaveReport};
use molien_table::Directory;
use molien_values::{Metric, Precision, Value, Values};

use crate::tables::{Known, TableProblem, Tables};

/// Makes what solves, reports to this listener and stops when it says so.
pub type MakeBuild = Arc<dyn Fn(Arc<dyn Progress>) -> Build + Send + Sync>;

/// What play needs.
const METRICS: [Metric; 2] = [Metric::Dtm, Metric::Dtz50];
/// Which metric stands in for DTZ50 where it is missing: each of the others is
/// at least as long.
const FOR_ZEROING: [Metric; 4] = [Metric::Dtz50, Metric::Dtz, Metric::Dtc, Metric::Dtm];
/// News of a solve comes no more often.
const NEWS_EVERY: Duration = Duration::from_secs(1);

/// Which metrics of a material can be asked for.
#[derive(Clone, Copy)]
struct Metrics {
    zeroing: Metric,
    dtm: bool,
    dtm50: bool,
}

/// Where values are read, and what is there of each material asked for so far:
/// `None` if it has no table.
struct Open {
    source: Arc<dyn Source>,
    metrics: RwLock<HashMap<Material, Option<Metrics>>>,
}

/// Tables in a folder, read a position at a time, or made and kept in memory.
pub struct PlayTables {
    folder: Option<Directory>,
    /// Asked for what the folder does not have.
    more: Option<Arc<dyn Source>>,
    make_build: MakeBuild,
    listener: Arc<Listener>,
    open: RwLock<Arc<Open>>,
}

impl PlayTables {
    /// The tables of a folder; `make_build` is for those that are missing.
    pub fn in_folder(folder: Directory, make_build: MakeBuild) -> PlayTables {
        let open = RwLock::new(Open::folder(&folder, None));
        let listener = Arc::default();
        PlayTables { folder: Some(folder), more: None, make_build, listener, open }
    }

    /// With another source for what the tables do not have. It must answer at
    /// once.
    pub fn with_source(mut self, more: Arc<dyn Source>) -> PlayTables {
        let sources = vec![self.open().source.clone(), more.clone()];
        self.open = RwLock::new(Open::new(Arc::new(Sources::new(sources))));
        self.more = Some(more);
        self
    }

    /// No tables at first; those that are made stay in memory.
    pub fn in_memory(make_build: MakeBuild) -> PlayTables {
        let listener: Arc<Listener> = Arc::default();
        let source = MadeTables::new(Arc::new(make_build(listener.clone())), None);
        let open = RwLock::new(Open::new(Arc::new(source)));
        PlayTables { folder: None, more: None, make_build, listener, open }
    }

    fn open(&self) -> Arc<Open> {
        self.open.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn make_in_memory(&self, material: Material) -> Result<(), ProbeError> {
        let open = self.open();
        for material in dependencies(material).into_iter().chain([material]) {
            for metric in METRICS {
                open.source.prepare(material, metric)?;
            }
            let mut known = open.metrics.write().unwrap_or_else(PoisonError::into_inner);
            known.insert(
                material,
                Some(Metrics { zeroing: Metric::Dtz50, dtm: true, dtm50: false }),
            );
        }
        Ok(())
    }

    fn make_in_folder(&self, folder: &Directory, material: Material) -> Result<(), ProbeError> {
        let build = (self.make_build)(self.listener.clone()).with_folder(folder.clone());
        let made = build.logging_waves().store(&[material], &METRICS, &Making::default());
        // Sub-games may have been stored even if the rest failed.
        *self.open.write().unwrap_or_else(PoisonError::into_inner) =
            Open::folder(folder, self.more.clone());
        Ok(made?)
    }
}

impl Open {
    fn new(source: Arc<dyn Source>) -> Arc<Open> {
        Arc::new(Open { source, metrics: RwLock::default() })
    }

    fn folder(folder: &Directory, more: Option<Arc<dyn Source>>) -> Arc<Open> {
        let stored: Arc<dyn Source> = Arc::new(StoredTables::new(folder.clone()));
        Open::new(Arc::new(Sources::new([stored].into_iter().chain(more).collect())))
    }

    fn metrics(&self, material: Material) -> Option<Metrics> {
        let material = material.canonical();
        let known = self.metrics.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(metrics) = known.get(&material) {
            return *metrics;
        }
        drop(known);
        let has = |metric: &Metric| self.source.holds(material, *metric);
        let zeroing = FOR_ZEROING.into_iter().find(has);
        let metrics = zeroing.map(|zeroing| Metrics {
            zeroing,
            dtm: has(&Metric::Dtm),
            dtm50: zeroing == Metric::Dtz50 && has(&Metric::Dtm50),
        });
        let mut known = self.metrics.write().unwrap_or_else(PoisonError::into_inner);
        *known.entry(material).or_insert(metrics)
    }

    fn value(
        &self,
        position: &Position,
        metric: Metric,
    ) -> Result<Option<(Value, Precision)>, TableProblem> {
        let problem = |error| TableProblem::new(position.material(), error);
        let tables = Tablebase::new(self.source.clone());
        let (values, failures) = tables.values(&[*position], &[metric]).map_err(problem)?;
        let known = |values: &Values| Some((values.get(metric)?, values.precision(metric)));
        match (values.first().and_then(known), failures.into_iter().next()) {
            (Some(known), _) => Ok(Some(known)),
            // An en-passant capture may lead to a table that is not there.
            (None, None) => Ok(None),
            (None, Some(failure)) => match failure.error {
                ProbeError::MissingTable { .. } | ProbeError::TooManyMen { .. } => Ok(None),
                error => Err(problem(error)),
            },
        }
    }
}

impl Tables for PlayTables {
    fn probe(&self, position: &Position) -> Result<Option<Known>, TableProblem> {
        if position.occupied().len() == 2 {
            let (dtz50, precision) = (Value::Draw, Precision::Exact);
            let (dtm, dtm50) = (Some(Value::Draw), Some(Value::Draw));
            return Ok(Some(Known { dtz50, precision, dtm, dtm50 }));
        }
        let open = self.open();
        let Some(metrics) = open.metrics(position.material()) else { return Ok(None) };
        let zeroing = open.value(position, metrics.zeroing)?;
        let Some((dtz50, precision)) = zeroing else { return Ok(None) };
        let mate = |is_there: bool, metric| match is_there {
            true => Ok(open.value(position, metric)?.map(|(value, _)| value)),
            false => Ok(None),
        };
        let dtm = mate(metrics.dtm, Metric::Dtm)?;
        let dtm50 = mate(metrics.dtm50, Metric::Dtm50)?;
        Ok(Some(Known { dtz50, precision, dtm, dtm50 }))
    }

    fn has(&self, material: Material) -> bool {
        material.len() == 2 || self.open().metrics(material).is_some()
    }

    fn make(
        &self,
        material: Material,
        news: Arc<dyn Fn(String) + Send + Sync>,
        stop: Arc<AtomicBool>,
    ) -> Result<(), TableProblem> {
        let material = material.canonical();
        self.listener.listen(Some((news, stop)));
        let made = match &self.folder {
            Some(folder) => self.make_in_folder(folder, material),
            None => self.make_in_memory(material),
        };
        self.listener.listen(None);
        made.map_err(|error| TableProblem::new(material, error))
    }
}

type Ear = (Arc<dyn Fn(String) + Send + Sync>, Arc<AtomicBool>);

/// Passes news of a solve on to whoever ordered it.
#[derive(Default)]
struct Listener {
    ear: Mutex<Option<Ear>>,
    last_news: Mutex<Option<Instant>>,
}

impl Listener {
    fn listen(&self, ear: Option<Ear>) {
        *self.ear.lock().unwrap_or_else(PoisonError::into_inner) = ear;
    }

    fn tell(&self, text: impl FnOnce() -> String) {
        let ear = self.ear.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut last = self.last_news.lock().unwrap_or_else(PoisonError::into_inner);
        if last.is_some_and(|last| last.elapsed() < NEWS_EVERY) {
            return;
        }
        *last = Some(Instant::now());
        drop(last);
        if let Some((news, _)) = ear {
            news(text());
        }
    }
}

impl Progress for Listener {
    fn begin(&self, material: Material, metric: Metric, _positions: u64) {
        self.tell(|| format!("{material}: solving {metric}"));
    }

    fn wave(&self, report: &WaveReport) {
        let WaveReport { material, metric, ply, .. } = report;
        self.tell(|| format!("{material}: solving {metric}, ply {ply}"));
    }

    fn cancelled(&self) -> bool {
        let ear = self.ear.lock().unwrap_or_else(PoisonError::into_inner);
        ear.as_ref().is_some_and(|(_, stop)| stop.load(Ordering::Relaxed))
    }
}
