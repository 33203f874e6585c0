//! `molien tables`.

use anyhow::bail;
use clap::Args;
use molien_solve::Metric;
use molien_table::Entry;
use serde_json::{Value as Json, json};

use crate::Verdict;
use crate::context::Context;
use crate::text::{grouped, print_json, print_line};

const AFTER_HELP: &str = "\
Examples:
  molien tables
  molien tables --tables ./tables --check --json

With --check every block of every file is read and its checksums compared; the
exit code is 1 if a file is damaged.";

/// What to list.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct TablesArgs {
    /// Check all checksums
    #[arg(long)]
    check: bool,
}

/// Lists the tables of the folder.
pub fn run(context: &Context, args: &TablesArgs) -> anyhow::Result<Verdict> {
    let Some(directory) = context.directory() else { bail!("no folder of tables is in use") };
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
            "tables": entries.iter().map(to_json).collect::<Vec<_>>(),
        }))?;
        return Ok(verdict);
    }
    print_line(&format!("{}: {} tables", directory.folder().display(), entries.len()))?;
    for entry in &entries {
        print_line(&describe(entry))?;
    }
    Ok(verdict)
}

fn names(metrics: &[Metric]) -> Vec<&'static str> {
    metrics.iter().map(|metric| metric.name()).collect()
}

fn to_json(entry: &Entry) -> Json {
    json!({
        "material": entry.material.to_string(),
        "file": entry.path.display().to_string(),
        "bytes": entry.len_bytes,
        "metrics": entry.metrics.as_ref().map(|metrics| names(metrics)).unwrap_or_default(),
        "verified": entry.verified,
        "error": entry.metrics.as_ref().err().map(ToString::to_string),
    })
}

fn describe(entry: &Entry) -> String {
    let state = if entry.verified { "verified" } else { "not verified" };
    let (name, bytes) = (entry.material.file_name(), grouped(entry.len_bytes));
    match &entry.metrics {
        Ok(metrics) => {
            format!("{name:10} {bytes:>15} bytes  {}  {state}", names(metrics).join(" "))
        }
        Err(error) => format!("{name:10} {bytes:>15} bytes  {error}"),
    }
}
