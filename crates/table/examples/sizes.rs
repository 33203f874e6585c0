//! Solves materials, stores them, compares every value that is read back with the
//! solver's, and prints the sizes as a markdown table:
//!
//! `cargo run --release -p molien-table --example sizes -- [fast|small|quick] [--syzygy DIR] [--men N] KQKR KRPKR`
//!
//! Bytes of a file of classes alone (WDL), of Syzygy's file if the folder has it, of
//! the depths in DTZ50 of the side that takes less and of both, of a file with all
//! metrics; CPU seconds for writing that file and for loading its classes.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use molien_board::Material;
use molien_build::Build;
use molien_table::{Pack, TableFile, WriteOptions, write};
use molien_values::{Metric, Table};

/// CPU seconds of this process so far.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks = |i: usize| fields.get(i).and_then(|f| f.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

struct Options {
    pack: Pack,
    syzygy: Option<PathBuf>,
}

/// Writes tables to a scratch file and checks that all values come back.
fn stored(path: &Path, tables: &[&Table], pack: Pack) -> Result<TableFile, Box<dyn Error>> {
    write(path, tables, &WriteOptions::packed(pack))?;
    let file = TableFile::open(path)?;
    for table in tables {
        let loaded = file.load(table.metric)?;
        let mut parts = loaded.parts.iter().zip(&table.parts);
        if !parts.all(|(a, b)| a.values == b.values) {
            return Err(format!("{} {} came back wrong", table.material, table.metric).into());
        }
    }
    Ok(file)
}

/// The numbers of a row: positions, WDL, Syzygy, DTZ50 of a side, of both, all,
/// then seconds.
struct Row {
    name: String,
    bytes: [u64; 6],
    seconds: [f64; 2],
}

fn row(solver: &Build, material: Material, options: &Options) -> Result<Row, Box<dyn Error>> {
    let mut tables: Vec<Arc<Table>> = Vec::new();
    for metric in Metric::EVERY {
        let table = solver.table(material, metric)?;
        if tables.iter().all(|known| known.metric != table.metric) {
            tables.push(table);
        }
    }
    let positions: u64 = tables[0].stats.sides.iter().map(|side| side.legal.unique).sum();
    let path = std::env::temp_dir().join(format!("{}.sizes.mol", material.file_name()));
    let of = |wanted: &[Metric]| -> Vec<&Table> {
        tables.iter().map(|table| &**table).filter(|t| wanted.contains(&t.metric)).collect()
    };
    let classes = stored(&path, &of(&[Metric::Wdl]), options.pack)?;
    let wdl = classes.len_bytes();
    let start = cpu_seconds();
    classes.load(Metric::Wdl)?;
    let loading = cpu_seconds() - start;
    let fifty = stored(&path, &of(&[Metric::Dtz50]), options.pack)?.sizes()?;
    let sides = fifty.depths.first().map_or([0, 0], |(_, sides)| *sides);
    let one = sides.into_iter().filter(|&bytes| bytes > 0).min().unwrap_or(0);
    let start = cpu_seconds();
    write(&path, &of(&Metric::ALL), &WriteOptions::packed(options.pack))?;
    let writing = cpu_seconds() - start;
    let all = stored(&path, &of(&Metric::ALL), options.pack)?.len_bytes();
    std::fs::remove_file(&path)?;
    let syzygy = options.syzygy.iter().find_map(|folder| {
        let name = format!("{}.rtbw", material.file_name());
        std::fs::metadata(folder.join(name)).ok()
    });
    let syzygy = syzygy.map_or(0, |file| file.len());
    let bytes = [positions, wdl, syzygy, one, sides.iter().sum(), all];
    Ok(Row { name: material.file_name(), bytes, seconds: [writing, loading] })
}

fn print(row: &Row) {
    let bytes = row.bytes.map(|bytes| bytes.to_string()).join(" | ");
    let [writing, loading] = row.seconds;
    println!("| {} | {bytes} | {writing:.1} | {loading:.2} |", row.name);
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut options = Options { pack: Pack::Fast, syzygy: None };
    let mut materials: Vec<Material> = Vec::new();
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "fast" => options.pack = Pack::Fast,
            "small" => options.pack = Pack::Small,
            "quick" => options.pack = Pack::QUICK,
            "--syzygy" => options.syzygy = words.next().map(PathBuf::from),
            "--men" => {
                let men = words.next().ok_or("--men needs a number")?.parse()?;
                materials.extend(Material::all(men));
            }
            name => materials.push(name.parse::<Material>()?.canonical()),
        }
    }
    println!(
        "| table | positions | WDL | Syzygy | DTZ50, one side | both | all | writing, s | loading WDL, s |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|");
    let solver = Build::new();
    let mut sum = Row { name: "all".into(), bytes: [0; 6], seconds: [0.0; 2] };
    for material in materials.into_iter().filter(|material| material.len() > 2) {
        let row = row(&solver, material, &options)?;
        print(&row);
        sum.bytes.iter_mut().zip(row.bytes).for_each(|(sum, bytes)| *sum += bytes);
        sum.seconds.iter_mut().zip(row.seconds).for_each(|(sum, s)| *sum += s);
    }
    print(&sum);
    Ok(())
}
