//! `molien export`.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use molien_board::Material;
use molien_mine::export::{Columns, CsvWriter, ParquetWriter, RowWriter};
use molien_mine::{Query, Search, TableSet};
use molien_schema::ExportJson;
use molien_values::Metric;

use crate::Verdict;
use crate::context::Context;
use crate::estimate::{self, Goal};
use crate::scan_bar::ScanBar;
use crate::text::{grouped, plural, print_answer, print_line};

const AFTER_HELP: &str = "\
Examples:
  molien export KRK --out KRK.parquet
  molien export KRKN --out zugzwangs.csv --query 'zugzwang and loss' --metric dtm
  molien export KQK --query 'dtm = 19' --out -

Columns: fen, turn, category (win, cursed-win, draw, blessed-loss or loss, for
the side to move), one for every man with its square (white_king, white_rook,
white_rook2, ...), and one for every metric in plies: positive for a win of the
side to move, negative for a loss, 0 for mated, empty for a draw. The query
language is that of `molien find`; of mirror images only one is written.
'-' writes to standard output.";

/// A kind of file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    Csv,
    Parquet,
}

/// What to write.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct ExportArgs {
    /// A material such as KRKN
    material: String,
    /// The kind of file [default: parquet if its name ends so, else csv]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// The file to write; '-' is standard output
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Which positions [default: all]
    #[arg(long)]
    query: Option<String>,
    /// Depths to write: dtm, dtc, dtz, dtz50
    #[arg(long, value_delimiter = ',', default_value = "dtm,dtc,dtz,dtz50")]
    metric: Vec<Metric>,
}

/// Writes the file and says how many rows it has.
pub fn run(context: &Context, args: &ExportArgs) -> anyhow::Result<Verdict> {
    let material: Material = args.material.parse()?;
    let query = match &args.query {
        Some(text) => Query::parse(text, material)?,
        None => Query::all(),
    };
    let build = context.build();
    // Every row has all depths: they are read with the positions.
    let mut metrics = args.metric.clone();
    metrics.extend(query.metrics());
    let needed = [&metrics[..], &[Metric::Dtz50]].concat();
    estimate::check(context, Goal::Tables(&[material]), &needed)?;
    let mut tables = TableSet::open(&build, material, &metrics, &[])?.minding_the_rule();
    if query.needs_moves() {
        tables = tables.with_moves(&build)?;
    }
    for &metric in &args.metric {
        tables.check_depths(metric)?;
    }
    let search = Search::new(&tables, &query)?;
    let stdout = args.out.as_os_str() == "-";
    let path = if stdout { "standard output".to_owned() } else { args.out.display().to_string() };
    let mut writer =
        writer(args, stdout, Columns::new(material, &args.metric)).with_context(|| path.clone())?;
    let bar = ScanBar::new(&format!("{material} export"));
    let (mut rows, mut result) = (0, Ok(()));
    search.each(
        |done, total| bar.set(done, total),
        |hit| {
            result = writer.write(&hit);
            rows += 1;
            match result.is_err() || context.is_interrupted() {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        },
    )?;
    drop(bar);
    result.and_then(|()| writer.finish()).with_context(|| path.clone())?;
    anyhow::ensure!(!context.is_interrupted(), "{path}: interrupted after {rows} positions");
    match (stdout, context.json) {
        (true, _) => {}
        (false, true) => print_answer(&ExportJson::new(&path, rows))?,
        (false, false) => {
            let positions = plural(rows, "position", "positions");
            print_line(&format!("{path}: {} {positions}", grouped(rows)))?;
        }
    }
    Ok(Verdict::Done)
}

fn writer(args: &ExportArgs, stdout: bool, columns: Columns) -> anyhow::Result<Box<dyn RowWriter>> {
    let out: Box<dyn Write + Send> = match stdout {
        true => Box::new(std::io::stdout()),
        false => Box::new(File::create(&args.out)?),
    };
    let out = BufWriter::new(out);
    let is_parquet = args.out.extension().is_some_and(|ending| ending == "parquet");
    let by_name = if is_parquet { Format::Parquet } else { Format::Csv };
    Ok(match args.format.unwrap_or(by_name) {
        Format::Csv => Box::new(CsvWriter::new(out, columns)?),
        Format::Parquet => Box::new(ParquetWriter::new(out, columns)?),
    })
}
