//! What six men take on the card: `estimate KRPKRP KBPPPK` solves and checks these tables and
//! every table of six men that they lead to, in DTM and DTZ50, and prints for each of them
//! addresses, positions and seconds as CSV. Tables given as one argument, joined by commas,
//! share what they lead to. `--plan` only counts, and needs no card; `--metric dtm` solves in
//! one metric; `--unchecked` checks nothing; `--host-gib 80` (64 unless this is said) is what
//! slices may take of the host's memory. Each solve is told on standard error when it ends.
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

const MEN: usize = 6;

type Group = Vec<Material>;

/// What is asked for.
struct Asked {
    groups: Vec<Group>,
    metrics: Vec<Metric>,
    plan: bool,
    unchecked: bool,
    host_gib: u64,
}

impl Asked {
    fn parse(arguments: impl Iterator<Item = String>) -> Result<Asked, Box<dyn Error>> {
        let metrics = vec![Metric::Dtm, Metric::Dtz50];
        let (groups, plan, unchecked, host_gib) = (Vec::new(), false, false, 64);
        let mut asked = Asked { groups, metrics, plan, unchecked, host_gib };
        let mut arguments = arguments;
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{argument} of what?"));
            match argument.as_str() {
                "--plan" => asked.plan = true,
                "--unchecked" => asked.unchecked = true,
                "--metric" => asked.metrics = vec![value()?.parse()?],
                "--host-gib" => asked.host_gib = value()?.parse()?,
                names => {
                    let parse = |name: &str| name.parse::<Material>().map(|m| m.canonical());
                    asked.groups.push(names.split(',').map(parse).collect::<Result<_, _>>()?);
                }
            }
        }
        Ok(asked)
    }
}

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

fn solve(engine: &CudaEngine, asked: &Asked) -> Result<(), Box<dyn Error>> {
    if !asked.unchecked {
        engine.check_tables();
    }
    let started = Instant::now();
    asked.metrics.iter().try_for_each(|&metric| engine.prepare_large(metric))?;
    eprintln!("kernels: {:.1} s", started.elapsed().as_secs_f64());
    for group in &asked.groups {
        for &metric in &asked.metrics {
            engine.expect(group, metric);
            for table in group {
                engine.statistics(*table, metric)?;
            }
            eprintln!("{group:?} {metric}: {} MiB moved", engine.moved_bytes(metric) >> 20);
        }
    }
    Ok(())
}

/// Prints what is known of each table that was solved.
fn print(engine: &CudaEngine, clock: &Clock, asked: &Asked) -> Result<(), Box<dyn Error>> {
    println!("table,pawns,addresses,positions,metric,seconds,seconds_again");
    let seconds = locked(&clock.seconds).clone();
    for table in tables(&asked.groups) {
        for &metric in &asked.metrics {
            let Some((first, again)) = seconds.get(&(table, metric)) else { continue };
            let stats = engine.statistics(table, metric)?; // known by now
            let positions: u64 = stats.sides.iter().map(|side| side.legal.unique).sum();
            let (pawns, addresses) = (table.pawns(), addresses(table));
            println!("{table},{pawns},{addresses},{positions},{metric},{first:.2},{again:.2}");
        }
    }
    Ok(())
}

fn run() -> Result<(), Box<dyn Error>> {
    let asked = Asked::parse(std::env::args().skip(1))?;
    if asked.plan {
        print_plan(&asked.groups);
        return Ok(());
    }
    let clock = Arc::new(Clock::default());
    let engine = match CudaEngine::new() {
        Err(CudaError::NoDevice(why)) => {
            println!("skipped: no CUDA device ({why})");
            return Ok(());
        }
        engine => engine?.with_progress(clock.clone()).with_host_memory(asked.host_gib << 30),
    };
    let started = Instant::now();
    solve(&engine, &asked)?;
    eprintln!("together {:.1} s", started.elapsed().as_secs_f64());
    print(&engine, &clock, &asked)
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
