//! `molien line`.

use clap::Args;
use molien_lines::{Line, LineError, Play, Strategy, Until, best_line};
use molien_schema::LineJson;
use molien_values::Metric;

use crate::Verdict;
use crate::context::Context;
use crate::estimate::{self, Goal};
use crate::fen::FenArgs;
use crate::text::{print_answer, print_line};

const AFTER_HELP: &str = "\
Examples:
  molien line '8/8/8/8/8/2k5/8/K6R w - -'
  molien line 'K7/2k5/3n4/8/2b5/8/8/8 w - - 97 128'
  molien line 8/8/8/8/6KR/6R1/k7/8_w_-_- --white ZM --black M
  molien line --metric dtm50 '8/8/8/8/8/2k5/1R6/K7 w - - 60 90'
  molien line --pgn --metric dtc 8/1k6/8/8/3r4/8/8/Q5K1_w_-_-

Signs: ' only optimal move, \" only move that keeps the value, ° only legal
move, [..] the other optimal moves, a raised number how many optimal moves
there are, {..} the material after a capture or promotion.

A strategy is a metric or letters, the most important first: M (dtm), C (dtc),
Z or F (dtz), R. ZM plays for the next zeroing move and settles ties by mate.
R, the default, wins within the 50-move rule, counted from the clock of the FEN;
of the moves that do, it takes the one with the shortest mate, as if there were no
rule. dtm50 mates as soon as the rule allows. The other strategies do not look at
the rule and can throw a win away. The line ends where a draw can be claimed.
With --syzygy, where only Syzygy files know the position, both sides play by dtz50.";

/// Which position, played how.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct LineArgs {
    #[command(flatten)]
    fen: FenArgs,
    /// What both sides play by: dtm, dtc, dtz, dtz50 or dtm50 [default: strategy R]
    #[arg(long)]
    metric: Option<Metric>,
    /// White's strategy, if it is another
    #[arg(long, value_name = "LETTERS")]
    white: Option<Strategy>,
    /// Black's strategy, if it is another
    #[arg(long, value_name = "LETTERS")]
    black: Option<Strategy>,
    /// Stop after this many plies
    #[arg(long, value_name = "N", default_value_t = Until::default().plies)]
    plies: usize,
    /// Stop after the first capture or promotion
    #[arg(long)]
    conversion: bool,
    /// Play on as if there were no 50-move rule
    #[arg(long)]
    no_50_move_rule: bool,
    /// Print a game in PGN
    #[arg(long)]
    pgn: bool,
}

/// Solves what is needed and prints best play.
pub fn run(context: &Context, args: &LineArgs) -> anyhow::Result<Verdict> {
    let setup = args.fen.setup()?;
    let rule = !args.no_50_move_rule;
    let without_it = args.metric == Some(Metric::Dtm50) && !rule;
    anyhow::ensure!(
        !without_it,
        "dtm50 is mate under the 50-move rule: leave out --no-50-move-rule"
    );
    let default = match args.metric {
        Some(metric) => metric.into(),
        None if rule => Strategy::within_the_rule(),
        None => Metric::Dtm.into(),
    };
    let strategy =
        |own: &Option<Strategy>, default: &Strategy| own.clone().unwrap_or(default.clone());
    let play_by = |default: &Strategy| Play {
        white: strategy(&args.white, default),
        black: strategy(&args.black, default),
    };
    let mut play = play_by(&default);
    let until = Until { plies: args.plies, conversion: args.conversion, fifty_moves: rule };
    let by_strategy = play.white.metrics().chain(play.black.metrics());
    let metrics: Vec<Metric> = by_strategy.chain(rule.then_some(Metric::Dtz50)).collect();
    estimate::check(context, Goal::Position(&setup.position), &metrics)?;
    let tables = context.tablebase()?;
    let mut line = best_line(&tables, setup, &play, until);
    // Syzygy files know how far it is to a zeroing move, not to mate.
    if args.metric.is_none() && rule && line.as_ref().is_err_and(lacks_mate) {
        play = play_by(&Metric::Dtz50.into());
        line = best_line(&tables, setup, &play, until);
    }
    let line = line?;
    if context.json {
        print_answer(&LineJson::new(&line, &play))?;
    } else if args.pgn {
        let event = format!("Best play, {}-{}", play.white, play.black);
        print_line(&line.to_pgn(&event))?;
    } else {
        print(&line, &play)?;
    }
    Ok(Verdict::Done)
}

/// Whether there is no table that counts plies to mate.
fn lacks_mate(error: &LineError) -> bool {
    let LineError::Probe(error) = error else { return false };
    error.missing_table().is_some_and(|(_, metric)| metric == Metric::Dtm)
}

fn print(line: &Line, play: &Play) -> anyhow::Result<()> {
    let strategies = format!("White {}, Black {}", play.white, play.black);
    let turn = line.start.position.turn();
    print_line(&line.start.to_string())?;
    print_line(&format!("{turn} to move: {}; {strategies}", line.verdict()))?;
    if line.throws_the_win_away() {
        print_line("This line throws the win away: strategy R wins within the 50-move rule.")?;
    }
    print_line("")?;
    print_line(&line.to_text())
}
