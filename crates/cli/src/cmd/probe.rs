//! `molien probe`.

use clap::Args;
use molien_board::Position;
use molien_probe::{Answer, MoveAnswer};
use molien_values::{Category, Metric, Value};
use serde_json::{Value as Json, json};

use crate::Verdict;
use crate::cmd::large;
use crate::context::Context;
use crate::text::{print_json, print_line, winner_moves};

const AFTER_HELP: &str = "\
Examples:
  molien probe '8/8/8/8/8/2k5/8/K6R w - -'
  molien probe --json 8/8/8/8/8/2k5/8/K6R_b_-_-
  molien probe --metric dtm '8/8/8/8/8/2k5/8/K6R w - -'

Plies are positive for a win of the side to move and negative for a loss; a
move's values are those of the position after it, seen from the side then to
move. Moves are grouped by what they achieve, the best first. With --metric
nothing else is solved, and classes are those without the 50-move rule (with
it, for dtz50). So it is with seven men, which a CUDA card solves in dtc unless
another metric is asked for.";

/// Which position.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct ProbeArgs {
    /// The position as FEN, quoted or not
    #[arg(required = true)]
    fen: Vec<String>,
    /// Only this: dtm, dtc, dtz or dtz50 [default: all of them]
    #[arg(long)]
    metric: Option<Metric>,
}

/// Solves what is needed and prints the position's values and moves.
pub fn run(context: &Context, args: &ProbeArgs) -> anyhow::Result<Verdict> {
    let position: Position = args.fen.join(" ").parse()?;
    // A large board is solved in one metric at a time.
    let one_metric = large::wants_card(context, position.material());
    let metric = args.metric.or(one_metric.then_some(Metric::Dtc));
    if let (true, Some(metric)) = (one_metric, metric) {
        position.check_legal()?;
        large::announce(&*context.card()?, position.material(), metric)?;
    }
    let tables = context.tablebase();
    // The moves first: they announce all positions that are asked for.
    let (moves, answer) = match metric {
        None => (tables.moves(&position)?, tables.probe(&position)?),
        Some(only) => (tables.moves_only(&position, only)?, tables.probe_only(&position, only)?),
    };
    let metrics = metric.map_or(Metric::ALL.to_vec(), |only| vec![only]);
    let view = View { position: &position, metrics: &metrics, answer: &answer, moves: &moves };
    if context.json { print_json(&view.to_json()) } else { view.print() }?;
    Ok(Verdict::Done)
}

/// A position's values and moves in some metrics.
struct View<'a> {
    position: &'a Position,
    metrics: &'a [Metric],
    answer: &'a Answer,
    moves: &'a [MoveAnswer],
}

/// What a class means for the side that has it.
fn verdict(category: Category) -> &'static str {
    match category {
        Category::Win => "wins",
        Category::MaybeWin => "wins, unless the 50-move rule comes first",
        Category::CursedWin => "wins, but the 50-move rule saves the other side",
        Category::Draw => "draws",
        Category::BlessedLoss => "loses, but the 50-move rule saves it",
        Category::MaybeLoss => "loses, unless the 50-move rule comes first",
        Category::Loss => "loses",
    }
}

impl View<'_> {
    fn to_json(&self) -> Json {
        let plies = |object: &mut Json, answer: &Answer, wanted: fn(Metric) -> bool| {
            for &metric in self.metrics.iter().filter(|&&metric| wanted(metric)) {
                object[metric.name()] = json!(answer.values.plies(metric));
            }
        };
        let of_move = |m: &MoveAnswer| {
            let category = m.after.category.name();
            let mut object =
                json!({ "uci": m.played.to_string(), "san": m.san, "category": category });
            plies(&mut object, &m.after, |_| true);
            object
        };
        let category = self.answer.category.name();
        let mut object = json!({ "fen": self.position.to_string(), "category": category });
        // The order of the fields is promised; dtz50 is the youngest of them.
        plies(&mut object, self.answer, |metric| metric != Metric::Dtz50);
        object["moves"] = self.moves.iter().map(of_move).collect();
        plies(&mut object, self.answer, |metric| metric == Metric::Dtz50);
        object
    }

    /// Something of every metric, in columns; draws have none.
    fn columns(&self, number: impl Fn(Metric) -> Option<i32>) -> String {
        let column = |&metric: &Metric| {
            format!("{:>7}", number(metric).map_or("-".to_owned(), |number| number.to_string()))
        };
        self.metrics.iter().map(column).collect()
    }

    /// The plies, and the winner's moves.
    fn print_row(&self, name: &str, answer: &Answer) -> anyhow::Result<()> {
        let plies = self.columns(|metric| answer.values.plies(metric));
        let moves = |metric| answer.values.get(metric).and_then(Value::plies).map(winner_moves);
        let moves = self.columns(|metric| moves(metric).map(i32::from));
        print_line(&format!("  {name:8} {plies}   {moves}"))
    }

    fn print(&self) -> anyhow::Result<()> {
        let View { position, metrics, answer, moves } = self;
        let mated = answer.category == Category::Loss && moves.is_empty();
        let what = if mated { "is mated" } else { verdict(answer.category) };
        print_line(&position.to_string())?;
        print_line(&format!("{} to move {what}", position.turn()))?;
        let names: String = metrics.iter().map(|metric| format!("{:>7}", metric.name())).collect();
        let width = metrics.len() * 7;
        print_line(&format!("\n  {:8} {:>width$}   {:>width$}", "", "plies", "winner's moves"))?;
        print_line(&format!("  {:8} {names}   {names}", ""))?;
        self.print_row("now", answer)?;
        // Best first, so that moves of one class stand together.
        for group in moves.chunk_by(|a, b| a.after.category == b.after.category) {
            let class = group.first().map_or(Category::Draw, |m| m.after.category.reverse());
            let plural = if group.len() == 1 { "move" } else { "moves" };
            let turn = position.turn();
            print_line(&format!("{} {plural}: {turn} {}", group.len(), verdict(class)))?;
            group.iter().try_for_each(|m| self.print_row(&m.san, &m.after))?;
        }
        Ok(())
    }
}
