//! `molien search`.

use std::time::Duration;

use anyhow::bail;
use clap::Args;
use molien_board::{Position, Role, Setup};
use molien_pawns::{Limits, Options, SearchResult, Searcher, Value};
use molien_reproduce::TableOracle;
use molien_schema::SearchJson;
use molien_values::Category;

use crate::Verdict;
use crate::context::Context;
use crate::text::{print_answer, print_line};

const AFTER_HELP: &str = "\
Examples:
  molien search '7K/8/k1P5/7p/8/8/8/8 w - -'
  molien search '8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - -' --time 10 --json

King and pawn endings with up to eight pawns a side. The category is proved or
'unknown'; no table is used unless --use-tables is given.";

/// Which position, and how long.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct SearchArgs {
    /// The position as FEN, quoted or not
    #[arg(required = true)]
    fen: Vec<String>,
    /// Plies to search at most
    #[arg(long, value_name = "N")]
    depth: Option<u32>,
    /// Seconds to search at most
    #[arg(long, value_name = "S", default_value_t = 60.0)]
    time: f64,
    /// Ask tables with up to four men, solved on demand
    #[arg(long)]
    use_tables: bool,
}

/// Searches and prints the result; on a terminal, every iteration too.
pub fn run(context: &Context, args: &SearchArgs) -> anyhow::Result<Verdict> {
    let position: Position = args.fen.join(" ").parse()?;
    check(&position)?;
    if !(args.time > 0.0 && args.time <= 1e7) {
        bail!("--time {}: expected a positive number of seconds", args.time);
    }
    let limits = Limits {
        depth: args.depth,
        time: Some(Duration::from_secs_f64(args.time)),
        ..Limits::default()
    };
    let oracle = match args.use_tables {
        true => Some(TableOracle::new(context.tablebase()?)),
        false => None,
    };
    let options = Options { oracle: oracle.map(|oracle| oracle as _), ..Options::default() };
    let stop = context.interrupt_flag();
    let result = Searcher::new(options).search_with(&position, limits, &stop, |_| {});
    print(context, &position, &result)?;
    Ok(Verdict::Done)
}

fn check(position: &Position) -> anyhow::Result<()> {
    let pieces = position.men().find(|(man, _)| !matches!(man.role, Role::King | Role::Pawn));
    if let Some((man, square)) = pieces {
        let error = molien_pawns::Error::NotAPawn { role: man.role, square };
        bail!("{error}; ask molien probe");
    }
    Ok(())
}

fn print(context: &Context, position: &Position, result: &SearchResult) -> anyhow::Result<()> {
    let best = result.best_move.map(|m| m.to_string());
    let pv: Vec<String> = result.pv.iter().map(ToString::to_string).collect();
    let seconds = result.elapsed.as_secs_f64();
    if context.json {
        let category = result.category.map(|value| match value {
            Value::Loss => Category::Loss,
            Value::Draw => Category::Draw,
            Value::Win => Category::Win,
        });
        return print_answer(&SearchJson {
            best_move: best,
            score: result.score,
            depth: result.depth,
            nodes: result.nodes,
            seconds,
            pv,
            ..SearchJson::new(&Setup::from(*position), category)
        });
    }
    let category = result.category.map_or("unknown".to_owned(), |value| value.to_string());
    print_line(&format!("{position}"))?;
    print_line(&format!(
        "{} to move: {category}, best move {}",
        position.turn(),
        best.as_deref().unwrap_or("none")
    ))?;
    print_line(&format!(
        "score {}, depth {}, {} nodes, {seconds:.3} s",
        result.score, result.depth, result.nodes
    ))?;
    print_line(&format!("line: {}", pv.join(" ")))
}
