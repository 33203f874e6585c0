//! All materials, and each on a page of its own.

use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use maud::{Markup, html};
use molien_board::{Color, Material};
use molien_probe::Tablebase;
use molien_probe::words::Unit;
use molien_probe::words::grouped;
use molien_values::{Counting, Longest, Metric, Stats, winner_moves};

use super::position::how_to_make;
use super::view::{meaning, word};
use super::{board, chart, html as reply, layout, shown};
use crate::api::material as read_material;
use crate::{Problem, Service};

/// The largest tables listed whether stored or not.
const LISTED_MEN: usize = 5;

/// A row of the list.
struct Row {
    material: Material,
    stats: Option<Stats>,
}

fn rows(tables: &Tablebase) -> Vec<Row> {
    let row =
        |material: Material| Row { material, stats: tables.stats(material, Metric::Dtm).ok() };
    let all = Material::all(LISTED_MEN).into_iter().filter(|material| material.len() > 2);
    all.map(row).collect()
}

/// The longest mate that a side can force.
fn longest(stats: &Stats, side: Color) -> Option<&Longest> {
    let won = stats.sides[side.index()].longest_win.as_ref();
    let lost = stats.sides[(!side).index()].longest_loss.as_ref();
    won.into_iter().chain(lost).max_by_key(|longest| longest.plies)
}

/// `GET /endgames`.
pub(super) async fn list(State(service): State<Service>, headers: HeaderMap) -> Response {
    let found = service.read(rows).await.map(|rows| {
        let stored = rows.iter().filter(|row| row.stats.is_some()).count();
        let body = html! {
            h1 { "Endgames" }
            p { (stored) " of " (rows.len()) " materials of three to five men are stored here. "
                "Figures are for positions up to symmetry; the longest mate is that of the better of both sides to move." }
            p { label { "Search " input type="search" id="search" placeholder="KRP"; } }
            div.scroll { table.sortable {
                thead { tr {
                    th { "Endgame" } th { "Men" } th { "White wins" } th { "Draws" } th { "Black wins" }
                    th { "Longest mate, White" } th { "Longest mate, Black" } th { "Zugzwangs" }
                } }
                tbody { @for row in &rows { (table_row(row)) } }
            } }
        };
        reply(&headers, layout::page("Endgames · Molien", None, "/endgames", body))
    });
    shown(found)
}

fn table_row(row: &Row) -> Markup {
    let Row { material, stats } = row;
    html! {
        tr {
            td { a href={ "/endgame/" (material) } { (material.file_name()) } }
            td { (material.len()) }
            @match stats {
                None => td colspan="6" { "not stored" },
                Some(stats) => {
                    @for number in totals(stats) { td { (grouped(number)) } }
                    @for side in Color::BOTH { td { (record(stats, side)) } }
                    td { (grouped(zugzwangs(stats))) }
                }
            }
        }
    }
}

/// White wins, draws and Black wins, whoever is to move.
fn totals(stats: &Stats) -> [u64; 3] {
    let number = |count| stats.number(count, Counting::Unique);
    let [white, black] = &stats.sides;
    let wins = number(white.total_wins()) + number(black.total_losses());
    let losses = number(white.total_losses()) + number(black.total_wins());
    let legal = number(white.legal) + number(black.legal);
    [wins, legal.saturating_sub(wins + losses), losses]
}

fn zugzwangs(stats: &Stats) -> u64 {
    let all = [stats.zugzwangs.white_wins, stats.zugzwangs.black_wins, stats.zugzwangs.full_point];
    all.into_iter().map(|count| stats.number(count, Counting::Unique)).sum()
}

fn record(stats: &Stats, side: Color) -> Markup {
    html! {
        @if let Some(longest) = longest(stats, side) {
            a href={ "/?fen=" (super::view::address(&longest.position.to_string())) } { (winner_moves(longest.plies)) }
        }
    }
}

/// `GET /endgame/MATERIAL`.
pub(super) async fn one(
    State(service): State<Service>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Response {
    let found = async {
        let material = read_material(&name)?;
        let stats: Vec<Stats> = service
            .read(move |tables| {
                Metric::ALL
                    .into_iter()
                    .filter_map(|metric| tables.stats(material, metric).ok())
                    .collect()
            })
            .await?;
        let title = format!("{} · Molien", material.file_name());
        let body = html! {
            h1 { (material.file_name()) }
            p.caption { "Positions by depth, a column a ply, on a logarithmic scale: wins of the side to move above the line, losses below. \
                 The boards are one position each of the greatest depth." }
            @if stats.is_empty() {
                p { "This table is not stored here. " (how_to_make(&service, material)) }
            }
            @for stats in &stats { (metric_section(stats)) }
            p { a href={ "/find?material=" (material) "&query=zugzwang" } { "Its mutual zugzwangs" } }
            p { "It leads to: "
                @for other in depends(material) { a href={ "/endgame/" (other) } { (other.file_name()) } " " }
            }
        };
        Ok::<_, Problem>(reply(&headers, layout::page(&title, None, "/endgames", body)))
    };
    shown(found.await)
}

fn depends(material: Material) -> Vec<Material> {
    let mut found: Vec<Material> =
        material.successors().iter().map(Material::canonical).filter(|m| m.len() > 2).collect();
    found.sort_by_key(|material| (std::cmp::Reverse(material.len()), material.to_string()));
    found.dedup();
    found
}

fn depth(result: &str, plies: u16) -> String {
    format!("longest {result}: {} ({plies} plies)", Unit::Moves.say(plies))
}

fn metric_section(stats: &Stats) -> Markup {
    let metric = stats.metric;
    html! {
        section {
            h2 title=(meaning(metric)) { "By " (word(metric)) " " small { (metric.name().to_uppercase()) } }
            div.sides { @for side in Color::BOTH { div {
                h3 { (side) " to move" }
                (chart::histogram(stats, side, None))
                div.boards {
                    @let own = &stats.sides[side.index()];
                    @if let Some(longest) = &own.longest_win {
                        (board::small(&longest.position.to_string(), &depth("win", longest.plies)))
                    }
                    @if let Some(longest) = &own.longest_loss {
                        (board::small(&longest.position.to_string(), &depth("loss", longest.plies)))
                    }
                }
            } } }
        }
    }
}
