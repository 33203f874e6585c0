//! Tables solved on demand.
//!
//! One thread solves, one table after the other, in the order they were asked
//! for; the queue is bounded. A table that several clients ask for is one job.
//! Each client holds an [`Interest`] in its job, and a job in which nobody is
//! interested any more is given up: before it begins if it has not, else after
//! the wave it is at.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use molien_board::Material;
use molien_build::{Build, BuildError, Making, Storage, storage};
use molien_solve::{Progress, WaveReport};
use molien_table::Directory;
use molien_values::Metric;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::{Config, Problem};

/// When a client is told to ask again about a table that is being solved.
const RETRY_AFTER: Duration = Duration::from_secs(5);
/// A job whose client was told to ask again goes on for so long without one.
const PATIENCE: Duration = Duration::from_secs(20);

/// How far a job is.
#[derive(Clone, Debug)]
pub(crate) enum Stage {
    /// Others come first.
    Queued,
    /// At work.
    Solving {
        /// On this table, which the one asked for may only depend on.
        material: Material,
        /// In this metric.
        metric: Metric,
        /// Plies solved so far.
        ply: u16,
    },
    /// Stored.
    Done,
    /// Not made.
    Failed(Problem),
}

impl Stage {
    /// Whether nothing more will come.
    pub fn is_over(&self) -> bool {
        matches!(self, Stage::Done | Stage::Failed(_))
    }
}

/// A table that is asked for.
struct Job {
    material: Material,
    stage: watch::Sender<Stage>,
    interested: AtomicUsize,
    given_up: AtomicBool,
    shared: Arc<Shared>,
}

/// What the queue, its thread and its jobs share.
#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    /// Told when a job comes or the queue is closed.
    news: Condvar,
    /// Jobs that have come to an end, well or not.
    ended: AtomicUsize,
}

#[derive(Default)]
struct Queue {
    /// Jobs that are waiting or at work.
    jobs: HashMap<Material, Arc<Job>>,
    /// Those that are waiting, the oldest first.
    waiting: VecDeque<Arc<Job>>,
    closed: bool,
}

impl Queue {
    /// Forgets a job, unless another has taken its place.
    fn remove(&mut self, job: &Arc<Job>) {
        self.waiting.retain(|other| !Arc::ptr_eq(other, job));
        if self.jobs.get(&job.material).is_some_and(|known| Arc::ptr_eq(known, job)) {
            self.jobs.remove(&job.material);
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        // Entries are added and removed whole: a panic elsewhere leaves them
        // valid.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a job; none when the queue is closed.
    fn next(&self) -> Option<Arc<Job>> {
        let mut queue = self.lock();
        loop {
            if queue.closed {
                return None;
            }
            if let Some(job) = queue.waiting.pop_front() {
                return Some(job);
            }
            queue = self.news.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Keeps a job alive.
pub(crate) struct Interest {
    job: Arc<Job>,
    stage: watch::Receiver<Stage>,
}

impl Interest {
    /// To be called under the lock of the queue.
    fn new(job: Arc<Job>) -> Interest {
        job.interested.fetch_add(1, Ordering::SeqCst);
        let stage = job.stage.subscribe();
        Interest { job, stage }
    }

    /// The next stage that differs; none when the job is over.
    pub async fn next(&mut self) -> Option<Stage> {
        self.stage.changed().await.ok()?;
        Some(self.stage.borrow_and_update().clone())
    }

    /// The stage it is at.
    pub fn stage(&mut self) -> Stage {
        self.stage.borrow_and_update().clone()
    }
}

impl Drop for Interest {
    fn drop(&mut self) {
        // Under the lock nobody can become interested at the same time.
        let mut queue = self.job.shared.lock();
        if self.job.interested.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.job.given_up.store(true, Ordering::SeqCst);
            queue.remove(&self.job);
        }
    }
}

/// The queue. Dropping it gives up all jobs.
pub(crate) struct Solver {
    shared: Arc<Shared>,
    most_men: usize,
    most_waiting: usize,
}

impl Drop for Solver {
    fn drop(&mut self) {
        let mut queue = self.shared.lock();
        queue.closed = true;
        queue.waiting.clear();
        queue.jobs.values().for_each(|job| job.given_up.store(true, Ordering::SeqCst));
        self.shared.news.notify_all();
    }
}

impl Solver {
    /// Starts the thread that solves into this folder.
    pub fn start(folder: Directory, config: &Config) -> Solver {
        let shared = Arc::new(Shared::default());
        let (own, owned) = (shared.clone(), config.clone());
        std::thread::spawn(move || work(&own, &folder, &owned));
        let (most_men, most_waiting) = (config.solve_up_to_men, config.solve_queue.max(1));
        Solver { shared, most_men, most_waiting }
    }

    /// Whether a table may be solved on demand.
    pub fn may_solve(&self, material: Material) -> bool {
        material.len() <= self.most_men && storage(material) == Storage::Whole
    }

    /// Jobs that are waiting or at work.
    pub fn len(&self) -> usize {
        self.shared.lock().jobs.len()
    }

    /// Jobs that have come to an end.
    pub fn ended(&self) -> usize {
        self.shared.ended.load(Ordering::Relaxed)
    }

    /// Asks for a table; joins the job if there is one.
    pub fn ask(&self, material: Material) -> Result<Interest, Problem> {
        let material = material.canonical();
        let mut queue = self.shared.lock();
        if let Some(job) = queue.jobs.get(&material) {
            return Ok(Interest::new(job.clone()));
        }
        if queue.waiting.len() >= self.most_waiting {
            let what = "too many tables are waiting to be solved";
            return Err(Problem::Busy { what, retry_after: RETRY_AFTER });
        }
        let job = Arc::new(Job {
            material,
            stage: watch::Sender::new(Stage::Queued),
            interested: AtomicUsize::new(0),
            given_up: AtomicBool::new(false),
            shared: self.shared.clone(),
        });
        queue.jobs.insert(material, job.clone());
        queue.waiting.push_back(job.clone());
        self.shared.news.notify_one();
        Ok(Interest::new(job))
    }

    /// Waits until a table is stored. Who waits until the deadline is told to
    /// ask again, and the job goes on for a while.
    pub async fn solved(&self, material: Material, deadline: Instant) -> Result<(), Problem> {
        let mut interest = self.ask(material)?;
        let over = async {
            let mut stage = interest.stage();
            while !stage.is_over() {
                let lost = || Stage::Failed(Problem::Internal(format!("{material} was not made")));
                stage = interest.next().await.unwrap_or_else(lost);
            }
            stage
        };
        match tokio::time::timeout_at(deadline, over).await {
            Ok(Stage::Failed(problem)) => Err(problem),
            Ok(_) => Ok(()),
            Err(_) => {
                tokio::spawn(async move {
                    tokio::time::sleep(PATIENCE).await;
                    drop(interest);
                });
                Err(Problem::Solving { material, retry_after: RETRY_AFTER })
            }
        }
    }
}

fn work(shared: &Shared, folder: &Directory, config: &Config) {
    while let Some(job) = shared.next() {
        let stage = match make(&job, folder, config) {
            Ok(()) => Stage::Done,
            Err(error) => Stage::Failed(error.into()),
        };
        // Who asks from now on gets a new job, which finds the table stored.
        shared.lock().remove(&job);
        shared.ended.fetch_add(1, Ordering::Relaxed);
        job.stage.send_replace(stage);
    }
}

fn make(job: &Arc<Job>, folder: &Directory, config: &Config) -> Result<(), BuildError> {
    let build = Build::new()
        .with_folder(folder.clone())
        .with_memory_limit(config.memory_bytes)
        .with_threads(config.solve_threads)
        .with_progress(Arc::new(News(job.clone())));
    build.store(&[job.material], &Metric::ALL, &Making::default())
}

/// Tells the clients of a job how it is going.
struct News(Arc<Job>);

impl Progress for News {
    fn begin(&self, material: Material, metric: Metric, _positions: u64) {
        self.0.stage.send_replace(Stage::Solving { material, metric, ply: 0 });
    }

    fn wave(&self, report: &WaveReport) {
        let WaveReport { material, metric, ply, .. } = *report;
        self.0.stage.send_replace(Stage::Solving { material, metric, ply });
    }

    fn cancelled(&self) -> bool {
        self.0.given_up.load(Ordering::SeqCst)
    }
}
