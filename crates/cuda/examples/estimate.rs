//! What six men take on the card: `estimate KRPKRP KBPPPK` solves and checks these tables and
//! every table of six men that they lead to, in DTM and DTZ50, and prints for each of them
//! addresses, positions and seconds as CSV. Tables given as one argument, joined by commas,
//! share what they lead to. `estimate --plan KRPKRP` only counts, and needs no card.
//!
//! The seconds of a table are those of its first solve, what is smaller and had not been
//! solved before included; those of later solves for other readers are told apart.

use std::collections::HashMap;
use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use molien_board::Material;
use molien_build::order;
use molien_cuda::{CudaEngine, CudaError};
use molien_hyper::Hyperboard;
use molien_solve::Progress;
use molien_values::{Metric, Placement, Surveyor as _};

const METRICS: [Metric; 2] = [Metric::Dtm, Metric::Dtz50];
const MEN: usize = 6;

type Group = Vec<Material>;

/// Seconds of each table of six men: of the first solve, and of all others.
#[derive(Default)]
struct Clock {
    started: Mutex<Option<Instant>>,
    seconds: Mutex<HashMap<(Material, Metric), (f64, f64)>>,
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Progress for Clock {
    fn begin(&self, material: Material, _: Metric, _: u64) {
        if material.len() == MEN {
            *locked(&self.started) = Some(Instant::now());
        }
    }

    fn end(&self, material: Material, metric: Metric) {
        if material.len() != MEN {
            return;
        }
        let Some(started) = locked(&self.started).take() else { return };
        let took = started.elapsed().as_secs_f64();
        eprintln!("{material} {metric} {took:.2} s");
        let mut seconds = locked(&self.seconds);
        let known = seconds.get(&(material, metric)).copied();
        let now = known.map_or((took, 0.0), |(first, again)| (first, again + took));
        seconds.insert((material, metric), now);
    }
}

/// Addresses of a table, both sides to move.
fn addresses(material: Material) -> u64 {
    let tiles = match material.has_pawns() {
        false => Hyperboard::pieces(material).tiles(),
        true => {
            let all = Placement::all(&material);
            let board = Hyperboard::around_pawns(material, all[0].bitboards());
            all.len() * board.tiles()
        }
    };
    tiles as u64 * 4096 * 2
}

/// The tables of six men that some groups lead to, each once.
fn tables(groups: &[Group]) -> Vec<Material> {
    let mut found: Vec<Material> = Vec::new();
    for group in groups {
        let all = order(group, |material| material.len() < MEN);
        found.extend(all.into_iter().filter(|table| table.len() == MEN));
    }
    let mut seen = std::collections::HashSet::new();
    found.retain(|table| seen.insert(*table));
    found
}

fn print_plan(groups: &[Group]) {
    println!("table,pawns,addresses");
    let found = tables(groups);
    for table in &found {
        println!("{table},{},{}", table.pawns(), addresses(*table));
    }
    let sum: u64 = found.iter().map(|table| addresses(*table)).sum();
    println!("# {} tables, {sum} addresses", found.len());
}

fn solve(engine: &CudaEngine, groups: &[Group]) -> Result<(), Box<dyn Error>> {
    engine.check_tables();
    let started = Instant::now();
    METRICS.into_iter().try_for_each(|metric| engine.prepare_large(metric))?;
    eprintln!("kernels: {:.1} s", started.elapsed().as_secs_f64());
    for group in groups {
        for metric in METRICS {
            engine.expect(group, metric);
            for table in group {
                engine.statistics(*table, metric)?;
            }
            eprintln!("{group:?} {metric}: {} MiB moved", engine.moved_bytes(metric) >> 20);
        }
    }
    Ok(())
}

fn print(engine: &CudaEngine, clock: &Clock, groups: &[Group]) -> Result<(), Box<dyn Error>> {
    println!("table,pawns,addresses,positions,dtm_seconds,dtz50_seconds,dtm_again,dtz50_again");
    let seconds = locked(&clock.seconds).clone();
    for table in tables(groups) {
        let stats = engine.statistics(table, METRICS[0])?; // known by now
        let positions: u64 = stats.sides.iter().map(|side| side.legal.unique).sum();
        let of = |metric: Metric| seconds.get(&(table, metric)).copied().unwrap_or_default();
        let [(dtm, dtm_again), (dtz50, dtz50_again)] = METRICS.map(of);
        println!(
            "{table},{},{},{positions},{dtm:.2},{dtz50:.2},{dtm_again:.2},{dtz50_again:.2}",
            table.pawns(),
            addresses(table)
        );
    }
    Ok(())
}

fn run() -> Result<(), Box<dyn Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let plan = arguments.first().is_some_and(|first| first == "--plan");
    let names = arguments.split_off(usize::from(plan));
    let parse = |name: &str| name.parse::<Material>().map(|material| material.canonical());
    let group = |names: &String| names.split(',').map(parse).collect::<Result<Group, _>>();
    let groups = names.iter().map(group).collect::<Result<Vec<Group>, _>>()?;
    if plan {
        print_plan(&groups);
        return Ok(());
    }
    let clock = Arc::new(Clock::default());
    let engine = match CudaEngine::new() {
        Err(CudaError::NoDevice(why)) => {
            println!("skipped: no CUDA device ({why})");
            return Ok(());
        }
        engine => engine?.with_progress(clock.clone()),
    };
    let started = Instant::now();
    let solved = solve(&engine, &groups);
    let printed = print(&engine, &clock, &groups);
    eprintln!("together {:.1} s", started.elapsed().as_secs_f64());
    solved.and(printed)
}

fn main() -> std::process::ExitCode {
    match run() {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            println!("error: {error}");
            std::process::ExitCode::from(2)
        }
    }
}
