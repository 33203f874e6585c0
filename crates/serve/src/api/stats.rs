//! The figures of a material.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use molien_mine::Figures;
use molien_schema::StatsJson;
use molien_values::{Counting, Metric};
use serde::Deserialize;
use utoipa::IntoParams;

use super::query::{Query, material, one_metric};
use crate::reply::{Lasting, json};
use crate::{Problem, Service};

/// Which figures.
#[derive(Deserialize, IntoParams, Debug)]
#[into_params(parameter_in = Query)]
pub(super) struct StatsQuery {
    /// A material such as KQKR
    #[param(example = "KQKR")]
    material: String,
    /// What the plies count: dtm, dtc, dtz or dtz50
    metric: Option<String>,
    /// How positions are counted: unique, nalimov or stiller
    counting: Option<String>,
}

/// Counts, histograms, longest wins and mutual zugzwangs of a material.
#[utoipa::path(get, path = "/api/v1/stats", params(StatsQuery), responses(
    (status = 200, description = "The figures"),
    (status = 404, description = "There is no such table"),
))]
pub(super) async fn get(
    State(service): State<Service>,
    Query(query): Query<StatsQuery>,
    headers: HeaderMap,
) -> Response {
    let answer =
        async {
            let material = material(&query.material)?;
            let metric = one_metric(query.metric.as_deref(), Metric::Dtm)?;
            let counting: Counting =
                query.counting.as_deref().unwrap_or("unique").parse().map_err(
                    |error: molien_values::UnknownName| Problem::Request(error.to_string()),
                )?;
            service.prepare(material).await?;
            let stats = service.read(move |tables| tables.stats(material, metric)).await??;
            let figures = Figures { stats: &stats, metric, counting };
            Ok(json(&headers, &StatsJson::new(&figures), Lasting::Forever))
        };
    super::answered(answer.await)
}
