//! Histograms as pictures: how many positions are won and lost at each ply.
//!
//! SVG has text of its own. Bitmaps need glyphs, and a font would be the
//! largest part of the program: `glyphs` holds a few dozen of 3 x 5 dots.

mod glyphs;

use std::path::Path;

use plotters::backend::{BitMapBackend, DrawingBackend, SVGBackend};
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::element::{PathElement, Rectangle, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color as _, IntoFont, RGBColor, TextStyle, WHITE};

use crate::MineError;

/// Wins and losses by ply of one side to move.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Panel {
    /// What it shows, such as `White to move`.
    pub title: String,
    /// Wins by ply.
    pub wins: Vec<u64>,
    /// Losses by ply.
    pub losses: Vec<u64>,
}

impl Panel {
    fn plies(&self) -> usize {
        self.wins.len().max(self.losses.len())
    }

    fn highest(&self) -> u64 {
        self.wins.iter().chain(&self.losses).copied().max().unwrap_or(0)
    }
}

const WIDTH: u32 = 900;
const PANEL_HEIGHT: u32 = 330;
const HEADER: i32 = 40;
const LEFT: i32 = 110;
const RIGHT: i32 = 20;
const TOP: i32 = 40;
const BOTTOM: i32 = 50;

const INK: RGBColor = RGBColor(60, 60, 60);
const GRID: RGBColor = RGBColor(222, 222, 222);
const WON: RGBColor = RGBColor(46, 125, 80);
const LOST: RGBColor = RGBColor(192, 72, 60);

/// Where a text is anchored.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Align {
    Left,
    Center,
    Right,
}

type Area<B> = DrawingArea<B, Shift>;

/// Whether text is drawn by the picture's reader or dot by dot.
#[derive(Clone, Copy)]
enum Letters {
    Font,
    Dots,
}

/// Draws panels below each other into a file whose name ends in `.svg` or
/// `.png`. Panels without a decided position are left out.
///
/// # Errors
/// If the name has another ending or the file cannot be written.
pub fn histograms(path: &Path, title: &str, panels: &[Panel]) -> Result<(), MineError> {
    let panels: Vec<&Panel> = panels.iter().filter(|panel| panel.highest() > 0).collect();
    let size = (WIDTH, HEADER as u32 + PANEL_HEIGHT * panels.len().max(1) as u32);
    let extension = path.extension().and_then(|ext| ext.to_str()).map(str::to_ascii_lowercase);
    match extension.as_deref() {
        Some("svg") => draw(SVGBackend::new(path, size), Letters::Font, title, &panels),
        Some("png") => draw(BitMapBackend::new(path, size), Letters::Dots, title, &panels),
        _ => {
            let name = path.display();
            Err(MineError::Plot(format!("'{name}' does not end in .svg or .png")))
        }
    }
}

fn draw<B: DrawingBackend>(
    backend: B,
    letters: Letters,
    title: &str,
    panels: &[&Panel],
) -> Result<(), MineError> {
    let failed = |error: &dyn std::fmt::Display| MineError::Plot(error.to_string());
    let area = backend.into_drawing_area();
    area.fill(&WHITE).map_err(|error| failed(&error))?;
    let mut canvas = Canvas { area, letters };
    let drawn = canvas.text(title, (WIDTH as i32 / 2, 22), 20, Align::Center).and_then(|()| {
        let tops = (0..).map(|i| HEADER + i * PANEL_HEIGHT as i32);
        panels.iter().zip(tops).try_for_each(|(panel, top)| canvas.panel(panel, top))
    });
    drawn.map_err(|error| failed(&error))?;
    canvas.area.present().map_err(|error| failed(&error))
}

type Drawn<B> =
    Result<(), plotters::drawing::DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>>;

struct Canvas<B: DrawingBackend> {
    area: Area<B>,
    letters: Letters,
}

impl<B: DrawingBackend> Canvas<B> {
    fn bar(&self, from: (i32, i32), to: (i32, i32), color: RGBColor) -> Drawn<B> {
        self.area.draw(&Rectangle::new([from, to], color.filled()))
    }

    fn line(&self, from: (i32, i32), to: (i32, i32), color: RGBColor) -> Drawn<B> {
        self.area.draw(&PathElement::new(vec![from, to], color))
    }

    /// Text around a point: its middle line, and its left, centre or right.
    fn text(&mut self, text: &str, at: (i32, i32), size: i32, align: Align) -> Drawn<B> {
        match self.letters {
            Letters::Dots => {
                let scale = (size / 6).max(1);
                let width = glyphs::width(text) * scale;
                let left = match align {
                    Align::Left => at.0,
                    Align::Center => at.0 - width / 2,
                    Align::Right => at.0 - width,
                };
                let top = at.1 - glyphs::HEIGHT * scale / 2;
                glyphs::dots(text).try_for_each(|(x, y)| {
                    let corner = (left + x * scale, top + y * scale);
                    self.bar(corner, (corner.0 + scale, corner.1 + scale), INK)
                })
            }
            Letters::Font => {
                let h_pos = match align {
                    Align::Left => HPos::Left,
                    Align::Center => HPos::Center,
                    Align::Right => HPos::Right,
                };
                let style = TextStyle::from(("sans-serif", size).into_font())
                    .color(&INK)
                    .pos(Pos::new(h_pos, VPos::Center));
                self.area.draw(&Text::new(text.to_owned(), at, style))
            }
        }
    }

    fn panel(&mut self, panel: &Panel, top: i32) -> Drawn<B> {
        let (left, right) = (LEFT, WIDTH as i32 - RIGHT);
        let (high, base) = (top + TOP, top + PANEL_HEIGHT as i32 - BOTTOM);
        self.text(&panel.title, (left, top + 20), 16, Align::Left)?;
        self.legend(right, top + 20)?;
        let step = tick(panel.highest());
        let ceiling = panel.highest().div_ceil(step) * step;
        let height = |count: u64| {
            base - (f64::from(base - high) * count as f64 / ceiling as f64).round() as i32
        };
        for count in (0..=ceiling / step).map(|i| i * step) {
            self.line((left, height(count)), (right, height(count)), GRID)?;
            self.text(&short(count), (left - 8, height(count)), 14, Align::Right)?;
        }
        let slot = f64::from(right - left) / panel.plies() as f64;
        let x = |ply: f64| left + (ply * slot).round() as i32;
        let bars = |counts: &[u64], color| {
            let counts = counts.iter().enumerate().filter(|(_, count)| **count > 0);
            counts.into_iter().try_for_each(|(ply, &count)| {
                let (from, to) = (x(ply as f64 + 0.1), x(ply as f64 + 0.9).max(x(ply as f64) + 1));
                self.bar((from, height(count)), (to, base), color)
            })
        };
        bars(&panel.wins, WON)?;
        bars(&panel.losses, LOST)?;
        self.line((left, base), (right, base), INK)?;
        let every = tick(2 * panel.plies() as u64).max(1) as usize;
        for ply in (0..panel.plies()).step_by(every) {
            self.text(&ply.to_string(), (x(ply as f64 + 0.5), base + 14), 14, Align::Center)?;
        }
        self.text("plies", ((left + right) / 2, base + 34), 14, Align::Center)
    }

    fn legend(&mut self, right: i32, y: i32) -> Drawn<B> {
        for (name, color, x) in [("wins", WON, right - 140), ("losses", LOST, right - 70)] {
            self.bar((x, y - 5), (x + 10, y + 5), color)?;
            self.text(name, (x + 16, y), 14, Align::Left)?;
        }
        Ok(())
    }
}

/// A round step that divides a range into at most ten.
fn tick(range: u64) -> u64 {
    let mut power = 1;
    loop {
        for step in [1, 2, 5].map(|digit| digit * power) {
            if range / step <= 10 {
                return step;
            }
        }
        power *= 10;
    }
}

/// A number with its digits grouped.
fn short(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        assert_eq!([0, 9, 11, 60, 4000, 7_654_321].map(tick), [1, 1, 2, 10, 500, 1_000_000]);
        assert_eq!(short(1_234_567), "1,234,567");
    }
}
