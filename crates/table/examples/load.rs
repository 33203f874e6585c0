//! Loads a metric of stored files, or reads single positions cold: for counting
//! instructions. The files it makes have all metrics, in learnt contexts.
//!
//!     target/release/examples/load --make KQKR KRKP
//!     valgrind --tool=callgrind target/release/examples/load wdl KQvKR.mol
//!     valgrind --tool=callgrind target/release/examples/load --cold 100 dtm KQvKR.mol
//!
//! Prints how many values were read and the CPU seconds it took.

use std::error::Error;
use std::sync::Arc;

use molien_board::{Color, Material, Position};
use molien_build::Build;
use molien_table::{BlockCache, Pack, TableFile, WriteOptions, write};
use molien_testing::{CpuClock, Random};
use molien_values::{Metric, Table};

/// Reads positions with one side to move, each as if it were the first.
fn cold(file: &TableFile, metric: Metric, turn: Color, count: usize) -> Result<(), Box<dyn Error>> {
    let mut random = Random::new(7);
    let mut read = 0;
    while read < count {
        let position: Position = random.position(file.material());
        if position.turn() == turn {
            file.clear_cache();
            file.get(&position, metric)?;
            read += 1;
        }
    }
    Ok(())
}

/// Solves and writes a table into the current folder.
fn make(material: Material) -> Result<(), Box<dyn Error>> {
    let solver = Build::new();
    let metrics = Metric::ALL.iter().map(|&metric| solver.table(material, metric));
    let tables = metrics.collect::<Result<Vec<Arc<Table>>, _>>()?;
    let tables: Vec<&Table> = tables.iter().map(|table| &**table).collect();
    let path = format!("{}.mol", material.file_name());
    let (written, seconds) = CpuClock::Process
        .timed(|| write(path.as_ref(), &tables, &WriteOptions::packed(Pack::Fast)));
    println!("{path}: written in {seconds:.2} s");
    Ok(written?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    if words.first().is_some_and(|word| word == "--make") {
        return words[1..].iter().try_for_each(|name| make(name.parse::<Material>()?.canonical()));
    }
    let mut count = 0;
    if words.first().is_some_and(|word| word == "--cold") {
        count = words.get(1).ok_or("--cold needs a number")?.parse()?;
        words.drain(..2);
    }
    let metric = match words.first().ok_or("which metric?")?.as_str() {
        "wdl" => Metric::Wdl,
        name => name.parse()?,
    };
    for path in &words[1..] {
        let file = TableFile::open_with_cache(path, &BlockCache::new(1 << 28))?;
        if count > 0 {
            for turn in Color::BOTH {
                let read = || cold(&file, metric, turn, count);
                let (done, seconds) = CpuClock::Process.timed(read);
                done?;
                let micros = seconds * 1e6 / count as f64;
                println!("{path} {metric}, {turn} to move: {micros:.1} us");
            }
            continue;
        }
        let (table, seconds) = CpuClock::Process.timed(|| file.load(metric));
        let values: u64 = table?.stats.sides.iter().map(|side| side.legal.unique).sum();
        println!("{path} {metric}: {values} values, {seconds:.2} s");
    }
    Ok(())
}
