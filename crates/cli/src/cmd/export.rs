//! `molien export`.

use std::fs::File;
use std::io::BufWriter;
use std::ops::ControlFlow;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use molien_board::Material;
use molien_mine::export::{Columns, CsvWriter, ParquetWriter, RowWriter};
use molien_mine::{Query, Search};
use molien_values::Metric;
use serde_json::json;

use crate::Verdict;
use crate::cmd::find::tables;
use crate::context::Context;
use crate::scan_bar::ScanBar;
use crate::text::{grouped, print_json, print_line};

const AFTER_HELP: &str = "\
Examples:
  molien export KRK --format parquet --out KRK.parquet
  molien export KRKN --format csv --out zugzwangs.csv --query 'zugzwang and loss' --metric dtm

Columns: fen, turn, outcome (for the side to move), one for every man with its
square (white_king, white_rook, white_rook2, ...), and one for every metric in
plies: positive for a win of the side to move, negative for a loss, 0 for
mated, empty for a draw. The query language is that of `molien find`; of
mirror images one position is written.";

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
    /// The kind of file
    #[arg(long, value_enum)]
    format: Format,
    /// The file to write
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
    let tables = tables(&context.build(), material, &query, &args.metric)?;
    for &metric in &args.metric {
        tables.with_depths(metric)?;
    }
    let path = args.out.display().to_string();
    let mut writer = writer(args, Columns::new(material, &args.metric)).context(path.clone())?;
    let bar = ScanBar::new(&format!("{material} export"));
    let (mut rows, mut result) = (0, Ok(()));
    Search::new(&tables, &query)?.each(
        |done, total| bar.set(done, total),
        |hit| {
            result = writer.write(&hit);
            rows += 1;
            match result.is_err() || context.is_interrupted() {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        },
    );
    drop(bar);
    result.and_then(|()| writer.finish()).context(path.clone())?;
    anyhow::ensure!(!context.is_interrupted(), "{path}: interrupted after {rows} positions");
    if context.json {
        print_json(&json!({ "file": path, "positions": rows }))?;
    } else {
        print_line(&format!("{path}: {} positions", grouped(rows)))?;
    }
    Ok(Verdict::Done)
}

fn writer(args: &ExportArgs, columns: Columns) -> anyhow::Result<Box<dyn RowWriter>> {
    let file = BufWriter::new(File::create(&args.out)?);
    Ok(match args.format {
        Format::Csv => Box::new(CsvWriter::new(file, columns)?),
        Format::Parquet => Box::new(ParquetWriter::new(file, columns)?),
    })
}
