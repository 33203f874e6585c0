//! How answers are written.

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use xxhash_rust::xxh3::xxh3_64;

use crate::Problem;

/// How long an answer that cannot change may be kept.
const FOREVER: &str = "public, max-age=86400";
/// What may change is asked for again, and compared.
const REVALIDATE: &str = "no-cache";

/// Bytes that most answers fit into: some thirty moves.
const USUAL_BYTES: usize = 8192;

/// Whether an answer can change while the tables stay as they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Lasting {
    /// It says all there is to say of a position.
    Forever,
    /// A table may be added.
    Changes,
}

/// A body with its type, its tag and how long it may be kept; or nothing if the
/// client has it already.
pub(crate) fn tagged(
    request: &HeaderMap,
    kind: &'static str,
    body: Vec<u8>,
    lasting: Lasting,
) -> Response {
    let tag = format!("W/\"{:016x}\"", xxh3_64(&body));
    let known = request.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    let is_known = known.is_some_and(|known| known.split(',').any(|one| one.trim() == tag));
    let keep = if lasting == Lasting::Forever { FOREVER } else { REVALIDATE };
    let mut response = match is_known {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false => ([(header::CONTENT_TYPE, kind)], body).into_response(),
    };
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(keep));
    // A hexadecimal number is a valid header.
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(header::ETAG, tag);
    }
    response
}

/// A value as JSON.
pub(crate) fn json(request: &HeaderMap, value: &impl Serialize, lasting: Lasting) -> Response {
    let mut body = Vec::with_capacity(USUAL_BYTES);
    match serde_json::to_writer(&mut body, value) {
        Ok(()) => tagged(request, "application/json", body, lasting),
        Err(error) => plain(&Problem::Internal(error.to_string())),
    }
}

/// A value as CBOR if the client asks for that, else as JSON.
pub(crate) fn json_or_cbor(
    request: &HeaderMap,
    value: &impl Serialize,
    lasting: Lasting,
) -> Response {
    let accepts = request.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    if !accepts.is_some_and(|accepts| accepts.contains("application/cbor")) {
        return json(request, value, lasting);
    }
    let mut body = Vec::with_capacity(USUAL_BYTES);
    match ciborium::into_writer(value, &mut body) {
        Ok(()) => tagged(request, "application/cbor", body, lasting),
        Err(error) => plain(&Problem::Internal(error.to_string())),
    }
}

/// A problem as one line of text.
pub(crate) fn plain(problem: &Problem) -> Response {
    with_retry(problem, (problem.status(), problem.to_string()).into_response())
}

/// Logs a problem and adds when to ask again.
pub(crate) fn with_retry(problem: &Problem, mut response: Response) -> Response {
    match problem.level() {
        tracing::Level::ERROR => tracing::error!(%problem, "failed"),
        tracing::Level::WARN => tracing::warn!(%problem, "not now"),
        _ => tracing::debug!(%problem, "refused"),
    }
    if let Some(after) = problem.retry_after() {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(after.as_secs()));
    }
    response
}
