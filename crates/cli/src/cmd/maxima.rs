//! `molien maxima`.

use clap::{Args, ValueEnum};
use molien_board::{Color, Material};
use molien_mine::{Hit, TableSet, maxima};
use molien_values::{Metric, Outcome};
use serde_json::{Value as Json, json};

use crate::Verdict;
use crate::context::Context;
use crate::scan_bar::ScanBar;
use crate::text::{grouped, print_json, print_line, winner_moves};

const AFTER_HELP: &str = "\
Examples:
  molien maxima KRK
  molien maxima KQKQ --metric dtc --side white --json

All positions of the greatest depth, won and lost, for each side to move; of
mirror images one.";

/// A side as the user names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Side {
    White,
    Black,
}

/// Which maxima.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct MaximaArgs {
    /// A material such as KQKR
    material: String,
    /// What the plies count: dtm, dtc, dtz or dtz50
    #[arg(long, default_value = "dtm")]
    metric: Metric,
    /// Only positions with this side to move
    #[arg(long, value_enum)]
    side: Option<Side>,
}

/// The deepest wins or losses of one side to move.
struct Group {
    side: Color,
    outcome: Outcome,
    plies: u16,
    hits: Vec<Hit>,
}

/// Lists all deepest positions.
pub fn run(context: &Context, args: &MaximaArgs) -> anyhow::Result<Verdict> {
    let material: Material = args.material.parse()?;
    let build = context.build();
    let tables = TableSet::solve(&build, material, &[args.metric])?;
    let sides: &[Color] = match args.side {
        None => &Color::BOTH,
        Some(Side::White) => &[Color::White],
        Some(Side::Black) => &[Color::Black],
    };
    let bar = ScanBar::new(&format!("{material} maxima"));
    let mut groups = Vec::new();
    for &side in sides {
        for outcome in [Outcome::Win, Outcome::Loss] {
            let hits = maxima(&tables, args.metric, side, outcome, |done, total| {
                bar.set(done, total);
            })?;
            let value = hits.first().and_then(|hit| hit.values[args.metric as usize]);
            if let Some(plies) = value.and_then(molien_values::Value::plies) {
                groups.push(Group { side, outcome, plies, hits });
            }
        }
    }
    drop(bar);
    if context.json {
        let groups: Vec<Json> = groups.iter().map(to_json).collect();
        print_json(&json!({
            "material": material.to_string(),
            "metric": args.metric.name(),
            "maxima": groups,
        }))?;
    } else {
        groups.iter().try_for_each(print)?;
    }
    Ok(Verdict::Done)
}

fn to_json(group: &Group) -> Json {
    let fens: Vec<String> = group.hits.iter().map(|hit| hit.position.to_string()).collect();
    json!({
        "side_to_move": group.side.to_string().to_lowercase(),
        "outcome": group.outcome.name(),
        "plies": group.plies,
        "moves": winner_moves(group.plies),
        "count": fens.len(),
        "fens": fens,
    })
}

fn print(group: &Group) -> anyhow::Result<()> {
    print_line(&format!(
        "{} to move, {} in {} plies ({} moves): {} positions",
        group.side,
        group.outcome.name(),
        group.plies,
        winner_moves(group.plies),
        grouped(group.hits.len() as u64),
    ))?;
    group.hits.iter().try_for_each(|hit| print_line(&format!("  {}", hit.position)))
}
