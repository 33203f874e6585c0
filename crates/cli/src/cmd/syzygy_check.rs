//! `molien syzygy check`.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use clap::Args;
use molien_schema::{SyzygyCheckJson, SyzygyValuesJson, WrongValueJson};
use molien_syzygy::{CheckError, Kind, SyzygyFolder, TableFile, Values, Wrong, check_sample};
use molien_values::Metric;
use rayon::prelude::*;

use crate::Verdict;
use crate::context::Context;
use crate::scan_bar::ScanBar;
use crate::text::{grouped, print_answer, print_line};

const AFTER_HELP: &str = "\
Examples:
  molien syzygy check syzygy
  molien syzygy check syzygy --values
  molien syzygy check syzygy --values --sample 20000 --seed 7

Without --values the checksum of every file is compared. With --values every value
that programs look at is compared, too, with our own table, which is solved if it
is not stored; the first wrong ones are printed as positions. Of tables with more
than five men a random sample of positions is compared, as far as our own values
can be had.
The exit code is 1 if a file is damaged or a value is wrong.";

/// Tables with more men are sampled.
const WHOLE_MEN: usize = 5;

/// What to check.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct CheckArgs {
    /// The folder of the files
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Compare the values with our own tables
    #[arg(long)]
    values: bool,
    /// Positions compared of each table with more than five men
    #[arg(long, value_name = "N", default_value_t = 1000, requires = "values")]
    sample: u64,
    /// Seed of the sample
    #[arg(long, value_name = "N", default_value_t = 1, requires = "values")]
    seed: u64,
}

/// What is known of a file.
enum Finding {
    /// Its checksum is right.
    Whole,
    /// So many values were compared.
    Compared(Values),
    /// The checksum is right, but there was nothing to compare with.
    NotCompared(String),
}

/// Checks every file and prints the findings.
pub fn run(context: &Context, args: &CheckArgs) -> anyhow::Result<Verdict> {
    let files = TableFile::all_in(&args.folder)?;
    anyhow::ensure!(!files.is_empty(), "{}: no Syzygy files", args.folder.display());
    let checked = check_all(&files);
    let mut verdict = Verdict::Done;
    let mut damaged = 0;
    for (file, checked) in files.iter().zip(checked) {
        anyhow::ensure!(!context.is_interrupted(), "interrupted");
        let found = match checked {
            Ok(()) if args.values => compare(context, args, file),
            checked => checked.map(|()| Finding::Whole),
        };
        if !report(context, file, &found)? {
            verdict = Verdict::Failed;
            damaged += 1;
        }
    }
    if !context.json {
        let right = files.len() - damaged;
        print_line(&format!("{} files: {right} right, {damaged} wrong", files.len()))?;
    }
    Ok(verdict)
}

/// The checksums, several files at a time.
fn check_all(files: &[TableFile]) -> Vec<Result<(), CheckError>> {
    let (total, done) = (files.iter().map(TableFile::len_bytes).sum(), AtomicU64::new(0));
    let bar = ScanBar::new("checksums");
    let read = |bytes| bar.set(done.fetch_add(bytes, Ordering::Relaxed) + bytes, total);
    files.par_iter().map(|file| file.check_with(&read)).collect()
}

fn compare(context: &Context, args: &CheckArgs, file: &TableFile) -> Result<Finding, CheckError> {
    if file.material.len() > WHOLE_MEN {
        return sample(context, args, file);
    }
    let build = context.build();
    let table = build.table(file.material, Metric::Dtz50)?;
    file.check_values(&build, &table).map(Finding::Compared)
}

/// A sample goes through both files of a table at once; it is reported with the
/// first.
fn sample(context: &Context, args: &CheckArgs, file: &TableFile) -> Result<Finding, CheckError> {
    if file.kind != Kind::Wdl {
        return Ok(Finding::Whole);
    }
    let folder = match SyzygyFolder::open(std::slice::from_ref(&args.folder)) {
        Ok(folder) => folder,
        Err(error) => return Ok(Finding::NotCompared(error.to_string())),
    };
    let tables = context.own_tablebase();
    match check_sample(&folder, &tables, file.material, args.sample, args.seed) {
        Ok(values) => Ok(Finding::Compared(values)),
        Err(error) => Ok(Finding::NotCompared(error.to_string())),
    }
}

/// Prints what was found; whether all is well.
fn report(
    context: &Context,
    file: &TableFile,
    found: &Result<Finding, CheckError>,
) -> anyhow::Result<bool> {
    let well = match found {
        Err(_) => false,
        Ok(Finding::Compared(values)) => values.wrong == 0,
        Ok(Finding::Whole | Finding::NotCompared(_)) => true,
    };
    match context.json {
        true => print_answer(&to_json(file, found, well))?,
        false => print(file, found)?,
    }
    Ok(well)
}

fn to_json(file: &TableFile, found: &Result<Finding, CheckError>, well: bool) -> SyzygyCheckJson {
    let mut json = SyzygyCheckJson::new(TableFile::name(&file.material, file.kind), well);
    match found {
        Err(error) => json.error = Some(error.to_string()),
        Ok(Finding::Whole) => {}
        Ok(Finding::NotCompared(reason)) => json.not_compared = Some(reason.clone()),
        Ok(Finding::Compared(values)) => {
            let wrong = |one: &Wrong| WrongValueJson {
                fen: one.position.to_string(),
                found: one.found.clone(),
                expected: one.expected.clone(),
            };
            json.values = Some(SyzygyValuesJson {
                compared: values.compared,
                wrong: values.wrong,
                first: values.first.iter().map(wrong).collect(),
            });
        }
    }
    json
}

fn print(file: &TableFile, found: &Result<Finding, CheckError>) -> anyhow::Result<()> {
    let name = TableFile::name(&file.material, file.kind);
    match found {
        Err(error) => print_line(&error.to_string()),
        Ok(Finding::Whole) => print_line(&format!("{name}: the checksum is right")),
        Ok(Finding::NotCompared(reason)) => {
            print_line(&format!("{name}: the checksum is right; values not compared: {reason}"))
        }
        Ok(Finding::Compared(values)) => {
            let (compared, wrong) = (grouped(values.compared), grouped(values.wrong));
            print_line(&format!("{name}: {compared} values compared, {wrong} wrong"))?;
            for one in &values.first {
                let (position, found, expected) = (&one.position, &one.found, &one.expected);
                print_line(&format!("  {position}: {found}, but {expected} is right"))?;
            }
            Ok(())
        }
    }
}
