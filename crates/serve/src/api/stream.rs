//! Answers an object a line, as they are found.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use futures_util::stream;
use molien_mine::MineError;
use molien_schema::ErrorJson;
use serde::Serialize;
use tokio::sync::mpsc;

use super::NDJSON;
use crate::service::StillAsked;
use crate::{Problem, Service};

/// Takes lines one by one; says whether the client still wants them.
pub(super) type Emit<'a> = &'a mut dyn FnMut(Bytes) -> ControlFlow<()>;

/// An object as a line.
pub(super) fn line(object: &impl Serialize) -> Bytes {
    let mut text = serde_json::to_vec(object).unwrap_or_default();
    text.push(b'\n');
    Bytes::from(text)
}

/// Streams what `work` finds, a line each, up to a limit. The channel holds all
/// of it, so that a slow client does not keep the place of a search.
pub(super) fn streamed(
    service: &Service,
    limit: usize,
    work: impl FnOnce(Emit<'_>, Arc<AtomicBool>) -> Result<(), MineError> + Send + 'static,
) -> Response {
    let (sender, receiver) = mpsc::channel::<Bytes>(limit + 1);
    let wanted = StillAsked::default();
    let given_up = wanted.given_up();
    let searched = service.search(move |_| {
        let mut left = limit;
        let mut emit = |line: Bytes| {
            left = left.saturating_sub(1);
            let gone = sender.try_send(line).is_err();
            if gone || left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        if let Err(error) = work(&mut emit, given_up) {
            // Whether the client is still there to read it or not.
            let _ = sender.try_send(line(&ErrorJson::new(None, Problem::from(error))));
        }
    });
    tokio::spawn(searched);
    let lines = stream::unfold((receiver, wanted), |(mut receiver, wanted)| async move {
        let line = receiver.recv().await?;
        Some((Ok::<_, std::convert::Infallible>(line), (receiver, wanted)))
    });
    let mut response = Body::from_stream(lines).into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(NDJSON));
    response
}
