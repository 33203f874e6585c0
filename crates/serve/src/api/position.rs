//! One position.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use molien_board::Setup;
use molien_probe::{Answer, MoveAnswer, ProbeError};
use molien_schema::PositionJson;
use molien_values::Metric;
use serde::Deserialize;
use utoipa::IntoParams;

use super::query::{Query, metrics, setup};
use crate::reply::{Lasting, json};
use crate::{Problem, Service};

/// Which position.
#[derive(Deserialize, IntoParams, Debug)]
#[into_params(parameter_in = Query)]
pub(crate) struct PositionQuery {
    /// The position as FEN; blanks may be underscores, and moves may follow the
    /// word `moves`
    #[param(example = "8/8/8/8/8/2k5/8/K6R_w_-_-_0_1")]
    fen: String,
    /// Metrics, separated by commas: dtm, dtc, dtz, dtz50; all if none is named
    metric: Option<String>,
    /// Answer as if castling rights were gone
    #[serde(default)]
    ignore_castling: bool,
}

/// What is known of a position.
pub(crate) struct Findings {
    /// Its value.
    pub answer: Answer,
    /// Its moves, the best first.
    pub moves: Vec<MoveAnswer>,
}

/// All that is known of a position and its moves; what is missing and small is
/// solved first.
pub(crate) async fn findings(
    service: &Service,
    setup: Setup,
    metrics: Vec<Metric>,
) -> Result<Findings, Problem> {
    service.prepare(setup.position.material()).await?;
    let work = move |tables: &molien_probe::Tablebase| {
        let answer = tables.probe_at(&setup, &metrics)?;
        let moves = tables.moves_at(&setup, &metrics)?;
        Ok::<_, ProbeError>(Findings { answer, moves })
    };
    Ok(service.read(work).await??)
}

/// The value of a position in every metric, and of every legal move.
#[utoipa::path(get, path = "/api/v1/position", params(PositionQuery), responses(
    (status = 200, description = "The position and its moves, the best first"),
    (status = 400, description = "The FEN is not that of a legal position"),
    (status = 404, description = "There is no table of it"),
    (status = 503, description = "Its table is being solved: ask again after Retry-After seconds"),
))]
pub(super) async fn get(
    State(service): State<Service>,
    Query(query): Query<PositionQuery>,
    headers: HeaderMap,
) -> Response {
    let answer = async {
        let setup = setup(&query.fen, query.ignore_castling)?;
        let metrics = metrics(query.metric.as_deref())?;
        let Findings { answer, moves } = findings(&service, setup, metrics.clone()).await?;
        let complete = answer.missing.is_empty();
        let found = PositionJson::new(&setup, &metrics, &answer).with_moves(&setup, &moves);
        let lasting = if complete { Lasting::Forever } else { Lasting::Changes };
        Ok(json(&headers, &found, lasting))
    };
    super::answered(answer.await)
}
