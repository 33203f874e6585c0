//! Requests and answers without a socket.

#![allow(dead_code, reason = "each test program uses a part of it")]

use std::sync::OnceLock;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request, StatusCode, header};
use molien_build::Build;
use molien_probe::Tablebase;
use molien_serve::{Config, Service, app};
use serde_json::Value as Json;
use tower::ServiceExt as _;

/// An answer, read to its end.
pub struct Answer {
    /// Its status.
    pub status: StatusCode,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body.
    pub body: Vec<u8>,
}

impl Answer {
    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON.
    pub fn json(&self) -> Json {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// A header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

/// Sends a request to a service.
pub async fn send(app: &Router, request: Request<Body>) -> Answer {
    let response = app.clone().oneshot(request).await.expect("infallible");
    let (parts, body) = response.into_parts();
    let body = to_bytes(body, usize::MAX).await.expect("a whole body").to_vec();
    Answer { status: parts.status, headers: parts.headers, body }
}

/// Gets a page.
pub async fn get(app: &Router, uri: &str) -> Answer {
    send(app, Request::get(uri).body(Body::empty()).expect("a request")).await
}

/// Gets a page with one header more.
pub async fn get_with(app: &Router, uri: &str, name: header::HeaderName, value: &str) -> Answer {
    let request = Request::get(uri).header(name, value).body(Body::empty());
    send(app, request.expect("a request")).await
}

/// Posts a text.
pub async fn post(app: &Router, uri: &str, body: impl Into<Body>) -> Answer {
    send(app, Request::post(uri).body(body.into()).expect("a request")).await
}

/// A FEN as part of an address.
pub fn fen(text: &str) -> String {
    text.replace(' ', "_")
}

/// Tables in memory that all tests share, each made when it is first wanted.
pub fn tables() -> Tablebase {
    static TABLES: OnceLock<Tablebase> = OnceLock::new();
    TABLES.get_or_init(|| Tablebase::solving(Build::new())).clone()
}

/// The service on top of them.
pub fn service() -> Router {
    app(Service::of_tables(tables(), patient()))
}

/// Limits for tests, which may run on a busy machine: time does not matter.
pub fn patient() -> Config {
    Config { time_limit: Duration::from_secs(3600), ..Config::default() }
}
