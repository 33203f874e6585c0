//! The description of the interface, made from the code.

use axum::http::HeaderMap;
use axum::response::Response;
use utoipa::OpenApi;

use super::{batch, explain, find, line, mining, position, reply, solve, stats, study, tables};
use crate::reply::{Lasting, json};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Molien",
        description = "Exact chess endgames: values in every metric, moves, lines, and more. \
                       The fields of JSON answers are described in docs/json.md."
    ),
    paths(
        position::get,
        batch::post,
        line::get,
        reply::get,
        mining::free,
        find::get,
        mining::all_zugzwangs,
        mining::deepest,
        stats::get,
        explain::get,
        study::post,
        tables::get,
        solve::get,
    )
)]
struct Description;

/// `GET /api/v1/openapi.json`.
pub(super) async fn get(headers: HeaderMap) -> Response {
    json(&headers, &Description::openapi(), Lasting::Changes)
}
