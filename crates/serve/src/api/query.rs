//! Parameters that several requests share.

use axum::extract::FromRequestParts;
use axum::extract::rejection::QueryRejection;
use axum::http::request::Parts;
use molien_board::{FenOptions, Material, Setup};
use molien_values::Metric;
use serde::de::DeserializeOwned;

use crate::Problem;

/// The query of a request; mistakes are answered as JSON.
pub(super) struct Query<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = axum::response::Response;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Query<T>, Self::Rejection> {
        let query = axum::extract::Query::<T>::from_request_parts(parts, state).await;
        let refused = |error: QueryRejection| super::failed(&Problem::Request(error.body_text()));
        query.map(|axum::extract::Query(query)| Query(query)).map_err(refused)
    }
}

/// Reads a position; blanks may be underscores.
pub(super) fn setup(fen: &str, ignore_castling: bool) -> Result<Setup, Problem> {
    Ok(Setup::parse(fen, FenOptions { ignore_castling })?)
}

/// Reads a material such as `KRKN` or `KRvKN`.
pub(crate) fn material(text: &str) -> Result<Material, Problem> {
    text.parse().map_err(|error: molien_board::MaterialError| Problem::Request(error.to_string()))
}

/// Reads metrics, separated by commas; all of them if none is named.
pub(crate) fn metrics(text: Option<&str>) -> Result<Vec<Metric>, Problem> {
    let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(Metric::ALL.to_vec()) };
    let mut found: Vec<Metric> = Vec::new();
    for name in text.split(',') {
        let metric = one_metric(Some(name), Metric::Dtm)?;
        if !found.contains(&metric) {
            found.push(metric);
        }
    }
    Ok(found)
}

/// Reads a metric, or takes the default.
pub(super) fn one_metric(text: Option<&str>, default: Metric) -> Result<Metric, Problem> {
    let read = |text: &str| {
        text.trim()
            .parse()
            .map_err(|error: molien_values::UnknownName| Problem::Request(error.to_string()))
    };
    text.map_or(Ok(default), read)
}
