//! What all answers share.

use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use molien_board::{Material, Position};
use molien_probe::{Failure, ProbeError, Tablebase};
use molien_table::Directory;
use molien_values::{Metric, Values};
use tokio::sync::Semaphore;

use crate::layers::RateLimit;
use crate::metrics::Metrics;
use crate::solver::Solver;
use crate::{Config, Problem};

/// Tables, limits and work in progress. Cheap to clone.
#[derive(Clone)]
pub struct Service {
    inner: Arc<Inner>,
}

struct Inner {
    config: Config,
    tables: Tablebase,
    /// Where tables are stored, if they are.
    folder: Option<Directory>,
    solver: Option<Solver>,
    readers: Arc<Semaphore>,
    searchers: Arc<Semaphore>,
    /// Places for requests.
    places: Arc<Semaphore>,
    rate_limit: Option<RateLimit>,
    metrics: Metrics,
    making: OnceLock<MakingTime>,
}

/// No position has more legal moves, so that with its moves it is a few.
const FEW_POSITIONS: usize = 219;

/// How long a table that is missing takes to make, in words such as `7 min`; none
/// if that cannot be said.
pub type MakingTime = Arc<dyn Fn(Material) -> Option<String> + Send + Sync>;

/// Runs work that may block once a place is free.
async fn run<T: Send + 'static>(
    places: Arc<Semaphore>,
    tables: Tablebase,
    work: impl FnOnce(&Tablebase) -> T + Send + 'static,
) -> Result<T, Problem> {
    let place = places.acquire_owned().await;
    let place = place.map_err(|_| Problem::Internal("the service has ended".into()))?;
    let done = tokio::task::spawn_blocking(move || {
        let done = work(&tables);
        drop(place);
        done
    });
    done.await.map_err(|_| Problem::Internal("the work failed".into()))
}

/// Says when it is dropped, with the request it belongs to, that nobody waits
/// for an answer any more.
#[derive(Default)]
pub(crate) struct StillAsked {
    given_up: Arc<AtomicBool>,
}

impl StillAsked {
    /// The flag that is set then.
    pub fn given_up(&self) -> Arc<AtomicBool> {
        self.given_up.clone()
    }
}

impl Drop for StillAsked {
    fn drop(&mut self) {
        self.given_up.store(true, Ordering::Relaxed);
    }
}

/// The values of positions, and what could not be had.
pub(crate) struct Found {
    /// One for each position.
    pub values: Vec<Values>,
    /// Why some are missing.
    pub failures: Vec<Failure>,
}

impl Service {
    /// Answers from a folder of tables. What is missing and small enough is
    /// solved and stored there, if the configuration says so.
    pub fn of_folder(folder: Directory, config: Config) -> Service {
        let tables = Tablebase::stored(folder.clone());
        Service::of_sources(folder, tables, config)
    }

    /// The same, with tables that are more than the folder's: of other folders, or
    /// in other formats.
    pub fn of_sources(folder: Directory, tables: Tablebase, config: Config) -> Service {
        let solver = (config.solve_up_to_men > 0).then(|| Solver::start(folder.clone(), &config));
        Service::new(tables, Some(folder), solver, config)
    }

    /// Answers from any tables; nothing else is solved.
    pub fn of_tables(tables: Tablebase, config: Config) -> Service {
        Service::new(tables, None, None, config)
    }

    fn new(
        tables: Tablebase,
        folder: Option<Directory>,
        solver: Option<Solver>,
        config: Config,
    ) -> Service {
        let inner = Inner {
            readers: Arc::new(Semaphore::new(config.readers)),
            searchers: Arc::new(Semaphore::new(config.searches)),
            places: Arc::new(Semaphore::new(config.requests)),
            rate_limit: config.rate_limit.map(RateLimit::new),
            metrics: Metrics::default(),
            making: OnceLock::new(),
            config,
            tables,
            folder,
            solver,
        };
        Service { inner: Arc::new(inner) }
    }

    /// Says of tables that are missing how long they take to make.
    #[must_use]
    pub fn telling_times(self, making: MakingTime) -> Service {
        // Said once, before it is shared.
        let _ = self.inner.making.set(making);
        self
    }

    /// How long a table that is missing takes to make.
    pub(crate) fn making_time(&self, material: Material) -> Option<String> {
        self.inner.making.get().and_then(|time| time(material))
    }

    /// The limits.
    pub fn config(&self) -> &Config {
        &self.inner.config
    }

    /// The tables.
    pub fn tables(&self) -> &Tablebase {
        &self.inner.tables
    }

    /// Where tables are stored, if they are.
    pub fn folder(&self) -> Option<&Directory> {
        self.inner.folder.as_ref()
    }

    /// The queue of tables to be solved, if any are.
    pub(crate) fn solver(&self) -> Option<&Solver> {
        self.inner.solver.as_ref()
    }

    pub(crate) fn places(&self) -> Arc<Semaphore> {
        self.inner.places.clone()
    }

    pub(crate) fn rate_limit(&self) -> Option<&RateLimit> {
        self.inner.rate_limit.as_ref()
    }

    pub(crate) fn metrics(&self) -> &Metrics {
        &self.inner.metrics
    }

    /// Runs work that may block, when one of the places for readers is free.
    /// Work that has begun runs to its end even if the client leaves: it is
    /// short.
    pub(crate) fn read<T, F>(
        &self,
        work: F,
    ) -> impl Future<Output = Result<T, Problem>> + Send + use<T, F>
    where
        T: Send + 'static,
        F: FnOnce(&Tablebase) -> T + Send + 'static,
    {
        run(self.inner.readers.clone(), self.inner.tables.clone(), work)
    }

    /// As [`Service::read`], for work that goes through many positions or whole
    /// tables: it has places of its own, so that short questions need not wait
    /// for it.
    pub(crate) fn search<T, F>(
        &self,
        work: F,
    ) -> impl Future<Output = Result<T, Problem>> + Send + use<T, F>
    where
        T: Send + 'static,
        F: FnOnce(&Tablebase) -> T + Send + 'static,
    {
        run(self.inner.searchers.clone(), self.inner.tables.clone(), work)
    }

    /// As [`Service::search`]; the work is handed a flag that is set when the
    /// request is dropped.
    pub(crate) fn search_while_wanted<T, F>(
        &self,
        work: F,
    ) -> impl Future<Output = Result<T, Problem>> + Send + use<T, F>
    where
        T: Send + 'static,
        F: FnOnce(Arc<AtomicBool>) -> T + Send + 'static,
    {
        let wanted = StillAsked::default();
        let given_up = wanted.given_up();
        let searched = self.search(move |_| work(given_up));
        async move {
            let _wanted = wanted;
            searched.await
        }
    }

    /// Makes sure that a material and what it leads to are stored, if they may
    /// be solved. What may not is found missing later.
    pub(crate) async fn prepare(&self, material: Material) -> Result<(), Problem> {
        self.prepare_within(material, self.config().time_limit).await
    }

    /// The same, with less patience.
    pub(crate) async fn prepare_within(
        &self,
        material: Material,
        patience: Duration,
    ) -> Result<(), Problem> {
        let Some(solver) = self.solver() else { return Ok(()) };
        let mut wanted = vec![material.canonical()];
        wanted.extend(material.successors().iter().map(Material::canonical));
        wanted.retain(|&material| solver.may_solve(material));
        let missing = self.read(move |tables| {
            let lacks = |&material: &Material| {
                Metric::ALL.iter().any(|&metric| !tables.holds(material, metric))
            };
            wanted.into_iter().filter(lacks).collect()
        });
        let missing: Vec<Material> = missing.await?;
        self.solve(&missing, patience).await
    }

    /// The values of legal positions. What is not stored and small enough is
    /// solved first.
    pub(crate) async fn values(
        &self,
        positions: Vec<Position>,
        metrics: &'static [Metric],
    ) -> Result<(Vec<Position>, Found), Problem> {
        let (positions, found) = self.stored_values(positions, metrics).await?;
        let missing = self.solvable(&positions, &found, metrics);
        if missing.is_empty() {
            return Ok((positions, found));
        }
        self.solve(&missing, self.config().time_limit).await?;
        self.stored_values(positions, metrics).await
    }

    /// A position and its moves are looked up where they are asked for. Decoded,
    /// they take a tenth of a millisecond, less than handing them to another thread
    /// and back; what has to be decoded first holds this thread a little longer,
    /// and a slow disk as long as it takes. More are handed over.
    async fn stored_values(
        &self,
        positions: Vec<Position>,
        metrics: &'static [Metric],
    ) -> Result<(Vec<Position>, Found), Problem> {
        if positions.len() <= FEW_POSITIONS {
            let (values, failures) = self.tables().values(&positions, metrics)?;
            return Ok((positions, Found { values, failures }));
        }
        let work = move |tables: &Tablebase| {
            let (values, failures) = tables.values(&positions, metrics)?;
            Ok::<_, ProbeError>((positions, Found { values, failures }))
        };
        Ok(self.read(work).await??)
    }

    /// The materials that lack a value and may be solved.
    fn solvable(&self, positions: &[Position], found: &Found, metrics: &[Metric]) -> Vec<Material> {
        let Some(solver) = self.solver() else { return Vec::new() };
        let lacks = |values: &Values| metrics.iter().any(|&metric| values.get(metric).is_none());
        let lacking = positions.iter().zip(&found.values).filter(|(_, values)| lacks(values));
        let mut materials: Vec<Material> = Vec::new();
        for material in lacking.map(|(position, _)| position.material().canonical()) {
            if solver.may_solve(material) && !materials.contains(&material) {
                materials.push(material);
            }
        }
        materials
    }

    /// Waits until tables are solved and stored, but no longer than that.
    async fn solve(&self, materials: &[Material], patience: Duration) -> Result<(), Problem> {
        let Some(solver) = self.solver() else { return Ok(()) };
        let deadline = tokio::time::Instant::now() + patience;
        for &material in materials {
            solver.solved(material, deadline).await?;
        }
        Ok(())
    }
}
