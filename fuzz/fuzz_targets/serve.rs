//! Any text as the FEN of a request gets an answer: none is a failure of the
//! service's own.
#![no_main]

use std::sync::OnceLock;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use libfuzzer_sys::fuzz_target;
use molien_probe::{Sources, Tablebase};
use molien_serve::{Config, Service, app};
use tokio::runtime::Runtime;
use tower::ServiceExt as _;

/// A service without tables, and threads to run it on.
fn service() -> &'static (Runtime, Router) {
    static SERVICE: OnceLock<(Runtime, Router)> = OnceLock::new();
    SERVICE.get_or_init(|| {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_time()
            .build()
            .unwrap();
        let tables = Tablebase::new(std::sync::Arc::new(Sources::new(Vec::new())));
        (runtime, app(Service::of_tables(tables, Config::default())))
    })
}

fuzz_target!(|text: &str| {
    let (runtime, app) = service();
    let escaped: String = text.bytes().map(|byte| format!("%{byte:02x}")).collect();
    for path in ["/standard", "/standard/mainline", "/", "/board.svg", "/api/v1/position"] {
        let request = Request::get(format!("{path}?fen={escaped}")).body(Body::empty());
        let Ok(request) = request else { return };
        let answer = runtime.block_on(app.clone().oneshot(request)).unwrap();
        assert!(answer.status().as_u16() < 500, "{path}: {}", answer.status());
    }
});
