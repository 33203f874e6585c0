//! Histograms and counts of a material.

use maud::{Markup, html};
use molien_board::Color;
use molien_values::{Count, Counting, Stats};

use super::view::{View, word};
use molien_probe::words::grouped;

/// The drawing's size.
const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 90.0;

/// The figures of a material, with the depth of the position marked.
pub(super) fn summary(stats: &Stats, view: &View, turn: Color, plies: Option<i32>) -> Markup {
    let side = &stats.sides[turn.index()];
    let number = |count: Count| stats.number(count, Counting::Unique);
    let (legal, wins, losses) =
        (number(side.legal), number(side.total_wins()), number(side.total_losses()));
    let draws = legal.saturating_sub(wins + losses);
    html! {
        section.stats aria-label="The material" {
            h3 { a href={ "/endgame/" (stats.material) } { (stats.material.file_name()) } ", " (turn) " to move" }
            p {
                (grouped(legal)) " positions: "
                (grouped(wins)) " won (" (percent(wins, legal)) "), "
                (grouped(draws)) " drawn (" (percent(draws, legal)) "), "
                (grouped(losses)) " lost (" (percent(losses, legal)) ")."
            }
            (histogram(stats, turn, plies))
            p.caption {
                "Positions by " (word(view.order)) " in plies, on a logarithmic scale: wins above the line, losses below."
                @if plies.is_some() { " You are at the mark." }
            }
        }
    }
}

fn percent(part: u64, whole: u64) -> String {
    match whole {
        0 => "-".to_owned(),
        _ => format!("{:.1} %", part as f64 * 100.0 / whole as f64),
    }
}

/// Wins above the line and losses below, a column a ply.
pub(super) fn histogram(stats: &Stats, turn: Color, plies: Option<i32>) -> Markup {
    let side = &stats.sides[turn.index()];
    let columns = side.wins.len().max(side.losses.len()).max(1);
    let most = side.wins.iter().chain(&side.losses).map(|count| count.unique).max().unwrap_or(0);
    let scale = (HEIGHT / 2.0 - 4.0) / ((most + 1) as f64).ln().max(1.0);
    let width = WIDTH / columns as f64;
    let tall = |counts: &[Count], ply: usize| {
        counts.get(ply).map_or(0.0, |count| ((count.unique + 1) as f64).ln() * scale)
    };
    let middle = HEIGHT / 2.0;
    let here = plies.map(|plies| plies.unsigned_abs() as usize);
    let label = format!("Histogram of {} with {turn} to move", stats.material);
    html! {
        svg.histogram viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label=(label) preserveAspectRatio="none" {
            @for ply in 0..columns {
                @let (won, lost) = (tall(&side.wins, ply), tall(&side.losses, ply));
                @let x = format!("{:.2}", ply as f64 * width);
                @let wide = format!("{:.2}", (width * 0.9).max(0.4));
                @if won > 0.0 {
                    rect.win x=(x) y=(format!("{:.1}", middle - won)) width=(wide) height=(format!("{won:.1}")) {}
                }
                @if lost > 0.0 {
                    rect.loss x=(x) y=(format!("{middle:.1}")) width=(wide) height=(format!("{lost:.1}")) {}
                }
            }
            line x1="0" x2=(WIDTH) y1=(middle) y2=(middle) {}
            @if let Some(ply) = here {
                line.here x1=(format!("{:.2}", (ply as f64 + 0.45) * width)) x2=(format!("{:.2}", (ply as f64 + 0.45) * width)) y1="0" y2=(HEIGHT) {}
            }
        }
    }
}
