//! `molien plan`.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::time::Duration;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use molien_board::Material;
use molien_build::{Build, PlannedTable, Storage, reads};
use molien_schema::{PlanJson, PlannedTableJson};
use molien_values::Metric;

use crate::Verdict;
use crate::args::Materials;
use crate::cmd::plan_files::{Farm, makefile, snakefile};
use crate::context::Context;
use crate::estimate::{Estimate, rough};
use crate::text::{grouped, plural, print_answer, print_line, size};

const AFTER_HELP: &str = "\
Examples:
  molien plan KRPPKR
  molien plan KRPKRP --metric dtm,dtz50
  molien --memory 16G plan KRPKR --json
  molien plan --men 3 --format make
  molien plan --men 4 --format snakemake

Tables are listed in the order in which `molien solve` makes them; those in the folder
are left out. Times and sizes are estimates. Disk is what the files take in the end; at
the peak, the log of the table being solved comes on top. As a makefile or for Snakemake
the plan has a command for each table: see `docs/cluster.md`.";

/// What to plan.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct PlanArgs {
    #[command(flatten)]
    which: Materials,
    /// Metrics: dtm, dtc, dtz, dtz50, wdl
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "dtm,dtc,dtz,dtz50",
        value_parser = Metric::from_name
    )]
    metric: Vec<Metric>,
    /// How the plan is written
    #[arg(long, default_value = "text", value_name = "HOW")]
    format: Format,
    /// In a plan for make or Snakemake, have tables with six men made by N ranks
    /// together (MPI); memory is then that of each rank
    #[arg(long, value_name = "N")]
    ranks: Option<NonZeroUsize>,
}

/// How a plan is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// As a table to read
    Text,
    /// As with --json
    Json,
    /// As a makefile: a command for each table, after those it reads
    Make,
    /// The same for Snakemake, with the memory, disk and time of each
    Snakemake,
}

/// Prints what would be solved.
pub fn run(context: &Context, args: &PlanArgs) -> anyhow::Result<Verdict> {
    let materials = args.which.list()?;
    let build = context.build();
    let mut tables = build.plan_tables(&materials, &args.metric);
    if let Some(ranks) = args.ranks {
        tables.iter_mut().for_each(|table| by_ranks(&build, table, ranks.get()));
    }
    let free = context.directory().and_then(|folder| folder.free_bytes());
    let planned: HashSet<Material> = tables.iter().map(|table| table.material).collect();
    let rows = tables.iter().map(|table| row(table, &planned, context.threads()));
    let plan = PlanJson::new(rows.collect(), free);
    match args.format {
        Format::Json => print_answer(&plan)?,
        Format::Text if context.json => print_answer(&plan)?,
        Format::Text => print(&plan)?,
        Format::Make => print_text(&makefile(&plan.tables, &farm(context, args)?))?,
        Format::Snakemake => print_text(&snakefile(&plan.tables, &farm(context, args)?))?,
    }
    Ok(Verdict::Done)
}

/// What a table takes of each of several ranks, if it is made by them.
fn by_ranks(build: &Build, table: &mut PlannedTable, ranks: usize) {
    if table.storage == Storage::FromLog && ranks > 1 {
        let each = |&metric: &Metric| build.rank_bytes(table.material, metric, ranks);
        table.memory_bytes = table.metrics.iter().map(each).max().unwrap_or(0);
    }
}

fn print_text(text: &str) -> anyhow::Result<()> {
    print_line(text.trim_end())
}

/// Where and how the tables of a plan are made.
fn farm<'a>(context: &'a Context, args: &PlanArgs) -> anyhow::Result<Farm<'a>> {
    let folder = context.directory().context("there is no folder to store tables in")?.folder();
    let ranks = args.ranks.map(NonZeroUsize::get);
    Ok(Farm { folder, threads: context.threads(), ranks })
}

fn row(table: &PlannedTable, planned: &HashSet<Material>, threads: usize) -> PlannedTableJson {
    let reads = reads(table.material).into_iter().filter(|material| planned.contains(material));
    PlannedTableJson {
        material: table.material.to_string(),
        storage: match table.storage {
            Storage::Whole => "whole",
            Storage::FromLog => "from-log",
            Storage::ByPart => "by-part",
            Storage::None => "none",
        },
        metrics: table.metrics.iter().map(|metric| metric.name()).collect(),
        reads: reads.map(|material| material.to_string()).collect(),
        boards: table.boards,
        positions: 2 * table.addresses,
        seconds: Estimate::planned(table).time(threads).as_secs_f64(),
        memory_bytes: table.memory_bytes,
        file_bytes: table.file_bytes,
        log_bytes: table.log_bytes,
    }
}

fn print(plan: &PlanJson) -> anyhow::Result<()> {
    let line = |cells: [&str; 7]| {
        let [name, metrics, boards, positions, time, memory, disk] = cells;
        print_line(&format!(
            "{name:9} {metrics:19} {boards:>9} {positions:>19} {time:>8} {memory:>9} {disk:>9}"
        ))
    };
    line(["table", "metrics", "boards", "positions", "time", "memory", "disk"])?;
    let time = |seconds: f64| rough(Duration::from_secs_f64(seconds));
    for table in &plan.tables {
        line([
            &table.material,
            &table.metrics.join(","),
            &grouped(table.boards),
            &grouped(table.positions),
            &time(table.seconds),
            &size(table.memory_bytes),
            &size(table.file_bytes),
        ])?;
    }
    let count = plan.tables.len() as u64;
    let free = plan.free_disk_bytes.map_or(String::new(), |free| format!(", {} free", size(free)));
    print_line(&format!(
        "{} {}: about {}, {} of memory, {} of disk, {} at the peak{free}",
        grouped(count),
        plural(count, "table", "tables"),
        time(plan.seconds),
        size(plan.memory_bytes),
        size(plan.file_bytes),
        size(plan.disk_bytes),
    ))
}
