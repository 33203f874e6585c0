//! What happens to every request, whatever its route.

mod limits;
mod observe;
mod rate;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::{HeaderName, HeaderValue, Method, header};
use axum::middleware::from_fn_with_state;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::cors::{Any, CorsLayer};
use tower_http::set_header::SetResponseHeaderLayer;

pub(crate) use rate::RateLimit;

use crate::Service;

/// Nothing foreign is loaded, nothing is framed, and nothing inline runs.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
     connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; \
     frame-ancestors 'none'";

/// Puts the layers around the routes; the last one added sees a request first.
pub(crate) fn add(routes: Router, service: &Service) -> Router {
    let fixed = |name: HeaderName, value: &'static str| {
        SetResponseHeaderLayer::if_not_present(name, HeaderValue::from_static(value))
    };
    let cors = CorsLayer::new()
        .allow_origin(Any)
        .allow_methods([Method::GET, Method::HEAD, Method::POST])
        .allow_headers([header::ACCEPT, header::CONTENT_TYPE, header::IF_NONE_MATCH])
        .expose_headers([header::ETAG, header::RETRY_AFTER]);
    routes
        .layer(DefaultBodyLimit::max(service.config().body_bytes))
        .layer(from_fn_with_state(service.clone(), limits::time))
        .layer(from_fn_with_state(service.clone(), limits::overload))
        .layer(from_fn_with_state(service.clone(), rate::limit))
        .layer(CatchPanicLayer::new())
        .layer(fixed(header::CONTENT_SECURITY_POLICY, POLICY))
        .layer(fixed(header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .layer(fixed(header::REFERRER_POLICY, "no-referrer"))
        .layer(CompressionLayer::new())
        .layer(cors)
        .layer(from_fn_with_state(service.clone(), observe::observe))
}
