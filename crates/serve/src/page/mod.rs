//! The page: rendered on the server, and made lively by scripts.
//!
//! Every view has an address and works without scripts: moves are links, forms
//! are forms. Scripts fetch the same HTML piece by piece. Nothing is loaded from
//! elsewhere.

mod about;
mod assets;
mod board;
mod chart;
mod endgames;
mod find;
mod layout;
mod moves;
mod panel;
mod position;
mod study;
mod view;

use axum::Router;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use maud::Markup;

use crate::reply::{Lasting, tagged};
use crate::{Problem, Service};

/// The routes.
pub(crate) fn routes() -> Router<Service> {
    Router::new()
        .route("/", get(position::page))
        .route("/panel", get(position::panel_only))
        .route("/more", get(position::more_only))
        .route("/board.svg", get(board::picture))
        .route("/board.png", get(board::bitmap))
        .route("/endgames", get(endgames::list))
        .route("/endgame/{material}", get(endgames::one))
        .route("/find", get(find::page))
        .route("/study", get(study::empty).post(study::judged))
        .route("/about", get(about::page))
        .route("/web/{name}", get(assets::file))
        .route("/men/{name}", get(assets::man))
        .fallback(nothing)
}

async fn nothing() -> Response {
    let text = Problem::NotFound("There is no such page.".to_owned());
    problem_page(&text)
}

/// HTML with its tag.
fn html(request: &HeaderMap, markup: Markup) -> Response {
    tagged(request, "text/html; charset=utf-8", markup.into_string().into_bytes(), Lasting::Changes)
}

/// A problem as a page of its own.
fn problem_page(problem: &Problem) -> Response {
    let body = maud::html! {
        p.verdict { (problem) }
        p { a href="/" { "Back to the board" } }
    };
    let page = layout::page("Molien", None, "", body).into_string();
    let kind = [(axum::http::header::CONTENT_TYPE, "text/html; charset=utf-8")];
    let status = problem.status();
    crate::reply::with_retry(problem, (status, kind, page).into_response())
}

/// A page, or the problem as one.
fn shown(result: Result<Response, Problem>) -> Response {
    result.unwrap_or_else(|problem| problem_page(&problem))
}

/// A sentence from a message: a capital letter, and no full stop.
fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    (first + letters.as_str()).trim_end_matches('.').to_owned()
}

/// What is not found is said with this status even where the page is a view.
fn with_status(status: StatusCode, mut response: Response) -> Response {
    if response.status() == StatusCode::OK {
        *response.status_mut() = status;
    }
    response
}
