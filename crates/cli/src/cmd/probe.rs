//! `molien probe`.

use clap::Args;
use molien_board::Position;
use molien_probe::{Answer, Category, MoveAnswer};
use molien_solve::Metric;
use serde_json::{Value as Json, json};

use crate::Verdict;
use crate::context::Context;
use crate::text::{print_json, print_line};

const AFTER_HELP: &str = "\
Examples:
  molien probe '8/8/8/8/8/2k5/8/K6R w - -'
  molien probe --json 8/8/8/8/8/2k5/8/K6R_b_-_-

Plies are positive for a win of the side to move and negative for a loss; a
move's values are those of the position after it, seen from the side then to
move. The best moves come first.";

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
        format!("{:>6}", plies.map_or("-".to_owned(), |plies| plies.to_string()))
    };
    Metric::ALL.into_iter().map(column).collect()
}

fn print(position: &Position, answer: &Answer, moves: &[MoveAnswer]) -> anyhow::Result<()> {
    let verdict = match answer.category {
        Category::Win => "wins",
        Category::CursedWin => "wins, but the 50-move rule saves the other side",
        Category::Draw => "draws",
        Category::BlessedLoss => "loses, but the 50-move rule saves it",
        Category::Loss if moves.is_empty() => "is mated",
        Category::Loss => "loses",
    };
    let names: String = Metric::ALL.iter().map(|metric| format!("{:>6}", metric.name())).collect();
    print_line(&position.to_string())?;
    print_line(&format!("{} to move {verdict}", position.turn()))?;
    print_line(&format!("\n  {:8} {:12} {names}", "plies", ""))?;
    print_line(&format!("  {:8} {:12} {}", "now", answer.category, columns(answer)))?;
    for m in moves {
        print_line(&format!("  {:8} {:12} {}", m.san, m.after.category, columns(&m.after)))?;
    }
    Ok(())
}
