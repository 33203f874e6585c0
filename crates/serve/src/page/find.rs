//! Positions that match a query.

use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use maud::{Markup, html};
use molien_board::Setup;
use molien_mine::Hit;
use molien_values::{Category, Metric, Value, winner_moves};
use serde::Deserialize;

use super::{board, html as reply, layout, with_status};
use crate::api::Sought;
use crate::{Problem, Service};

/// Boards on a page, at first and at most.
const SHOWN: usize = 24;
const MOST_SHOWN: usize = 240;
/// Positions in a file for download.
const SAVED: usize = 10_000;

/// Questions to begin with.
const EXAMPLES: [(&str, &str, &str); 6] = [
    ("KRK", "wtm and dtm = 31", "the longest mates with a rook"),
    ("KPK", "zugzwang and wtm", "mutual zugzwangs"),
    ("KQK", "stalemate and k on corner", "stalemates in the corner"),
    ("KPK", "P on rank 7 and wtm and win and only-move", "one winning move only"),
    ("KBNK", "btm and dtm >= 64 and not check", "the longest defences against bishop and knight"),
    ("KRKN", "zugzwang and black to move and n on edge", "a knight in zugzwang"),
];

/// The query of the address.
#[derive(Deserialize, Debug, Default)]
pub(super) struct FindQuery {
    material: Option<String>,
    query: Option<String>,
    limit: Option<usize>,
}

/// What is asked for, once both boxes are filled in.
struct Asked<'a> {
    material: &'a str,
    query: &'a str,
    limit: usize,
}

impl FindQuery {
    fn asked(&self) -> Option<Asked<'_>> {
        let material = filled(self.material.as_deref())?;
        let query = filled(self.query.as_deref())?;
        Some(Asked { material, query, limit: self.limit.unwrap_or(SHOWN).clamp(1, MOST_SHOWN) })
    }
}

fn filled(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}

/// `GET /find`.
pub(super) async fn page(
    State(service): State<Service>,
    Query(query): Query<FindQuery>,
    headers: HeaderMap,
) -> Response {
    let asked = query.asked();
    let found = match &asked {
        Some(asked) => Some(look(&service, asked).await),
        None => None,
    };
    let body = html! {
        h1 { "Find positions" }
        (form(&query))
        @match (&asked, &found) {
            (Some(asked), Some(Ok(hits))) => (results(asked, hits)),
            (_, Some(Err(problem))) => p.verdict.trouble role="alert" { (super::capitalised(&problem.to_string())) "." },
            _ => {},
        }
        (language())
    };
    let page = reply(&headers, layout::page("Find · Molien", None, "/find", body));
    match found {
        Some(Err(problem)) => with_status(problem.status(), page),
        _ => page,
    }
}

async fn look(service: &Service, asked: &Asked<'_>) -> Result<Vec<Hit>, Problem> {
    let sought = Sought::read(service, asked.material, asked.query).await?;
    sought.first(service, asked.limit).await
}

fn address(path: &str, material: &str, query: &str) -> String {
    format!("{path}?material={}&query={}", escaped(material), escaped(query))
}

/// A text as the value of a query, every byte that may mean something escaped.
fn escaped(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' => {
            char::from(byte).to_string()
        }
        b' ' => "+".to_owned(),
        other => format!("%{other:02X}"),
    };
    text.bytes().map(byte).collect()
}

fn form(query: &FindQuery) -> Markup {
    html! {
        form.query action="/find" {
            label { "Material " input name="material" size="8" required placeholder="KRK" value=[query.material.as_deref()]; }
            label.wide { "Query " input name="query" required placeholder="zugzwang and black to move"
                autocomplete="off" spellcheck="false" value=[query.query.as_deref()]; }
            button { "Find" }
        }
        p.remark id="live" role="status" aria-live="polite" {}
        p.examples {
            "For example: "
            @for (material, query, text) in EXAMPLES {
                a href=(address("/find", material, query)) title={ (material) ": " (query) } { (text) }
            }
        }
    }
}

fn results(asked: &Asked<'_>, hits: &[Hit]) -> Markup {
    let file = |format: &str| {
        let path = address("/api/v1/find", asked.material, asked.query);
        format!("{path}&limit={SAVED}&format={format}")
    };
    html! {
        @if hits.is_empty() {
            p.verdict { "No position matches." }
        } @else {
            p data-count=(address("/api/v1/find", asked.material, asked.query)) {
                (hits.len()) @if hits.len() == asked.limit { " of the" } " positions found. Of mirror images one is shown. Save up to 10,000: "
                @for (name, format) in [("FEN", "fen"), ("CSV", "csv"), ("Parquet", "parquet"), ("JSON", "ndjson")] {
                    a href=(file(format)) download { (name) } " "
                }
            }
            div.boards {
                @for hit in hits { (board::small(&Setup::from(hit.position).to_string(), &caption(hit))) }
            }
            @if hits.len() == asked.limit && asked.limit < MOST_SHOWN {
                p { a href={ (address("/find", asked.material, asked.query)) "&limit=" (asked.limit * 4) } { "More" } }
            }
        }
    }
}

/// What is said below a board.
fn caption(hit: &Hit) -> String {
    let turn = hit.position.turn();
    let known = Metric::ALL
        .into_iter()
        .find_map(|metric| Some((metric, hit.values[metric as usize].and_then(Value::plies)?)));
    let depth = known.map_or(String::new(), |(metric, plies)| match metric {
        Metric::Dtm => format!(", mate in {}", winner_moves(plies)),
        other => format!(", {other} {plies} plies"),
    });
    let result = match hit.category {
        Category::Win | Category::MaybeWin => "wins",
        Category::Loss | Category::MaybeLoss => "loses",
        Category::CursedWin | Category::BlessedLoss => "draws by the 50-move rule",
        Category::Draw => "draws",
    };
    format!("{turn} to move {result}{depth}")
}

/// The language in a few lines.
fn language() -> Markup {
    let lines = [
        ("K = e4, d4", "White's king stands on one of these squares; k q r b n p are Black's men"),
        ("R on file a, P on ranks 6..7, k in a1..c3", "on files, ranks, rectangles"),
        ("k on edge, corner, centre, light, dark", "on named squares"),
        ("R attacks k, N protects R", "attacks and protection"),
        ("distance <= 2, distance N k = 3", "king moves between men"),
        ("wtm, btm", "the side to move"),
        ("win, draw, loss, cursed, white wins", "the result"),
        ("dtm >= 30, dtz in 10..20", "the depth in plies, by metric"),
        ("zugzwang, only-move, check, mate, stalemate, capture", "properties"),
        ("and, or, not, ( )", "put them together"),
    ];
    html! {
        details open[false] {
            summary { "What can be asked" }
            dl { @for (text, meaning) in lines { dt { code { (text) } } dd { (meaning) } } }
        }
    }
}
