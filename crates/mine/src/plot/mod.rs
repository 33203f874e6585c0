//! Histograms as pictures: how many positions are won and lost at each ply.
//!
//! The colours are those of all pictures (`molien-draw`), the letters those of
//! DejaVu Sans, which is part of the program.

mod axis;
mod canvas;
mod free;
mod panel;

use std::path::Path;
use std::sync::OnceLock;

use plotters::backend::{BitMapBackend, DrawingBackend, SVGBackend};
use plotters::drawing::IntoDrawingArea;
use plotters::style::{FontStyle, register_font};

use molien_board::Color;

use crate::{Figures, MineError, Shares};
use canvas::{Align, Canvas};

pub use axis::Scale;
pub use free::{free_board, short};

/// Wins and losses by ply in one metric.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Series {
    /// The name of the metric.
    pub name: String,
    /// Wins by ply.
    pub wins: Vec<u64>,
    /// Losses by ply.
    pub losses: Vec<u64>,
    /// The last ply that the 50-move rule does not spoil, if the metric knows
    /// of the rule.
    pub last_ply: Option<usize>,
}

impl Series {
    /// Wins and losses of a side to move.
    pub fn of(figures: &Figures<'_>, side: Color) -> Series {
        let [wins, losses] = figures.by_ply(side);
        let name = figures.metric.name().to_owned();
        Series { name, wins, losses, last_ply: figures.last_ply() }
    }

    fn plies(&self) -> usize {
        self.wins.len().max(self.losses.len())
    }

    fn highest(&self) -> u64 {
        self.wins.iter().chain(&self.losses).copied().max().unwrap_or(0)
    }
}

/// One side to move, in one metric or several.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Panel {
    /// What it shows, such as `White to move`.
    pub title: String,
    /// How many positions are won, drawn and lost.
    pub shares: Shares,
    /// One is drawn as bars, several as lines.
    pub series: Vec<Series>,
}

impl Panel {
    fn plies(&self) -> usize {
        self.series.iter().map(Series::plies).max().unwrap_or(0)
    }

    fn highest(&self) -> u64 {
        self.series.iter().map(Series::highest).max().unwrap_or(0)
    }
}

/// A picture: panels below each other. Panels without a decided position show
/// their shares only.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Plot {
    /// The heading.
    pub title: String,
    /// How counts become heights.
    pub scale: Scale,
    /// One for each side to move.
    pub panels: Vec<Panel>,
}

const WIDTH: u32 = 960;
const HEADER: i32 = 44;

impl Plot {
    /// The figures of one material, all metrics in one picture, a panel for each
    /// side to move.
    pub fn of(figures: &[Figures<'_>], scale: Scale) -> Plot {
        let names: Vec<&str> = figures.iter().map(|figures| figures.metric.name()).collect();
        let panel = |side: Color| Panel {
            title: format!("{side} to move"),
            // A metric that knows of the 50-move rule says most.
            shares: figures
                .iter()
                .find(|figures| figures.minds_the_rule())
                .or(figures.first())
                .map(|figures| figures.shares(side))
                .unwrap_or_default(),
            series: figures.iter().map(|figures| Series::of(figures, side)).collect(),
        };
        let what = figures.first().map(|first| (first.stats.material.to_string(), first.counting));
        let title = match what {
            Some((material, counting)) => {
                format!("{material} in {}, {counting} positions", names.join(", "))
            }
            None => String::new(),
        };
        Plot { title, scale, panels: Color::BOTH.map(panel).into() }
    }

    /// The picture, a whole SVG document.
    ///
    /// # Errors
    /// If it cannot be drawn.
    pub fn to_svg(&self) -> Result<String, MineError> {
        need_font()?;
        let mut out = String::new();
        self.draw(SVGBackend::with_string(&mut out, self.size()))?;
        Ok(out)
    }

    /// Width and height.
    fn size(&self) -> (u32, u32) {
        let heights: u32 = self.panels.iter().map(|panel| panel::height(panel) as u32).sum();
        (WIDTH, HEADER as u32 + heights)
    }

    /// Draws into a file whose name ends in `.svg` or `.png`.
    ///
    /// # Errors
    /// If the name has another ending or the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), MineError> {
        need_font()?;
        let size = self.size();
        let extension = path.extension().and_then(|ext| ext.to_str()).map(str::to_ascii_lowercase);
        match extension.as_deref() {
            Some("svg") => self.draw(SVGBackend::new(path, size)),
            Some("png") => self.draw(BitMapBackend::new(path, size)),
            _ => {
                let name = path.display();
                Err(MineError::Plot(format!("'{name}' does not end in .svg or .png")))
            }
        }
    }

    fn draw<B: DrawingBackend>(&self, backend: B) -> Result<(), MineError> {
        let failed = |error: &dyn std::fmt::Display| MineError::Plot(error.to_string());
        let canvas = Canvas::new(backend.into_drawing_area()).map_err(|error| failed(&error))?;
        let middle = (WIDTH as i32 / 2, 24);
        canvas.text(&self.title, middle, 20, Align::Center).map_err(|error| failed(&error))?;
        let mut top = HEADER;
        for panel in &self.panels {
            panel::draw(&canvas, panel, self.scale, top).map_err(|error| failed(&error))?;
            top += panel::height(panel);
        }
        canvas.finish().map_err(|error| failed(&error))
    }
}

/// Makes the letters known, once.
fn need_font() -> Result<(), MineError> {
    static FONT: OnceLock<bool> = OnceLock::new();
    let font = dejavu::sans::regular();
    let register = || register_font("sans-serif", FontStyle::Normal, font).is_ok();
    match FONT.get_or_init(register) {
        true => Ok(()),
        false => Err(MineError::Plot("the font cannot be read".to_owned())),
    }
}
