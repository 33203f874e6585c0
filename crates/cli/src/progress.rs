//! Progress bars on a terminal.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use molien_board::Material;
use molien_solve::{Metric, Progress, WaveReport};

/// Decided positions against all addresses of both sides: drawn positions are
/// never decided, so the time left is an upper bound.
const TEMPLATE: &str =
    "{prefix:14} {bar:24} ply {msg:4} {human_pos:>13} positions {per_sec:>14}  at most {eta} left";

/// Says nothing, and stops when told to.
pub struct Interruptible {
    /// Set by Ctrl-C.
    pub interrupted: Arc<AtomicBool>,
}

impl Progress for Interruptible {
    fn cancelled(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }
}

/// One bar for every table being solved.
pub struct Bars {
    interrupted: Arc<AtomicBool>,
    all: MultiProgress,
    bars: Mutex<HashMap<(Material, Metric), ProgressBar>>,
}

impl Bars {
    /// Bars on standard error.
    pub fn new(interrupted: Arc<AtomicBool>) -> Bars {
        Bars { interrupted, all: MultiProgress::new(), bars: Mutex::default() }
    }

    fn bars(&self) -> MutexGuard<'_, HashMap<(Material, Metric), ProgressBar>> {
        self.bars.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Progress for Bars {
    fn begin(&self, material: Material, metric: Metric, positions: u64) {
        let bar = self.all.add(ProgressBar::new(2 * positions));
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style);
        }
        bar.set_prefix(format!("{material} {metric}"));
        self.bars().insert((material, metric), bar);
    }

    fn wave(&self, report: &WaveReport) {
        if let Some(bar) = self.bars().get(&(report.material, report.metric)) {
            bar.set_message(report.ply.to_string());
            bar.inc(report.decided);
        }
    }

    fn end(&self, material: Material, metric: Metric) {
        if let Some(bar) = self.bars().remove(&(material, metric)) {
            bar.finish_and_clear();
            self.all.remove(&bar);
        }
    }

    fn cancelled(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }
}
