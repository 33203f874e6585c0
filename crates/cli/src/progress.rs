//! Progress bars on a terminal.

use std::collections::HashMap;
use std::io::IsTerminal as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use molien_board::Material;
use molien_solve::{Cost, Progress, WaveReport};
use molien_values::Metric;

use crate::text::grouped;

/// Decided positions against all addresses of both sides: drawn positions are
/// never decided, so the time left is an upper bound.
const TEMPLATE: &str =
    "{prefix:14} {bar:24} ply {msg:4} {human_pos:>13} positions {per_sec:>14}  at most {eta} left";

/// Says nothing, and stops when told to.
pub struct Interruptible {
    /// Set by Ctrl-C.
    pub interrupted: Arc<AtomicBool>,
}

/// Below this a solve is not announced.
const LARGE_BYTES: u64 = 1 << 30;
/// Time of one thread for one address of a board, both sides and all its
/// waves: measured on a KQPKP position, 240 boards, on two cores.
const NANOSECONDS_AN_ADDRESS: u64 = 17;
/// Many threads help little, as memory is what large boards wait for and small
/// ones are soon done: GK2 of docs/reproduction.md, 107,000,000,000 addresses,
/// took 16 cores 777 s.
const THREADS_THAT_HELP: u64 = 2;

/// Says what a position takes before it is solved, if that is much.
fn announce(material: Material, metric: Metric, cost: &Cost) -> Option<String> {
    if cost.bytes < LARGE_BYTES {
        return None;
    }
    let threads = THREADS_THAT_HELP.min(rayon::current_num_threads() as u64);
    let seconds = (cost.positions / 1_000_000 * NANOSECONDS_AN_ADDRESS / 1000 / threads).max(1);
    Some(format!(
        "{material} {metric}: {} boards, about {:.1} GiB of memory, roughly {seconds} s",
        grouped(cost.placements),
        cost.bytes as f64 / (1u64 << 30) as f64,
    ))
}

impl Progress for Interruptible {
    fn plan(&self, material: Material, metric: Metric, cost: &Cost) {
        if let Some(text) = announce(material, metric, cost) {
            eprintln!("{text}");
        }
    }

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
    fn plan(&self, material: Material, metric: Metric, cost: &Cost) {
        if let Some(text) = announce(material, metric, cost) {
            // A terminal that is gone is no reason to stop.
            let _ = self.all.println(text);
        }
    }

    fn waiting(&self, material: Material) {
        let text = format!("Waiting for another process that is solving {material}.");
        let _ = self.all.println(text);
    }

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

/// How far the writing of large tables is; shown on a terminal only.
#[derive(Default)]
pub struct WriteBars(Mutex<HashMap<Material, ProgressBar>>);

impl WriteBars {
    fn bars(&self) -> MutexGuard<'_, HashMap<Material, ProgressBar>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// So many of so many blocks are written; the first call makes the bar.
    pub fn show(&self, material: Material, written: usize, blocks: usize) {
        if !std::io::stderr().is_terminal() {
            return;
        }
        let make = || {
            let bar = ProgressBar::new(blocks as u64);
            if let Ok(style) = ProgressStyle::with_template(WRITE_TEMPLATE) {
                bar.set_style(style);
            }
            bar.set_prefix(material.to_string());
            bar
        };
        self.bars().entry(material).or_insert_with(make).set_position(written as u64);
    }

    /// The bar of a material is no longer needed.
    pub fn clear(&self, material: Material) {
        if let Some(bar) = self.bars().remove(&material) {
            bar.finish_and_clear();
        }
    }
}

const WRITE_TEMPLATE: &str = "{prefix:14} {bar:24} {percent} % written, about {eta} left";
