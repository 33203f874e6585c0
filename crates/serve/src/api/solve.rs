//! A table solved, as it goes.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use futures_util::{Stream, stream};
use serde::Deserialize;
use serde_json::{Value as Json, json};
use utoipa::IntoParams;

use super::query::{Query, material};
use crate::solver::{Interest, Stage};
use crate::{Problem, Service};

/// Waves come by the thousand; people look a few times a second.
const PAUSE: Duration = Duration::from_millis(200);

/// Which table.
#[derive(Deserialize, IntoParams, Debug)]
#[into_params(parameter_in = Query)]
pub(super) struct SolveQuery {
    /// Its material
    #[param(example = "KBNK")]
    material: String,
}

/// Has a table solved, and tells how that goes by server-sent events: `queued`,
/// `solving`, and at the end `done` or `failed`. Who goes away gives it up, unless
/// others wait for it too.
#[utoipa::path(get, path = "/api/v1/solve", params(SolveQuery), responses(
    (status = 200, description = "Events", content_type = "text/event-stream"),
    (status = 404, description = "The table may not be solved here"),
    (status = 503, description = "Too many tables are waiting"),
))]
pub(super) async fn get(
    State(service): State<Service>,
    Query(query): Query<SolveQuery>,
) -> Response {
    let answer = material(&query.material).and_then(|material| {
        let solver = service.solver().filter(|solver| solver.may_solve(material));
        let refused = || Problem::NotFound(format!("{material} is not solved here"));
        solver.ok_or_else(refused)?.ask(material)
    });
    let sent = answer.map(|interest| {
        Sse::new(events(interest)).keep_alive(KeepAlive::default()).into_response()
    });
    super::answered(sent)
}

/// The stages of a job, the last one included.
fn events(interest: Interest) -> impl Stream<Item = Result<Event, Infallible>> {
    stream::unfold(Some((interest, true)), |state| async move {
        let (mut interest, is_first) = state?;
        let stage = match is_first {
            true => interest.stage(),
            false => {
                tokio::time::sleep(PAUSE).await;
                match interest.stage() {
                    stage if stage.is_over() => stage,
                    _ => interest.next().await?,
                }
            }
        };
        let (name, data) = described(&stage);
        let event = Event::default().event(name).data(data.to_string());
        let next = (!stage.is_over()).then_some((interest, false));
        Some((Ok(event), next))
    })
}

fn described(stage: &Stage) -> (&'static str, Json) {
    match stage {
        Stage::Queued => ("queued", json!({})),
        Stage::Solving { material, metric, ply } => (
            "solving",
            json!({ "material": material.to_string(), "metric": metric.name(), "ply": ply }),
        ),
        Stage::Done => ("done", json!({})),
        Stage::Failed(problem) => ("failed", json!({ "error": problem.to_string() })),
    }
}
