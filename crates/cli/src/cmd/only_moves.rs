//! `molien only-moves`.

use clap::Args;
use molien_board::{Color, Material};
use molien_mine::{OnlyMoveCounts, OnlyMoves, TableSet, only_moves};
use molien_schema::OnlyMovesJson;
use molien_values::Metric;

use crate::Verdict;
use crate::context::Context;
use crate::estimate::{self, Goal};
use crate::scan_bar::ScanBar;
use crate::text::{grouped, percent, plies, print_answer, print_line};

const AFTER_HELP: &str = "\
Examples:
  molien only-moves KRK
  molien only-moves KPK --metric dtc --json

For each side to move and depth: the positions that have a move, those in which
exactly one move keeps the outcome, exactly one is optimal in the metric, and
exactly one is legal at all. In a lost position every move keeps the outcome.
Every move of every position is played: allow minutes for five men.";

/// Which statistics.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct OnlyMovesArgs {
    /// A material such as KQKR
    material: String,
    /// What the plies count: dtm, dtc, dtz or dtz50
    #[arg(long, default_value = "dtm")]
    metric: Metric,
}

/// Counts positions with a single good move.
pub fn run(context: &Context, args: &OnlyMovesArgs) -> anyhow::Result<Verdict> {
    let material: Material = args.material.parse()?;
    let by_clock = args.metric == Metric::Dtm50;
    anyhow::ensure!(
        !by_clock,
        "which move is best in dtm50 depends on the clock: use another metric"
    );
    estimate::check(context, Goal::Tables(&[material]), &[args.metric])?;
    let build = context.build();
    let tables = TableSet::solve(&build, material, &[args.metric])?.with_moves(&build)?;
    let bar = ScanBar::new(&format!("{material} moves"));
    let counts = only_moves(&tables, args.metric, |done, total| bar.set(done, total))?;
    drop(bar);
    if context.json {
        print_answer(&OnlyMovesJson::new(material, args.metric, &counts))?;
        return Ok(Verdict::Done);
    }
    for color in Color::BOTH {
        print(color, &counts[color.index()])?;
    }
    Ok(Verdict::Done)
}

fn print(color: Color, side: &OnlyMoves) -> anyhow::Result<()> {
    print_line(&format!(
        "{color} to move          positions     one keeps it     one is optimal       one is legal"
    ))?;
    let row = |name: String, counts: &OnlyMoveCounts| {
        if counts.positions == 0 {
            return Ok(());
        }
        let share =
            |part: u64| format!("{:>10} {:>8}", grouped(part), percent(part, counts.positions));
        print_line(&format!(
            "  {name:17} {:>12} {} {} {}",
            grouped(counts.positions),
            share(counts.one_keeping),
            share(counts.one_optimal),
            share(counts.one_legal),
        ))
    };
    for (ply, counts) in side.wins.iter().enumerate() {
        row(format!("win in {}", plies(ply as u16)), counts)?;
    }
    row("draw".to_owned(), &side.draws)?;
    for (ply, counts) in side.losses.iter().enumerate() {
        row(format!("loss in {}", plies(ply as u16)), counts)?;
    }
    Ok(())
}
