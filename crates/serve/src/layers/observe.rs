//! Counting and logging.

use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::Response;

use crate::Service;

/// Counts a request and logs it.
pub(super) async fn observe(
    State(service): State<Service>,
    request: Request,
    next: Next,
) -> Response {
    let start = Instant::now();
    let _in_flight = service.metrics().begin();
    let matched = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
    let route = matched.unwrap_or("other").to_owned();
    let (method, uri) = (request.method().clone(), request.uri().clone());
    let response = next.run(request).await;
    let (status, took) = (response.status().as_u16(), start.elapsed());
    service.metrics().count(&route, status, took);
    tracing::info!(%method, %uri, status, micros = took.as_micros() as u64, "answered");
    response
}
