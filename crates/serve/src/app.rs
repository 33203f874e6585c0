//! The routes.

use axum::Router;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use crate::{Service, api, layers, lichess, page};

/// The whole service as a router.
pub fn app(service: Service) -> Router {
    let routes = Router::new()
        .merge(page::routes())
        .nest("/api/v1", api::routes())
        .route("/standard", get(lichess::standard))
        .route("/standard/mainline", get(lichess::mainline))
        .route("/monitor", get(lichess::monitor))
        .route("/metrics", get(metrics))
        .route("/health", get(health))
        .with_state(service.clone());
    layers::add(routes, &service)
}

/// `GET /metrics`, for Prometheus.
async fn metrics(State(service): State<Service>) -> Response {
    let kind = "text/plain; version=0.0.4";
    ([(header::CONTENT_TYPE, kind)], service.metrics().text(&service)).into_response()
}

/// `GET /health`: whether it answers at all.
async fn health() -> &'static str {
    "ok\n"
}
