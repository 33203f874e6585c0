//! Boards as PNG: squares and men only, without names and captions.
//!
//! Pages that show a picture of a link take no SVG. The men are the same
//! outlines.

use kurbo::{BezPath, PathEl};
use molien_board::{Color, Man, Square};
use tiny_skia::Transform;
use tiny_skia::{FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, Rect, Stroke};

use crate::Board;
use crate::board::SIDE;
use crate::men::{colors, details, outline};
use crate::palette::{DARK_SQUARE, INK, LIGHT_SQUARE, Rgb};

fn paint(Rgb(r, g, b): Rgb) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color_rgba8(r, g, b, 255);
    paint
}

/// An outline as the renderer takes it; none if there is nothing in it.
fn path(text: &str) -> Option<Path> {
    let mut path = PathBuilder::new();
    for element in BezPath::from_svg(text).ok()? {
        let f = |p: kurbo::Point| (p.x as f32, p.y as f32);
        match element {
            PathEl::MoveTo(p) => path.move_to(f(p).0, f(p).1),
            PathEl::LineTo(p) => path.line_to(f(p).0, f(p).1),
            PathEl::QuadTo(a, p) => path.quad_to(f(a).0, f(a).1, f(p).0, f(p).1),
            PathEl::CurveTo(a, b, p) => {
                path.cubic_to(f(a).0, f(a).1, f(b).0, f(b).1, f(p).0, f(p).1);
            }
            PathEl::ClosePath => path.close(),
        }
    }
    path.finish()
}

fn draw_man(picture: &mut Pixmap, man: Man, at: Transform) {
    let (fill, line) = colors(man.color);
    let stroke = Stroke {
        width: 4.0,
        line_cap: LineCap::Round,
        line_join: LineJoin::Round,
        ..Stroke::default()
    };
    if let Some(outline) = path(outline(man.role)) {
        picture.fill_path(&outline, &paint(fill), FillRule::Winding, at, None);
        picture.stroke_path(&outline, &paint(INK), &stroke, at, None);
    }
    if let Some(details) = path(details(man.role)) {
        picture.stroke_path(&details, &paint(line), &stroke, at, None);
    }
}

impl Board {
    /// The squares and men as a PNG file, `scale` times as large as the squares
    /// of the SVG; none if that is nothing or too large to be drawn.
    pub fn to_png(&self, scale: f32) -> Option<Vec<u8>> {
        let side = SIDE as f32 * scale;
        let whole = (8.0 * side).round() as u32;
        let mut picture = Pixmap::new(whole, whole)?;
        let corner = |square: Square| {
            let (file, rank) = (square.index() % 8, square.index() / 8);
            let (column, row) = match self.seen_from {
                Color::White => (file, 7 - rank),
                Color::Black => (7 - file, rank),
            };
            (column as f32 * side, row as f32 * side)
        };
        for square in Square::all() {
            let (x, y) = corner(square);
            let color = if square.is_dark() { DARK_SQUARE } else { LIGHT_SQUARE };
            let field = Rect::from_xywh(x, y, side, side)?;
            picture.fill_rect(field, &paint(color), Transform::identity(), None);
        }
        for (man, square) in &self.men {
            let (x, y) = corner(*square);
            let at = Transform::from_scale(side / 100.0, side / 100.0).post_translate(x, y);
            draw_man(&mut picture, *man, at);
        }
        picture.encode_png().ok()
    }
}

#[cfg(test)]
mod tests {
    use molien_board::Position;

    use super::*;

    /// A pixel in the middle of a square.
    fn middle(picture: &Pixmap, square: &str) -> Rgb {
        let square: Square = square.parse().unwrap();
        let side = picture.width() / 8;
        let (file, rank) = (square.index() as u32 % 8, square.index() as u32 / 8);
        let color = picture.pixel(file * side + side / 2, (7 - rank) * side + side / 2).unwrap();
        Rgb(color.red(), color.green(), color.blue())
    }

    #[test]
    fn men_and_squares_are_seen() {
        let position: Position = "8/8/8/8/8/2k5/8/K6R w - -".parse().unwrap();
        let board = Board::from(&position);
        let picture = Pixmap::decode_png(&board.to_png(1.0).unwrap()).unwrap();
        assert_eq!((picture.width(), picture.height()), (480, 480));
        assert_eq!(middle(&picture, "e4"), LIGHT_SQUARE);
        assert_eq!(middle(&picture, "e5"), DARK_SQUARE);
        assert_eq!(middle(&picture, "h1"), Rgb(255, 255, 255));
        let black = Board { seen_from: Color::Black, ..board };
        let turned = Pixmap::decode_png(&black.to_png(1.0).unwrap()).unwrap();
        assert_eq!(middle(&turned, "a8"), Rgb(255, 255, 255));
        assert!(black.to_png(0.0).is_none());
    }
}
