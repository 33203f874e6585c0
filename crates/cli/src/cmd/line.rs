//! `molien line`.

use clap::Args;
use molien_board::Position;
use molien_lines::{Line, Play, Strategy, Until, best_line};
use molien_values::Metric;
use serde_json::json;

use crate::Verdict;
use crate::context::Context;
use crate::text::{print_json, print_line, winner_moves};

const AFTER_HELP: &str = "\
Examples:
  molien line '8/8/8/8/8/2k5/8/K6R w - -'
  molien line 8/8/8/8/6KR/6R1/k7/8_w_-_- --white ZM --black M
  molien line --pgn --metric dtc 8/1k6/8/8/3r4/8/8/Q5K1_w_-_-

Signs: ' only optimal move, \" only move that keeps the value, ° only legal
move, [..] the other optimal moves, a raised number how many optimal moves
there are, {..} the material after a capture or promotion.

A strategy is a metric or letters, the most important first: M (dtm), C (dtc),
F or Z (dtz). ZM plays for the next zeroing move and settles ties by mate.";

/// Which position, played how.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct LineArgs {
    /// The position as FEN, quoted or not
    #[arg(required = true)]
    fen: Vec<String>,
    /// What both sides play by: dtm, dtc or dtz
    #[arg(long, default_value = "dtm")]
    metric: Metric,
    /// White's strategy, if another
    #[arg(long, value_name = "LETTERS")]
    white: Option<Strategy>,
    /// Black's strategy, if another
    #[arg(long, value_name = "LETTERS")]
    black: Option<Strategy>,
    /// Stop after so many plies
    #[arg(long, value_name = "N", default_value_t = Until::default().plies)]
    plies: usize,
    /// Stop after the first capture or promotion
    #[arg(long)]
    conversion: bool,
    /// Print a game in PGN
    #[arg(long)]
    pgn: bool,
}

/// Solves what is needed and prints best play.
pub fn run(context: &Context, args: &LineArgs) -> anyhow::Result<Verdict> {
    let position: Position = args.fen.join(" ").parse()?;
    let strategy = |own: &Option<Strategy>| own.clone().unwrap_or(args.metric.into());
    let play = Play { white: strategy(&args.white), black: strategy(&args.black) };
    let until = Until { plies: args.plies, conversion: args.conversion };
    let line = best_line(&context.tablebase(), &position, &play, until)?;
    if context.json {
        let mut found = line.to_json();
        found["white"] = json!(play.white.to_string());
        found["black"] = json!(play.black.to_string());
        print_json(&found)?;
    } else if args.pgn {
        let event = format!("Best play, {}-{}", play.white, play.black);
        print_line(&line.to_pgn(&event))?;
    } else {
        print(&line, &play)?;
    }
    Ok(Verdict::Done)
}

fn print(line: &Line, play: &Play) -> anyhow::Result<()> {
    let value = match (line.winner, line.depth()) {
        (Some(winner), Some((metric, plies))) => {
            format!("{winner} wins, {metric} {plies} plies ({} moves)", winner_moves(plies))
        }
        (Some(winner), None) => format!("{winner} has won"),
        (None, _) => "drawn".to_owned(),
    };
    let strategies = format!("White {}, Black {}", play.white, play.black);
    print_line(&line.start.to_string())?;
    print_line(&format!("{} to move: {value}; {strategies}\n", line.start.turn()))?;
    print_line(&line.to_text())
}
