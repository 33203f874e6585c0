//! Progress bars on a terminal. Elsewhere see `news`.

use std::collections::HashMap;
use std::fmt;
use std::io::IsTerminal as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressState, ProgressStyle};
use molien_board::Material;
use molien_solve::{Progress, WaveReport};
use molien_values::Metric;

use crate::malloc;
use crate::news::WriteNews;

/// Decided positions against all addresses of both sides: drawn positions are
/// never decided, so the time left is an upper bound.
const TEMPLATE: &str =
    "{prefix:14} {bar:24} ply {msg:4} {human_pos:>13} positions {rate:>10}  at most {eta} left";

/// How often a bar is drawn even if nothing has happened.
const TICK: Duration = Duration::from_millis(250);

/// Says nothing, stops when told to, and gives memory back between tables.
pub struct Interruptible {
    /// Set by Ctrl-C.
    pub interrupted: Arc<AtomicBool>,
}

impl Progress for Interruptible {
    fn begin(&self, _: Material, _: Metric, _: u64) {
        malloc::give_back_unused();
    }

    fn end(&self, _: Material, _: Metric) {
        // What solving left behind is not there when the table is written.
        malloc::give_back_unused();
    }

    fn made_room(&self) {
        malloc::give_back_unused();
    }

    fn cancelled(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }
}

/// One bar for every table being solved.
pub struct Bars {
    quiet: Interruptible,
    all: MultiProgress,
    bars: Mutex<HashMap<(Material, Metric), ProgressBar>>,
}

impl Bars {
    /// Bars on standard error.
    pub fn new(interrupted: Arc<AtomicBool>) -> Bars {
        let quiet = Interruptible { interrupted };
        Bars { quiet, all: MultiProgress::new(), bars: Mutex::default() }
    }

    fn bars(&self) -> MutexGuard<'_, HashMap<(Material, Metric), ProgressBar>> {
        self.bars.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Progress for Bars {
    fn waiting(&self, material: Material) {
        let text = format!("Waiting for another process that is solving {material}.");
        // A terminal that is gone is no reason to stop.
        let _ = self.all.println(text);
    }

    fn begin(&self, material: Material, metric: Metric, positions: u64) {
        self.quiet.begin(material, metric, positions);
        let bar = self.all.add(ProgressBar::new(2 * positions));
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            let write_rate = |state: &ProgressState, out: &mut dyn fmt::Write| {
                // A number that cannot be written is not worth an error.
                let _ = out.write_str(&rate(state.per_sec()));
            };
            bar.set_style(style.with_key("rate", write_rate));
        }
        bar.set_prefix(format!("{material} {metric}"));
        // Shown before the first wave, and alive during long ones.
        bar.enable_steady_tick(TICK);
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
        self.quiet.end(material, metric);
    }

    fn made_room(&self) {
        self.quiet.made_room();
    }

    fn cancelled(&self) -> bool {
        self.quiet.cancelled()
    }
}

/// How far the writing of large tables is: bars on a terminal, else lines.
pub struct WriteBars {
    bars: Mutex<HashMap<Material, ProgressBar>>,
    news: WriteNews,
}

impl WriteBars {
    /// Where there is no terminal, a line so often.
    pub fn new(every: Duration) -> WriteBars {
        WriteBars { bars: Mutex::default(), news: WriteNews::new(every) }
    }

    fn bars(&self) -> MutexGuard<'_, HashMap<Material, ProgressBar>> {
        self.bars.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// So many of so many blocks are written; the first call makes the bar.
    pub fn show(&self, material: Material, written: usize, blocks: usize) {
        if !std::io::stderr().is_terminal() {
            return self.news.show(material, written, blocks);
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

/// Positions a second, to three digits: `12.3 M/s`.
fn rate(per_second: f64) -> String {
    let (number, unit) = match per_second {
        _ if per_second >= 1e9 => (per_second / 1e9, " G/s"),
        _ if per_second >= 1e6 => (per_second / 1e6, " M/s"),
        _ if per_second >= 1e3 => (per_second / 1e3, " k/s"),
        _ => return format!("{per_second:.0}/s"),
    };
    let digits = if number < 9.995 { 2 } else { usize::from(number < 99.95) };
    format!("{number:.digits$}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_rounded() {
        assert_eq!(rate(12_345_678.9), "12.3 M/s");
        assert_eq!([rate(999.4), rate(1234.5), rate(2e9)], ["999/s", "1.23 k/s", "2.00 G/s"]);
    }
}
