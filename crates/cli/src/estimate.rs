//! What a command takes, said before it starts.
//!
//! The figures were measured on two cores (benches/record): CPU time for each
//! address of a table with one side to move, solving and writing, sub-games
//! counted by themselves.

use std::collections::HashSet;
use std::time::Duration;

use molien_board::{Material, Position, Setup};
use molien_build::{Build, PlannedTable, Storage, is_whole_for_position, order, storage};
use molien_probe::Source as _;
use molien_solve::Cost;
use molien_syzygy::SyzygyTables;
use molien_table::{Directory, WriteOptions};
use molien_values::{FIFTY_MOVES_PLIES, Metric, Value, dtm50_at};

use crate::context::Context;
use crate::text::{grouped, note, plural, size};

/// CPU time to solve one address in one metric: from 10 (KRBKR, dtc) to 58
/// (KBBKN, dtm) without pawns, from 31 (KQPKQ, dtz) to 65 (KQPKQ, dtm) with.
const SOLVE_NANOSECONDS: f64 = 30.0;
const SOLVE_PAWNS_NANOSECONDS: f64 = 22.0;
/// CPU time for one address of what a single position can turn into: 10.5 (KPPKP) and 10.6
/// (KPPKR) in DTM, 5.5 and 6.4 in DTZ50. Those with a memory of 800 MiB (KPPKR) to 3 GiB
/// (KPPPKPPP), a part at a time: 21 and 22 in DTM.
const POSITION_DTM_NANOSECONDS: f64 = 12.0;
const POSITION_NANOSECONDS: f64 = 7.0;
const IN_PARTS_NANOSECONDS: f64 = 11.0;
/// On top where boards are solved in little memory, too: KRPPKR with 8 GiB took 30.
const POSITION_LEAN_NANOSECONDS: f64 = 9.0;
/// On top where boards are solved in little memory: conversions are put away and
/// brought back.
const LEAN_NANOSECONDS: f64 = 20.0;
/// CPU time to write one address in one metric by quick coding: 10 (KRBKR) to 15 (KBBKN).
const WRITE_NANOSECONDS: f64 = 13.0;
/// On top where contexts are learnt: KRBKR takes 14 in all, KRPKR 20.
const LEARN_NANOSECONDS: f64 = 6.0;
/// With five men mate under the 50-move rule takes many runs of a board: 4 (KRBKR)
/// to 15 (KBBKN) times what DTM takes. With fewer the first run decides it all.
const RULE_TIMES: f64 = 8.0;
/// Runs of a board that the values at one clock take, all moves included, and bits
/// of an address, both sides to move, that each of them keeps.
const CLOCK_RUNS: f64 = 12.0;
const CLOCK_BITS: u64 = 18;
/// Bytes of a file for each address and metric: 0.02 (KRBKR) to 0.08 (KQRKQ).
const BYTES_AN_ADDRESS: f64 = 0.07;
/// Small boards are soon done: many threads help little in the first CPU seconds.
const THREADS_THAT_HELP: usize = 2;
const SMALL_SECONDS: f64 = 60.0;
/// What each further thread adds where boards are large: five had used 5,337 CPU seconds
/// in 1,362 on a Xeon (3.9 at a time), two 1,061 in 623 (1.7).
const FURTHER_THREAD: f64 = 0.75;

/// What takes less is not announced.
const ANNOUNCED: Duration = Duration::from_secs(5);
/// What takes longer is not begun unasked.
const REFUSED: Duration = Duration::from_secs(90);

/// What is asked for.
#[derive(Clone, Copy)]
pub enum Goal<'a> {
    /// Whole tables.
    Tables(&'a [Material]),
    /// One position and its moves.
    Position(&'a Position),
}

/// Time, memory and disk, roughly.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Estimate {
    /// Tables and single boards to solve.
    pub boards: u64,
    cpu_seconds: f64,
    /// Addresses that are written, one for each metric, where contexts can be learnt.
    learnt: f64,
    /// Memory at the peak.
    pub memory_bytes: u64,
    /// What is stored in the end.
    pub disk_bytes: u64,
    /// Temporary files, at the peak.
    pub temporary_bytes: u64,
}

impl Estimate {
    /// How long it takes with so many threads.
    pub fn time(&self, threads: usize) -> Duration {
        let small = self.cpu_seconds.min(SMALL_SECONDS);
        let few = threads.clamp(1, THREADS_THAT_HELP) as f64;
        let many = 1.0 + FURTHER_THREAD * (threads.max(1) - 1) as f64;
        Duration::from_secs_f64(small / few + (self.cpu_seconds - small) / many)
    }

    /// The same where files are coded by learnt contexts.
    fn with_learning(mut self) -> Estimate {
        self.cpu_seconds += self.learnt * LEARN_NANOSECONDS / 1e9;
        self
    }

    /// One of the tables of a plan, what it reads left out.
    pub fn planned(table: &PlannedTable) -> Estimate {
        let mut total = Estimate::default();
        let keeps = table.storage != Storage::None;
        for &metric in &table.metrics {
            let (positions, bytes) = (table.addresses, table.memory_bytes);
            let cost = Cost { positions, bytes, ..Cost::default() };
            total.add((table.material, metric), &cost, keeps);
        }
        total.cpu_seconds += table.lean_addresses as f64 * LEAN_NANOSECONDS / 1e9;
        total
    }

    /// The tables of some materials and of all they depend on, those left out
    /// that are stored.
    pub fn tables(
        build: &Build,
        folders: &[Directory],
        materials: &[Material],
        metrics: &[Metric],
    ) -> Estimate {
        let stored = |material: Material, metric: Metric| {
            material.len() <= 2
                || folders.iter().any(|folder| {
                    folder.open(material).is_ok_and(|file| file.metrics().contains(&metric))
                })
        };
        let known = |material: Material| metrics.iter().all(|&metric| stored(material, metric));
        let mut total = Estimate::default();
        for material in order(materials, known) {
            let keeps = !folders.is_empty() && storage(material) != Storage::None;
            // Without pawns DTZ is DTC.
            let missing = metrics.iter().filter(|&&metric| !stored(material, metric));
            let own = |metric: Metric| match material.has_pawns() {
                true => metric,
                false => metric.without_pawns(),
            };
            let missing: HashSet<Metric> = missing.map(|&metric| own(metric)).collect();
            for &metric in &missing {
                let cost = build.table_cost(material, metric);
                total.add((material, metric), &cost, keeps);
            }
        }
        total
    }

    /// A position: its whole table, or what it can turn into.
    ///
    /// # Errors
    /// If it can turn into too many others to count.
    fn position(
        build: &Build,
        folders: &[Directory],
        position: &Position,
        metrics: &[Metric],
    ) -> anyhow::Result<Estimate> {
        let material = position.material();
        if is_whole_for_position(material) || !material.has_pawns() {
            return Ok(Estimate::tables(build, folders, &[material.canonical()], metrics));
        }
        // Larger ones are solved for what is read of them, and not stored.
        let mut pieces = build.pieces_needed(position)?;
        pieces.retain(|&material| storage(material) == Storage::Whole);
        let mut total = match folders.is_empty() {
            true => Estimate::default(),
            false => Estimate::tables(build, folders, &pieces, metrics),
        };
        for &metric in &metrics.iter().copied().collect::<HashSet<Metric>>() {
            let cost = build.cost(position, metric)?;
            total.add_position(metric, &cost);
        }
        Ok(total)
    }

    fn add(&mut self, (material, metric): (Material, Metric), cost: &Cost, keeps: bool) {
        let (addresses, lean) = (cost.positions as f64, cost.lean_positions as f64);
        let times = if metric == Metric::Dtm50 && material.len() > 4 { RULE_TIMES } else { 1.0 };
        let solve = if material.has_pawns() { SOLVE_PAWNS_NANOSECONDS } else { SOLVE_NANOSECONDS };
        let write = if keeps { WRITE_NANOSECONDS } else { 0.0 };
        self.boards += 1;
        self.cpu_seconds += addresses * (times * solve + write) / 1e9;
        self.cpu_seconds += lean * LEAN_NANOSECONDS / 1e9;
        self.memory_bytes = self.memory_bytes.max(cost.bytes);
        self.temporary_bytes = self.temporary_bytes.max(cost.disk_bytes);
        self.disk_bytes += if keeps { (addresses * BYTES_AN_ADDRESS) as u64 } else { 0 };
        let learns = keeps && storage(material) == Storage::Whole;
        self.learnt += if learns { addresses } else { 0.0 };
    }

    /// What a single position can turn into, in one metric.
    fn add_position(&mut self, metric: Metric, cost: &Cost) {
        let (addresses, lean) = (cost.positions as f64, cost.lean_positions as f64);
        let each = match metric {
            Metric::Dtm => POSITION_DTM_NANOSECONDS,
            Metric::Dtm50 => RULE_TIMES * POSITION_DTM_NANOSECONDS,
            _ => POSITION_NANOSECONDS,
        };
        let parts = if cost.disk_bytes > 0 { IN_PARTS_NANOSECONDS } else { 0.0 };
        self.boards += cost.placements;
        self.cpu_seconds += (addresses * (each + parts) + lean * POSITION_LEAN_NANOSECONDS) / 1e9;
        self.memory_bytes = self.memory_bytes.max(cost.bytes);
        self.temporary_bytes = self.temporary_bytes.max(cost.disk_bytes);
    }

    fn sentence(&self, time: Duration) -> String {
        let boards = plural(self.boards, "board", "boards");
        let disk = match self.disk_bytes {
            0 => String::new(),
            bytes => format!(" and {} of disk", size(bytes)),
        };
        let meanwhile = match self.temporary_bytes {
            0 => String::new(),
            bytes => format!(", {} of disk meanwhile", size(bytes)),
        };
        let (boards, memory) = (format!("{} {boards}", grouped(self.boards)), self.memory_bytes);
        let memory = size(memory);
        format!("{boards} to solve: about {}, {memory} of memory{disk}{meanwhile}", rough(time))
    }
}

/// A time to two digits at most: `40 s`, `7 min`, `3 h`.
pub fn rough(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        _ if seconds < 100.0 => format!("{:.0} s", seconds.max(1.0)),
        _ if seconds < 6000.0 => format!("{:.0} min", seconds / 60.0),
        _ if seconds < 360_000.0 => format!("{:.0} h", seconds / 3600.0),
        _ => format!("{:.0} days", seconds / 86400.0),
    }
}

/// Says what a command is going to take if that is much, and refuses what takes
/// very long unless it was asked for.
pub fn check(context: &Context, goal: Goal<'_>, metrics: &[Metric]) -> anyhow::Result<()> {
    let too_many = |position: &Position| !position.material().is_within_limits();
    // What cannot be solved at all is refused by whoever is asked for it.
    let hopeless = matches!(goal, Goal::Position(position) if too_many(position));
    if hopeless || context.only_stored() || context.card_if_wanted().is_some() {
        return Ok(());
    }
    if matches!(goal, Goal::Position(position) if in_files(context, position, metrics)?) {
        return Ok(());
    }
    let (build, folders) = (context.build(), context.directories());
    let (estimate, name) = match goal {
        Goal::Tables(materials) => {
            let names: Vec<String> = materials.iter().map(ToString::to_string).collect();
            (Estimate::tables(&build, folders, materials, metrics), names.join(" "))
        }
        Goal::Position(position) => {
            let estimate = Estimate::position(&build, folders, position, metrics)?;
            (estimate, position.material().to_string())
        }
    };
    let time = estimate.time(context.threads());
    let sentence = estimate.sentence(time);
    if time > REFUSED && !context.is_patient() {
        anyhow::bail!("{name}: {sentence}; give --yes to start");
    }
    if time >= ANNOUNCED {
        note(format_args!("{name}: {sentence}"));
    }
    Ok(())
}

/// Says what mate at a clock is going to take, the value at clock 0 being known, if
/// that is much. Around pawns boards are small.
pub fn announce_clock(context: &Context, setup: &Setup, at_zero: Value) {
    let (material, clock) = (setup.position.material(), setup.halfmove_clock);
    let told = dtm50_at(at_zero, clock, FIFTY_MOVES_PLIES).is_some();
    if told || context.only_stored() || material.has_pawns() {
        return;
    }
    let addresses = context.build().table_cost(material.canonical(), Metric::Dtm50).positions;
    let cpu_seconds = CLOCK_RUNS * addresses as f64 * SOLVE_NANOSECONDS / 1e9;
    let time = Estimate { cpu_seconds, ..Estimate::default() }.time(context.threads());
    if time >= ANNOUNCED {
        let memory = size(addresses * CLOCK_BITS / 8);
        let (time, runs) = (rough(time), CLOCK_RUNS);
        eprintln!(
            "{material} at clock {clock}: about {runs} runs of its board, {time}; each keeps {memory}"
        );
    }
}

/// Whether Syzygy files answer, so that nothing is solved.
fn in_files(context: &Context, position: &Position, metrics: &[Metric]) -> anyhow::Result<bool> {
    let has = |files: &SyzygyTables| files.holds(position.material(), Metric::Dtz50);
    Ok(metrics.contains(&Metric::Dtz50) && context.syzygy()?.is_some_and(|files| has(&files)))
}

/// Says what making tables is going to take, if that is much.
pub fn announce(
    context: &Context,
    materials: &[Material],
    metrics: &[Metric],
    options: &WriteOptions,
) {
    if context.only_stored() || context.card_if_wanted().is_some() {
        return;
    }
    let folders = context.directories();
    let estimate = Estimate::tables(&context.build(), folders, materials, metrics);
    let estimate = if options.is_packed() { estimate.with_learning() } else { estimate };
    let time = estimate.time(context.threads());
    if time >= ANNOUNCED {
        note(estimate.sentence(time));
    }
}

/// Says that what was solved for a position is gone, and what would keep it.
pub fn say_what_keeps(context: &Context, position: &Position, metrics: &[Metric]) {
    let material = position.material().canonical();
    let made = storage(material) == Storage::Whole && !is_whole_for_position(material);
    let folders = context.directories();
    let in_files = in_files(context, position, metrics).unwrap_or(false);
    if context.only_stored() || folders.is_empty() || !made || in_files {
        return;
    }
    let estimate = Estimate::tables(&context.build(), folders, &[material], metrics);
    if estimate.boards > 0 {
        let (time, disk) = (rough(estimate.time(context.threads())), size(estimate.disk_bytes));
        note(format_args!(
            "`molien solve {material}` (about {time}, {disk} of disk) would make such answers instant"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(names: &[&str], metrics: &[Metric]) -> Estimate {
        let materials: Vec<Material> = names.iter().map(|name| name.parse().unwrap()).collect();
        Estimate::tables(&Build::new(), &[], &materials, metrics)
    }

    /// CPU seconds of benches/record/amd-epyc-2-cores, in memory, quiet machine.
    #[test]
    fn measured_tables_are_met_within_a_factor_of_two() {
        let dtm_and_dtc = [Metric::Dtm, Metric::Dtc];
        let measured = [
            ("KBBKN", &dtm_and_dtc[..], 5.97),
            ("KQRKQ", &dtm_and_dtc[..], 6.65),
            ("KQPKQ", &[Metric::Dtm], 26.08),
            ("KQPKQ", &[Metric::Dtz], 12.69),
            ("KRPKR", &[Metric::Dtm], 19.07),
            ("KRNKNN", &[Metric::Dtc], 185.4),
        ];
        for (name, metrics, seconds) in measured {
            let guess = estimate(&[name], metrics).cpu_seconds;
            assert!(guess < 2.0 * seconds && seconds < 2.0 * guess, "{name}: {guess:.1} {seconds}");
        }
    }

    /// CPU seconds of benches/record/amd-epyc-2-cores, a busy machine.
    #[test]
    fn measured_positions_are_met_within_a_factor_of_two() {
        let rook = "8/5k2/8/1r6/8/8/PP3K2/8 w - -";
        let measured = [
            ("8/5k2/8/3R4/1r6/8/PP3K2/8 w - -", 8192, Metric::Dtm, 3881.6),
            ("4k3/8/8/1p1p1p2/1P1P1P2/8/8/4K3 w - -", 3072, Metric::Dtm, 351.0),
            (rook, 6144, Metric::Dtm, 22.1),
            (rook, 6144, Metric::Dtz50, 11.4),
            (rook, 800, Metric::Dtm, 45.7),
            ("8/8/8/3k1p2/8/2P5/P4K2/8 w - -", 4096, Metric::Dtm, 89.5),
            ("8/8/8/3k1p2/8/2P5/P4K2/8 w - -", 4096, Metric::Dtz50, 54.3),
        ];
        for (fen, mib, metric, seconds) in measured {
            let threads = std::num::NonZeroUsize::new(2).unwrap();
            let build = Build::new().with_memory_limit(mib << 20).with_threads(threads);
            let position = fen.parse().unwrap();
            let guess = Estimate::position(&build, &[], &position, &[metric]).unwrap().cpu_seconds;
            assert!(
                guess < 2.0 * seconds && seconds < 2.0 * guess,
                "{fen} {mib}M {metric}: {guess:.1} {seconds}"
            );
        }
    }

    /// More threads never take longer, and only long work has use for many.
    #[test]
    fn threads_help_long_work() {
        let time = |cpu_seconds, threads| {
            Estimate { cpu_seconds, ..Estimate::default() }.time(threads).as_secs_f64()
        };
        assert_eq!((time(40.0, 1), time(40.0, 2), time(40.0, 16)), (40.0, 20.0, 20.0));
        assert!((time(5337.0, 5) / 1362.0 - 1.0).abs() < 0.1);
        assert!((time(1061.0, 2) / 623.0 - 1.0).abs() < 0.1);
        assert!((2..32).all(|threads| time(5000.0, threads) < time(5000.0, threads - 1)));
    }

    #[test]
    fn times_are_told_roughly() {
        let text = |seconds| rough(Duration::from_secs(seconds));
        assert_eq!([text(0), text(42), text(420), text(7200)], ["1 s", "42 s", "7 min", "2 h"]);
    }

    #[test]
    fn a_table_that_is_stored_costs_nothing() {
        let folder = std::env::temp_dir().join(format!("molien-estimate-{}", std::process::id()));
        let directory = Directory::new(&folder);
        let build = Build::new().with_folder(directory.clone());
        let material: Material = "KRK".parse().unwrap();
        let metrics = [Metric::Dtm];
        let folders = std::slice::from_ref(&directory);
        let before = Estimate::tables(&build, folders, &[material], &metrics);
        build.store(&[material], &metrics, &Default::default()).unwrap();
        let after = Estimate::tables(&build, folders, &[material], &metrics);
        std::fs::remove_dir_all(folder).unwrap();
        assert_eq!((before.boards, after), (1, Estimate::default()));
        assert!(before.disk_bytes > 0 && before.memory_bytes > 0);
    }
}
