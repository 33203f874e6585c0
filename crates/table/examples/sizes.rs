//! Solves materials, stores them, compares every value that is read back with the
//! solver's, and prints sizes and times as a markdown table:
//!
//! `cargo run --release -p molien-table --example sizes -- fast --men 4 --syzygy DIR`
//!
//! First `fast`, `small` or `quick`; then materials, `--men N` for all of up to N
//! men, `--nine` for nine tables of five men whose sizes elsewhere are known. With
//! `--syzygy DIR` the sizes of Syzygy's files in a folder stand beside ours; with
//! `--wdl` only files of classes are measured; with `--unread` nothing is read back. With
//! `--memory GIB` solving takes half of that, and so does writing: solved metrics wait in
//! temporary files (in `TMPDIR`). Tables are written one after the other, on all threads. The
//! example `reads` times single reads.

use std::error::Error;
use std::path::{Path, PathBuf};

use molien_board::Material;
use molien_build::Build;
use molien_table::{Directory, Pack, TableError, TableFile, TableParts, WriteOptions};
use molien_testing::CpuClock;
use molien_values::Metric;
use rayon::prelude::*;

/// Bytes of Syzygy's WDL and DTZ files of some tables, as its generator wrote them.
const NINE: [(&str, [u64; 2]); 9] = [
    ("KRBKR", [2_035_280, 575_440]),
    ("KQRKQ", [3_095_888, 9_245_968]),
    ("KBBKN", [5_064_400, 8_136_912]),
    ("KBNKN", [3_575_952, 1_826_640]),
    ("KBBKQ", [2_217_040, 7_933_776]),
    ("KRRKR", [334_224, 7_700_816]),
    ("KQPKQ", [20_403_600, 16_695_824]),
    ("KRPKR", [16_378_576, 13_725_456]),
    ("KPPKP", [7_499_088, 669_776]),
];

struct Options {
    pack: Pack,
    syzygy: Option<PathBuf>,
    classes_only: bool,
    /// Files are written and not read.
    unread: bool,
    /// What solving may take, and writing too.
    room_bytes: Option<u64>,
}

/// What is counted of each table, and summed up.
const COLUMNS: [&str; 13] = [
    "positions",
    "WDL file",
    "Syzygy WDL",
    "DTZ50, one side",
    "both",
    "Syzygy DTZ",
    "DTC, one side",
    "both",
    "DTM, one side",
    "both",
    "all metrics, both sides",
    "one side",
    "description",
];

#[derive(Clone, Copy, Default)]
struct Row {
    bytes: [u64; COLUMNS.len()],
    /// CPU seconds: writing classes, writing all metrics, loading classes, loading DTM.
    seconds: [f64; 4],
}

/// Parts that share streams are read together: to read one of them alone takes as long.
const FEW_PARTS: usize = 64;

/// Compares all values of a file with the solver's.
fn compare(file: &TableFile, tables: &[&dyn TableParts]) -> Result<(), Box<dyn Error>> {
    for table in tables {
        let (metric, placements) = (table.stats().metric, file.placements());
        let whole = match placements.len() > FEW_PARTS {
            true => Some(file.load(metric)?),
            false => None,
        };
        let is_same = |number: usize| -> Result<bool, TableError> {
            let solved = table.part(number)?;
            Ok(match &whole {
                Some(whole) => whole.parts[number].values == solved.values,
                None => file
                    .load_board(metric, placements[number])?
                    .is_some_and(|loaded| loaded.values == solved.values),
            })
        };
        let parts = (0..placements.len()).into_par_iter();
        let same: Vec<bool> = parts.map(is_same).collect::<Result<_, _>>()?;
        if same.len() != table.boards().len() || same.contains(&false) {
            return Err(format!("{} {metric} came back wrong", table.stats().material).into());
        }
    }
    Ok(())
}

/// The depths of a metric, of the side that takes less and of both.
fn depth_bytes(file: &TableFile, metric: Metric) -> Result<[u64; 2], Box<dyn Error>> {
    let sizes = file.sizes()?;
    let sides = sizes.depths.iter().find(|(known, _)| *known == metric).map(|(_, sides)| *sides);
    let sides = sides.unwrap_or_default();
    let one = sides.into_iter().filter(|&bytes| bytes > 0).min().unwrap_or(0);
    Ok([one, sides.iter().sum()])
}

struct Measured<'a> {
    options: &'a Options,
    material: Material,
    /// Where the file to measure is.
    folder: Directory,
    tables: Vec<Box<dyn TableParts>>,
}

impl Measured<'_> {
    fn of(&self, wanted: &[Metric]) -> Vec<&dyn TableParts> {
        let wanted = |table: &&dyn TableParts| wanted.contains(&table.stats().metric);
        self.tables.iter().map(|table| &**table).filter(wanted).collect()
    }

    /// Writes tables to the scratch folder and checks that all values come back.
    fn stored(&self, metrics: &[Metric]) -> Result<(TableFile, f64), Box<dyn Error>> {
        let (tables, options) = (self.of(metrics), WriteOptions::packed(self.options.pack));
        let path = self.folder.path(self.material);
        if path.exists() {
            std::fs::remove_file(&path)?;
        }
        let write = || self.folder.store_parts(&tables, &options, self.options.room_bytes);
        let (written, seconds) = CpuClock::Process.timed(write);
        written?;
        let file = TableFile::open(&path)?;
        if !self.options.unread {
            compare(&file, &tables)?;
        }
        Ok((file, seconds))
    }

    /// CPU seconds of loading a metric; 0 if files are not read.
    fn loading(&self, file: &TableFile, metric: Metric) -> Result<f64, Box<dyn Error>> {
        if self.options.unread {
            return Ok(0.0);
        }
        let (loaded, seconds) = CpuClock::Process.timed(|| file.load(metric));
        loaded?;
        Ok(seconds)
    }

    /// Bytes of Syzygy's WDL and DTZ files: in the folder, or as they are known; else 0.
    fn syzygy(&self) -> Result<[u64; 2], Box<dyn Error>> {
        let name = self.material.file_name();
        let named = |(name, _): &&(&str, [u64; 2])| name.parse().ok() == Some(self.material);
        if let Some((_, bytes)) = NINE.iter().find(named) {
            return Ok(*bytes);
        }
        let Some(folder) = &self.options.syzygy else { return Ok([0; 2]) };
        let len = |ending: &str| {
            let path = folder.join(format!("{name}.{ending}"));
            let found =
                std::fs::metadata(&path).map_err(|why| format!("{}: {why}", path.display()));
            found.map(|found| found.len())
        };
        Ok([len("rtbw")?, len("rtbz")?])
    }

    fn row(&self) -> Result<Row, Box<dyn Error>> {
        let mut row = Row::default();
        let [rtbw, rtbz] = self.syzygy()?;
        let legal = self.tables[0].stats().sides.iter().map(|side| side.legal.unique);
        let (classes, seconds) = self.stored(&[Metric::Wdl])?;
        row.seconds[0] = seconds;
        row.seconds[2] = self.loading(&classes, Metric::Wdl)?;
        row.bytes[..3].copy_from_slice(&[legal.sum(), classes.len_bytes(), rtbw]);
        if self.options.classes_only {
            return Ok(row);
        }
        let [one, both] = depth_bytes(&self.stored(&[Metric::Dtz50])?.0, Metric::Dtz50)?;
        let (all, seconds) = self.stored(&Metric::ALL)?;
        row.seconds[1] = seconds;
        row.seconds[3] = self.loading(&all, Metric::Dtm)?;
        let [dtc, dtc_both] = depth_bytes(&all, Metric::Dtc)?;
        let [dtm, dtm_both] = depth_bytes(&all, Metric::Dtm)?;
        let sizes = all.sizes()?;
        let len = all.len_bytes();
        row.bytes[3..].copy_from_slice(&[
            one,
            both,
            rtbz,
            dtc,
            dtc_both,
            dtm,
            dtm_both,
            len,
            len - sizes.larger_side(),
            sizes.rest,
        ]);
        Ok(row)
    }
}

fn row(
    solver: &Build,
    material: Material,
    options: &Options,
    scratch: &Path,
) -> Result<Row, Box<dyn Error>> {
    let mut tables: Vec<Box<dyn TableParts>> = Vec::new();
    let metrics = if options.classes_only { &[Metric::Wdl][..] } else { &Metric::EVERY };
    for &metric in metrics.iter().filter(|&&metric| metric != Metric::Dtm50) {
        let own = if material.has_pawns() { metric } else { metric.without_pawns() };
        if tables.iter().any(|known| known.stats().metric == own) {
            continue;
        }
        tables.push(match options.room_bytes {
            Some(_) => solver.table_aside(material, metric, scratch)?,
            None => Box::new(solver.table(material, metric)?),
        });
    }
    Measured { options, material, folder: Directory::new(scratch), tables }.row()
}

fn print(name: &str, row: &Row) {
    let bytes = row.bytes.map(|bytes| bytes.to_string()).join(" | ");
    let seconds = row.seconds.map(|seconds| format!("{seconds:.2}")).join(" | ");
    println!("| {name} | {bytes} | {seconds} |");
}

/// What the sums come to, of what was measured.
fn print_ratios(sum: &Row) {
    let ratio = |a: usize, b: usize| sum.bytes[a] as f64 / sum.bytes[b].max(1) as f64;
    println!();
    if sum.bytes[2] > 0 {
        println!("WDL {:.3} of Syzygy's", ratio(1, 2));
    }
    if sum.bytes[3] > 0 {
        if sum.bytes[5] > 0 {
            println!("DTZ50 of one side {:.3} of Syzygy's", ratio(3, 5));
        }
        println!("DTM of one side {:.3} bits a position", 8.0 * ratio(8, 0));
    }
    let measured = [
        (2, "million classes loaded a CPU second"),
        (3, "million values of DTM loaded a CPU second"),
        (0, "million positions a CPU second written, classes alone"),
        (1, "million positions a CPU second written in all metrics"),
    ];
    for (i, what) in measured.into_iter().filter(|(i, _)| sum.seconds[*i] > 0.0) {
        println!("{:.1} {what}", sum.bytes[0] as f64 / 1e6 / sum.seconds[i]);
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut options = Options {
        pack: Pack::Fast,
        syzygy: None,
        classes_only: false,
        unread: false,
        room_bytes: None,
    };
    let mut materials: Vec<Material> = Vec::new();
    let mut solver = Build::new();
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "fast" => options.pack = Pack::Fast,
            "small" => options.pack = Pack::Small,
            "quick" => options.pack = Pack::QUICK,
            "--wdl" => options.classes_only = true,
            "--unread" => options.unread = true,
            "--memory" => {
                let gib: u64 = words.next().ok_or("--memory needs a number")?.parse()?;
                options.room_bytes = Some(gib << 29);
                solver = solver.with_memory_limit(gib << 29);
            }
            "--syzygy" => options.syzygy = words.next().map(PathBuf::from),
            "--nine" => {
                let named = NINE.iter().map(|(name, _)| name.parse::<Material>());
                materials.extend(named.collect::<Result<Vec<_>, _>>()?);
            }
            "--men" => {
                let men = words.next().ok_or("--men needs a number")?.parse()?;
                materials.extend(Material::all(men));
            }
            name => materials.push(name.parse::<Material>()?.canonical()),
        }
    }
    let seconds = ["writing WDL, s", "writing all, s", "loading WDL, s", "loading DTM, s"];
    println!("| table | {} | {} |", COLUMNS.join(" | "), seconds.join(" | "));
    println!("|---{}|", "|--:".repeat(COLUMNS.len() + seconds.len()));
    let mut sum = Row::default();
    let scratch = std::env::temp_dir().join(format!("molien-sizes.{}", std::process::id()));
    std::fs::create_dir_all(&scratch)?;
    for material in materials.into_iter().filter(|material| material.len() > 2) {
        let row = row(&solver, material, &options, &scratch)?;
        print(&material.file_name(), &row);
        sum.bytes.iter_mut().zip(row.bytes).for_each(|(sum, bytes)| *sum += bytes);
        sum.seconds.iter_mut().zip(row.seconds).for_each(|(sum, s)| *sum += s);
    }
    std::fs::remove_dir_all(&scratch)?;
    print("all", &sum);
    print_ratios(&sum);
    Ok(())
}
