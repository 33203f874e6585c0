//! A free man's board as a picture.

use molien_board::Square;
use molien_draw::{Board, LegendEntry, SquareMark, palette};
use molien_probe::Answer;
use molien_values::{Category, Metric, Outcome};

use crate::{FreeMan, FreeSquare};

/// `+27`, `-12`, `=`, with a star where the 50-move rule spoils it; `+27/28` is
/// one of the two.
pub fn short(answer: &Answer, metric: Metric) -> String {
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

/// The board as a picture: colours for classes, numbers for plies.
pub fn free_board(free: &FreeMan, squares: &[FreeSquare], metric: Metric) -> Board {
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
