//! `molien plan`.

use std::time::Duration;

use clap::Args;
use molien_build::{PlannedTable, Storage};
use molien_schema::{PlanJson, PlannedTableJson};
use molien_values::Metric;

use crate::Verdict;
use crate::args::Materials;
use crate::context::Context;
use crate::estimate::{Estimate, rough};
use crate::text::{grouped, plural, print_answer, print_line, size};

const AFTER_HELP: &str = "\
Examples:
  molien plan KRPPKR
  molien plan KRPKRP --metric dtm,dtz50
  molien --memory 16G plan --men 6 --json

Tables are listed in the order in which `molien solve` makes them; those in the folder
are left out. Times and sizes are rough. Disk is what the files take in the end; at the
peak the log of the table in work comes on top.";

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
}

/// Prints what would be solved.
pub fn run(context: &Context, args: &PlanArgs) -> anyhow::Result<Verdict> {
    let materials = args.which.list()?;
    let tables = context.build().plan_tables(&materials, &args.metric);
    let free = context.directory().and_then(|folder| folder.free_bytes());
    let threads = context.threads();
    let plan = PlanJson::new(tables.iter().map(|table| row(table, threads)).collect(), free);
    if context.json {
        print_answer(&plan)?;
        return Ok(Verdict::Done);
    }
    print(&plan)?;
    Ok(Verdict::Done)
}

fn row(table: &PlannedTable, threads: usize) -> PlannedTableJson {
    PlannedTableJson {
        material: table.material.to_string(),
        storage: match table.storage {
            Storage::Whole => "whole",
            Storage::FromLog => "from-log",
            Storage::ByPart => "by-part",
            Storage::None => "none",
        },
        metrics: table.metrics.iter().map(|metric| metric.name()).collect(),
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
