//! `molien explain`.

use clap::Args;
use molien_board::Position;
use molien_pawns::explain;
use serde_json::json;

use crate::Verdict;
use crate::context::Context;
use crate::text::{print_json, print_line};

const AFTER_HELP: &str = "\
Examples:
  molien explain '4k3/8/4K3/4P3/8/8/8/8 b - -'
  molien explain --json '8/8/8/p7/8/1P6/8/k1K5 w - -'

Positions of kings and one or two pawns. The verdict is won by rules, not looked
up; 'unknown' means that no rule applies (molien search or probe decide then).";

/// Which position.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct ExplainArgs {
    /// The position as FEN, quoted or not
    #[arg(required = true)]
    fen: Vec<String>,
}

/// Prints the verdict of the rules and why.
pub fn run(context: &Context, args: &ExplainArgs) -> anyhow::Result<Verdict> {
    let position: Position = args.fen.join(" ").parse()?;
    let found = explain(&position)?;
    let category = found.value.map_or("unknown".to_owned(), |value| value.to_string());
    if context.json {
        print_json(&json!({
            "fen": position.to_string(),
            "category": category,
            "winner": found.winner.map(|color| color.to_string().to_lowercase()),
            "function": found.function,
            "rule": found.rule,
            "sentences": found.sentences,
        }))?;
        return Ok(Verdict::Done);
    }
    let turn = position.turn();
    print_line(&format!("{position}"))?;
    print_line(&format!("{turn} to move: {category} ({}, {})", found.function, found.rule))?;
    for sentence in &found.sentences {
        print_line(&format!("  {sentence}."))?;
    }
    Ok(Verdict::Done)
}
