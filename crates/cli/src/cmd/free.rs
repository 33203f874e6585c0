//! `molien free`.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use molien_board::{Man, Square};
use molien_draw::{Board, LegendEntry, SquareMark, palette};
use molien_mine::{FreeMan, FreeSquare};
use molien_probe::Answer;
use molien_schema::FreeJson;
use molien_values::{Category, Metric, Outcome};

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
        let drawing = board(&free, &squares, args.metric).to_svg();
        std::fs::write(path, drawing).with_context(|| path.display().to_string())?;
    }
    if context.json {
        print_answer(&FreeJson::new(&free, &squares, args.metric))?;
    } else {
        print(&free, &squares, args.metric)?;
    }
    Ok(Verdict::Done)
}

/// `+27`, `-12`, `=`, with a star where the 50-move rule spoils it; `+27/28` is
/// one of the two.
fn short(answer: &Answer, metric: Metric) -> String {
    let star = match answer.category {
        Category::CursedWin | Category::BlessedLoss => "*",
        _ => "",
    };
    let sign = match answer.category.outcome() {
        Outcome::Win => '+',
        Outcome::Draw => return "=".to_owned(),
        Outcome::Loss => '-',
    };
    let plies = answer.values.plies(metric).unwrap_or(0).unsigned_abs();
    let or = answer.values.or_plies(metric).map(|or| format!("/{}", or.unsigned_abs()));
    format!("{sign}{plies}{}{star}", or.unwrap_or_default())
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

/// The board as a picture: colours for classes, numbers for plies.
fn board(free: &FreeMan, squares: &[FreeSquare], metric: Metric) -> Board {
    let mark = |(square, found): (Square, &FreeSquare)| match found {
        FreeSquare::Taken(_) => None,
        FreeSquare::Illegal => {
            let fill = Some(palette::BLANK);
            Some((square, SquareMark { fill, text: "·".to_owned() }))
        }
        FreeSquare::Legal(answer) => {
            let fill = Some(palette::tint(answer.category));
            Some((square, SquareMark { fill, text: short(answer, metric) }))
        }
    };
    let man = free.free().letter();
    let caption = format!("{man} on each square, {} to move, {metric} in plies", free.turn());
    Board {
        marks: Square::all().zip(squares).filter_map(mark).collect(),
        captions: vec![caption],
        legend: legend(squares),
        ..Board::new(free.others().iter().copied())
    }
}

/// What the signs mean that occur.
fn legend(squares: &[FreeSquare]) -> Vec<LegendEntry> {
    let words = |category: Category| match category {
        Category::Win => ("+1", "the side to move wins in so many plies"),
        Category::MaybeWin => ("+1", "it wins, unless the 50-move rule comes first"),
        Category::CursedWin => ("+1*", "it would win, but it is a draw by the 50-move rule"),
        Category::Draw => ("=", "a draw"),
        Category::BlessedLoss => ("-1*", "it would lose, but it is a draw by the 50-move rule"),
        Category::MaybeLoss => ("-1", "it loses, unless the 50-move rule comes first"),
        Category::Loss => ("-1", "it loses in so many plies"),
    };
    let occurs = |wanted: Category| {
        let is = |square: &FreeSquare| matches!(square, FreeSquare::Legal(answer) if answer.category == wanted);
        squares.iter().any(is)
    };
    let known = Category::ALL.into_iter().rev().filter(|&category| occurs(category));
    let mut entries: Vec<LegendEntry> = known
        .map(|category| {
            let (sign, text) = words(category);
            let fill = Some(palette::tint(category));
            LegendEntry { fill, sign: sign.to_owned(), text: text.to_owned() }
        })
        .collect();
    if squares.iter().any(|square| matches!(square, FreeSquare::Illegal)) {
        let fill = Some(palette::BLANK);
        let text = "the position would not be legal".to_owned();
        entries.push(LegendEntry { fill, sign: "·".to_owned(), text });
    }
    entries
}
