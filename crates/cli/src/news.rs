//! A line every minute or so where there is no terminal: what is being solved, how far
//! it is, and how long it may still take.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};
use std::time::{Duration, Instant};

use molien_board::Material;
use molien_solve::{Cost, Progress, WaveReport};
use molien_values::Metric;

use crate::estimate::rough;
use crate::progress::Interruptible;
use crate::text::note;

/// With less done there is no telling how long the rest takes.
const TELLING_SHARE: f64 = 0.01;

/// Tells on standard error how a solve is going.
pub struct News {
    quiet: Interruptible,
    every: Duration,
    work: Arc<Mutex<Work>>,
    begun: Once,
}

/// What is going on.
#[derive(Default)]
struct Work {
    plan: Option<Planned>,
    tables: HashMap<(Material, Metric), Begun>,
}

/// What a question takes.
struct Planned {
    name: String,
    addresses: u64,
    solved: u64,
    since: Instant,
}

/// A table in the making.
struct Begun {
    addresses: u64,
    /// Addresses of its boards that are finished.
    solved: u64,
    /// What is decided of the others, both sides to move.
    decided: u64,
    ply: u16,
    since: Instant,
}

impl Begun {
    /// At least so many addresses are done of boards in the making: drawn positions are
    /// never decided.
    fn in_work(&self) -> f64 {
        let left = self.addresses.saturating_sub(self.solved);
        (self.decided as f64 / 2.0).min(left as f64)
    }

    /// The ply that was decided last, where positions are decided ply by ply.
    fn at_ply(&self) -> Option<u16> {
        Some(self.ply).filter(|ply| *ply > 0)
    }

    fn share(&self) -> f64 {
        (self.solved as f64 + self.in_work()) / self.addresses.max(1) as f64
    }
}

impl News {
    /// A line so often; none if that is never.
    pub fn new(interrupted: Arc<AtomicBool>, every: Duration) -> News {
        let quiet = Interruptible { interrupted };
        News { quiet, every, work: Arc::default(), begun: Once::new() }
    }

    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the clock. It stops when nobody is told any more.
    fn start(&self) {
        let (every, work) = (self.every, Arc::downgrade(&self.work));
        if every.is_zero() {
            return;
        }
        self.begun.call_once(|| {
            let tell = move || loop {
                std::thread::sleep(every);
                let Some(work) = work.upgrade() else { return };
                let line = work.lock().unwrap_or_else(PoisonError::into_inner).line(Instant::now());
                line.into_iter().for_each(note);
            };
            // Without news the work goes on.
            let _ = std::thread::Builder::new().name("news".to_owned()).spawn(tell);
        });
    }
}

impl Work {
    /// How far the work is, in one line; nothing if there is none.
    fn line(&self, now: Instant) -> Option<String> {
        let largest = self.tables.iter().max_by_key(|(_, table)| table.addresses);
        let Some(plan) = &self.plan else {
            let ((material, metric), table) = largest?;
            let (name, since) = (format!("{material} {metric}"), now - table.since);
            let decided = how_far(table.share(), since, ("decided", "at most"));
            let ply = table.at_ply().map(|ply| format!("ply {ply}, "));
            return Some(format!("{name}: {}{decided}", ply.unwrap_or_default()));
        };
        let solved = plan.solved as f64 + self.tables.values().map(Begun::in_work).sum::<f64>();
        let share = (solved / plan.addresses.max(1) as f64).min(1.0);
        let at = largest.map(|((material, _), table)| match table.at_ply() {
            Some(ply) => format!(" ({material} at ply {ply})"),
            None => format!(" ({material})"),
        });
        let solved = how_far(share, now - plan.since, ("solved", "about"));
        Some(format!("{}: {solved}{}", plan.name, at.unwrap_or_default()))
    }
}

/// `42 % solved after 12 min, about 17 min left`.
pub fn how_far(share: f64, since: Duration, (done, about): (&str, &str)) -> String {
    let text = format!("{:.0} % {done} after {}", (100.0 * share).floor(), rough(since));
    if share < TELLING_SHARE {
        return text;
    }
    let left = since.mul_f64((1.0 - share) / share);
    format!("{text}, {about} {} left", rough(left))
}

impl Progress for News {
    fn plan(&self, material: Material, metric: Metric, cost: &Cost) {
        let (name, since) = (format!("{material} {metric}"), Instant::now());
        self.work().plan = Some(Planned { name, addresses: cost.positions, solved: 0, since });
        self.start();
    }

    fn begin(&self, material: Material, metric: Metric, positions: u64) {
        self.quiet.begin(material, metric, positions);
        let (addresses, since) = (positions, Instant::now());
        let begun = Begun { addresses, solved: 0, decided: 0, ply: 0, since };
        self.work().tables.insert((material, metric), begun);
        self.start();
    }

    fn wave(&self, report: &WaveReport) {
        if let Some(table) = self.work().tables.get_mut(&(report.material, report.metric)) {
            table.ply = report.ply;
            table.decided += report.decided;
        }
    }

    fn solved(&self, material: Material, metric: Metric, positions: u64) {
        let mut work = self.work();
        if let Some(plan) = &mut work.plan {
            plan.solved += positions;
        }
        if let Some(table) = work.tables.get_mut(&(material, metric)) {
            table.solved += positions;
            table.decided = 0;
        }
    }

    fn end(&self, material: Material, metric: Metric) {
        self.work().tables.remove(&(material, metric));
        self.quiet.end(material, metric);
    }

    fn made_room(&self) {
        self.quiet.made_room();
    }

    fn cancelled(&self) -> bool {
        self.quiet.cancelled()
    }
}

/// How far the writing of tables is, now and then.
pub struct WriteNews {
    every: Duration,
    /// When writing began, and when something was said last, by material.
    told: Mutex<HashMap<Material, (Instant, Instant)>>,
}

impl WriteNews {
    /// A line so often; none if that is never.
    pub fn new(every: Duration) -> WriteNews {
        WriteNews { every, told: Mutex::default() }
    }

    /// So many of so many blocks are written.
    pub fn show(&self, material: Material, written: usize, blocks: usize) {
        self.line(material, written as f64 / blocks.max(1) as f64, Instant::now())
            .into_iter()
            .for_each(note);
    }

    fn line(&self, material: Material, share: f64, now: Instant) -> Option<String> {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let (since, last) = told.entry(material).or_insert((now, now));
        if self.every.is_zero() || now - *last < self.every {
            return None;
        }
        *last = now;
        Some(format!("{material}: {}", how_far(share, now - *since, ("written", "about"))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use molien_board::Color;

    const MINUTE: Duration = Duration::from_secs(60);

    fn news() -> News {
        News::new(Arc::default(), Duration::ZERO)
    }

    fn line(news: &News, minutes: u32) -> Option<String> {
        let work = news.work();
        let since = work.tables.values().map(|table| table.since).max();
        let since = since.or(work.plan.as_ref().map(|plan| plan.since));
        work.line(since.unwrap_or_else(Instant::now) + minutes * MINUTE)
    }

    fn wave(news: &News, material: Material, ply: u16, decided: u64) {
        let (metric, attacker) = (Metric::Dtm, Color::White);
        let (tiles, signature) = (1, None);
        news.wave(&WaveReport { material, metric, attacker, ply, decided, tiles, signature });
    }

    #[test]
    fn a_table_is_told_by_what_is_decided() {
        let (news, material) = (news(), "KRBKR".parse().unwrap());
        assert_eq!(line(&news, 1), None);
        news.begin(material, Metric::Dtm, 1000);
        assert_eq!(line(&news, 1).unwrap(), "KRBKR dtm: 0 % decided after 60 s");
        wave(&news, material, 7, 500);
        let text = "KRBKR dtm: ply 7, 25 % decided after 2 min, at most 6 min left";
        assert_eq!(line(&news, 2).unwrap(), text);
        news.end(material, Metric::Dtm);
        assert_eq!(line(&news, 3), None);
    }

    /// Boards of a question count by their addresses, finished or in work.
    #[test]
    fn a_question_is_told_by_what_is_solved() {
        let news = news();
        let [own, other]: [Material; 2] = ["KRPKR", "KQRKR"].map(|name| name.parse().unwrap());
        let cost = Cost { positions: 4000, ..Cost::default() };
        news.plan(own, Metric::Dtm, &cost);
        news.begin(other, Metric::Dtm, 2000);
        wave(&news, other, 3, 1000);
        let text = "KRPKR dtm: 12 % solved after 10 min, about 70 min left (KQRKR at ply 3)";
        assert_eq!(line(&news, 10).unwrap(), text);
        wave(&news, other, 9, 10_000);
        assert!(line(&news, 10).unwrap().starts_with("KRPKR dtm: 50 % solved"));
        news.solved(other, Metric::Dtm, 2000);
        news.end(other, Metric::Dtm);
        let text = "KRPKR dtm: 50 % solved after 10 min, about 10 min left";
        assert_eq!(line(&news, 10).unwrap(), text);
    }

    #[test]
    fn writing_is_told_now_and_then() {
        let (news, material) = (WriteNews::new(MINUTE), "KRPKR".parse().unwrap());
        let start = Instant::now();
        assert_eq!(news.line(material, 0.0, start), None);
        assert_eq!(news.line(material, 0.1, start + MINUTE / 2), None);
        let text = "KRPKR: 20 % written after 2 min, about 8 min left";
        assert_eq!(news.line(material, 0.2, start + 2 * MINUTE).unwrap(), text);
        assert_eq!(news.line(material, 0.3, start + 2 * MINUTE + MINUTE / 2), None);
    }
}
