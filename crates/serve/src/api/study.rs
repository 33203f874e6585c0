//! Games and studies, judged.

use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse as _, Response};
use molien_lines::LineError;
use molien_lines::study::{GameReport, Options, annotated, check_game, read};
use molien_probe::Tablebase;
use molien_schema::GameJson;
use serde::Deserialize;
use serde_json::json;
use utoipa::IntoParams;

use super::query::Query;
use super::unreadable;
use crate::reply::{Lasting, json as reply};
use crate::{Problem, Service};

/// Games in a request, at most.
const MOST_GAMES: usize = 100;
const PGN: &str = "application/x-chess-pgn";

/// How games are judged.
#[derive(Deserialize, IntoParams, Debug)]
#[into_params(parameter_in = Query)]
pub(super) struct StudyQuery {
    /// Judge positions with at most this many men
    max_men: Option<usize>,
    /// Judge as if there were no 50-move rule, as composers do
    #[serde(default)]
    no_50_move_rule: bool,
}

/// Games judged, and the text with annotations.
pub(crate) struct Judged {
    /// What was found in each.
    pub reports: Vec<GameReport>,
    /// The annotated text.
    pub pgn: Vec<u8>,
}

/// Judges the games of a text.
pub(crate) fn judge(
    tables: &Tablebase,
    bytes: &[u8],
    options: &Options,
) -> Result<Judged, Problem> {
    let games = read(bytes);
    if games.len() > MOST_GAMES {
        let text =
            format!("{} games, but at most {MOST_GAMES} are allowed in one request", games.len());
        return Err(Problem::NotAllowed(text));
    }
    let mut judged = Judged { reports: Vec::new(), pgn: Vec::new() };
    for game in &games {
        let report = check_game(tables, game, options).map_err(Problem::from)?;
        judged.pgn.extend(annotated(game, &report));
        judged.reports.push(report);
    }
    Ok(judged)
}

impl From<LineError> for Problem {
    fn from(error: LineError) -> Problem {
        match error {
            LineError::Probe(error) => Problem::Probe(error),
            other => Problem::Request(other.to_string()),
        }
    }
}

/// Every move of games and studies judged: what was thrown away, and where. The
/// answer is JSON with the annotated games in `pgn`, or, if the client accepts
/// only that, the annotated games alone.
#[utoipa::path(post, path = "/api/v1/study", params(StudyQuery),
    request_body(content = String, description = "Games in PGN", content_type = "application/x-chess-pgn"),
    responses(
        (status = 200, description = "The reports, and the games with annotations"),
        (status = 413, description = "Too many games, or too long"),
))]
pub(super) async fn post(
    State(service): State<Service>,
    Query(query): Query<StudyQuery>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let answer = async {
        let body = body.map_err(|error| unreadable(error.status(), error.body_text()))?;
        let default = Options::default();
        let options = Options {
            max_men: query.max_men.unwrap_or(default.max_men),
            fifty_moves: !query.no_50_move_rule,
        };
        let judged = service.search(move |tables| judge(tables, &body, &options)).await??;
        let accepts = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
        if accepts == Some(PGN) {
            return Ok(([(header::CONTENT_TYPE, PGN)], judged.pgn).into_response());
        }
        let games: Vec<GameJson> =
            judged.reports.iter().map(|report| GameJson::new("", report)).collect();
        let pgn = String::from_utf8_lossy(&judged.pgn);
        Ok(reply(&headers, &json!({ "games": games, "pgn": pgn }), Lasting::Changes))
    };
    super::answered(answer.await)
}
