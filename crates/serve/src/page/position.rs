//! The page of a position.

use std::time::Duration;

use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use maud::{Markup, html};
use molien_board::{Color, FenError, IllegalPosition, Man, Material, Role, Setup, Square};
use molien_lines::{Line, Play, Strategy, Until, best_line};
use molien_mine::{FreeMan, FreeSquare};
use molien_probe::words::result_in;
use molien_probe::{ProbeError, Tablebase};
use molien_values::{Metric, Stats};

use super::board::{Shown as Drawn, man_name, men, picture_name};
use super::panel::{Turned, panel};
use super::view::{View, ViewQuery, address};
use super::{capitalised, chart, html as reply, layout, with_status};
use crate::api::Findings;
use crate::{Problem, Service};

/// Plies of best play shown.
const SHOWN_PLIES: usize = 60;
/// How long a page waits for a small table before it shows that it is being
/// solved.
const PATIENCE: Duration = Duration::from_secs(2);

/// All that the page shows of a position.
struct Shown {
    setup: Setup,
    findings: Findings,
    turned: Option<Turned>,
    heat_map: Option<Vec<FreeSquare>>,
}

/// Finds what is known; waits a little if a table has to be solved.
async fn look(service: &Service, view: &View) -> Result<Shown, Problem> {
    let setup = view.setup()?;
    let material = setup.position.material();
    if !material.is_within_limits() {
        return Err(ProbeError::TooManyMen { men: material.len() }.into());
    }
    service.prepare_within(material, PATIENCE).await?;
    let view = view.clone();
    let work = move |tables: &Tablebase| {
        let metrics = view.metrics();
        let answer = tables.probe_at(&setup, &metrics)?;
        let moves = tables.moves_at(&setup, &metrics)?;
        let turned = Turned::look(tables, &setup);
        let heat_map = view.free.and_then(|man| heat_map(tables, &setup, man, view.order));
        Ok::<_, ProbeError>(Shown { setup, findings: Findings { answer, moves }, turned, heat_map })
    };
    Ok(service.read(work).await??)
}

/// The value of every square for one of the men.
fn heat_map(
    tables: &Tablebase,
    setup: &Setup,
    man: Man,
    metric: Metric,
) -> Option<Vec<FreeSquare>> {
    let free = FreeMan::lift(setup, man)?;
    free.squares(tables, metric).ok()
}

/// The picture and the words of a link to a position. Addresses are whole, as
/// those who show links want them.
fn card(service: &Service, view: &View, headers: &HeaderMap, title: &str) -> layout::Card {
    let named = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let plain =
        |text: &&str| text.bytes().all(|b| b.is_ascii_alphanumeric() || b".:-[]".contains(&b));
    let host = named("host").filter(plain).unwrap_or("localhost");
    let secure = service.config().behind_proxy && named("x-forwarded-proto") == Some("https");
    let origin = format!("{}://{host}", if secure { "https" } else { "http" });
    let flip = if view.flipped { "&flip=1" } else { "" };
    layout::Card {
        description: format!("{title} {}", view.fen),
        address: format!("{origin}{}", view.own_href()),
        picture: format!("{origin}/board.png?fen={}{flip}", address(&view.fen)),
    }
}

/// `GET /`.
pub(super) async fn page(
    State(service): State<Service>,
    Query(query): Query<ViewQuery>,
    headers: HeaderMap,
) -> Response {
    let view = View::read(&query);
    let shown = look(&service, &view).await;
    let more = match &shown {
        Ok(shown) => More::look(&service, shown.setup, view.order).await,
        Err(_) => None,
    };
    let title = match &shown {
        Ok(shown) => result_in(view.units, &shown.setup, &shown.findings.answer),
        Err(_) => "Chess endgames, exactly".to_owned(),
    };
    let card = card(&service, &view, &headers, &title);
    let status = shown.as_ref().map_or_else(status_of, |_| StatusCode::OK);
    let body = html! {
        div.columns {
            section.left aria-label="Board" { (left(&view, &shown)) }
            section.right aria-label="Answer" {
                div id="panel" { (right(&service, &view, &shown)) }
                div id="more" { @if let Some(more) = &more { (more.show(&view)) } }
            }
        }
    };
    let page = layout::page(&format!("{title} · Molien"), Some(&card), "/", body);
    with_status(status, reply(&headers, page))
}

/// `GET /panel`: what stands beside the board, for scripts.
pub(super) async fn panel_only(
    State(service): State<Service>,
    Query(query): Query<ViewQuery>,
    headers: HeaderMap,
) -> Response {
    let view = View::read(&query);
    let shown = look(&service, &view).await;
    let status = shown.as_ref().map_or_else(status_of, |_| StatusCode::OK);
    with_status(status, reply(&headers, right(&service, &view, &shown)))
}

/// `GET /more`: best play and figures, for scripts.
pub(super) async fn more_only(
    State(service): State<Service>,
    Query(query): Query<ViewQuery>,
    headers: HeaderMap,
) -> Response {
    let view = View::read(&query);
    let more = match view.setup() {
        Ok(setup) => More::look(&service, setup, view.order).await,
        Err(_) => None,
    };
    reply(&headers, html! { @if let Some(more) = &more { (more.show(&view)) } })
}

/// Mistakes of the reader are shown like any other state of the page.
fn status_of(problem: &Problem) -> StatusCode {
    match problem {
        Problem::Probe(ProbeError::MissingTable { .. } | ProbeError::TooManyMen { .. })
        | Problem::Solving { .. } => StatusCode::OK,
        other => other.status(),
    }
}

/// The squares an illegal position is wrong on.
fn wrong_squares(problem: &Problem, men: &[(Man, Square)]) -> Vec<Square> {
    let Problem::Fen(FenError::Illegal(illegal)) = problem else { return Vec::new() };
    let king = |color: Color| {
        let king = Man::new(color, Role::King);
        men.iter().filter(move |(man, _)| *man == king).map(|(_, at)| *at)
    };
    match illegal {
        IllegalPosition::PawnRank { square }
        | IllegalPosition::Shared { square }
        | IllegalPosition::EnPassant { square } => vec![*square],
        IllegalPosition::AdjacentKings => king(Color::White).chain(king(Color::Black)).collect(),
        IllegalPosition::OpponentInCheck { color } | IllegalPosition::Kings { color, .. } => {
            king(*color).collect()
        }
        _ => Vec::new(),
    }
}

fn left(view: &View, shown: &Result<Shown, Problem>) -> Markup {
    let men = men(&view.fen).unwrap_or_default();
    let (heat_map, marked) = match shown {
        Ok(shown) => (shown.heat_map.as_deref(), Vec::new()),
        Err(problem) => (None, wrong_squares(problem, &men)),
    };
    let is_black = view.fen.split(' ').nth(1) == Some("b");
    let mut kinds: Vec<Man> = men.iter().map(|(man, _)| *man).collect();
    kinds.sort_by_key(|man| (man.color.index(), man.role as usize));
    kinds.dedup();
    html! {
        (Drawn { view, men: &men, wrong: &marked, heat_map }.markup())
        div id="tools" hidden {}
        form.fen action="/" {
            label { "FEN " input name="fen" id="fen" value=(view.fen) autocomplete="off" spellcheck="false"; }
            button { "Go" }
        }
        p.turn { (if is_black { "Black" } else { "White" }) " to move" }
        p.free id="free" {
            "Free man: "
            @for man in kinds {
                @let chosen = view.free == Some(man);
                a.choice href=(view.with_free(Some(man)).own_href()) data-free=(man.letter())
                    title={ "The value of every square for the " (man_name(man)) }
                    aria-current=[chosen.then_some("true")] {
                    img src={ "/men/" (picture_name(man)) ".svg" } alt=(man_name(man)) width="24" height="24";
                }
            }
            @if view.free.is_some() { a.choice href=(view.with_free(None).own_href()) data-free="" { "off" } }
        }
    }
}

fn right(service: &Service, view: &View, shown: &Result<Shown, Problem>) -> Markup {
    match shown {
        Ok(Shown { setup, findings, turned, .. }) => panel(view, setup, findings, turned.as_ref()),
        Err(problem) => {
            let men = men(&view.fen).unwrap_or_default();
            trouble(service, problem, &wrong_squares(problem, &men))
        }
    }
}

/// What to do if there is no answer.
fn trouble(service: &Service, problem: &Problem, wrong: &[Square]) -> Markup {
    let wrong: Vec<String> = wrong.iter().map(Square::to_string).collect();
    let advice = match problem {
        Problem::Solving { material, .. } => return solving(service, *material),
        Problem::Probe(error) => match error.missing_table() {
            Some((material, _)) => Some(html! {
                "Tables of up to " (service.config().solve_up_to_men) " men are solved here on demand. "
                (how_to_make(service, material))
            }),
            None => match error {
                ProbeError::TooManyMen { .. } => {
                    Some(html! { "Take men off the board: up to five men are within easy reach." })
                }
                _ => None,
            },
        },
        Problem::Fen(_) => Some(html! { "Correct the position on the board or in the FEN." }),
        _ => None,
    };
    html! {
        div.answer role="status" aria-live="polite" data-wrong=(wrong.join(" ")) {
            p.verdict.trouble { (capitalised(&problem.to_string())) "." }
            @if let Some(advice) = advice { p.remark { (advice) } }
        }
    }
}

/// What makes a table that is missing, and how long that takes.
pub(super) fn how_to_make(service: &Service, material: Material) -> Markup {
    html! {
        code { "molien solve " (material) } " makes it"
        @if let Some(time) = service.making_time(material) { ": about " (time) " on this machine" }
        "."
    }
}

fn solving(service: &Service, material: Material) -> Markup {
    let time = service.making_time(material);
    html! {
        div.answer.solving role="status" aria-live="polite" data-solving=(material) {
            p.verdict { (material) " is being solved" @if let Some(time) = time { ": about " (time) } "." }
            p.remark id="progress" { "Other positions stay usable. " a href="" { "Look again" } }
        }
    }
}

/// Best play, and the figures of the material.
struct More {
    line: Option<Line>,
    stats: Option<Stats>,
    plies: Option<i32>,
    turn: Color,
}

impl More {
    async fn look(service: &Service, setup: Setup, metric: Metric) -> Option<More> {
        let work = move |tables: &Tablebase| {
            let strategy = match metric {
                Metric::Dtm => Strategy::within_the_rule(),
                other => other.into(),
            };
            let until = Until { plies: SHOWN_PLIES, ..Until::default() };
            More {
                line: best_line(tables, setup, &Play::both(strategy), until).ok(),
                stats: tables.stats(setup.position.material(), metric).ok(),
                plies: tables.value(&setup.position, metric).ok().and_then(|v| v.signed_plies()),
                turn: setup.position.turn(),
            }
        };
        service.read(work).await.ok()
    }

    fn show(&self, view: &View) -> Markup {
        html! {
            @if let Some(line) = self.line.as_ref().filter(|line| !line.plies.is_empty()) {
                section.line aria-label="Best play" {
                    h3 { "Best play" }
                    p.moves {
                        @for (text, fen) in numbered(line) { a href=(view.href(&fen)) data-fen=(fen) { (text) } " " }
                        (line.result())
                    }
                    p.caption { "' the only best move, \" the only move that keeps the result, ° the only legal one" }
                    p {
                        a href={ "/api/v1/line?format=pgn&fen=" (address(&view.fen)) } download="line.pgn" { "PGN" }
                        " · " a.play href="/about#play" data-play { "Play it out" }
                    }
                }
            }
            @if let Some(stats) = &self.stats { (chart::summary(stats, view, self.turn, self.plies)) }
        }
    }
}

/// The moves with their numbers and signs, each with the position after it.
fn numbered(line: &Line) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (i, ply) in line.plies.iter().enumerate() {
        let (number, turn) = (ply.before.fullmove_number, ply.before.position.turn());
        let prefix = match turn {
            Color::White => format!("{number}. "),
            Color::Black if i == 0 => format!("{number}... "),
            Color::Black => String::new(),
        };
        let text = format!("{prefix}{}{}", ply.san, ply.mark.sign());
        found.push((text, ply.before.play(&ply.played).to_string()));
    }
    found
}
