//! Our own interface, under `/api/v1`.
//!
//! The JSON is that of the command line (docs/json.md); a problem is an object
//! with `error`. Long answers are streamed, an object a line.

mod batch;
mod explain;
mod find;
mod line;
mod mining;
mod openapi;
mod position;
mod query;
mod reply;
mod solve;
mod stats;
mod stream;
mod study;
mod tables;

pub(crate) use find::Sought;
pub(crate) use position::Findings;
pub(crate) use query::material;
pub(crate) use study::{Judged, judge};

use axum::Router;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use molien_schema::ErrorJson;

use crate::reply::with_retry;
use crate::{Problem, Service};

/// The type of streamed answers.
const NDJSON: &str = "application/x-ndjson";

/// The routes.
pub(crate) fn routes() -> Router<Service> {
    Router::new()
        .route("/position", get(position::get))
        .route("/positions", post(batch::post))
        .route("/line", get(line::get))
        .route("/reply", get(reply::get))
        .route("/free", get(mining::free))
        .route("/find", get(find::get))
        .route("/zugzwangs", get(mining::all_zugzwangs))
        .route("/maxima", get(mining::deepest))
        .route("/stats", get(stats::get))
        .route("/explain", get(explain::get))
        .route("/study", post(study::post))
        .route("/tables", get(tables::get))
        .route("/solve", get(solve::get))
        .route("/openapi.json", get(openapi::get))
        .fallback(nothing)
}

async fn nothing() -> Response {
    let text = "there is nothing here; /api/v1/openapi.json lists what there is";
    failed(&Problem::NotFound(text.to_owned()))
}

/// A problem as JSON.
fn failed(problem: &Problem) -> Response {
    let body = serde_json::to_vec(&ErrorJson::new(None, problem)).unwrap_or_default();
    let kind = [(axum::http::header::CONTENT_TYPE, "application/json")];
    with_retry(problem, (problem.status(), kind, body).into_response())
}

/// An answer, or the problem as JSON.
fn answered(result: Result<Response, Problem>) -> Response {
    result.unwrap_or_else(|problem| failed(&problem))
}

/// What a client sent could not be read.
pub(crate) fn unreadable(status: StatusCode, text: String) -> Problem {
    match status {
        StatusCode::PAYLOAD_TOO_LARGE => Problem::NotAllowed(text),
        _ => Problem::Request(text),
    }
}
