//! `molien probe`.

use clap::Args;
use molien_board::Position;
use molien_probe::{Answer, Category, MoveAnswer};
use molien_solve::{Metric, Value};
use serde_json::{Value as Json, json};

use crate::Verdict;
use crate::cmd::large;
use crate::context::Context;
use crate::text::{print_json, print_line, winner_moves};

const AFTER_HELP: &str = "\
Examples:
  molien probe '8/8/8/8/8/2k5/8/K6R w - -'
  molien probe --json 8/8/8/8/8/2k5/8/K6R_b_-_-

Plies are positive for a win of the side to move and negative for a loss; a
move's values are those of the position after it, seen from the side then to
move. Moves are grouped by what they achieve, the best first.";

/// Which position.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct ProbeArgs {
    /// The position as FEN, quoted or not
    #[arg(required = true)]
    fen: Vec<String>,
}

/// Solves what is needed and prints the position's values and moves.
pub fn run(context: &Context, args: &ProbeArgs) -> anyhow::Result<Verdict> {
    let position: Position = args.fen.join(" ").parse()?;
    if large::wants_card(context, position.material()) {
        return large::probe(context, &position);
    }
    let tables = context.tablebase();
    // The moves first: they announce all positions that are asked for.
    let moves = tables.moves(&position)?;
    let answer = tables.probe(&position)?;
    if context.json {
        print_json(&to_json(&position, &answer, &moves))?;
    } else {
        print(&position, &answer, &moves)?;
    }
    Ok(Verdict::Done)
}

fn to_json(position: &Position, answer: &Answer, moves: &[MoveAnswer]) -> Json {
    let plies = |answer: &Answer, metric| answer.values.plies(metric);
    let of_move = |m: &MoveAnswer| {
        json!({
            "uci": m.played.to_string(),
            "san": m.san,
            "category": m.after.category.name(),
            "dtm": plies(&m.after, Metric::Dtm),
            "dtc": plies(&m.after, Metric::Dtc),
            "dtz": plies(&m.after, Metric::Dtz),
            "dtz50": plies(&m.after, Metric::Dtz50),
        })
    };
    json!({
        "fen": position.to_string(),
        "category": answer.category.name(),
        "dtm": plies(answer, Metric::Dtm),
        "dtc": plies(answer, Metric::Dtc),
        "dtz": plies(answer, Metric::Dtz),
        "moves": moves.iter().map(of_move).collect::<Vec<_>>(),
        "dtz50": plies(answer, Metric::Dtz50),
    })
}

/// The plies in each metric, in columns; draws have none.
fn columns(answer: &Answer) -> String {
    let column = |metric| {
        let plies = answer.values.plies(metric);
        format!("{:>7}", plies.map_or("-".to_owned(), |plies| plies.to_string()))
    };
    Metric::ALL.into_iter().map(column).collect()
}

/// The winner's moves to mate and to conversion, in columns.
fn moves_columns(answer: &Answer) -> String {
    let column = |metric| {
        let moves = answer.values.get(metric).and_then(Value::plies).map(winner_moves);
        format!("{:>7}", moves.map_or("-".to_owned(), |moves| moves.to_string()))
    };
    Metric::ALL.into_iter().map(column).collect()
}

/// What a class means for the side that has it.
fn verdict(category: Category) -> &'static str {
    match category {
        Category::Win => "wins",
        Category::CursedWin => "wins, but the 50-move rule saves the other side",
        Category::Draw => "draws",
        Category::BlessedLoss => "loses, but the 50-move rule saves it",
        Category::Loss => "loses",
    }
}

fn print(position: &Position, answer: &Answer, moves: &[MoveAnswer]) -> anyhow::Result<()> {
    let mated = answer.category == Category::Loss && moves.is_empty();
    let what = if mated { "is mated" } else { verdict(answer.category) };
    let names: String = Metric::ALL.iter().map(|metric| format!("{:>7}", metric.name())).collect();
    print_line(&position.to_string())?;
    print_line(&format!("{} to move {what}", position.turn()))?;
    let count = Metric::ALL.len() * 7;
    print_line(&format!("\n  {:8} {:>count$}   {:>count$}", "", "plies", "winner's moves"))?;
    print_line(&format!("  {:8} {names}   {names}", ""))?;
    let row = |name: &str, answer: &Answer| {
        print_line(&format!("  {name:8} {}   {}", columns(answer), moves_columns(answer)))
    };
    row("now", answer)?;
    // Best first, so that moves of one class stand together.
    for group in moves.chunk_by(|a, b| a.after.category == b.after.category) {
        let class = group.first().map_or(Category::Draw, |m| m.after.category.reverse());
        let plural = if group.len() == 1 { "move" } else { "moves" };
        print_line(&format!("{} {plural}: {} {}", group.len(), position.turn(), verdict(class)))?;
        group.iter().try_for_each(|m| row(&m.san, &m.after))?;
    }
    Ok(())
}
