//! A move to answer with.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use molien_board::Setup;
use molien_probe::{MoveAnswer, ProbeError, Tablebase};
use molien_values::{Category, Metric};
use serde::Deserialize;
use serde_json::{Value as Json, json};
use utoipa::IntoParams;

use super::query::{Query, setup};
use crate::Service;
use crate::reply::{Lasting, json as reply};

/// What decides between moves: the class first, then how long they last.
const METRICS: [Metric; 2] = [Metric::Dtm, Metric::Dtz50];

/// Which defence.
#[derive(Deserialize, Default, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
enum Style {
    #[default]
    Longest,
    Trickiest,
}

/// Which position, defended how.
#[derive(Deserialize, IntoParams, Debug)]
#[into_params(parameter_in = Query)]
pub(super) struct ReplyQuery {
    /// The position as FEN; blanks may be underscores
    fen: String,
    /// `longest`, or `trickiest`: the fewest good answers
    #[serde(default)]
    #[param(value_type = String)]
    style: Style,
}

/// The best move, or among those of equal class the one that leaves the fewest
/// good answers; a lost position is then defended by moves that last at least
/// half as long as the longest.
fn choose(
    tables: &Tablebase,
    setup: &Setup,
    style: Style,
) -> Result<Option<MoveAnswer>, ProbeError> {
    let moves = tables.moves_at(setup, &METRICS)?;
    let Some(best) = moves.first() else { return Ok(None) };
    if style == Style::Longest || best.after.category < Category::Draw {
        return Ok(moves.into_iter().next());
    }
    let lasts = |m: &MoveAnswer| m.after.values.plies(Metric::Dtm).unwrap_or(0).unsigned_abs();
    let (class, longest) = (best.after.category, lasts(best));
    let resists = |m: &MoveAnswer| class == Category::Draw || 2 * lasts(m) >= longest;
    let mut graded: Vec<(usize, MoveAnswer)> = Vec::new();
    for m in moves.into_iter().filter(|m| m.after.category == class).filter(resists) {
        let answers = tables.moves_at(&setup.play(&m.played), &METRICS)?;
        let first = answers.first().map(|answer| answer.after.category);
        let good = answers.iter().filter(|answer| Some(answer.after.category) == first).count();
        graded.push((good, m));
    }
    // Of equal ones the first, which lasts longest.
    Ok(graded.into_iter().min_by_key(|(good, _)| *good).map(|(_, m)| m))
}

/// The move to answer with, as the defence or the attack of the tables.
#[utoipa::path(get, path = "/api/v1/reply", params(ReplyQuery), responses(
    (status = 200, description = "The move and the position after it; nulls if the game is over"),
    (status = 404, description = "There is no table of it"),
))]
pub(super) async fn get(
    State(service): State<Service>,
    Query(query): Query<ReplyQuery>,
    headers: HeaderMap,
) -> Response {
    let answer = async {
        let setup = setup(&query.fen, false)?;
        service.prepare(setup.position.material()).await?;
        let style = query.style;
        let found = service.read(move |tables| choose(tables, &setup, style)).await??;
        let found: Json = match found {
            Some(m) => json!({
                "uci": m.played.to_string(),
                "san": m.san,
                "fen": setup.play(&m.played).to_string(),
            }),
            None => json!({ "uci": null, "san": null, "fen": setup.to_string() }),
        };
        Ok(reply(&headers, &found, Lasting::Forever))
    };
    super::answered(answer.await)
}
