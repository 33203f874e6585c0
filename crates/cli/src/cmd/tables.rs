//! `molien tables`.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;

use anyhow::{Context as _, bail};
use clap::Args;
use molien_table::{Directory, ListedTable, TableFile};
use molien_values::Metric;
use rayon::prelude::*;
use serde_json::{Value as Json, json};
use sha2::{Digest as _, Sha256};

use crate::Verdict;
use crate::context::Context;
use crate::text::{grouped, print_json, print_line};

const AFTER_HELP: &str = "\
Examples:
  molien tables
  molien tables --tables ./tables --check --json
  molien tables --sizes
  molien tables --checksums > SHA256SUMS
  molien tables --clean

With --sizes the bytes of every table are told apart: win, draw and loss (wdl),
then what each metric adds, in bytes and in bits per legal position with both
sides to move. A metric may be stored as the difference to another one.
With --check every block of every file is read and its checksums compared; the
exit code is 1 if a file is damaged. Equal tables are equal files, on any machine:
--checksums prints what sha256sum does, so that `sha256sum -c` can compare folders.
--clean removes what interrupted solves have left and nobody is working on.";

/// What to list.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct TablesArgs {
    /// Check all checksums
    #[arg(long)]
    check: bool,
    /// Tell what the bytes are used for
    #[arg(long)]
    sizes: bool,
    /// Print the SHA-256 sum of every file
    #[arg(long, conflicts_with_all = ["check", "sizes"])]
    checksums: bool,
    /// Remove what interrupted solves have left
    #[arg(long, conflicts_with_all = ["check", "sizes", "checksums"])]
    clean: bool,
}

/// Lists the tables of the folder.
pub fn run(context: &Context, args: &TablesArgs) -> anyhow::Result<Verdict> {
    let Some(directory) = context.directory() else { bail!("no folder of tables is in use") };
    if args.checksums {
        return print_checksums(context, directory);
    }
    if args.clean {
        return clean(context, directory);
    }
    let mut verdict = Verdict::Done;
    if args.check {
        for entry in directory.list()? {
            if let Err(error) = directory.verify(entry.material) {
                eprintln!("error: {error}");
                verdict = Verdict::Failed;
            }
        }
    }
    let entries = directory.list()?;
    if context.json {
        print_json(&json!({
            "folder": directory.folder().display().to_string(),
            "tables": entries.iter().map(|entry| to_json(entry, args.sizes)).collect::<Vec<_>>(),
        }))?;
        return Ok(verdict);
    }
    if args.sizes {
        print_sizes(&entries)?;
        return Ok(verdict);
    }
    print_line(&format!("{}: {} tables", directory.folder().display(), entries.len()))?;
    for entry in &entries {
        print_line(&describe(entry))?;
    }
    Ok(verdict)
}

/// The SHA-256 sum of a file, in hexadecimal.
fn checksum(path: &Path) -> anyhow::Result<String> {
    let file = File::open(path).with_context(|| path.display().to_string())?;
    let (mut reader, mut sum) = (BufReader::with_capacity(1 << 20, file), Sha256::new());
    loop {
        let bytes = reader.fill_buf().with_context(|| path.display().to_string())?;
        if bytes.is_empty() {
            break;
        }
        sum.update(bytes);
        let len = bytes.len();
        reader.consume(len);
    }
    Ok(sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// As `sha256sum` prints it, in the order of file names.
fn print_checksums(context: &Context, directory: &Directory) -> anyhow::Result<Verdict> {
    let mut paths: Vec<_> = directory.list()?.into_iter().map(|entry| entry.path).collect();
    paths.sort();
    let sums: Vec<anyhow::Result<String>> = paths.par_iter().map(|path| checksum(path)).collect();
    for (path, sum) in paths.iter().zip(sums) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        match context.json {
            true => print_json(&json!({ "file": name, "sha256": sum? }))?,
            false => print_line(&format!("{}  {name}", sum?))?,
        }
    }
    Ok(Verdict::Done)
}

fn clean(context: &Context, directory: &Directory) -> anyhow::Result<Verdict> {
    let removed = directory.clean()?;
    match context.json {
        true => print_json(&json!({ "removed": removed }))?,
        false if removed == 1 => print_line("removed 1 file")?,
        false => print_line(&format!("removed {removed} files"))?,
    }
    Ok(Verdict::Done)
}

fn names(metrics: &[Metric]) -> Vec<&'static str> {
    metrics.iter().map(|metric| metric.name()).collect()
}

fn to_json(entry: &ListedTable, sizes: bool) -> Json {
    let used = Used::of(entry).filter(|_| sizes);
    let mut found = json!({
        "material": entry.material.to_string(),
        "file": entry.path.display().to_string(),
        "bytes": entry.len_bytes,
        "metrics": entry.metrics.as_ref().map(|metrics| names(metrics)).unwrap_or_default(),
        "verified": entry.verified,
        "error": entry.metrics.as_ref().err().map(ToString::to_string),
    });
    if let (Some(used), Json::Object(fields)) = (used, &mut found) {
        fields.insert("positions".into(), json!(used.positions));
        fields.insert("wdl_bytes".into(), json!(used.outcomes));
        let depths: serde_json::Map<String, Json> = used
            .depths
            .iter()
            .map(|(metric, bytes)| (metric.name().into(), json!(bytes)))
            .collect();
        fields.insert("depth_bytes".into(), Json::Object(depths));
    }
    found
}

/// What the bytes of a table are used for.
struct Used {
    /// Legal positions, both sides to move.
    positions: u64,
    outcomes: u64,
    /// Of the metrics that are stored; the others are equal to one of them.
    depths: Vec<(Metric, u64)>,
}

impl Used {
    /// `None` if the table cannot be read.
    fn of(entry: &ListedTable) -> Option<Used> {
        let file = TableFile::open(&entry.path).ok()?;
        let stats = file.stats(*file.solved_metrics().first()?).ok()?;
        let sizes = file.sizes().ok()?;
        Some(Used {
            positions: stats.sides.iter().map(|side| side.legal.unique).sum(),
            outcomes: sizes.outcomes.iter().sum(),
            depths: sizes.depths.iter().map(|(m, pair)| (*m, pair.iter().sum())).collect(),
        })
    }
}

const COLUMNS: [Metric; 4] = [Metric::Dtz, Metric::Dtc, Metric::Dtz50, Metric::Dtm];

/// A markdown table of bytes and bits per position.
fn print_sizes(entries: &[ListedTable]) -> anyhow::Result<()> {
    let names = COLUMNS.map(|metric| format!(" {} | bits |", metric.name()));
    print_line(&format!("| table | positions | wdl | bits |{} file | bits |", names.concat()))?;
    print_line(&format!("|---|{}", "--:|".repeat(5 + 2 * COLUMNS.len())))?;
    let (mut positions, mut bytes) = (0, 0);
    for entry in entries {
        let Some(used) = Used::of(entry) else { continue };
        print_line(&size_row(entry, &used))?;
        positions += used.positions;
        bytes += entry.len_bytes;
    }
    let blanks = " |".repeat(2 + 2 * COLUMNS.len());
    let all = bytes_and_bits(bytes, positions);
    print_line(&format!("| all | {} |{blanks} {all} |", grouped(positions)))
}

fn bytes_and_bits(bytes: u64, positions: u64) -> String {
    format!("{} | {:.3}", grouped(bytes), bytes as f64 * 8.0 / positions.max(1) as f64)
}

fn size_row(entry: &ListedTable, used: &Used) -> String {
    let name = entry.material.file_name();
    let mut cells =
        vec![name, grouped(used.positions), bytes_and_bits(used.outcomes, used.positions)];
    for metric in COLUMNS {
        let stored = used.depths.iter().find(|(stored, _)| *stored == metric);
        cells.push(match stored {
            Some(&(_, bytes)) => bytes_and_bits(bytes, used.positions),
            None if entry.metrics.as_ref().is_ok_and(|held| held.contains(&metric)) => {
                "= | =".to_owned()
            }
            None => "- | -".to_owned(),
        });
    }
    cells.push(bytes_and_bits(entry.len_bytes, used.positions));
    format!("| {} |", cells.join(" | "))
}

fn describe(entry: &ListedTable) -> String {
    let state = if entry.verified { "checksums ok" } else { "unchecked" };
    let (name, bytes) = (entry.material.file_name(), grouped(entry.len_bytes));
    match &entry.metrics {
        Ok(metrics) => {
            format!("{name:10} {bytes:>15} bytes  {}  {state}", names(metrics).join(" "))
        }
        Err(error) => format!("{name:10} {bytes:>15} bytes  DAMAGED: {error}"),
    }
}
