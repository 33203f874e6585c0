//! The interface of lichess' tablebase server, so that its clients work here
//! unchanged: fields, classes, order of the moves, errors and leniency.
//!
//! Where it differs: `dtz` is exact, so it equals `precise_dtz`, unless it comes
//! from a Syzygy file; only then the classes `syzygy-win` and `syzygy-loss` occur. `dtc` (in moves) is given
//! if the client asks for it always; there, 8 men are the domain of `auxiliary`.
//! `dtm50` is a field of its own, in plies as `dtm` is: mate under the 50-move rule
//! at the count of the FEN. It is there where tables tell.

mod answer;
mod mainline;
mod order;
mod request;

use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use molien_values::Metric;

use crate::reply::{Lasting, json_or_cbor, plain};
use crate::{Problem, Service};
use request::{Asked, DtcMode};

/// What an answer needs.
const METRICS: &[Metric] = &[Metric::Dtz50, Metric::Dtm];
const METRICS_WITH_DTC: &[Metric] = &[Metric::Dtz50, Metric::Dtm, Metric::Dtc];
/// The same where mate under the 50-move rule is stored.
const RULE_METRICS: &[Metric] = &[Metric::Dtz50, Metric::Dtm, Metric::Dtm50];
const RULE_METRICS_WITH_DTC: &[Metric] = &[Metric::Dtz50, Metric::Dtm, Metric::Dtm50, Metric::Dtc];

/// Which of them.
fn metrics(service: &Service, asked: &Asked, dtc: DtcMode) -> &'static [Metric] {
    let material = answer::in_domain(&asked.chess).map(|position| position.material());
    let has_rule = material.is_some_and(|material| service.tables().holds(material, Metric::Dtm50));
    match (has_rule, dtc == DtcMode::Always) {
        (false, false) => METRICS,
        (false, true) => METRICS_WITH_DTC,
        (true, false) => RULE_METRICS,
        (true, true) => RULE_METRICS_WITH_DTC,
    }
}

/// `GET /standard`.
pub(crate) async fn standard(
    State(service): State<Service>,
    Query(query): Query<request::Question>,
    headers: HeaderMap,
) -> Response {
    let answer = async {
        let asked = Asked::read(query.fen.as_deref())?;
        let metrics = metrics(&service, &asked, query.dtc);
        answer::find(&service, asked, metrics).await
    };
    match answer.await {
        Ok(answer) => {
            let lasting = if answer.is_complete() { Lasting::Forever } else { Lasting::Changes };
            json_or_cbor(&headers, &answer, lasting)
        }
        Err(problem) => plain(&problem),
    }
}

/// `GET /standard/mainline`.
pub(crate) async fn mainline(
    State(service): State<Service>,
    Query(query): Query<request::Question>,
    headers: HeaderMap,
) -> Response {
    let line = async {
        let asked = Asked::read(query.fen.as_deref())?;
        mainline::find(&service, asked).await
    };
    match line.await {
        Ok(line) => json_or_cbor(&headers, &line, Lasting::Forever),
        Err(problem) => plain(&problem),
    }
}

/// `GET /monitor`: what is kept, and how often it was not there.
pub(crate) async fn monitor(State(service): State<Service>) -> String {
    let cache = service.folder().map_or(0, |folder| folder.cache().len_blocks());
    let misses = service.folder().map_or(0, |folder| folder.cache().misses());
    format!("tablebase cache={cache}u,cache_miss={misses}u")
}

impl From<request::NotAPosition> for Problem {
    fn from(error: request::NotAPosition) -> Problem {
        Problem::Request(error.to_string())
    }
}
