//! Pawn endings in words.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use molien_board::Position;
use molien_pawns::explain;
use serde::Deserialize;
use serde_json::{Value as Json, json};
use utoipa::IntoParams;

use super::query::{Query, setup};
use crate::reply::{Lasting, json as reply};
use crate::{Problem, Service};

/// Which position.
#[derive(Deserialize, IntoParams, Debug)]
#[into_params(parameter_in = Query)]
pub(super) struct ExplainQuery {
    /// Kings and pawns, as FEN; blanks may be underscores
    #[param(example = "4k3/8/4K3/4P3/8/8/8/8_b_-_-")]
    fen: String,
}

/// What the rules say of a pawn ending.
fn explained(position: &Position) -> Result<Json, Problem> {
    let found = explain(position).map_err(|error| Problem::NotFound(error.to_string()))?;
    Ok(json!({
        "fen": position.to_string(),
        "category": found.value.map_or("unknown".to_owned(), |value| value.to_string()),
        "winner": found.winner.map(|color| color.to_string().to_lowercase()),
        "function": found.function,
        "rule": found.rule,
        "sentences": found.sentences,
    }))
}

/// Why a pawn ending is won or drawn, by rules or a short search and without
/// tables.
#[utoipa::path(get, path = "/api/v1/explain", params(ExplainQuery), responses(
    (status = 200, description = "The verdict and why; `unknown` if neither rules nor search decide"),
    (status = 404, description = "There are other men than kings and pawns"),
))]
pub(super) async fn get(
    State(service): State<Service>,
    Query(query): Query<ExplainQuery>,
    headers: HeaderMap,
) -> Response {
    let answer = async {
        let setup = setup(&query.fen, false)?;
        // What the rules leave open is searched, which takes a while.
        let found = service.search(move |_| explained(&setup.position)).await??;
        Ok(reply(&headers, &found, Lasting::Changes))
    };
    super::answered(answer.await)
}
