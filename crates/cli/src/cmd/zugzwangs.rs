//! `molien zugzwangs`.

use std::ops::ControlFlow;

use clap::{Args, ValueEnum};
use molien_board::{Color, Material};
use molien_mine::{TableSet, Zugzwang, ZugzwangKind, zugzwangs};
use molien_schema::{ZugzwangCountsJson, ZugzwangJson, ZugzwangsJson};
use molien_values::{Metric, Value};

use crate::Verdict;
use crate::context::Context;
use crate::estimate::{self, Goal};
use crate::scan_bar::ScanBar;
use crate::text::{grouped, print_answer, print_line};

const AFTER_HELP: &str = "\
Examples:
  molien zugzwangs KRKN
  molien zugzwangs KNKR --type black-wins --json
  molien zugzwangs KPKP --count

In a mutual zugzwang whoever moves is worse off than if the other side moved;
the 50-move rule is left aside. Each is printed once, not with its mirror images,
with the losing side to move (White where both lose), by type and then the
longest losses first. Where a table keeps no depths, positions are printed in
the order in which they are found. With --json every position is an object on a
line of its own; plies are positive for a win of the side to move and negative
for a loss.";

/// A type as the user names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Kind {
    WhiteWins,
    BlackWins,
    FullPoint,
}

/// Which zugzwangs.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct ZugzwangsArgs {
    /// A material such as KRKN
    material: String,
    /// What the depth counts: dtm, dtc, dtz, dtz50 or dtm50
    #[arg(long, default_value = "dtm")]
    metric: Metric,
    /// Types to print [default: all]
    #[arg(long = "type", value_enum, value_delimiter = ',')]
    kinds: Vec<Kind>,
    /// Print this many positions at most
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Print how many there are of each type, not the positions
    #[arg(long)]
    count: bool,
}

impl ZugzwangsArgs {
    fn kinds(&self) -> Vec<ZugzwangKind> {
        let kind = |kind: &Kind| match kind {
            Kind::WhiteWins => ZugzwangKind::WhiteWins,
            Kind::BlackWins => ZugzwangKind::BlackWins,
            Kind::FullPoint => ZugzwangKind::FullPoint,
        };
        match self.kinds.as_slice() {
            [] => ZugzwangKind::ALL.to_vec(),
            kinds => kinds.iter().map(kind).collect(),
        }
    }
}

/// Lists or counts mutual zugzwangs.
pub fn run(context: &Context, args: &ZugzwangsArgs) -> anyhow::Result<Verdict> {
    let material: Material = args.material.parse()?;
    estimate::check(context, Goal::Tables(&[material]), &[args.metric])?;
    let build = context.build();
    let tables = TableSet::solve(&build, material, &[args.metric])?;
    if args.count {
        print_counts(context, &tables, args.metric)?;
        return Ok(Verdict::Done);
    }
    let bar = ScanBar::new(&format!("{material} zugzwangs"));
    let depths = Some(args.metric).filter(|&metric| tables.check_depths(metric).is_ok());
    let mut left = args.limit.unwrap_or(u64::MAX);
    let mut result = Ok(());
    zugzwangs(
        &tables,
        &args.kinds(),
        |done, total| bar.set(done, total),
        |zugzwang| {
            if left == 0 {
                return ControlFlow::Break(());
            }
            left -= 1;
            result = bar.aside(|| print(context, &zugzwang, depths));
            match result.is_err() || context.is_interrupted() {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        },
    )?;
    result.map(|()| Verdict::Done)
}

fn print_counts(context: &Context, tables: &TableSet, metric: Metric) -> anyhow::Result<()> {
    let stats = tables.stats(metric)?;
    let zugzwangs =
        if tables.is_swapped() { stats.swap_colors().zugzwangs } else { stats.zugzwangs };
    let counts = [zugzwangs.white_wins, zugzwangs.black_wins, zugzwangs.full_point];
    let [white, black, full] = counts.map(|count| count.unique);
    if context.json {
        let counts = ZugzwangCountsJson { white_wins: white, black_wins: black, full_point: full };
        return print_answer(&ZugzwangsJson::new(tables.material(), counts));
    }
    print_line(&format!("White wins (White to move draws, Black loses) {:>12}", grouped(white)))?;
    print_line(&format!("Black wins (Black to move draws, White loses) {:>12}", grouped(black)))?;
    print_line(&format!("full point (whoever moves loses)              {:>12}", grouped(full)))
}

/// Prints a zugzwang, with its depths in a metric if the table keeps them.
fn print(context: &Context, zugzwang: &Zugzwang, depths: Option<Metric>) -> anyhow::Result<()> {
    if context.json {
        return print_answer(&ZugzwangJson::new(zugzwang, depths));
    }
    let (fen, [white, black]) = (zugzwang.position, zugzwang.values);
    let describe = |color: Color, value: Value| match value.plies().filter(|_| depths.is_some()) {
        Some(plies) => format!("{color} loses in {plies} plies"),
        None if value == Value::Draw => format!("{color} draws"),
        None => format!("{color} loses"),
    };
    let (white, black) = (describe(Color::White, white), describe(Color::Black, black));
    print_line(&format!("{:10}  {fen}  {white}, {black}", zugzwang.kind.name()))
}
