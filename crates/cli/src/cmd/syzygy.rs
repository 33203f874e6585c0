//! `molien syzygy`.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Args, Subcommand};
use molien_syzygy::{CheckError, Kind, Plies, TableFile, Values, write};
use molien_values::Metric;
use rayon::prelude::*;
use serde_json::json;

use crate::Verdict;
use crate::args::Materials;
use crate::context::Context;
use crate::text::{grouped, print_json, print_line};

const WRITE_HELP: &str = "\
Examples:
  molien syzygy write KRPKR --out syzygy
  molien syzygy write --men 4 --out syzygy      all tables with up to four men

Writes KRPvKR.rtbw (wins, draws and losses in five classes) and KRPvKR.rtbz (plies
to a zeroing move) for engines and other programs. Tables that are not stored are
solved first. A program that reads a table needs those that captures and promotions
lead to, too. Plies are stored in pairs, as is usual; with --exact one by one.
docs/syzygy.md describes the files.";

const CHECK_HELP: &str = "\
Examples:
  molien syzygy check syzygy
  molien syzygy check syzygy --values

Without --values the checksum of every file is compared. With --values every value
that programs look at is compared, too, with our own table, which is solved if it
is not stored; the first wrong ones are printed as positions.
The exit code is 1 if a file is damaged or a value wrong.";

/// What to do with Syzygy files.
#[derive(Args, Debug)]
pub struct SyzygyArgs {
    #[command(subcommand)]
    command: SyzygyCommand,
}

#[derive(Subcommand, Debug)]
enum SyzygyCommand {
    /// Write tables as Syzygy files
    Write(WriteArgs),
    /// Check the files of a folder
    Check(CheckArgs),
}

#[derive(Args, Debug)]
#[command(after_help = WRITE_HELP)]
struct WriteArgs {
    #[command(flatten)]
    which: Materials,
    /// The folder of the files; it is made if need be
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Store plies one by one
    #[arg(long)]
    exact: bool,
}

#[derive(Args, Debug)]
#[command(after_help = CHECK_HELP)]
struct CheckArgs {
    /// The folder of the files
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Compare every value with our own tables
    #[arg(long)]
    values: bool,
}

/// Writes or checks.
pub fn run(context: &Context, args: &SyzygyArgs) -> anyhow::Result<Verdict> {
    match &args.command {
        SyzygyCommand::Write(args) => write_files(context, args),
        SyzygyCommand::Check(args) => check_files(context, args),
    }
}

fn write_files(context: &Context, args: &WriteArgs) -> anyhow::Result<Verdict> {
    anyhow::ensure!(
        context.promotes_to_all(),
        "Syzygy files are those of chess: leave out --promote"
    );
    let materials = args.which.list()?;
    std::fs::create_dir_all(&args.out).with_context(|| args.out.display().to_string())?;
    let plies = if args.exact { Plies::Exact } else { Plies::Rounded };
    let build = context.build();
    for material in materials {
        let table = build.table(material, Metric::Dtz50)?;
        let files = write(&build, &table, plies)?;
        for kind in Kind::ALL {
            let name = TableFile::name(&table.material, kind);
            store(&args.out.join(&name), files.of(kind))?;
            let bytes = files.of(kind).len() as u64;
            match context.json {
                true => print_json(&json!({ "file": name, "bytes": bytes }))?,
                false => print_line(&format!("{name:14} {:>14} bytes", grouped(bytes)))?,
            }
        }
    }
    Ok(Verdict::Done)
}

/// A file appears only complete: it is written under another name first.
fn store(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let part = path.with_extension("part");
    std::fs::write(&part, bytes).with_context(|| part.display().to_string())?;
    std::fs::rename(&part, path).with_context(|| path.display().to_string())
}

fn check_files(context: &Context, args: &CheckArgs) -> anyhow::Result<Verdict> {
    let files = TableFile::all_in(&args.folder)?;
    anyhow::ensure!(!files.is_empty(), "{}: no Syzygy files", args.folder.display());
    let mut verdict = Verdict::Done;
    let checked: Vec<Result<(), CheckError>> = files.par_iter().map(TableFile::check).collect();
    for (file, checked) in files.iter().zip(checked) {
        let found = match checked {
            Ok(()) if args.values => compare(context, file),
            checked => checked.map(|()| None),
        };
        if !report(context, file, &found)? {
            verdict = Verdict::Failed;
        }
    }
    Ok(verdict)
}

fn compare(context: &Context, file: &TableFile) -> Result<Option<Values>, CheckError> {
    let build = context.build();
    let table = build.table(file.material, Metric::Dtz50)?;
    file.check_values(&build, &table).map(Some)
}

/// Prints what was found; whether all is well.
fn report(
    context: &Context,
    file: &TableFile,
    found: &Result<Option<Values>, CheckError>,
) -> anyhow::Result<bool> {
    let name = TableFile::name(&file.material, file.kind);
    let wrong = found.as_ref().ok().and_then(Option::as_ref).map_or(0, |values| values.wrong);
    let well = found.is_ok() && wrong == 0;
    if context.json {
        let compared = found.as_ref().ok().and_then(Option::as_ref).map(|values| values.compared);
        let error = found.as_ref().err().map(ToString::to_string);
        print_json(&json!({
            "file": name, "ok": well, "error": error, "compared": compared, "wrong": wrong,
        }))?;
        return Ok(well);
    }
    match found {
        Err(error) => print_line(&format!("{error}"))?,
        Ok(None) => print_line(&format!("{name}: the checksum is right"))?,
        Ok(Some(values)) => {
            let compared = grouped(values.compared);
            let wrong = grouped(values.wrong);
            print_line(&format!("{name}: {compared} values compared, {wrong} wrong"))?;
            for one in &values.first {
                let text =
                    format!("  {}: {}, but {} is right", one.position, one.found, one.expected);
                print_line(&text)?;
            }
        }
    }
    Ok(well)
}
