//! Long work: watched for Ctrl-C, and told about.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use molien::{Material, Metric, Progress, WaveReport};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::Failure;

/// How often Ctrl-C is looked for and progress told.
const TICK: Duration = Duration::from_millis(50);

/// What a solve has to say.
#[derive(Clone, Copy, Debug)]
enum News {
    Begin { material: Material, metric: Metric, positions: u64 },
    Wave(WaveReport),
    End { material: Material, metric: Metric },
}

/// Between the threads that work and the one that waits: it may ask them to
/// stop, and hears from them.
///
/// The flag belongs to all calls of one tablebase: a Ctrl-C stops whatever it
/// is solving.
#[derive(Default)]
pub struct Desk {
    stop: AtomicBool,
    /// Calls that want to hear the news; without any none is kept.
    listeners: AtomicUsize,
    news: Mutex<Vec<News>>,
}

impl Desk {
    /// Whether to stop.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The flag that says so.
    pub fn stop_flag(&self) -> &AtomicBool {
        &self.stop
    }

    fn news(&self) -> MutexGuard<'_, Vec<News>> {
        self.news.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, news: News) {
        if self.listeners.load(Ordering::Relaxed) > 0 {
            self.news().push(news);
        }
    }

    /// Does the work on another thread and waits for it, the interpreter free
    /// meanwhile. `listener` is called with a dictionary for all that is new.
    pub fn watch<T: Send>(
        &self,
        py: Python<'_>,
        listener: Option<&Bound<'_, PyAny>>,
        work: impl FnOnce() -> Result<T, Failure> + Send,
    ) -> PyResult<T> {
        self.listeners.fetch_add(usize::from(listener.is_some()), Ordering::Relaxed);
        let waiting = std::thread::current();
        let (result, raised) = std::thread::scope(|scope| {
            let working = scope.spawn(move || {
                let result = work();
                waiting.unpark();
                result
            });
            let mut raised = None;
            while !working.is_finished() {
                py.detach(|| std::thread::park_timeout(TICK));
                // After the first exception only the end is waited for.
                if raised.is_none()
                    && let Err(error) = self.attend(py, listener)
                {
                    self.stop.store(true, Ordering::Relaxed);
                    raised = Some(error);
                }
            }
            (working.join(), raised)
        });
        self.listeners.fetch_sub(usize::from(listener.is_some()), Ordering::Relaxed);
        if let Some(error) = raised {
            self.stop.store(false, Ordering::Relaxed);
            return Err(error);
        }
        match result {
            Ok(result) => {
                self.report(py, listener)?;
                Ok(result?)
            }
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }

    fn attend(&self, py: Python<'_>, listener: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        py.check_signals()?;
        self.report(py, listener)
    }

    fn report(&self, py: Python<'_>, listener: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let Some(listener) = listener else { return Ok(()) };
        // No lock is held while Python runs.
        let news = std::mem::take(&mut *self.news());
        for one in news {
            listener.call1((one.to_dict(py)?,))?;
        }
        Ok(())
    }
}

impl News {
    fn to_dict<'py>(self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (event, material, metric) = match self {
            News::Begin { material, metric, .. } => ("begin", material, metric),
            News::Wave(report) => ("wave", report.material, report.metric),
            News::End { material, metric } => ("end", material, metric),
        };
        let told = PyDict::new(py);
        told.set_item("event", event)?;
        told.set_item("material", material.to_string())?;
        told.set_item("metric", metric.name())?;
        match self {
            // Both sides to move are solved.
            News::Begin { positions, .. } => told.set_item("total", 2 * positions)?,
            News::Wave(report) => {
                told.set_item("ply", report.ply)?;
                told.set_item("decided", report.decided)?;
            }
            News::End { .. } => {}
        }
        Ok(told)
    }
}

impl Progress for Desk {
    fn begin(&self, material: Material, metric: Metric, positions: u64) {
        self.tell(News::Begin { material, metric, positions });
    }

    fn wave(&self, report: &WaveReport) {
        self.tell(News::Wave(*report));
    }

    fn end(&self, material: Material, metric: Metric) {
        self.tell(News::End { material, metric });
    }

    fn cancelled(&self) -> bool {
        self.stopped()
    }
}
