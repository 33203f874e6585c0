//! CPU time of single reads from the tables of a folder, the files in the page cache:
//!
//!     molien --tables DIR solve KRBKR --metric dtm --pack fast
//!     cargo run --release -p molien-table --example reads -- DIR wdl,dtm KRBKR KQKR
//!
//! A metric `wdl` stands for who wins. A cold read is one with nothing decoded, a warm
//! one comes a second time. *base* is the side to move that is read by itself, *second*
//! the other; *derived* is a side whose depths the file leaves out, so that they follow
//! from its moves. Without materials every table of the folder is read.

use std::error::Error;
use std::sync::Arc;

use molien_board::{Color, Material, Position};
use molien_table::{BlockCache, Directory, OpenTables, TableFile};
use molien_testing::{CpuClock, Random};
use molien_values::Metric;

/// Random positions a side to move.
const POSITIONS: usize = 1000;
/// How often they are read again.
const ROUNDS: usize = 20;
/// Memory for decoded blocks.
const CACHE_BYTES: u64 = 1 << 30;

/// What kind of reads, in the order they are printed.
const KINDS: [&str; 3] = ["base", "second", "derived"];

/// Seconds of the reads of a kind, and how many there were.
#[derive(Clone, Copy, Default)]
struct Reads {
    cold_s: f64,
    warm_s: f64,
    count: usize,
}

impl Reads {
    fn print(&self, name: &str) {
        let micros = |seconds: f64, count: usize| seconds * 1e6 / count.max(1) as f64;
        let (cold, warm) =
            (micros(self.cold_s, self.count), micros(self.warm_s, self.count * ROUNDS));
        println!("| {name} | {cold:.1} | {warm:.2} |");
    }
}

struct Folder {
    tables: OpenTables,
    files: Vec<Arc<TableFile>>,
}

impl Folder {
    fn open(folder: &str) -> Result<Folder, Box<dyn Error>> {
        let directory = Directory::new(folder).with_cache(BlockCache::new(CACHE_BYTES));
        let materials: Vec<Material> = directory.list()?.iter().map(|t| t.material).collect();
        let tables = OpenTables::new(directory);
        let mut files = Vec::new();
        for material in materials {
            files.extend(tables.file(material)?);
        }
        Ok(Folder { tables, files })
    }

    fn read(&self, position: &Position, metric: Metric) -> Result<(), Box<dyn Error>> {
        let found = self.tables.values(position, &[metric])?;
        found.get(metric).map(drop).ok_or_else(|| "a metric is not stored".into())
    }

    /// Seconds of reading each position with nothing decoded; forgetting does not count.
    fn cold_s(&self, positions: &[Position], metric: Metric) -> Result<f64, Box<dyn Error>> {
        let mut seconds = 0.0;
        for position in positions {
            self.files.iter().for_each(|file| file.clear_cache());
            let (read, one_s) = CpuClock::Thread.timed(|| self.read(position, metric));
            read?;
            seconds += one_s;
        }
        Ok(seconds)
    }

    /// Seconds of reading all positions, again and again.
    fn warm_s(&self, positions: &[Position], metric: Metric) -> Result<f64, Box<dyn Error>> {
        let all = || positions.iter().try_for_each(|position| self.read(position, metric));
        all()?;
        let (read, seconds) = CpuClock::Thread.timed(|| (0..ROUNDS).try_for_each(|_| all()));
        read.map(|()| seconds)
    }

    fn reads(
        &self,
        file: &TableFile,
        metric: Metric,
        turn: Color,
    ) -> Result<Reads, Box<dyn Error>> {
        let mut random = Random::new(7);
        let mut positions: Vec<Position> = Vec::new();
        while positions.len() < POSITIONS {
            let position = random.position(file.material());
            positions.extend((position.turn() == turn).then_some(position));
        }
        // The first time brings the file into the page cache.
        self.cold_s(&positions, metric)?;
        let cold_s = self.cold_s(&positions, metric)?;
        let warm_s = self.warm_s(&positions, metric)?;
        Ok(Reads { cold_s, warm_s, count: POSITIONS })
    }
}

fn kind(file: &TableFile, metric: Metric, turn: Color) -> usize {
    if file.derived_side(metric) == Some(turn) {
        2
    } else {
        usize::from(turn != file.base_side() && !file.material().is_symmetric())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let folder = Folder::open(&words.next().ok_or("which folder?")?)?;
    let metrics = words.next().ok_or("which metrics?")?;
    let metrics = metrics.split(',').map(|name| match name {
        "wdl" => Ok(Metric::Wdl),
        name => name.parse(),
    });
    let metrics = metrics.collect::<Result<Vec<Metric>, _>>()?;
    let named = words.map(|name| name.parse::<Material>().map(|material| material.canonical()));
    let named = named.collect::<Result<Vec<_>, _>>()?;
    let is_wanted = |material| named.is_empty() || named.contains(&material);
    println!("| table | metric | side | cold, us | warm, us |\n|---|---|---|--:|--:|");
    for &metric in &metrics {
        let mut sums = [Reads::default(); KINDS.len()];
        for file in folder.files.iter().filter(|file| is_wanted(file.material())) {
            for turn in Color::BOTH {
                let (reads, kind) = (folder.reads(file, metric, turn)?, kind(file, metric, turn));
                let name = format!("{} | {metric} | {}", file.material().file_name(), KINDS[kind]);
                reads.print(&name);
                sums[kind].cold_s += reads.cold_s;
                sums[kind].warm_s += reads.warm_s;
                sums[kind].count += reads.count;
            }
        }
        for (sum, kind) in sums.iter().zip(KINDS).filter(|(sum, _)| sum.count > 0) {
            sum.print(&format!("mean | {metric} | {kind}"));
        }
    }
    Ok(())
}
