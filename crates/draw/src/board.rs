//! Boards as SVG.

use std::fmt::Write as _;

use molien_board::{Color, Man, Position, Square};

use crate::men::man_svg;
use crate::palette::{DARK_SQUARE, INK, LIGHT_SQUARE, PAPER, Rgb};

/// The side of a square in the drawing.
const SIDE: usize = 60;
/// Room for the names of the ranks, to the left.
const LEFT: usize = 28;
/// Room above the board.
const TOP: usize = 10;
/// Room for the names of the files.
const FOOT: usize = 26;
/// The height of a line of text below.
const LINE: usize = 24;

/// What a square shows beside its man.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SquareMark {
    /// Another colour than the board's.
    pub fill: Option<Rgb>,
    /// A short text in the middle, where no man stands.
    pub text: String,
}

/// What a colour means.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LegendEntry {
    /// The colour of the field, none for a field without one.
    pub fill: Option<Rgb>,
    /// A sign in the field.
    pub sign: String,
    /// The meaning.
    pub text: String,
}

/// A board to be drawn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Board {
    /// The men.
    pub men: Vec<(Man, Square)>,
    /// Squares that show something else.
    pub marks: Vec<(Square, SquareMark)>,
    /// Moves, as arrows.
    pub arrows: Vec<(Square, Square)>,
    /// The side seen from; its men stand below.
    pub seen_from: Color,
    /// Lines of text below the board.
    pub captions: Vec<String>,
    /// What the colours mean, below the captions.
    pub legend: Vec<LegendEntry>,
}

impl From<&Position> for Board {
    fn from(position: &Position) -> Board {
        Board::new(position.men())
    }
}

impl Board {
    /// A board with these men and nothing else.
    pub fn new(men: impl IntoIterator<Item = (Man, Square)>) -> Board {
        Board {
            men: men.into_iter().collect(),
            marks: Vec::new(),
            arrows: Vec::new(),
            seen_from: Color::White,
            captions: Vec::new(),
            legend: Vec::new(),
        }
    }

    /// The upper left corner of a square.
    fn corner(&self, square: Square) -> (usize, usize) {
        let (file, rank) = (square.index() % 8, square.index() / 8);
        let (column, row) = match self.seen_from {
            Color::White => (file, 7 - rank),
            Color::Black => (7 - file, rank),
        };
        (LEFT + column * SIDE, TOP + row * SIDE)
    }

    fn middle(&self, square: Square) -> (usize, usize) {
        let (x, y) = self.corner(square);
        (x + SIDE / 2, y + SIDE / 2)
    }

    /// The drawing, a whole SVG document.
    pub fn to_svg(&self) -> String {
        let lines = self.captions.len() + self.legend.len();
        let (width, height) = (LEFT + 8 * SIDE + 10, TOP + 8 * SIDE + FOOT + lines * LINE + 4);
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"DejaVu Sans, Verdana, sans-serif\" \
             fill=\"{INK}\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"{PAPER}\"/>"
        );
        for square in Square::all() {
            self.draw_square(&mut out, square);
        }
        self.draw_frame(&mut out);
        for (man, square) in &self.men {
            let ((x, y), scale) = (self.corner(*square), SIDE as f64 / 100.0);
            let man = man_svg(*man);
            let _ = writeln!(out, "<g transform=\"translate({x} {y}) scale({scale})\">{man}</g>");
        }
        for &(from, to) in &self.arrows {
            self.draw_arrow(&mut out, from, to);
        }
        self.draw_texts(&mut out);
        out.push_str("</svg>\n");
        out
    }

    fn draw_square(&self, out: &mut String, square: Square) {
        let (x, y) = self.corner(square);
        let mark = self.marks.iter().find(|(marked, _)| *marked == square).map(|(_, mark)| mark);
        let plain = if square.is_dark() { DARK_SQUARE } else { LIGHT_SQUARE };
        let fill = mark.and_then(|mark| mark.fill).unwrap_or(plain);
        let _ = writeln!(
            out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{SIDE}\" height=\"{SIDE}\" fill=\"{fill}\"/>"
        );
        if let Some(text) = mark.map(|mark| &mark.text).filter(|text| !text.is_empty()) {
            let (x, y) = (x + SIDE / 2, y + SIDE / 2 + 6);
            let _ = writeln!(
                out,
                "<text x=\"{x}\" y=\"{y}\" font-size=\"16\" text-anchor=\"middle\">{}</text>",
                escape(text)
            );
        }
    }

    /// The lines between the squares and the names of files and ranks.
    fn draw_frame(&self, out: &mut String) {
        let (right, bottom) = (LEFT + 8 * SIDE, TOP + 8 * SIDE);
        let mut path = String::new();
        for i in 0..=8 {
            let (x, y) = (LEFT + i * SIDE, TOP + i * SIDE);
            let _ = write!(path, "M{x} {TOP}V{bottom}M{LEFT} {y}H{right}");
        }
        let _ = writeln!(out, "<path d=\"{path}\" stroke=\"#777777\" stroke-width=\"1\"/>");
        for i in 0..8 {
            let (x, _) = self.middle(Square::new(i));
            let (_, y) = self.middle(Square::new(8 * i));
            let (file, rank) = (char::from(b'a' + i as u8), i + 1);
            let (foot, left, y) = (bottom + 18, LEFT / 2, y + 5);
            let _ = writeln!(
                out,
                "<text x=\"{x}\" y=\"{foot}\" font-size=\"14\" text-anchor=\"middle\">{file}</text>\
                 <text x=\"{left}\" y=\"{y}\" font-size=\"14\" text-anchor=\"middle\">{rank}</text>"
            );
        }
    }

    fn draw_arrow(&self, out: &mut String, from: Square, to: Square) {
        let ((x1, y1), (x2, y2)) = (self.middle(from), self.middle(to));
        let (dx, dy) = (x2 as f64 - x1 as f64, y2 as f64 - y1 as f64);
        let length = dx.hypot(dy).max(1.0);
        let (ux, uy) = (dx / length, dy / length);
        // The shaft ends where the head begins, short of the middle.
        let (tip_x, tip_y) = (x2 as f64 - 6.0 * ux, y2 as f64 - 6.0 * uy);
        let (end_x, end_y) = (tip_x - 18.0 * ux, tip_y - 18.0 * uy);
        let (left_x, left_y) = (end_x - 10.0 * uy, end_y + 10.0 * ux);
        let (right_x, right_y) = (end_x + 10.0 * uy, end_y - 10.0 * ux);
        let color = crate::palette::SERIES[2];
        let _ = writeln!(
            out,
            "<path d=\"M{x1} {y1}L{end_x:.1} {end_y:.1}\" stroke=\"{color}\" stroke-width=\"8\" \
             stroke-linecap=\"round\" opacity=\"0.8\"/><path d=\"M{tip_x:.1} {tip_y:.1}L{left_x:.1} \
             {left_y:.1}L{right_x:.1} {right_y:.1}Z\" fill=\"{color}\" opacity=\"0.8\"/>"
        );
    }

    fn draw_texts(&self, out: &mut String) {
        let mut y = TOP + 8 * SIDE + FOOT;
        for caption in &self.captions {
            let _ = writeln!(
                out,
                "<text x=\"{LEFT}\" y=\"{}\" font-size=\"15\">{}</text>",
                y + 16,
                escape(caption)
            );
            y += LINE;
        }
        for LegendEntry { fill, sign, text } in &self.legend {
            if let Some(fill) = fill {
                let _ = writeln!(
                    out,
                    "<rect x=\"{LEFT}\" y=\"{}\" width=\"40\" height=\"18\" fill=\"{fill}\" \
                     stroke=\"#777777\"/>",
                    y + 2
                );
            }
            let (middle, base, after) = (LEFT + 20, y + 16, LEFT + 50);
            let (sign, text) = (escape(sign), escape(text));
            let _ = writeln!(
                out,
                "<text x=\"{middle}\" y=\"{base}\" font-size=\"13\" text-anchor=\"middle\">{sign}</text>\
                 <text x=\"{after}\" y=\"{base}\" font-size=\"14\">{text}</text>"
            );
            y += LINE;
        }
    }
}

/// Text for XML.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn men_stand_where_they_belong() {
        let position: Position = "8/8/8/8/8/2k5/8/K6R w - -".parse().unwrap();
        let board = Board::from(&position);
        let svg = board.to_svg();
        assert_eq!(svg.matches("<g transform").count(), 3);
        // The rook in the lower right corner, seen from White.
        assert!(svg.contains("translate(448 430)"), "{svg}");
        let turned = Board { seen_from: Color::Black, ..board }.to_svg();
        assert!(turned.contains("translate(28 10)"), "{turned}");
    }

    #[test]
    fn marks_and_legends_are_drawn() {
        let square: Square = "e4".parse().unwrap();
        let fill = Some(Rgb(1, 2, 3));
        let mark = SquareMark { fill, text: "<+27>".to_owned() };
        let board = Board {
            marks: vec![(square, mark)],
            arrows: vec![("e4".parse().unwrap(), "e5".parse().unwrap())],
            captions: vec!["White & Black".to_owned()],
            legend: vec![LegendEntry { fill, sign: "+".to_owned(), text: "a win".to_owned() }],
            ..Board::new([])
        };
        let svg = board.to_svg();
        for part in ["&lt;+27&gt;", "White &amp; Black", "#010203", "a win"] {
            assert!(svg.contains(part), "{part}");
        }
        assert_eq!(svg.matches("<svg").count(), 1);
        assert!(svg.ends_with("</svg>\n"));
    }
}
