//! Reads stored files, writes them again, and prints what that takes: CPU
//! seconds of loading all metrics and of writing, and bytes before and after.
//! With `--check` the new file is loaded too and must hold the same values.
//!
//! `cargo run --release -p molien-table --example rewrite -- [--check] FILE.mol ...`

use std::error::Error;
use std::path::{Path, PathBuf};

use molien_table::{TableFile, WriteOptions, write};
use molien_testing::CpuClock;
use molien_values::Table;

fn load(path: &Path) -> Result<(Vec<Table>, u64), Box<dyn Error>> {
    let file = TableFile::open(path)?;
    let mut tables: Vec<Table> = Vec::new();
    for metric in file.metrics() {
        let table = file.load(metric)?;
        if tables.iter().all(|known| known.metric != table.metric) {
            tables.push(table);
        }
    }
    tables.sort_by_key(|table| table.metric.name());
    Ok((tables, file.len_bytes()))
}

fn same(a: &[Table], b: &[Table]) -> bool {
    let equal = |a: &Table, b: &Table| {
        let parts = a.parts.iter().zip(&b.parts).all(|(a, b)| a.values == b.values);
        a.metric == b.metric && a.stats == b.stats && a.parts.len() == b.parts.len() && parts
    };
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b))
}

fn rewrite(path: &Path, check: bool) -> Result<(), Box<dyn Error>> {
    let (loaded, loading_s) = CpuClock::Process.timed(|| load(path));
    let (tables, before) = loaded?;
    let all: Vec<&Table> = tables.iter().collect();
    let name = path.file_name().ok_or("not a file")?.to_string_lossy().into_owned();
    let copy = std::env::temp_dir().join(format!("{name}.rewritten"));
    let write = || write(&copy, &all, &WriteOptions::default());
    let (written, writing_s) = CpuClock::Process.timed(write);
    written?;
    let file = TableFile::open(&copy)?;
    println!(
        "{name}: {} metrics, loaded {loading_s:.2} CPU s, written {writing_s:.2} CPU s, {before} -> {} bytes; {}",
        tables.len(),
        file.len_bytes(),
        file.layout(),
    );
    if check && !same(&tables, &load(&copy)?.0) {
        return Err(format!("{name} holds other values than before").into());
    }
    std::fs::remove_file(&copy)?;
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let check = std::env::args().any(|argument| argument == "--check");
    let paths = std::env::args().skip(1).filter(|argument| argument != "--check");
    paths.map(PathBuf::from).try_for_each(|path| rewrite(&path, check))
}
