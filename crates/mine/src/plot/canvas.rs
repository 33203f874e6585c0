//! Bars, lines and letters.

use molien_draw::{Rgb, palette};
use plotters::backend::DrawingBackend;
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind};
use plotters::element::{DashedPathElement, PathElement, Rectangle, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color as _, IntoFont, RGBColor, ShapeStyle, TextStyle};

/// Where a text is anchored.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Center,
    Right,
}

/// A point, in pixels from the upper left corner.
pub(super) type Point = (i32, i32);

pub(super) type Drawn<B> = Result<(), DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>>;

fn color(Rgb(r, g, b): Rgb) -> RGBColor {
    RGBColor(r, g, b)
}

pub(super) struct Canvas<B: DrawingBackend> {
    area: DrawingArea<B, Shift>,
}

impl<B: DrawingBackend> Canvas<B> {
    pub fn new(
        area: DrawingArea<B, Shift>,
    ) -> Result<Canvas<B>, DrawingAreaErrorKind<B::ErrorType>> {
        area.fill(&color(palette::PAPER))?;
        Ok(Canvas { area })
    }

    pub fn finish(&self) -> Drawn<B> {
        self.area.present()
    }

    pub fn bar(&self, from: Point, to: Point, fill: Rgb) -> Drawn<B> {
        self.area.draw(&Rectangle::new([from, to], color(fill).filled()))
    }

    pub fn line(&self, from: Point, to: Point, stroke: Rgb) -> Drawn<B> {
        self.area.draw(&PathElement::new(vec![from, to], color(stroke)))
    }

    /// A curve through points; dashed for what is lost.
    pub fn curve(&self, points: Vec<Point>, stroke: Rgb, dashed: bool) -> Drawn<B> {
        let style = ShapeStyle { color: color(stroke).to_rgba(), filled: false, stroke_width: 2 };
        match dashed {
            false => self.area.draw(&PathElement::new(points, style)),
            true => self.area.draw(&DashedPathElement::new(points, 5, 4, style)),
        }
    }

    /// Text around a point: its middle line, and its left, centre or right.
    pub fn text(&self, text: &str, at: Point, size: i32, align: Align) -> Drawn<B> {
        let h_pos = match align {
            Align::Left => HPos::Left,
            Align::Center => HPos::Center,
            Align::Right => HPos::Right,
        };
        let ink = color(palette::INK);
        let style = TextStyle::from(("sans-serif", size).into_font())
            .color(&ink)
            .pos(Pos::new(h_pos, VPos::Center));
        self.area.draw(&Text::new(text.to_owned(), at, style))
    }
}
