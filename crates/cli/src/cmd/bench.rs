//! `molien bench`.

use anyhow::bail;
use clap::{Args, ValueEnum};
use molien_board::Material;
use molien_cuda::{Bench, Phase, Planes};
use molien_schema::{BenchJson, PhaseJson, VERSION};
use molien_values::Metric;

use crate::Verdict;
use crate::context::Context;
use crate::text::{print_answer, print_line};

const AFTER_HELP: &str = "\
Examples:
  molien bench card
  molien bench card KRNKNN --json

Whole tables on the processor are measured by benches/tables.sh.";

/// What to measure.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct BenchArgs {
    /// Which part of the machine
    what: What,
    /// The material to solve, without pawns
    #[arg(default_value = "KRNKNN")]
    material: String,
}

/// The parts of a machine that can be measured.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum What {
    /// The CUDA card
    #[value(alias = "gpu")]
    Card,
}

/// Measures and prints a line for every phase.
pub fn run(context: &Context, args: &BenchArgs) -> anyhow::Result<Verdict> {
    let What::Card = args.what;
    let material: Material = args.material.parse()?;
    if material.has_pawns() {
        bail!("{material} has pawns: only boards without pawns are measured phase by phase");
    }
    let bench = context.card()?.bench(material.canonical(), Metric::Dtc, Planes::Four)?;
    if context.json { print_answer(&to_json(&bench)) } else { print(&bench) }?;
    Ok(Verdict::Done)
}

fn to_json(bench: &Bench) -> BenchJson {
    let phase = |phase: &Phase| PhaseJson {
        phase: phase.name.to_owned(),
        seconds: phase.seconds,
        tiles: phase.tiles,
        tiles_per_second: phase.tiles_per_second(),
        positions_per_second: phase.positions_per_second(),
    };
    BenchJson {
        schema: VERSION,
        device: bench.device.clone(),
        material: bench.material.to_string(),
        copy_bytes_per_second: bench.copy_bytes_per_second,
        phases: bench.phases.iter().map(phase).collect(),
    }
}

fn print(bench: &Bench) -> anyhow::Result<()> {
    let copy = bench.copy_bytes_per_second / 1e9;
    print_line(&format!("{} on {}: copies {copy:.0} GB/s", bench.material, bench.device))?;
    for phase in &bench.phases {
        print_line(&format!(
            "  {:8} {:>9.3} s {:>14} tiles {:>12.3e} tiles/s {:>12.3e} positions/s",
            phase.name,
            phase.seconds,
            phase.tiles,
            phase.tiles_per_second(),
            phase.positions_per_second(),
        ))?;
    }
    Ok(())
}
