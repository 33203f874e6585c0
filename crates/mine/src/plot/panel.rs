//! One side to move.

use molien_draw::{Rgb, palette};
use molien_values::Category;
use plotters::backend::DrawingBackend;

use super::axis::{Axis, Scale, grouped, tick};
use super::canvas::{Align, Canvas, Drawn, Point};
use super::{Panel, Series, Shares, WIDTH};

const LEFT: i32 = 120;
const RIGHT: i32 = WIDTH as i32 - 24;
/// Title and shares above the chart.
const TOP: i32 = 88;
const CHART: i32 = 240;
/// The names of the plies below it.
const BOTTOM: i32 = 62;

/// The height of a panel.
pub(super) fn height(panel: &Panel) -> i32 {
    if panel.highest() == 0 { TOP + 10 } else { TOP + CHART + BOTTOM }
}

pub(super) fn draw<B: DrawingBackend>(
    canvas: &Canvas<B>,
    panel: &Panel,
    scale: Scale,
    top: i32,
) -> Drawn<B> {
    canvas.text(&panel.title, (LEFT, top + 16), 17, Align::Left)?;
    shares(canvas, &panel.shares, top + 36)?;
    if panel.highest() == 0 {
        return Ok(());
    }
    let chart = Chart {
        base: top + TOP + CHART,
        axis: Axis::new(scale, panel.highest()),
        slot: f64::from(RIGHT - LEFT) / panel.plies() as f64,
    };
    chart.grid(canvas)?;
    legend(canvas, panel, top + 16)?;
    match &panel.series[..] {
        [one] => chart.bars(canvas, one)?,
        several => {
            for (series, stroke) in several.iter().zip(palette::SERIES.into_iter().cycle()) {
                chart.curve(canvas, &series.wins, stroke, false)?;
                chart.curve(canvas, &series.losses, stroke, true)?;
            }
        }
    }
    chart.plies(canvas, panel.plies())
}

/// The classes with their numbers, the best first.
fn classes(shares: &Shares) -> [(Category, &'static str, u64); 5] {
    [
        (Category::Win, "won", shares.wins),
        (Category::CursedWin, "won but for the 50-move rule", shares.cursed_wins),
        (Category::Draw, "drawn", shares.draws),
        (Category::BlessedLoss, "lost but for the 50-move rule", shares.blessed_losses),
        (Category::Loss, "lost", shares.losses),
    ]
}

/// A bar divided among won, drawn and lost, and the percentages below it.
fn shares<B: DrawingBackend>(canvas: &Canvas<B>, shares: &Shares, y: i32) -> Drawn<B> {
    let classes = classes(shares);
    let total: u64 = classes.iter().map(|(_, _, count)| count).sum();
    if total == 0 {
        return Ok(());
    }
    let (mut from, mut words, mut before) = (LEFT, Vec::new(), 0);
    for (category, name, count) in classes.into_iter().filter(|(_, _, count)| *count > 0) {
        before += count;
        let to = LEFT + (f64::from(RIGHT - LEFT) * before as f64 / total as f64).round() as i32;
        canvas.bar((from, y), (to, y + 12), palette::strong(category))?;
        words.push(format!("{name} {:.2} %", 100.0 * count as f64 / total as f64));
        from = to;
    }
    let text = format!("{} positions: {}", grouped(total), words.join(", "));
    canvas.text(&text, (LEFT, y + 26), 13, Align::Left)
}

/// What the colours mean, from the right.
fn legend<B: DrawingBackend>(canvas: &Canvas<B>, panel: &Panel, y: i32) -> Drawn<B> {
    let strong = |category| palette::strong(category);
    let entries: Vec<(String, Rgb)> = match &panel.series[..] {
        [one] => {
            let cursed = one.last_ply.is_some_and(|last| one.plies() > last + 1);
            let mut entries =
                vec![("wins", strong(Category::Win)), ("losses", strong(Category::Loss))];
            if cursed {
                entries.push(("cursed", strong(Category::CursedWin)));
                entries.push(("blessed", strong(Category::BlessedLoss)));
            }
            entries.into_iter().map(|(name, fill)| (name.to_owned(), fill)).collect()
        }
        several => {
            let colors = palette::SERIES.into_iter().cycle();
            several.iter().zip(colors).map(|(series, fill)| (series.name.clone(), fill)).collect()
        }
    };
    let mut x = RIGHT;
    if panel.series.len() > 1 {
        canvas.text("wins solid, losses dashed", (x, y), 13, Align::Right)?;
        x -= 200;
    }
    for (name, fill) in entries.iter().rev() {
        x -= 24 + 9 * name.len() as i32;
        canvas.bar((x, y - 5), (x + 11, y + 6), *fill)?;
        canvas.text(name, (x + 16, y), 13, Align::Left)?;
    }
    Ok(())
}

/// Where counts and plies lie.
struct Chart {
    base: i32,
    axis: Axis,
    /// The width of a ply.
    slot: f64,
}

impl Chart {
    fn y(&self, count: u64) -> i32 {
        self.base - (f64::from(CHART) * self.axis.share(count)).round() as i32
    }

    fn x(&self, ply: f64) -> i32 {
        LEFT + (ply * self.slot).round() as i32
    }

    fn grid<B: DrawingBackend>(&self, canvas: &Canvas<B>) -> Drawn<B> {
        for count in self.axis.ticks() {
            let y = self.y(count);
            canvas.line((LEFT, y), (RIGHT, y), palette::GRID)?;
            canvas.text(&grouped(count), (LEFT - 8, y), 13, Align::Right)?;
        }
        Ok(())
    }

    fn bars<B: DrawingBackend>(&self, canvas: &Canvas<B>, series: &Series) -> Drawn<B> {
        let sides = [
            (&series.wins, Category::Win, Category::CursedWin),
            (&series.losses, Category::Loss, Category::BlessedLoss),
        ];
        for (counts, plain, spoilt) in sides {
            for (ply, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
                let late = series.last_ply.is_some_and(|last| ply > last);
                let fill = palette::strong(if late { spoilt } else { plain });
                let (from, to) = (self.x(ply as f64 + 0.1), self.x(ply as f64 + 0.9));
                // At least a pixel wide and high: few is not none.
                let to = to.max(from + 1);
                let top = self.y(count).min(self.base - 1);
                canvas.bar((from, top), (to, self.base), fill)?;
            }
        }
        Ok(())
    }

    /// A curve through the plies that occur.
    fn curve<B: DrawingBackend>(
        &self,
        canvas: &Canvas<B>,
        counts: &[u64],
        stroke: Rgb,
        dashed: bool,
    ) -> Drawn<B> {
        let known = counts.iter().enumerate().filter(|(_, count)| **count > 0);
        let points: Vec<Point> =
            known.map(|(ply, &count)| (self.x(ply as f64 + 0.5), self.y(count))).collect();
        match points.len() {
            0 => Ok(()),
            1 => canvas.bar(
                (points[0].0 - 2, points[0].1 - 2),
                (points[0].0 + 2, points[0].1 + 2),
                stroke,
            ),
            _ => canvas.curve(points, stroke, dashed),
        }
    }

    fn plies<B: DrawingBackend>(&self, canvas: &Canvas<B>, plies: usize) -> Drawn<B> {
        canvas.line((LEFT, self.base), (RIGHT, self.base), palette::INK)?;
        let every = tick(2 * plies as u64).max(1) as usize;
        for ply in (0..plies).step_by(every) {
            let at = (self.x(ply as f64 + 0.5), self.base + 14);
            canvas.text(&ply.to_string(), at, 13, Align::Center)?;
        }
        canvas.text("plies", ((LEFT + RIGHT) / 2, self.base + 36), 14, Align::Center)
    }
}
