//! `molien tables`.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::sync::atomic::Ordering;

use anyhow::{Context as _, bail};
use clap::Args;
use molien_schema::{ChecksumJson, CleanedJson, LeftoverJson, TableJson, TableState, TablesJson};
use molien_table::{Directory, Leftover, LeftoverKind, ListedTable, TableError};
use molien_values::Metric;
use rayon::prelude::*;
use sha2::{Digest as _, Sha256};

use super::{fingerprints, table_sizes};
use crate::Verdict;
use crate::context::Context;
use crate::text::{grouped, plural, print_answer, print_line, size};

const AFTER_HELP: &str = "\
Examples:
  molien tables
  molien tables --tables ./tables --check --json
  molien tables --sizes
  molien tables --checksums > SHA256SUMS
  molien tables --fingerprints
  molien tables --clean

--sizes breaks the bytes of every table down: win, draw and loss (wdl), then what
each metric adds, in bytes and in bits per legal position, both sides to move
counted. A metric may be stored as the difference from another one. The totals count
a metric that is equal to another one in full: 'all' with both sides to move, 'all, one
side' with the one that takes less, metric by metric, where a table can do without the
other.
--check reads every block of every file and compares its checksums; the exit code is
1 if a file is damaged. 'Checksums ok' means that they have been compared since the
file was written.
Equal tables are equal files, on any machine: --checksums prints what sha256sum would,
so that `sha256sum -c` can compare folders.
--fingerprints reads every value and prints one number for each table and metric.
Tables with different values have different numbers, however they were made or coded.
The program knows the numbers of all tables of up to five men; the exit code is 1 if
one differs.
--clean removes useless files that interrupted solves have left behind: those of tables
that are stored by now, and those that nobody has worked on for an hour.";

/// What to list.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct TablesArgs {
    /// Check all checksums
    #[arg(long)]
    check: bool,
    /// Show what the bytes are used for
    #[arg(long)]
    sizes: bool,
    /// Print the SHA-256 sum of every file
    #[arg(long, conflicts_with_all = ["check", "sizes"])]
    checksums: bool,
    /// Print a fingerprint of the values of every table, and compare it
    #[arg(long, conflicts_with_all = ["check", "sizes", "checksums"])]
    fingerprints: bool,
    /// Remove what interrupted solves have left behind
    #[arg(long, conflicts_with_all = ["check", "sizes", "checksums", "fingerprints"])]
    clean: bool,
}

/// A table of a folder, and what a check of it found.
struct Shown {
    entry: ListedTable,
    /// What is wrong with it.
    damage: Option<TableError>,
    state: TableState,
}

impl Shown {
    fn new(entry: ListedTable, damage: Option<TableError>) -> Shown {
        let damage = damage.or_else(|| entry.metrics.as_ref().err().cloned());
        let state = match (&damage, entry.verified) {
            (Some(_), _) => TableState::Damaged,
            (None, true) => TableState::ChecksumsOk,
            (None, false) => TableState::Unchecked,
        };
        Shown { entry, damage, state }
    }
}

/// Lists the tables of the folders.
pub fn run(context: &Context, args: &TablesArgs) -> anyhow::Result<Verdict> {
    let stopping = |directory: &Directory| {
        let interrupted = context.interrupt_flag();
        directory.clone().stopping_when(move || interrupted.load(Ordering::Relaxed))
    };
    let directories: Vec<Directory> = context.directories().iter().map(stopping).collect();
    if directories.is_empty() {
        bail!("no folder of tables is in use");
    }
    if args.checksums {
        directories.iter().try_for_each(|directory| print_checksums(context, directory))?;
        return Ok(Verdict::Done);
    }
    if args.fingerprints {
        return fingerprints::run(context, &directories);
    }
    if args.clean {
        return clean(context, &directories);
    }
    let (mut folders, mut damaged) = (Vec::new(), false);
    for directory in &directories {
        let mut found = Vec::new();
        for entry in directory.list()? {
            let checked = args.check.then(|| directory.verify(entry.material));
            if let Some(Err(error)) = &checked
                && error.is_interrupted()
            {
                return Err(error.clone().into());
            }
            let verified = matches!(checked, Some(Ok(()))) || entry.verified;
            found
                .push(Shown::new(ListedTable { verified, ..entry }, checked.and_then(Result::err)));
        }
        damaged |= args.check && found.iter().any(|shown| shown.damage.is_some());
        folders.push((directory, found, directory.leftovers()?));
    }
    if context.json {
        print_folders_json(&folders, args.sizes)?;
    } else if args.sizes {
        table_sizes::print(
            folders.iter().flat_map(|(_, found, _)| found).map(|shown| &shown.entry),
        )?;
    } else {
        folders.iter().try_for_each(print_folder)?;
    }
    Ok(if damaged { Verdict::Failed } else { Verdict::Done })
}

/// A folder, its tables, and what interrupted solves have left in it.
type Folder<'a> = (&'a Directory, Vec<Shown>, Vec<Leftover>);

fn print_folders_json(folders: &[Folder<'_>], sizes: bool) -> anyhow::Result<()> {
    let name = |(directory, ..): &Folder<'_>| directory.folder().display().to_string();
    let tables = folders.iter().flat_map(|(_, found, _)| found);
    let leftovers = folders.iter().flat_map(|(_, _, left)| left);
    print_answer(&TablesJson::new(
        folders.iter().map(name).collect(),
        tables.map(|shown| to_json(shown, sizes)).collect(),
        leftovers.map(leftover_json).collect(),
    ))
}

fn print_folder((directory, found, left): &Folder<'_>) -> anyhow::Result<()> {
    let (count, folder) = (found.len() as u64, directory.folder().display());
    print_line(&format!("{folder}: {} {}", grouped(count), plural(count, "table", "tables")))?;
    found.iter().try_for_each(|shown| print_line(&describe(shown)))?;
    if left.is_empty() {
        return Ok(());
    }
    let bytes = left.iter().map(|leftover| leftover.len_bytes).sum();
    let files = plural(left.len() as u64, "file", "files");
    print_line(&format!(
        "left by interrupted solves: {} {files}, {}; `molien tables --clean` removes what is of no use",
        left.len(),
        size(bytes)
    ))?;
    left.iter().try_for_each(|leftover| {
        let name = leftover.path.file_name().unwrap_or_default().to_string_lossy();
        let ((_, kind), bytes) = (kind_names(leftover.kind), size(leftover.len_bytes));
        print_line(&format!("  {name}  {bytes}  {kind}"))
    })
}

/// What a leftover is called by programs, and in words.
fn kind_names(kind: LeftoverKind) -> (&'static str, &'static str) {
    match kind {
        LeftoverKind::Incomplete => ("incomplete", "a table whose writing was cut short"),
        LeftoverKind::Waves => ("waves", "waves: solving it resumes there"),
        LeftoverKind::StoredWaves => ("stored-waves", "waves of a table that is stored by now"),
        LeftoverKind::Mark => ("mark", "the mark of a table that is gone"),
        _ => ("other", "another file"),
    }
}

fn leftover_json(leftover: &Leftover) -> LeftoverJson {
    LeftoverJson {
        material: leftover.material.to_string(),
        file: leftover.path.display().to_string(),
        bytes: leftover.len_bytes,
        kind: kind_names(leftover.kind).0,
        useless: leftover.is_useless(),
    }
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
fn print_checksums(context: &Context, directory: &Directory) -> anyhow::Result<()> {
    let mut paths: Vec<_> = directory.list()?.into_iter().map(|entry| entry.path).collect();
    paths.sort();
    let sums: Vec<anyhow::Result<String>> = paths.par_iter().map(|path| checksum(path)).collect();
    for (path, sum) in paths.iter().zip(sums) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        match context.json {
            true => print_answer(&ChecksumJson::new(name, sum?))?,
            false => print_line(&format!("{}  {name}", sum?))?,
        }
    }
    Ok(())
}

fn clean(context: &Context, directories: &[Directory]) -> anyhow::Result<Verdict> {
    let mut removed = 0;
    for directory in directories {
        removed += directory.clean()?;
    }
    match context.json {
        true => print_answer(&CleanedJson::new(removed))?,
        false => {
            print_line(&format!("removed {removed} {}", plural(removed as u64, "file", "files")))?;
        }
    }
    Ok(Verdict::Done)
}

fn names(metrics: &[Metric]) -> Vec<&'static str> {
    metrics.iter().map(|metric| metric.name()).collect()
}

fn to_json(shown: &Shown, sizes: bool) -> TableJson {
    let entry = &shown.entry;
    TableJson {
        material: entry.material.to_string(),
        file: entry.path.display().to_string(),
        bytes: entry.len_bytes,
        metrics: entry.metrics.as_ref().map(|metrics| names(metrics)).unwrap_or_default(),
        state: shown.state,
        error: shown.damage.as_ref().map(ToString::to_string),
        sizes: if sizes { table_sizes::to_json(entry) } else { None },
    }
}

fn describe(shown: &Shown) -> String {
    let entry = &shown.entry;
    let (name, bytes) = (entry.material.file_name(), grouped(entry.len_bytes));
    let metrics = entry.metrics.as_ref().map(|metrics| names(metrics).join(" "));
    let state = match (&shown.damage, shown.state) {
        (Some(error), _) => {
            let material = entry.material;
            format!("DAMAGED: {error}; `molien solve --rebuild {material}` makes it anew")
        }
        (None, TableState::ChecksumsOk) => "checksums ok".to_owned(),
        (None, _) => "unchecked".to_owned(),
    };
    format!("{name:10} {bytes:>15} bytes  {}  {state}", metrics.unwrap_or_default())
}
