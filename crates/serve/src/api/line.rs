//! Best play.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use molien_board::Setup;
use molien_lines::{Line, Play, Strategy, Until, best_line};
use molien_schema::LineJson;
use molien_values::Metric;
use serde::Deserialize;
use utoipa::IntoParams;

use super::query::{Query, setup};
use crate::reply::{Lasting, json as reply, tagged};
use crate::{Problem, Service};

/// Plies of a line, at most.
const MOST_PLIES: usize = 1200;

/// Which line.
#[derive(Deserialize, IntoParams, Debug)]
#[into_params(parameter_in = Query)]
pub(super) struct LineQuery {
    /// The position as FEN; blanks may be underscores
    fen: String,
    /// What both sides play by: dtm, dtc, dtz, dtz50, or letters of a strategy
    /// such as ZM; R, winning within the 50-move rule, if nothing is said
    strategy: Option<String>,
    /// White's strategy, if it is another
    white: Option<String>,
    /// Black's strategy, if it is another
    black: Option<String>,
    /// Stop after this many plies
    plies: Option<usize>,
    /// Stop after the first capture or promotion
    #[serde(default)]
    conversion: bool,
    /// Play on as if there were no 50-move rule
    #[serde(default)]
    no_50_move_rule: bool,
    /// `json` or `pgn`
    format: Option<String>,
}

fn strategy(text: &Option<String>, default: &Strategy) -> Result<Strategy, Problem> {
    let read = |text: &String| {
        text.parse().map_err(|error: molien_lines::LineError| Problem::Request(error.to_string()))
    };
    text.as_ref().map_or(Ok(default.clone()), read)
}

impl LineQuery {
    fn play(&self) -> Result<Play, Problem> {
        let default = match self.no_50_move_rule {
            true => Metric::Dtm.into(),
            false => Strategy::within_the_rule(),
        };
        let both = strategy(&self.strategy, &default)?;
        Ok(Play { white: strategy(&self.white, &both)?, black: strategy(&self.black, &both)? })
    }
}

/// A line of best play.
pub(crate) async fn find(
    service: &Service,
    setup: Setup,
    play: Play,
    until: Until,
) -> Result<Line, Problem> {
    service.prepare(setup.position.material()).await?;
    let work = move |tables: &molien_probe::Tablebase| best_line(tables, setup, &play, until);
    Ok(service.read(work).await??)
}

/// Best play of both sides, annotated.
#[utoipa::path(get, path = "/api/v1/line", params(LineQuery), responses(
    (status = 200, description = "The line, as JSON or PGN"),
    (status = 400, description = "The FEN is not that of a legal position"),
    (status = 404, description = "There is no table of it"),
))]
pub(super) async fn get(
    State(service): State<Service>,
    Query(query): Query<LineQuery>,
    headers: HeaderMap,
) -> Response {
    let answer = async {
        let setup = setup(&query.fen, false)?;
        let play = query.play()?;
        let until = Until {
            plies: query.plies.unwrap_or(MOST_PLIES).min(MOST_PLIES),
            conversion: query.conversion,
            fifty_moves: !query.no_50_move_rule,
        };
        let line = find(&service, setup, play.clone(), until).await?;
        match query.format.as_deref() {
            None | Some("json") => {
                Ok(reply(&headers, &LineJson::new(&line, &play), Lasting::Forever))
            }
            Some("pgn") => {
                let event = format!("Best play, {}-{}", play.white, play.black);
                let body = line.to_pgn(&event) + "\n";
                Ok(tagged(&headers, "application/x-chess-pgn", body.into_bytes(), Lasting::Forever))
            }
            Some(other) => {
                let text = format!("the format is '{other}', expected json or pgn");
                Err(Problem::Request(text))
            }
        }
    };
    super::answered(answer.await)
}
