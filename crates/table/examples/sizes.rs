//! Solves materials, stores them, and prints sizes as a markdown table.
use std::time::Instant;

use molien_solve::{Metric, Solver};
use molien_table::{TableFile, WriteOptions, write};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let level: i32 = std::env::args().nth(1).unwrap().parse()?;
    for name in std::env::args().skip(2) {
        let solver = Solver::new();
        let material: molien_board::Material = name.parse()?;
        let metrics: &[Metric] = &[Metric::Dtc, Metric::Dtm];
        let tables: Vec<_> =
            metrics.iter().map(|&m| solver.solve(material, m)).collect::<Result<_, _>>()?;
        let path = std::env::temp_dir().join(format!("{}.mol", material.canonical().file_name()));
        let legal: u64 = tables[0].stats.sides.iter().map(|side| side.legal.unique).sum();
        let refs: Vec<&molien_solve::Table> = tables.iter().map(|t| &**t).collect();
        for set in [&refs[..0], &refs[1..], &refs[..]] {
            if set.is_empty() {
                continue;
            }
            let start = Instant::now();
            write(&path, set, &WriteOptions { level, date: Some(0) })?;
            let file = TableFile::open(&path)?;
            println!(
                "{name} {:?} {} bytes {:.3} bits {:.1}s  {}",
                file.metrics(),
                file.len_bytes(),
                file.len_bytes() as f64 * 8.0 / legal as f64,
                start.elapsed().as_secs_f64(),
                file.describe()
            );
            let t = Instant::now();
            file.verify()?;
            println!("   verify {:.2}s", t.elapsed().as_secs_f64());
        }
    }
    Ok(())
}
