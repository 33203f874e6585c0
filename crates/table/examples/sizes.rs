//! Solves materials, stores them, and prints the sizes as a markdown table:
//! bytes and bits per unique legal position, both sides stored, of outcomes
//! alone, of outcomes with one metric, and of everything.
//!
//! `cargo run --release -p molien-table --example sizes -- [--level N] KQKR KRPKR`

use std::error::Error;
use std::path::Path;

use molien_board::Material;
use molien_build::Build;
use molien_table::{TableFile, WriteOptions, write};
use molien_values::{Metric, Table};

fn bytes_and_bits(bytes: u64, positions: u64) -> String {
    format!("{bytes} | {:.3}", bytes as f64 * 8.0 / positions as f64)
}

/// Writes tables to a scratch file and returns it.
fn stored(path: &Path, tables: &[&Table], level: i32) -> Result<TableFile, Box<dyn Error>> {
    write(path, tables, &WriteOptions { level })?;
    Ok(TableFile::open(path)?)
}

fn row(name: &str, level: i32) -> Result<String, Box<dyn Error>> {
    let material: Material = name.parse::<Material>()?.canonical();
    let metrics: &[Metric] = match material.has_pawns() {
        true => &[Metric::Dtz, Metric::Dtc, Metric::Dtm],
        false => &[Metric::Dtc, Metric::Dtm],
    };
    let solver = Build::new();
    let tables =
        metrics.iter().map(|&m| solver.table(material, m)).collect::<Result<Vec<_>, _>>()?;
    let positions: u64 = tables[0].stats.sides.iter().map(|side| side.legal.unique).sum();
    let path = std::env::temp_dir().join(format!("{}.sizes.mol", material.file_name()));
    let mut cells = vec![material.file_name(), positions.to_string()];
    let alone = |metric: Metric| -> Result<TableFile, Box<dyn Error>> {
        let wanted = if material.has_pawns() { metric } else { metric.without_pawns() };
        let table = tables.iter().find(|table| table.metric == wanted);
        stored(&path, &[table.ok_or("a metric is missing")?], level)
    };
    let all: Vec<&Table> = tables.iter().map(|table| &**table).collect();
    let everything = stored(&path, &all, level)?;
    let layout = everything.layout();
    let whole = everything.len_bytes();
    cells.push(bytes_and_bits(everything.sizes()?.outcomes.iter().sum(), positions));
    for metric in [Metric::Dtz, Metric::Dtc, Metric::Dtm] {
        cells.push(bytes_and_bits(alone(metric)?.len_bytes(), positions));
    }
    cells.push(bytes_and_bits(whole, positions));
    cells.push(layout);
    std::fs::remove_file(&path)?;
    Ok(format!("| {} |", cells.join(" | ")))
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    let mut level = WriteOptions::default().level;
    if names.first().is_some_and(|first| first == "--level") {
        level = names.get(1).ok_or("--level needs a number")?.parse()?;
        names.drain(..2);
    }
    println!(
        "| table | positions | WDL | bits | DTZ | bits | DTC | bits | DTM | bits | all | bits | layout |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|");
    for name in names {
        println!("{}", row(&name, level)?);
    }
    Ok(())
}
