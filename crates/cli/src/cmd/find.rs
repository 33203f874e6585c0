//! `molien find`.

use std::ops::ControlFlow;
use std::str::FromStr;

use clap::Args;
use molien_board::Material;
use molien_mine::{Hit, Query, Search, Selection, TableSet};
use molien_schema::{CountJson, HitJson};
use molien_values::{Metric, UnknownName, Value};

use crate::Verdict;
use crate::context::Context;
use crate::estimate::{self, Goal};
use crate::scan_bar::ScanBar;
use crate::text::{grouped, note, plies, plural, print_answer, print_line};

const AFTER_HELP: &str = "\
Examples:
  molien find KRK 'white to move and dtm = 31' --limit 5
  molien find KRKN 'n on corner and black to move and loss and not check' --count
  molien find KPK 'P on rank 7 and (K = c6 or k in a8..c8) and wtm and only-move' --limit 3
  molien find KRKN 'zugzwang and white wins' --json
  molien find KQK 'stalemate and distance = 2' --sample 3
  molien find KRKN 'wtm and win and n attacks K' --sort dtm-desc --limit 3

A query puts these together with and, or, not and brackets:
  K = e4, k in a1..c3, R on file a, P on ranks 6..7, N != h1, b on light
          upper case is White's man; several squares: K = e4, d4
          edge, corner, centre, light, dark name squares too
  R attacks k, n attacks e4, N protects R
  distance <= 2           king moves between the kings; distance N k = 3
  white to move (wtm), black to move (btm)
  win, cursed-win, draw, blessed-loss, loss
                          for the side to move, with the 50-move rule
  white wins, black wins  whoever is to move, with the 50-move rule
  cursed                  cursed-win or blessed-loss
  dtm >= 30, dtc = 5, dtz in 10..20, dtz50 < 100   in plies
  zugzwang                whoever moves is worse off
  only-move               exactly one move keeps the outcome
  check, mate, stalemate  of the side to move
  capture                 the side to move can capture

Positions that are mirror images of each other and that the query cannot tell
apart are printed once. With --json every position is an object on a line of
its own.";

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
    /// Print this many positions chosen at random
    #[arg(long, value_name = "N", conflicts_with_all = ["count", "limit", "sort"])]
    sample: Option<usize>,
    /// Seed of the random choice: the same seed chooses the same positions
    #[arg(long, value_name = "N", default_value_t = 1, requires = "sample")]
    seed: u64,
    /// Sort by depth: dtm puts the shortest first, dtm-desc the longest; so do
    /// dtc, dtz and dtz50
    #[arg(long, value_name = "ORDER", conflicts_with = "count")]
    sort: Option<Order>,
    /// Depths to print as well: dtm, dtc, dtz, dtz50 [default: those of the query, or dtm]
    #[arg(long, value_delimiter = ',')]
    metric: Vec<Metric>,
}

/// An order of depths.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Order {
    metric: Metric,
    deepest_first: bool,
}

impl FromStr for Order {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Order, UnknownName> {
        let (name, deepest_first) = match text.strip_suffix("-desc") {
            Some(name) => (name, true),
            None => (text, false),
        };
        let allowed = "dtm, dtc, dtz or dtz50, or one of them with -desc";
        let metric = name.parse().map_err(|_| UnknownName::new("order", text, allowed))?;
        Ok(Order { metric, deepest_first })
    }
}

impl FindArgs {
    /// The metrics whose depths are printed.
    fn told(&self, query: &Query) -> Vec<Metric> {
        let mut told = match (self.metric.is_empty(), query.metrics()) {
            (false, _) => self.metric.clone(),
            (true, asked) if asked.is_empty() => vec![Metric::Dtm],
            (true, asked) => asked,
        };
        told.extend(self.sort.map(|order| order.metric).filter(|metric| !told.contains(metric)));
        if self.count { Vec::new() } else { told }
    }

    fn selection(&self) -> Option<Selection> {
        let sample = |count| Selection::Sample { count, seed: self.seed };
        let sort = |Order { metric, deepest_first }| Selection::Sorted { metric, deepest_first };
        self.sample.map(sample).or(self.sort.map(sort))
    }
}

/// Searches and prints what it finds as it goes.
pub fn run(context: &Context, args: &FindArgs) -> anyhow::Result<Verdict> {
    let material: Material = args.material.parse()?;
    let query = Query::parse(&args.query.join(" "), material)?;
    let told = args.told(&query);
    let metrics = [&query.metrics()[..], &told, &[Metric::Dtz50]].concat();
    estimate::check(context, Goal::Tables(&[material]), &metrics)?;
    let tables = TableSet::for_query(&context.build(), material, &query, &told)?;
    let search = Search::new(&tables, &query)?;
    let bar = ScanBar::new(&format!("{material} find"));
    let progress = |done, total| bar.set(done, total);
    if args.count {
        let count = search.count(progress)?;
        drop(bar);
        print_count(context, material, args, count)?;
        return Ok(Verdict::Done);
    }
    let limit = args.limit.unwrap_or(u64::MAX);
    if let Some(selection) = args.selection() {
        let hits = selection.of(&search, progress)?;
        drop(bar);
        say_if_none(context, hits.is_empty());
        let wanted = hits.iter().take(usize::try_from(limit).unwrap_or(usize::MAX));
        wanted.into_iter().try_for_each(|hit| print_hit(context, &tables, hit))?;
        return Ok(Verdict::Done);
    }
    let (mut left, mut result) = (limit, Ok(()));
    if left > 0 {
        search.each(progress, |hit| {
            result = bar.aside(|| print_hit(context, &tables, &hit));
            left -= 1;
            match result.is_err() || left == 0 || context.is_interrupted() {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        })?;
    }
    drop(bar);
    say_if_none(context, limit > 0 && left == limit && result.is_ok());
    result.map(|()| Verdict::Done)
}

/// Silence could mean anything.
fn say_if_none(context: &Context, is_none: bool) {
    if is_none && !context.is_interrupted() {
        note("no position is like that");
    }
}

fn print_count(
    context: &Context,
    material: Material,
    args: &FindArgs,
    count: u64,
) -> anyhow::Result<()> {
    if context.json {
        return print_answer(&CountJson::new(material, &args.query.join(" "), count));
    }
    let positions = plural(count, "position", "positions");
    print_line(&format!("{} {positions}", grouped(count)))
}

fn print_hit(context: &Context, tables: &TableSet, hit: &Hit) -> anyhow::Result<()> {
    if context.json {
        return print_answer(&HitJson::new(hit, tables.metrics()));
    }
    let of = |&metric: &Metric| Some((metric, hit.values[metric as usize]?));
    let values: Vec<(Metric, Value)> = tables.metrics().iter().filter_map(of).collect();
    let depths: String = values
        .iter()
        .filter_map(|(metric, value)| Some(format!("  {metric} {}", plies(value.plies()?))))
        .collect();
    print_line(&format!("{}  {}{depths}", hit.position, hit.category))
}
