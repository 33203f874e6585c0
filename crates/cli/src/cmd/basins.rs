//! `molien basins`.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use anyhow::bail;
use clap::{Args, ValueEnum};
use molien_board::{Color, Material, Position};
use molien_build::Build;
use molien_mine::{Basin, Basins, TableSet, Wave, ZugzwangKind, zugzwangs};
use molien_values::{Metric, Outcome, Value};
use serde_json::{Value as Json, json};

use crate::Verdict;
use crate::context::Context;
use crate::text::{grouped, print_json, print_line};

const AFTER_HELP: &str = "\
Examples:
  molien basins KRKN --of zugzwangs
  molien basins KRK --of 'k1R5/8/1K6/8/8/8/8/8 b - -' --by-depth
  molien basins KQKBB --of zugzwangs --list necessary

From which positions does best play lead to the goals? A best move keeps the value
to the ply, and in a draw every move that keeps the draw is one.

  necessary  whatever best moves are chosen, a goal is reached
  white      White can choose best moves so that one is reached
  black      Black can
  possible   both together can

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
    let build = context.build();
    let basins = Basins::new(&build, material, args.metric)?;
    let goals = goals(&build, material, args)?;
    if let Some(name) = args.list {
        return list(context, &basins, &goals, name.basin());
    }
    let mut found = Found::default();
    for basin in Basin::ALL {
        found.add(context, &basins, &goals, basin, args.examples)?;
    }
    match context.json {
        true => print_json(&found.json(material, args.metric, &goals))?,
        false => found.print(material, args, &goals)?,
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
    basins: &Basins,
    goals: &[Position],
    basin: Basin,
) -> anyhow::Result<Verdict> {
    let mut result = Ok(());
    basins.find(goals, basin, |wave| {
        result =
            wave.positions().try_for_each(|position| print_one(context, &position, wave.value));
        match result.is_err() || context.is_interrupted() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    })?;
    result.map(|()| Verdict::Done)
}

fn print_one(context: &Context, position: &Position, value: Value) -> anyhow::Result<()> {
    let (outcome, plies) = (value.outcome(), value.signed_plies());
    if context.json {
        let fen = position.to_string();
        return print_json(&json!({ "fen": fen, "outcome": outcome.name(), "plies": plies }));
    }
    print_line(&format!("{position}  {}", describe(value)))
}

fn describe(value: Value) -> String {
    match value {
        Value::Win(plies) => format!("won in {plies} plies"),
        Value::Draw => "drawn".to_owned(),
        Value::Loss(plies) => format!("lost in {plies} plies"),
    }
}

/// Side to move, outcome, and plies (0 for draws).
type Row = (usize, Outcome, u16);

/// The sizes of all four basins, and some of their positions.
#[derive(Default)]
struct Found {
    sizes: BTreeMap<Row, [u64; 4]>,
    /// By basin: the farthest decided and drawn positions.
    examples: [[Vec<(Position, Value)>; 2]; 4],
}

impl Found {
    fn add(
        &mut self,
        context: &Context,
        basins: &Basins,
        goals: &[Position],
        basin: Basin,
        examples: usize,
    ) -> anyhow::Result<()> {
        basins.find(goals, basin, |wave| {
            self.add_wave(basin, wave, examples);
            match context.is_interrupted() {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        })?;
        if context.is_interrupted() {
            bail!("interrupted");
        }
        Ok(())
    }

    fn add_wave(&mut self, basin: Basin, wave: &Wave<'_>, examples: usize) {
        let value = wave.value;
        let row = (wave.turn().index(), value.outcome(), value.plies().unwrap_or(0));
        self.sizes.entry(row).or_default()[basin as usize] += wave.count();
        let kept = &mut self.examples[basin as usize][usize::from(value == Value::Draw)];
        *kept = wave.positions().take(examples).map(|position| (position, value)).collect();
    }

    fn total(&self, basin: Basin, wanted: impl Fn(&Row) -> bool) -> u64 {
        let rows = self.sizes.iter().filter(|(row, _)| wanted(row));
        rows.map(|(_, sizes)| sizes[basin as usize]).sum()
    }

    fn print(
        &self,
        material: Material,
        args: &BasinsArgs,
        goals: &[Position],
    ) -> anyhow::Result<()> {
        let count = goals.len();
        let metric = args.metric;
        print_line(&format!("{material}, best play by {metric}, goals: {count}"))?;
        let sides = "White to move                         Black to move";
        print_line(&format!("{:11}{sides}", ""))?;
        let heads =
            ["won", "lost", "drawn", "won", "lost", "drawn"].map(|head| format!("{head:>12} "));
        print_line(format!("{:10}{}", "basin", heads.concat()).trim_end())?;
        for basin in Basin::ALL {
            let mut line = format!("{:10}", basin.name());
            for (turn, outcome) in CELLS {
                let size = self.total(basin, |row| (row.0, row.1) == (turn.index(), outcome));
                line += &format!("{:>12} ", grouped(size));
            }
            print_line(line.trim_end())?;
        }
        if args.by_depth {
            self.print_depths()?;
        }
        self.print_examples()
    }

    fn print_depths(&self) -> anyhow::Result<()> {
        print_line("")?;
        let heads = Basin::ALL.map(|basin| format!("{:>12} ", basin.name()));
        print_line(format!("{:14}{:>7}{}", "to move", "plies", heads.concat()).trim_end())?;
        for (&(turn, outcome, plies), sizes) in &self.sizes {
            let side = format!("{} {}", Color::BOTH[turn], participle(outcome));
            let sizes = sizes.map(|size| format!("{:>12} ", grouped(size)));
            let plies = if outcome == Outcome::Draw { String::new() } else { plies.to_string() };
            print_line(format!("{side:14}{plies:>7}{}", sizes.concat()).trim_end())?;
        }
        Ok(())
    }

    fn print_examples(&self) -> anyhow::Result<()> {
        for basin in Basin::ALL {
            for (position, value) in self.examples[basin as usize].iter().flatten() {
                print_line(&format!("{:10} {position}  {}", basin.name(), describe(*value)))?;
            }
        }
        Ok(())
    }

    fn json(&self, material: Material, metric: Metric, goals: &[Position]) -> Json {
        let goals: Vec<String> = goals.iter().map(ToString::to_string).collect();
        let basin = |basin: Basin| {
            let filled = self.sizes.iter().filter(|(_, sizes)| sizes[basin as usize] > 0);
            let sizes: Vec<Json> = filled
                .map(|(&(turn, outcome, plies), sizes)| {
                    json!({
                        "side_to_move": Color::BOTH[turn].to_string().to_lowercase(),
                        "outcome": outcome.name(),
                        "plies": (outcome != Outcome::Draw).then_some(plies),
                        "positions": sizes[basin as usize],
                    })
                })
                .collect();
            let examples: Vec<String> = self.examples[basin as usize]
                .iter()
                .flatten()
                .map(|(position, _)| position.to_string())
                .collect();
            json!({
                "basin": basin.name(),
                "positions": self.total(basin, |_| true),
                "sizes": sizes,
                "examples": examples,
            })
        };
        json!({
            "material": material.to_string(),
            "metric": metric.to_string(),
            "goals": goals,
            "basins": Basin::ALL.map(basin),
        })
    }
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
