//! From what is wanted to files in the folder.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use molien_board::{Color, Man, Material, Role};
use molien_solve::SolveError;
use molien_table::{Directory, Lock, TableError, TableFile, WriteOptions};
use molien_values::{Metric, Table};

use crate::build::outside_rayon;
use crate::cache::{Key, key};
use crate::limits::{Storage, keep_alone, storage};
use crate::needs::order;
use crate::store_cost::StoreCost;
use crate::turns::Turns;
use crate::waiting::Waiting;
use crate::{Build, BuildError, lock};

/// Materials worked on at once: while one is written another is solved.
const AT_ONCE: usize = 2;
/// The same where tables come from a shelf, a card for instance: one is solved
/// there while others are copied from it and written.
pub(crate) const AT_ONCE_FROM_SHELF: usize = 12;

/// How often a lock is asked for that another process, or another table in work,
/// has. Who waits for it can still be interrupted.
pub(crate) const LOCK_POLL: Duration = Duration::from_millis(100);

/// How tables are made and stored.
pub struct Making<'a> {
    /// How files are written.
    pub options: WriteOptions,
    /// Memory that may be used while a table too large for memory is written.
    pub assembly_bytes: u64,
    /// Told of every material that is in the folder now, and the time that took.
    pub done: &'a (dyn Fn(Material, Duration) + Sync),
    /// Told how many of how many blocks of a large table are written; says
    /// whether to go on.
    pub writing: &'a (dyn Fn(Material, usize, usize) -> bool + Sync),
}

impl Default for Making<'_> {
    fn default() -> Self {
        Making {
            options: WriteOptions::default(),
            assembly_bytes: 1 << 30,
            done: &|_, _| {},
            writing: &|_, _, _| true,
        }
    }
}

/// The metrics that are stored for those asked: without pawns DTZ is DTC, and
/// large tables have no classes alone.
pub(crate) fn stored_metrics(material: Material, metrics: &[Metric]) -> Vec<Metric> {
    let mut found: Vec<Metric> = Vec::new();
    // What is assembled from waves has depths: classes come with DTZ50.
    let logged = matches!(storage(material), Storage::FromLog | Storage::ByPart);
    let stored = |metric| if logged && metric == Metric::Wdl { Metric::Dtz50 } else { metric };
    for metric in metrics.iter().map(|&metric| key(material, stored(metric)).1) {
        if !found.contains(&metric) {
            found.push(metric);
        }
    }
    found
}

/// The metrics that a file has beside these.
fn metrics_beside(file: &TableFile, metrics: &[Metric]) -> Vec<Metric> {
    let mut known = stored_metrics(file.material(), &file.solved_metrics());
    known.retain(|metric| !metrics.contains(metric));
    known
}

/// By how much like men make a table smaller.
fn likeness(material: &Material) -> usize {
    let like = |man: Man| (1..=material.count(man)).product::<usize>();
    Color::BOTH.into_iter().flat_map(|c| Role::ALL.map(|role| like(Man::new(c, role)))).product()
}

impl Build {
    /// Whether tables come from a shelf other than the folder, so that many can
    /// be under way at once.
    fn has_shelf_for(&self, materials: &[Material], metric: Metric) -> bool {
        materials.iter().any(|&material| self.is_on_shelf(material, metric))
    }

    /// Makes sure that the folder holds the tables of these materials in these
    /// metrics, and of all they depend on; what is there already is left alone.
    /// Materials that are not stored are passed over. Tables whose boards a shelf hands over
    /// are stored without those they depend on.
    ///
    /// # Errors
    /// If there is no folder, or a table cannot be solved or stored; the others
    /// are not begun then.
    pub fn store(
        &self,
        materials: &[Material],
        metrics: &[Metric],
        making: &Making<'_>,
    ) -> Result<(), BuildError> {
        let folder = self.folder.as_ref().ok_or(BuildError::NoFolder)?;
        let has_all = |material: Material| self.missing(folder, material, metrics).is_empty();
        let goals: Vec<Material> =
            materials.iter().copied().filter(|&m| self.storage(m) != Storage::None).collect();
        // A file of one side to move takes what its moves lead to.
        let is_one_sided = |material| folder.open(material).is_ok_and(|f| f.is_one_sided());
        let is_done = |material| has_all(material) && !is_one_sided(material);
        let on_shelf = |material: &Material| {
            let mut missing = self.missing(folder, *material, metrics).into_iter().peekable();
            let some = missing.peek().is_some();
            some && missing.all(|metric| self.board_shelf(*material, metric).is_some())
        };
        let (handed_over, goals): (Vec<Material>, Vec<Material>) =
            goals.into_iter().map(|m| m.canonical()).partition(on_shelf);
        let needed = order(&goals, |material| material.len() <= 2 || is_done(material));
        if let Some(ranks) = self.ranks() {
            return outside_rayon(|| {
                self.store_together(ranks, folder, (&goals, &needed), metrics, making)
            });
        }
        let (whole, mut large): (Vec<Material>, Vec<Material>) =
            needed.into_iter().partition(|&material| self.storage(material) == Storage::Whole);
        large.extend(handed_over);
        self.check_disk(folder, &large, metrics)?;
        outside_rayon(|| self.store_whole(folder, whole, metrics, making))?;
        for material in large {
            let start = Instant::now();
            outside_rayon(|| match self.storage(material) {
                Storage::FromLog => self.store_from_log(folder, material, metrics, making),
                Storage::ByPart => self.store_by_part(folder, material, metrics, making),
                _ => Ok(()),
            })?;
            (making.done)(material, start.elapsed());
        }
        Ok(())
    }

    /// How the table of a material is stored by this build.
    pub(crate) fn storage(&self, material: Material) -> Storage {
        match storage(material) {
            Storage::Whole if self.is_by_part(material) => Storage::ByPart,
            Storage::Whole if self.is_logged(material) => Storage::FromLog,
            other => other,
        }
    }

    /// The metrics of those asked that the folder does not hold.
    pub(crate) fn missing(
        &self,
        folder: &Directory,
        material: Material,
        metrics: &[Metric],
    ) -> Vec<Metric> {
        let mut wanted = stored_metrics(material, metrics);
        if let Ok(file) = folder.open(material) {
            wanted.retain(|&metric| !file.holds(metric));
        }
        wanted
    }

    /// Materials each of which follows those it depends on.
    fn store_whole(
        &self,
        folder: &Directory,
        mut materials: Vec<Material>,
        metrics: &[Metric],
        making: &Making<'_>,
    ) -> Result<(), BuildError> {
        let from_shelf = metrics.iter().any(|&metric| self.has_shelf_for(&materials, metric));
        if from_shelf {
            // The largest first where the order is free: the last ones leave
            // processors idle.
            materials.sort_by_key(|m| (m.len(), m.pawns(), likeness(m)));
        }
        let limit = self.budget.limit_bytes;
        let (at_once, share_bytes) = match from_shelf {
            true => (AT_ONCE_FROM_SHELF, limit),
            false => {
                let at_once = self.at_once(folder, &materials, metrics, &making.options)?;
                (at_once, limit / at_once as u64)
            }
        };
        let (next, failed) = (AtomicUsize::new(0), Mutex::new(None));
        let turns = Turns::new(materials.len());
        let Some(&last) = materials.last() else { return Ok(()) };
        let request = self.announce(&[], key(last, metrics[0]));
        let work = || {
            loop {
                if lock(&failed).is_some() {
                    return;
                }
                // Who takes a number takes the turn: others may be waiting for it.
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(&material) = materials.get(number) else { return };
                // Those before it may be in work.
                request.left(&materials[number.saturating_sub(at_once - 1)..], metrics);
                let start = Instant::now();
                let store = || self.store_one(folder, material, metrics, making, share_bytes);
                match turns.take(number, store) {
                    Ok(()) => (making.done)(material, start.elapsed()),
                    Err(error) => {
                        lock(&failed).get_or_insert(error);
                    }
                }
            }
        };
        std::thread::scope(|scope| {
            (0..at_once.min(materials.len())).for_each(|_| drop(scope.spawn(work)));
        });
        let error = lock(&failed).take();
        error.map_or(Ok(()), Err)
    }

    pub(crate) fn store_one(
        &self,
        folder: &Directory,
        material: Material,
        metrics: &[Metric],
        making: &Making<'_>,
        share_bytes: u64,
    ) -> Result<(), BuildError> {
        if self.missing(folder, material, metrics).is_empty() {
            return Ok(());
        }
        if !self.may_solve {
            let metric = self.missing(folder, material, metrics)[0];
            return Err(BuildError::Missing { material, metric });
        }
        let _lock = self.lock_table(folder, material)?;
        // Another process may have been faster.
        let missing = self.missing(folder, material, metrics);
        let Some(&last) = missing.last() else { return Ok(()) };
        let options = making.options.following(folder.open(material).ok().as_ref());
        let half_stored = self.half_stored(folder, material, &missing);
        let written: Vec<Metric> = missing.iter().copied().chain(half_stored).collect();
        let cost = self.store_cost(material, &written, &options);
        let waiting = self.solve_all(folder, material, &written, (&cost, share_bytes))?;
        let least = cost.to_write(&waiting);
        let earlier = folder.open(material).ok();
        let kept = earlier.map_or(0, |file| metrics_beside(&file, &written).len());
        let most = cost.at_ease(&waiting, kept as u64);
        // What others have in work leaves room again.
        let free = share_bytes.min(self.budget.room(0)).saturating_sub(waiting.held_bytes());
        let room_bytes = free.min(most).max(least);
        let _room = self.reserve(key(material, last), room_bytes)?;
        let held_bytes = room_bytes.saturating_sub(cost.encoding);
        let progress = self.progress.clone();
        let folder = folder.clone().stopping_when(move || progress.cancelled());
        // In our own threads: those of the caller may all be waiting for us.
        let tables = waiting.tables();
        let write = || folder.store_parts(&tables, &making.options, Some(held_bytes));
        self.pool().install(write)?;
        missing.into_iter().for_each(|metric| self.mark_stored(material, metric));
        Ok(())
    }

    /// Solves a material in some metrics, which go into files where what is to be done next
    /// has no room beside them in this share of the memory.
    fn solve_all<'a>(
        &'a self,
        folder: &'a Directory,
        material: Material,
        metrics: &[Metric],
        (cost, share_bytes): (&StoreCost, u64),
    ) -> Result<Waiting<'a>, BuildError> {
        let mut waiting = Waiting::new(self, folder.folder());
        for (i, &metric) in metrics.iter().enumerate() {
            let table = self.request_beside((material, metric), &mut waiting)?;
            waiting.push(table);
            match metrics.get(i + 1) {
                _ if share_bytes == u64::MAX => {}
                Some(&next) => {
                    let solving = self.least_from_folder(key(material, next));
                    waiting.make_room(share_bytes, |_| solving)?;
                }
                None if cost.sets_aside => {
                    waiting.make_room(share_bytes, |all| cost.to_write(all))?;
                }
                None => {} // all of them are in memory while they are written
            }
        }
        Ok(waiting)
    }

    /// A table of a material; where there is no room for it beside those that wait to be written
    /// with it, these are put into files.
    fn request_beside(
        &self,
        (material, metric): Key,
        waiting: &mut Waiting<'_>,
    ) -> Result<Arc<Table>, BuildError> {
        loop {
            match self.request(key(material, metric), keep_alone(material)) {
                Err(BuildError::Memory { .. }) if waiting.put_one_aside()? => {}
                made => return made,
            }
        }
    }

    /// The metrics, beside those that are going to be stored, that the file has for
    /// one side to move: they have to be whole to be written again.
    fn half_stored(
        &self,
        folder: &Directory,
        material: Material,
        missing: &[Metric],
    ) -> Vec<Metric> {
        let Ok(file) = folder.open(material) else { return Vec::new() };
        let half = |metric: &Metric| file.derived_side(*metric).is_some();
        metrics_beside(&file, missing).into_iter().filter(half).collect()
    }

    /// How many materials are worked on at once; an error if there is not enough
    /// memory for one. Where all metrics of a table fit into memory, but not beside another
    /// table, that is one: with metrics put into files and brought back a table takes a
    /// third longer.
    fn at_once(
        &self,
        folder: &Directory,
        materials: &[Material],
        metrics: &[Metric],
        options: &WriteOptions,
    ) -> Result<usize, BuildError> {
        let limit = self.budget.limit_bytes;
        if limit == u64::MAX {
            return Ok(AT_ONCE);
        }
        let least = |&material: &Material| {
            let options = options.following(folder.open(material).ok().as_ref());
            (self.least_to_store(material, metrics, &options), material)
        };
        let Some((most, material)) = materials.iter().map(least).max_by_key(|(bytes, _)| *bytes)
        else {
            return Ok(1);
        };
        if most > limit {
            return Err(self.budget.refusal(key(material, metrics[0]), most));
        }
        let share = limit / AT_ONCE as u64;
        let fits_alone = |&material: &Material| {
            let stored = stored_metrics(material, metrics);
            let options = options.following(folder.open(material).ok().as_ref());
            (share + 1..=limit).contains(&self.store_cost(material, &stored, &options).together())
        };
        Ok(if most <= share && !materials.iter().any(fits_alone) { AT_ONCE } else { 1 })
    }

    fn store_cost(
        &self,
        material: Material,
        metrics: &[Metric],
        options: &WriteOptions,
    ) -> StoreCost {
        let threads = self.pool().current_num_threads() as u64;
        StoreCost::new(material, metrics, threads, options)
    }

    /// The least memory with which a table can be solved in some metrics, what it
    /// reads being stored, and then be written.
    pub(crate) fn least_to_store(
        &self,
        material: Material,
        metrics: &[Metric],
        options: &WriteOptions,
    ) -> u64 {
        let metrics = stored_metrics(material, metrics);
        let solve = |&metric: &Metric| self.least_from_folder(key(material, metric));
        let solve = metrics.iter().map(solve).max().unwrap_or(0);
        let cost = self.store_cost(material, &metrics, options);
        solve.max(if cost.sets_aside { cost.writing } else { cost.together() })
    }

    /// Waits for the lock of a table, and says so where another process has it.
    pub(crate) fn lock_table(
        &self,
        folder: &Directory,
        material: Material,
    ) -> Result<Lock, BuildError> {
        let mut said = false;
        loop {
            match folder.lock(material) {
                Err(TableError::Busy { .. }) if self.progress.cancelled() => {
                    return Err(SolveError::Cancelled { material }.into());
                }
                Err(TableError::Busy { .. }) => {
                    if !std::mem::replace(&mut said, true) {
                        self.progress.waiting(material);
                    }
                    std::thread::sleep(LOCK_POLL);
                }
                taken => return Ok(taken?),
            }
        }
    }
}
