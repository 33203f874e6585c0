//! `molien explain`.

use std::time::Duration;

use anyhow::bail;
use clap::Args;
use molien_pawns::{Error, Limits, explain_within};
use molien_schema::ExplanationJson;

use crate::Verdict;
use crate::context::Context;
use crate::fen::FenArgs;
use crate::text::{print_answer, print_line};

const AFTER_HELP: &str = "\
Examples:
  molien explain '4k3/8/4K3/4P3/8/8/8/8 b - -'
  molien explain --json '8/8/8/p7/8/1P6/8/k1K5 w - -'
  molien explain '8/8/1p6/8/8/1P6/k7/2K5 w - -'

Positions of kings and pawns. No table is used: rules decide most positions of one
or two pawns, and where they do not, a search does and says so.";

/// Which position, and how long to search.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct ExplainArgs {
    #[command(flatten)]
    fen: FenArgs,
    /// Seconds to search at most, where the rules do not decide
    #[arg(long, value_name = "S", default_value_t = 20.0)]
    time: f64,
}

/// Prints the verdict and why.
pub fn run(context: &Context, args: &ExplainArgs) -> anyhow::Result<Verdict> {
    let setup = args.fen.setup()?;
    let position = setup.position;
    if !(args.time > 0.0 && args.time <= 1e7) {
        bail!("--time {}: expected a positive number of seconds", args.time);
    }
    let time = Some(Duration::from_secs_f64(args.time));
    let limits = Limits { time, ..Limits::default() };
    let found = match explain_within(&position, limits, &context.interrupt_flag()) {
        Ok(found) => found,
        Err(error @ Error::NotAPawn { .. }) => {
            bail!("{error}; molien probe answers for the others")
        }
        Err(error) => return Err(error.into()),
    };
    if context.json {
        print_answer(&ExplanationJson::new(&setup, &found))?;
        return Ok(Verdict::Done);
    }
    let category = found.value.map_or("unknown".to_owned(), |value| value.to_string());
    let turn = position.turn();
    print_line(&format!("{position}"))?;
    let by = match found.plan {
        // Not a rule of any function.
        Some(_) => found.rule.clone(),
        None => format!("{}, {}", found.function, found.rule),
    };
    print_line(&format!("{turn} to move: {category} ({by})"))?;
    for sentence in &found.sentences {
        print_line(&format!("  {sentence}."))?;
    }
    Ok(Verdict::Done)
}
