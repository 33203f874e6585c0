//! `molien basins`.

use std::ops::ControlFlow;

use anyhow::{bail, ensure};
use clap::{Args, ValueEnum};
use molien_board::{Color, Material, Position};
use molien_build::Build;
use molien_mine::{Basin, BasinSize, BasinSizes, Basins, TableSet, ZugzwangKind, zugzwangs};
use molien_schema::{BasinsJson, HitJson};
use molien_values::{Metric, Outcome, Value};

use crate::Verdict;
use crate::context::Context;
use crate::estimate::{self, Goal};
use crate::text::{grouped, plies, plural, print_answer, print_line};

const AFTER_HELP: &str = "\
Examples:
  molien basins KRKN --of zugzwangs
  molien basins KRK --of 'k1R5/8/1K6/8/8/8/8/8 b - -' --by-depth
  molien basins KRKB --of zugzwangs --list necessary

From which positions does best play lead to the goals? A best move keeps the value
to the ply, and in a draw every move that keeps the draw is one.

  necessary  whatever best moves are chosen, a goal is reached
  white      White can choose best moves so that one is reached
  black      Black can do so
  possible   both sides together can

Mirror images are counted once, and goals belong to their own basins. `zugzwangs`
stands for all mutual zugzwangs, with either side to move. Materials without pawns
only. docs/basins.md has the definitions.";

/// A basin as the user names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Name {
    Necessary,
    White,
    Black,
    Possible,
}

impl Name {
    const fn basin(self) -> Basin {
        match self {
            Name::Necessary => Basin::Necessary,
            Name::White => Basin::White,
            Name::Black => Basin::Black,
            Name::Possible => Basin::Possible,
        }
    }
}

/// Of what.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct BasinsArgs {
    /// A material without pawns, such as KRKN
    material: String,
    /// The goals: `zugzwangs`, or positions as FEN, each quoted
    #[arg(long, required = true, num_args = 1.., value_name = "GOAL")]
    of: Vec<String>,
    /// What best play counts: dtm, dtc, dtz or dtz50
    #[arg(long, default_value = "dtm")]
    metric: Metric,
    /// Print the sizes for every depth
    #[arg(long)]
    by_depth: bool,
    /// Print the positions of one basin instead of the sizes
    #[arg(long, value_enum, value_name = "BASIN")]
    list: Option<Name>,
    /// Print this many of the farthest positions of each basin
    #[arg(long, value_name = "N", default_value_t = 1)]
    examples: usize,
}

/// Finds the basins of some positions.
pub fn run(context: &Context, args: &BasinsArgs) -> anyhow::Result<Verdict> {
    let material: Material = args.material.parse()?;
    estimate::check(context, Goal::Tables(&[material]), &[args.metric])?;
    let build = context.build();
    let basins = Basins::new(&build, material, args.metric)?;
    let goals = goals(&build, material, args)?;
    if let Some(name) = args.list {
        return list(context, args.metric, &basins, &goals, name.basin());
    }
    let found = basins.sizes(&goals, args.examples, || !context.is_interrupted())?;
    match context.json {
        true => print_answer(&BasinsJson::new(material, args.metric, &goals, &found))?,
        false => print(material, args, &goals, &found)?,
    }
    Ok(Verdict::Done)
}

fn goals(build: &Build, material: Material, args: &BasinsArgs) -> anyhow::Result<Vec<Position>> {
    let mut goals = Vec::new();
    for goal in &args.of {
        if goal != "zugzwangs" {
            goals.push(goal.parse()?);
            continue;
        }
        let tables = TableSet::solve(build, material, &[args.metric])?;
        zugzwangs(
            &tables,
            &ZugzwangKind::ALL,
            |_, _| {},
            |zugzwang| {
                goals.extend(Color::BOTH.map(|turn| zugzwang.position.with_turn(turn)));
                ControlFlow::Continue(())
            },
        )?;
    }
    match goals.is_empty() {
        true => bail!("{material} has no mutual zugzwangs"),
        false => Ok(goals),
    }
}

/// Prints the positions of a basin as they are found.
fn list(
    context: &Context,
    metric: Metric,
    basins: &Basins,
    goals: &[Position],
    basin: Basin,
) -> anyhow::Result<Verdict> {
    let mut result = Ok(());
    basins.find(goals, basin, |wave| {
        result = wave.positions().try_for_each(|position| match context.json {
            true => print_answer(&HitJson::of(position, metric, wave.value)),
            false => print_line(&format!("{position}  {}", describe(wave.value))),
        });
        match result.is_err() || context.is_interrupted() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    })?;
    result?;
    ensure!(!context.is_interrupted(), "interrupted");
    Ok(Verdict::Done)
}

fn describe(value: Value) -> String {
    match value {
        Value::Win(count) => format!("won in {}", plies(count)),
        Value::Draw => "drawn".to_owned(),
        Value::Loss(count) => format!("lost in {}", plies(count)),
    }
}

fn print(
    material: Material,
    args: &BasinsArgs,
    goals: &[Position],
    found: &BasinSizes,
) -> anyhow::Result<()> {
    let (metric, count) = (args.metric, goals.len() as u64);
    let word = plural(count, "goal", "goals");
    print_line(&format!("{material}, best play by {metric}, {} {word}\n", grouped(count)))?;
    let sides = "White to move                         Black to move";
    print_line(&format!("{:11}{sides}", ""))?;
    let heads = CELLS.map(|(_, outcome)| format!("{:>12} ", participle(outcome)));
    print_line(format!("{:10}{}", "basin", heads.concat()).trim_end())?;
    for basin in Basin::ALL {
        let cell = |(turn, outcome): (Color, Outcome)| {
            let is_here = |size: &BasinSize| size.turn == turn && size.value.outcome() == outcome;
            format!("{:>12} ", grouped(found.total(basin, is_here)))
        };
        let cells = CELLS.map(cell).concat();
        print_line(format!("{:10}{cells}", basin.name()).trim_end())?;
    }
    if args.by_depth {
        print_depths(found)?;
    }
    print_examples(found)
}

fn print_depths(found: &BasinSizes) -> anyhow::Result<()> {
    let heads = Basin::ALL.map(|basin| format!("{:>12} ", basin.name()));
    print_line(format!("\n{:14}{:>7}{}", "to move", "plies", heads.concat()).trim_end())?;
    for BasinSize { turn, value, positions } in &found.sizes {
        let side = format!("{turn} {}", participle(value.outcome()));
        let sizes = positions.map(|size| format!("{:>12} ", grouped(size)));
        let plies = value.plies().map_or_else(String::new, |plies| plies.to_string());
        print_line(format!("{side:14}{plies:>7}{}", sizes.concat()).trim_end())?;
    }
    Ok(())
}

fn print_examples(found: &BasinSizes) -> anyhow::Result<()> {
    print_line("")?;
    for basin in Basin::ALL {
        for (position, value) in &found.examples[basin as usize] {
            print_line(&format!("{:10} {position}  {}", basin.name(), describe(*value)))?;
        }
    }
    Ok(())
}

const CELLS: [(Color, Outcome); 6] = [
    (Color::White, Outcome::Win),
    (Color::White, Outcome::Loss),
    (Color::White, Outcome::Draw),
    (Color::Black, Outcome::Win),
    (Color::Black, Outcome::Loss),
    (Color::Black, Outcome::Draw),
];

const fn participle(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Win => "won",
        Outcome::Draw => "drawn",
        Outcome::Loss => "lost",
    }
}
