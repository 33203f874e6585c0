//! Loads a metric of stored files: for counting instructions. The files it makes have all
//! metrics, in learnt contexts.
//!
//!     target/release/examples/load --make KQKR KRKP
//!     valgrind --tool=callgrind target/release/examples/load wdl KQvKR.mol
//!
//! Prints how many values were read and the CPU seconds it took.

use std::error::Error;
use std::sync::Arc;

use molien_board::Material;
use molien_build::Build;
use molien_table::{BlockCache, Pack, TableFile, WriteOptions, write};
use molien_testing::CpuClock;
use molien_values::{Metric, Table};

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
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.first().is_some_and(|word| word == "--make") {
        return words[1..].iter().try_for_each(|name| make(name.parse::<Material>()?.canonical()));
    }
    let metric = match words.first().ok_or("which metric?")?.as_str() {
        "wdl" => Metric::Wdl,
        name => name.parse()?,
    };
    for path in &words[1..] {
        let file = TableFile::open_with_cache(path, &BlockCache::new(1 << 28))?;
        let (table, seconds) = CpuClock::Process.timed(|| file.load(metric));
        let values: u64 = table?.stats.sides.iter().map(|side| side.legal.unique).sum();
        println!("{path} {metric}: {values} values, {seconds:.2} s");
    }
    Ok(())
}
