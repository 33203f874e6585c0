//! `molien maxima`.

use clap::{Args, ValueEnum};
use molien_board::{Color, Material};
use molien_mine::{Hit, TableSet, maxima};
use molien_schema::MaximaJson;
use molien_values::{Category, Metric, Outcome, Value};

use crate::Verdict;
use crate::context::Context;
use crate::estimate::{self, Goal};
use crate::scan_bar::ScanBar;
use crate::text::{grouped, plural, print_answer, print_line, winner_moves};

const AFTER_HELP: &str = "\
Examples:
  molien maxima KRK
  molien maxima KQKQ --metric dtc --side white --json

Lists all positions of the greatest depth, won and lost, for each side to move; mirror
images are listed once. In dtz50 depths above 100 plies are cursed wins and blessed
losses: draws by the 50-move rule.";

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
    /// What the plies count: dtm, dtc, dtz, dtz50 or dtm50
    #[arg(long, default_value = "dtm")]
    metric: Metric,
    /// Only positions with this side to move
    #[arg(long, value_enum)]
    side: Option<Side>,
}

/// The deepest wins or losses of one side to move.
struct Group {
    side: Color,
    class: Category,
    plies: u16,
    hits: Vec<Hit>,
}

/// What a depth means: only DTZ50 knows of the 50-move rule.
fn class(metric: Metric, outcome: Outcome, plies: u16) -> Category {
    match (metric, outcome) {
        (Metric::Dtz50, Outcome::Win) => Category::of(Value::Win(plies)),
        (Metric::Dtz50, Outcome::Loss) => Category::of(Value::Loss(plies)),
        (_, outcome) => outcome.into(),
    }
}

/// Lists all deepest positions.
pub fn run(context: &Context, args: &MaximaArgs) -> anyhow::Result<Verdict> {
    let material: Material = args.material.parse()?;
    estimate::check(context, Goal::Tables(&[material]), &[args.metric])?;
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
            if let Some(plies) = value.and_then(Value::plies) {
                groups.push(Group { side, class: class(args.metric, outcome, plies), plies, hits });
            }
        }
    }
    drop(bar);
    if context.json {
        let groups: Vec<Vec<Hit>> = groups.into_iter().map(|group| group.hits).collect();
        print_answer(&MaximaJson::new(material, args.metric, &groups))?;
    } else {
        groups.iter().try_for_each(print)?;
    }
    Ok(Verdict::Done)
}

fn print(group: &Group) -> anyhow::Result<()> {
    print_line(&format!(
        "{} to move, {} in {} plies ({} moves): {} {}",
        group.side,
        group.class,
        group.plies,
        winner_moves(group.plies),
        grouped(group.hits.len() as u64),
        plural(group.hits.len() as u64, "position", "positions"),
    ))?;
    group.hits.iter().try_for_each(|hit| print_line(&format!("  {}", hit.position)))
}
