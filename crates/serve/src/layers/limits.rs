//! How much at once, and how long.

use std::time::Duration;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;

use crate::reply::plain;
use crate::{Problem, Service};

/// When to ask again if there are too many requests.
const SOON: Duration = Duration::from_secs(1);
/// What an answer may take beyond the limit that the service itself keeps to.
const GRACE: Duration = Duration::from_secs(5);

/// Refuses requests beyond the number that may be answered at the same time.
pub(super) async fn overload(
    State(service): State<Service>,
    request: Request,
    next: Next,
) -> Response {
    match service.places().try_acquire_owned() {
        Ok(_place) => next.run(request).await,
        Err(_) => plain(&Problem::Busy { what: "too many requests at once", retry_after: SOON }),
    }
}

/// Gives up requests that take too long. The work is dropped with them.
pub(super) async fn time(State(service): State<Service>, request: Request, next: Next) -> Response {
    let limit = service.config().time_limit + GRACE;
    match tokio::time::timeout(limit, next.run(request)).await {
        Ok(response) => response,
        Err(_) => plain(&Problem::Busy { what: "this takes too long now", retry_after: GRACE }),
    }
}
