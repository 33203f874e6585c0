//! Many positions in one request.

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use futures_util::{StreamExt as _, stream};
use molien_board::FenOptions;
use molien_probe::Tablebase;
use molien_schema::{ErrorJson, PositionJson};
use molien_values::Metric;
use serde::Deserialize;
use utoipa::IntoParams;

use super::query::{Query, metrics};
use super::{NDJSON, unreadable};
use crate::{Problem, Service};

/// Positions in a request, at most.
const MOST_POSITIONS: usize = 10_000;
/// Positions read at a time: the next ones wait until the client takes them.
const CHUNK: usize = 2500;
/// Chunks under way at a time.
const AHEAD: usize = 2;
/// What a line of answers takes, roughly.
const TYPICAL_LINE_BYTES: usize = 256;

/// How positions are answered.
#[derive(Deserialize, IntoParams, Debug)]
#[into_params(parameter_in = Query)]
pub(super) struct BatchQuery {
    /// Metrics, separated by commas: dtm, dtc, dtz, dtz50; all if none is named
    metric: Option<String>,
    /// Answer as if castling rights were gone
    #[serde(default)]
    ignore_castling: bool,
}

/// The values of up to 10,000 positions: FENs, one a line, or a JSON array of
/// them. Answers come in the same order, an object a line; only stored tables
/// are read.
#[utoipa::path(post, path = "/api/v1/positions", params(BatchQuery),
    request_body(content = String, description = "FENs, one a line, or a JSON array"),
    responses(
        (status = 200, description = "An object a line, with the value or an error", content_type = "application/x-ndjson"),
        (status = 400, description = "The body is not readable"),
        (status = 413, description = "Too many positions"),
))]
pub(super) async fn post(
    State(service): State<Service>,
    Query(query): Query<BatchQuery>,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    super::answered(stream_answers(&service, &query, body))
}

fn stream_answers(
    service: &Service,
    query: &BatchQuery,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, Problem> {
    let body = body.map_err(|error| unreadable(error.status(), error.body_text()))?;
    let metrics = metrics(query.metric.as_deref())?;
    let options = FenOptions { ignore_castling: query.ignore_castling };
    let fens = positions(&body)?;
    let chunks: Vec<Vec<String>> = fens.chunks(CHUNK).map(<[String]>::to_vec).collect();
    let service = service.clone();
    let answer = move |fens: Vec<String>| {
        let metrics = metrics.clone();
        service.read(move |tables| answers(tables, &fens, &metrics, options))
    };
    // In order, a few at a time, and no more once the client has gone.
    let stream = stream::iter(chunks).map(answer).buffered(AHEAD);
    let mut response = Body::from_stream(stream).into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(NDJSON));
    Ok(response)
}

/// The FENs of a body.
fn positions(body: &[u8]) -> Result<Vec<String>, Problem> {
    let text = std::str::from_utf8(body)
        .map_err(|_| Problem::Request("the body is not UTF-8 text".to_owned()))?;
    let fens: Vec<String> = match text.trim_start().starts_with('[') {
        true => serde_json::from_str(text)
            .map_err(|error| Problem::Request(format!("not an array of FENs: {error}")))?,
        false => {
            text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
        }
    };
    match fens.len() {
        0..=MOST_POSITIONS => Ok(fens),
        found => Err(Problem::NotAllowed(format!(
            "{found} positions, but at most {MOST_POSITIONS} are allowed in one request"
        ))),
    }
}

/// The answers to some FENs, a line each.
fn answers(tables: &Tablebase, fens: &[String], metrics: &[Metric], options: FenOptions) -> Bytes {
    let mut text = Vec::with_capacity(fens.len() * TYPICAL_LINE_BYTES);
    for (fen, answered) in fens.iter().zip(tables.answer_fens(fens, metrics, options)) {
        let written = match answered {
            Ok((setup, answer)) => {
                serde_json::to_writer(&mut text, &PositionJson::new(&setup, metrics, &answer))
            }
            Err(error) => serde_json::to_writer(&mut text, &ErrorJson::new(Some(fen), error)),
        };
        // Writing to memory cannot fail.
        debug_assert!(written.is_ok());
        text.push(b'\n');
    }
    Bytes::from(text)
}
