//! `molien find`.

use std::ops::ControlFlow;

use clap::Args;
use molien_board::Material;
use molien_build::Build;
use molien_mine::{Hit, Query, Search, TableSet};
use molien_values::{Metric, Value};
use serde_json::{Map, Value as Json, json};

use crate::Verdict;
use crate::context::Context;
use crate::scan_bar::ScanBar;
use crate::text::{grouped, print_json, print_line};

const AFTER_HELP: &str = "\
Examples:
  molien find KRK 'white to move and dtm = 31' --limit 5
  molien find KRKN 'n on corner and black to move and loss and not check' --count
  molien find KPK 'P on rank 7 and (K = c6 or k in a8..c8) and wtm and only-move' --limit 3
  molien find KRKN 'zugzwang and white wins' --json

A query puts these together with and, or, not and brackets:
  K = e4, k in a1..c3, R on file a, P on ranks 6..7, N != h1, b on light
          upper case is White's man; several squares: K = e4, d4
          edge, corner, centre, light, dark name squares too
  white to move (wtm), black to move (btm)
  win, draw, loss         for the side to move
  white wins, black wins  whoever is to move
  cursed                  won or lost, but drawn by the 50-move rule
  dtm >= 30, dtc = 5, dtz in 10..20, dtz50 < 100   in plies
  zugzwang                whoever moves is worse off
  only-move               exactly one move keeps the outcome
  check, capture          the side to move is in check, can capture

Positions that are mirror images of each other and of which the query cannot
tell one from the other are printed once. With --json every position is an
object on a line of its own.";

/// Which positions.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct FindArgs {
    /// A material such as KRKN
    material: String,
    /// Which positions: see below
    #[arg(required = true)]
    query: Vec<String>,
    /// Print this many positions at most
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Print how many positions match, not the positions
    #[arg(long)]
    count: bool,
    /// Depths to print as well: dtm, dtc, dtz, dtz50 [default: those of the query, or dtm]
    #[arg(long, value_delimiter = ',')]
    metric: Vec<Metric>,
}

/// Searches and prints what it finds as it goes.
pub fn run(context: &Context, args: &FindArgs) -> anyhow::Result<Verdict> {
    let material: Material = args.material.parse()?;
    let query = Query::parse(&args.query.join(" "), material)?;
    let tables = tables(&context.build(), material, &query, &args.metric)?;
    let search = Search::new(&tables, &query)?;
    let bar = ScanBar::new(&format!("{material} find"));
    if args.count {
        let count = search.count(|done, total| bar.set(done, total));
        drop(bar);
        print_count(context, material, args, count)?;
        return Ok(Verdict::Done);
    }
    let mut left = args.limit.unwrap_or(u64::MAX);
    let mut result = Ok(());
    if left > 0 {
        search.each(
            |done, total| bar.set(done, total),
            |hit| {
                result = bar.aside(|| print_hit(context, &hit));
                left -= 1;
                match result.is_err() || left == 0 || context.is_interrupted() {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            },
        );
    }
    result.map(|()| Verdict::Done)
}

/// The tables that a query and the metrics asked for need.
pub fn tables(
    solver: &Build,
    material: Material,
    query: &Query,
    asked: &[Metric],
) -> anyhow::Result<TableSet> {
    let mut metrics = asked.to_vec();
    metrics.extend(query.metrics());
    let tables = TableSet::solve(solver, material, &metrics)?;
    Ok(if query.needs_moves() { tables.with_moves(solver)? } else { tables })
}

fn print_count(
    context: &Context,
    material: Material,
    args: &FindArgs,
    count: u64,
) -> anyhow::Result<()> {
    if context.json {
        let query = args.query.join(" ");
        return print_json(
            &json!({ "material": material.to_string(), "query": query, "count": count }),
        );
    }
    print_line(&format!("{} positions", grouped(count)))
}

/// The outcome of a hit, for the side to move.
pub fn outcome(hit: &Hit) -> &'static str {
    let value = hit.values.iter().flatten().next();
    value.map_or("draw", |value| value.outcome().name())
}

fn print_hit(context: &Context, hit: &Hit) -> anyhow::Result<()> {
    let of = |metric: Metric| Some((metric, hit.values[metric as usize]?));
    let values: Vec<(Metric, Value)> = Metric::EVERY.into_iter().filter_map(of).collect();
    let fen = hit.position.to_string();
    if context.json {
        let mut object = Map::new();
        object.insert("fen".to_owned(), Json::from(fen));
        object.insert("outcome".to_owned(), Json::from(outcome(hit)));
        for (metric, value) in values {
            object.insert(metric.name().to_owned(), Json::from(value.signed_plies()));
        }
        return print_json(&Json::Object(object));
    }
    let depths: String = values
        .iter()
        .filter_map(|(metric, value)| Some(format!("  {metric} {}", value.plies()?)))
        .collect();
    print_line(&format!("{fen}  {}{depths}", outcome(hit)))
}
