//! `molien free`.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use molien_board::{Man, Square};
use molien_mine::plot::{free_board, short};
use molien_mine::{FreeMan, FreeSquare};
use molien_schema::FreeJson;
use molien_values::Metric;

use crate::Verdict;
use crate::context::Context;
use crate::estimate::{self, Goal};
use crate::fen::FenArgs;
use crate::text::{print_answer, print_line};

const AFTER_HELP: &str = "\
Examples:
  molien free '8/8/8/8/8/2k5/8/K7 w - -' --man R
  molien free '8/8/8/3k4/8/8/8/K7 b - -' --man P --metric dtc --json
  molien free '8/8/8/8/8/2k5/8/K7 w - -' --man Q --svg queen.svg

The FEN holds the other men. On the board that is printed a letter is one of
them, + a win of the side to move in so many plies, - a loss, = a draw, * a win
or loss that the 50-move rule spoils at the clock of the FEN, and . a square on
which the position would not be legal.";

/// Which man is free, and where the others stand.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct FreeArgs {
    #[command(flatten)]
    fen: FenArgs,
    /// The free man: K Q R B N P for White's, k q r b n p for Black's
    #[arg(long, value_name = "LETTER")]
    man: char,
    /// What the plies count: dtm, dtc, dtz, dtz50 or dtm50
    #[arg(long, default_value = "dtm")]
    metric: Metric,
    /// Draw the board into this file as well
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// Tries the man on every square.
pub fn run(context: &Context, args: &FreeArgs) -> anyhow::Result<Verdict> {
    let man = Man::from_letter(args.man)
        .with_context(|| format!("'{}' is not a man: use one of KQRBNPkqrbnp", args.man))?;
    let free = FreeMan::parse(&args.fen.text(), man, args.fen.options())?;
    if let Some(setup) = Square::all().find_map(|square| free.setup(square).ok()) {
        let metrics = [args.metric, Metric::Dtz50];
        estimate::check(context, Goal::Position(&setup.position), &metrics)?;
    }
    let squares = free.squares(&context.tablebase()?, args.metric)?;
    if let Some(path) = &args.svg {
        let drawing = free_board(&free, &squares, args.metric).to_svg();
        std::fs::write(path, drawing).with_context(|| path.display().to_string())?;
    }
    if context.json {
        print_answer(&FreeJson::new(&free, &squares, args.metric))?;
    } else {
        print(&free, &squares, args.metric)?;
    }
    Ok(Verdict::Done)
}

fn label(square: &FreeSquare, metric: Metric) -> String {
    match square {
        FreeSquare::Taken(man) => man.letter().to_string(),
        FreeSquare::Illegal => ".".to_owned(),
        FreeSquare::Legal(answer) => short(answer, metric),
    }
}

fn print(free: &FreeMan, squares: &[FreeSquare], metric: Metric) -> anyhow::Result<()> {
    let man = free.free().letter();
    print_line(&format!("{man} on each square, {} to move, {metric} in plies\n", free.turn()))?;
    let widest = squares.iter().map(|square| label(square, metric).len()).max().unwrap_or(0);
    let width = 6.max(widest + 1);
    for rank in (0..8).rev() {
        let row: String = squares[rank * 8..rank * 8 + 8]
            .iter()
            .map(|square| format!("{:>width$}", label(square, metric)))
            .collect();
        print_line(&format!("{} {row}", rank + 1))?;
    }
    print_line(&format!(
        "  {}",
        "abcdefgh".chars().map(|c| format!("{c:>width$}")).collect::<String>()
    ))
}
