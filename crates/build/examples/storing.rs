//! Stores a table with pawns through board logs, as tables too large for memory are, and
//! prints what each step takes: CPU seconds, and nanoseconds for each position and metric.
//!
//! `cargo run --release -p molien-build --example storing -- FOLDER/KQPvKQ.mol`
//!
//! The table comes from its file; the file written must have the same bytes. With `--steps
//! log` or `--steps count` later steps are left out, for a profiler.

use std::error::Error;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use molien_operators::fastest;
use molien_solve::board_stats;
use molien_table::{Assembly, BoardLog, Directory, LoggedBoards, TableFile, WriteOptions};
use molien_values::{Stats, Table};
use rayon::prelude::*;

/// What the writer may keep of the values.
const MEMORY_BYTES: u64 = 2 << 30;

/// CPU seconds of this process so far, all threads: user and system; 0 where the system
/// does not tell.
fn cpu_seconds() -> [f64; 2] {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let mut fields = after_name.split_whitespace().skip(11).map(str::parse::<f64>);
    let mut next = || fields.next().and_then(Result::ok).unwrap_or(0.0) / 100.0;
    [next(), next()]
}

/// Does something and prints what it takes.
fn timed<T>(
    what: &str,
    positions: u64,
    step: impl FnOnce() -> Result<T, Box<dyn Error>>,
) -> Result<T, Box<dyn Error>> {
    let (before, start) = (cpu_seconds(), std::time::Instant::now());
    let done = step()?;
    let after = cpu_seconds();
    let [user, system] = [0, 1].map(|i| after[i] - before[i]);
    let each = (user + system) * 1e9 / positions as f64;
    let wall = start.elapsed().as_secs_f64();
    println!("{what:<12} {user:8.2} user {system:6.2} system {wall:8.2} s {each:8.2} ns each");
    Ok(done)
}

fn positions(stats: &Stats) -> u64 {
    stats.sides.iter().map(|side| side.legal.unique).sum()
}

/// Logs all boards of a table, counted before.
fn log_table(log: &BoardLog, table: &Table, stats: &[Stats]) -> Result<(), Box<dyn Error>> {
    let boards = table.parts.par_iter().zip(stats);
    Ok(boards.try_for_each(|(board, stats)| log.add(board, stats))?)
}

fn store(path: &Path, steps: &str) -> Result<(), Box<dyn Error>> {
    let file = TableFile::open(path)?;
    let folder = Directory::new(path.with_extension("stored"));
    let mut logged: Vec<LoggedBoards> = Vec::new();
    let mut all = 0;
    for metric in file.metrics() {
        let table = file.load(metric)?;
        let (material, number) = (table.material, positions(&table.stats));
        all += number;
        let count = |board| board_stats(fastest(), board, metric);
        let stats: Vec<Stats> = timed(&format!("count {metric}"), number, || {
            Ok(table.parts.par_iter().map(|board| count(board)).collect::<Result<_, _>>()?)
        })?;
        if steps == "count" {
            continue;
        }
        let log = Arc::new(folder.board_log(material, metric)?);
        timed(&format!("log {metric}"), number, || log_table(&log, &table, &stats))?;
        if log.stats()? != table.stats {
            return Err("the boards of the log count otherwise than the table".into());
        }
        drop((table, log));
        let name = format!("open {metric}");
        let log = timed(&name, number, || Ok(folder.board_log(material, metric)?))?;
        logged.push(Arc::new(log).into_table()?);
    }
    if logged.is_empty() || steps == "log" {
        return Ok(std::fs::remove_dir_all(folder.folder())?);
    }
    let (options, chosen) = (WriteOptions::default(), OnceLock::new());
    let watch = |_, _| {
        chosen.get_or_init(cpu_seconds);
        true
    };
    let assembly = Assembly { options: &options, memory_bytes: MEMORY_BYTES, watch: &watch };
    let start = cpu_seconds();
    timed("write", all, || Ok(folder.store_boards(&logged, &assembly)?))?;
    let until_first = chosen.get().copied().unwrap_or(start);
    let first: f64 = until_first.iter().sum::<f64>() - start.iter().sum::<f64>();
    println!("of which {first:.2} CPU s until the first blocks were written: layouts tried");
    let written = std::fs::read(folder.path(file.material()))?;
    let same = written == std::fs::read(path)?;
    std::fs::remove_dir_all(folder.folder())?;
    if same { Ok(()) } else { Err("the file written is another one".into()) }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let at = arguments.iter().position(|argument| argument == "--steps");
    let steps = at.filter(|at| at + 1 < arguments.len()).map(|at| arguments.drain(at..at + 2));
    let steps = steps.and_then(|mut steps| steps.next_back()).unwrap_or_default();
    arguments.iter().try_for_each(|path| store(Path::new(path), &steps))
}
