//! `molien free`.

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use molien_board::{Man, Square};
use molien_mine::{FreeMan, FreeSquare};
use molien_probe::Answer;
use molien_values::{Category, Metric, Outcome};
use serde_json::{Map, Value as Json, json};

use crate::Verdict;
use crate::context::Context;
use crate::text::{print_json, print_line};

const AFTER_HELP: &str = "\
Examples:
  molien free '8/8/8/8/8/2k5/8/K7 w - -' --man R
  molien free '8/8/8/3k4/8/8/8/K7 b - -' --man P --metric dtc --json

The FEN holds the other men. On the board that is printed a letter is one of
them, + a win of the side to move in so many plies, - a loss, = a draw, * a win
or loss that the 50-move rule spoils, and . a square on which the position
would not be legal.";

/// Which man is free, and where the others stand.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct FreeArgs {
    /// The other men as FEN, quoted or not
    #[arg(required = true)]
    fen: Vec<String>,
    /// The free man: K Q R B N P for White's, k q r b n p for Black's
    #[arg(long, value_name = "LETTER")]
    man: char,
    /// What the plies count: dtm, dtc, dtz or dtz50
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
    let free = FreeMan::parse(&args.fen.join(" "), man)?;
    let squares = free.squares(&context.tablebase(), args.metric)?;
    if let Some(path) = &args.svg {
        let drawing = svg(&squares, args.metric);
        std::fs::write(path, drawing).with_context(|| path.display().to_string())?;
    }
    if context.json {
        print_json(&to_json(&free, &squares, args.metric))?;
    } else {
        print(&free, &squares, args.metric)?;
    }
    Ok(Verdict::Done)
}

fn to_json(free: &FreeMan, squares: &[FreeSquare], metric: Metric) -> Json {
    let legal = |(square, found): (Square, &FreeSquare)| match found {
        FreeSquare::Legal(answer) => {
            let fen = free.position(square).map(|position| position.to_string());
            let plies = answer.values.plies(metric);
            let value = json!({
                "fen": fen, "category": answer.category.name(), metric.name(): plies
            });
            Some((square.to_string(), value))
        }
        _ => None,
    };
    let values: Map<String, Json> = Square::all().zip(squares).filter_map(legal).collect();
    json!({
        "man": free.free().letter().to_string(),
        "side_to_move": free.turn().to_string().to_lowercase(),
        "metric": metric.name(),
        "squares": values,
    })
}

/// `+27`, `-12`, `=`, with a star where the 50-move rule spoils it.
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
    format!("{sign}{plies}{star}")
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
    for rank in (0..8).rev() {
        let row: String = squares[rank * 8..rank * 8 + 8]
            .iter()
            .map(|square| format!("{:>6}", label(square, metric)))
            .collect();
        print_line(&format!("{} {row}", rank + 1))?;
    }
    print_line(&format!("  {}", "abcdefgh".chars().map(|c| format!("{c:>6}")).collect::<String>()))
}

/// The side of a square in the drawing.
const SIDE: usize = 60;

fn svg(squares: &[FreeSquare], metric: Metric) -> String {
    let size = 8 * SIDE + 40;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {size} {size}\" \
         font-family=\"sans-serif\" text-anchor=\"middle\">\n"
    );
    for (square, found) in Square::all().zip(squares) {
        let (x, y) = (30 + square.index() % 8 * SIDE, 10 + (7 - square.index() / 8) * SIDE);
        let (color, text_size) = match found {
            FreeSquare::Taken(_) => ("#ffffff", 32),
            FreeSquare::Illegal => ("#bbbbbb", 16),
            FreeSquare::Legal(answer) => (color(answer.category), 16),
        };
        let text = label(found, metric);
        let (middle, base) = (x + SIDE / 2, y + SIDE / 2 + text_size / 3);
        // Writing into a string cannot fail.
        let _ = writeln!(
            out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{SIDE}\" height=\"{SIDE}\" fill=\"{color}\" \
             stroke=\"#555555\"/><text x=\"{middle}\" y=\"{base}\" font-size=\"{text_size}\">{text}</text>"
        );
    }
    for i in 0..8usize {
        let (along, file) = (30 + i * SIDE + SIDE / 2, (b'a' + i as u8) as char);
        let (down, rank) = (10 + (7 - i) * SIDE + SIDE / 2 + 5, i + 1);
        let foot = 10 + 8 * SIDE + 20;
        let _ = writeln!(out, "<text x=\"{along}\" y=\"{foot}\" font-size=\"14\">{file}</text>");
        let _ = writeln!(out, "<text x=\"15\" y=\"{down}\" font-size=\"14\">{rank}</text>");
    }
    out.push_str("</svg>\n");
    out
}

fn color(category: Category) -> &'static str {
    match category {
        Category::Win => "#8fce8f",
        Category::CursedWin | Category::MaybeWin => "#d3ecc4",
        Category::Draw => "#f2efe0",
        Category::BlessedLoss | Category::MaybeLoss => "#f6d5c5",
        Category::Loss => "#eb9a8f",
    }
}
