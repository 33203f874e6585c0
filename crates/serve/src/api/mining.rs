//! What is in a table: zugzwangs, maxima, the free man.

use std::time::Duration;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use molien_board::{Color, FenOptions, Man, Material, Square};
use molien_build::Build;
use molien_mine::{FreeMan, Hit, MineError, TableSet, ZugzwangKind, maxima, zugzwangs};
use molien_probe::{ProbeError, Tablebase};
use molien_schema::{FreeJson, MaximaJson, ZugzwangJson};
use molien_values::{Metric, Outcome};
use serde::Deserialize;
use utoipa::IntoParams;

use super::query::{Query, material, one_metric};
use super::stream::{line, streamed};
use crate::reply::{Lasting, json};
use crate::{Problem, Service};

/// Positions in an answer, at most and if nothing is said.
const MOST_HITS: usize = 10_000;
const USUAL_HITS: usize = 100;
/// When to ask again if a search was given up.
const SOON: Duration = Duration::from_secs(1);

impl From<MineError> for Problem {
    fn from(error: MineError) -> Problem {
        match error {
            MineError::Solve(error) => Problem::Build(error),
            MineError::Probe(error) => Problem::Probe(error),
            MineError::Fen(error) => Problem::Fen(error),
            error @ (MineError::NoDepths { .. } | MineError::NoMetric { .. }) => {
                Problem::NotFound(error.to_string())
            }
            MineError::GivenUp => {
                Problem::Busy { what: "the search was given up", retry_after: SOON }
            }
            error => Problem::Internal(error.to_string()),
        }
    }
}

/// Makes sure that a table is stored, and gives what reads the folder and solves
/// nothing. It is made for one request: no table stays in memory after it.
pub(super) async fn reader(
    service: &Service,
    material: Material,
    metric: Metric,
) -> Result<Build, Problem> {
    service.prepare(material).await?;
    let missing = ProbeError::MissingTable { material, metric };
    let holds = service.read(move |tables| tables.holds(material, metric)).await?;
    let folder = service.folder().filter(|_| holds).ok_or(missing)?;
    let build = Build::new().with_folder(folder.clone()).without_solving();
    Ok(build.with_memory_limit(service.config().memory_bytes))
}

/// How many positions are wanted.
pub(super) fn limit(asked: Option<usize>) -> Result<usize, Problem> {
    match asked.unwrap_or(USUAL_HITS) {
        found @ 1..=MOST_HITS => Ok(found),
        found => Err(Problem::Request(format!(
            "the limit is {found}, expected a number from 1 to {MOST_HITS}"
        ))),
    }
}

/// Which zugzwangs.
#[derive(Deserialize, IntoParams, Debug)]
#[into_params(parameter_in = Query)]
pub(super) struct ZugzwangQuery {
    /// A material such as KRKN
    #[param(example = "KRKN")]
    material: String,
    /// `white-wins`, `black-wins` or `full-point`; all if none is named
    #[serde(rename = "type")]
    kind: Option<String>,
    /// What the depth counts: dtm, dtc, dtz or dtz50
    metric: Option<String>,
    /// Positions at most: 100 if nothing is said, 10,000 at most
    limit: Option<usize>,
}

fn kinds(text: Option<&str>) -> Result<Vec<ZugzwangKind>, Problem> {
    let Some(text) = text else { return Ok(ZugzwangKind::ALL.to_vec()) };
    let named = |kind: &ZugzwangKind| kind.name() == text;
    let unknown = || {
        Problem::Request(format!(
            "the type is '{text}', expected white-wins, black-wins or full-point"
        ))
    };
    ZugzwangKind::ALL.into_iter().find(named).map(|kind| vec![kind]).ok_or_else(unknown)
}

/// The mutual zugzwangs of a material, the longest losses first, an object a
/// line.
#[utoipa::path(get, path = "/api/v1/zugzwangs", params(ZugzwangQuery), responses(
    (status = 200, description = "An object a line", content_type = "application/x-ndjson"),
    (status = 404, description = "There is no such table"),
))]
pub(super) async fn all_zugzwangs(
    State(service): State<Service>,
    Query(query): Query<ZugzwangQuery>,
) -> Response {
    let answer = async {
        let (material, kinds) = (material(&query.material)?, kinds(query.kind.as_deref())?);
        let metric = one_metric(query.metric.as_deref(), Metric::Dtm)?;
        let limit = limit(query.limit)?;
        let build = reader(&service, material, metric).await?;
        Ok(streamed(&service, limit, move |emit, given_up| {
            let tables = TableSet::solve(&build, material, &[metric])?.unless(given_up);
            let depths = Some(metric).filter(|&metric| tables.check_depths(metric).is_ok());
            let each = |zugzwang| emit(line(&ZugzwangJson::new(&zugzwang, depths)));
            zugzwangs(&tables, &kinds, |_, _| {}, each)
        }))
    };
    super::answered(answer.await)
}

/// Which maxima.
#[derive(Deserialize, IntoParams, Debug)]
#[into_params(parameter_in = Query)]
pub(super) struct MaximaQuery {
    /// A material such as KQKR
    #[param(example = "KQKR")]
    material: String,
    /// What the plies count: dtm, dtc, dtz or dtz50
    metric: Option<String>,
}

/// All positions of the greatest depth, won and lost, for each side to move.
#[utoipa::path(get, path = "/api/v1/maxima", params(MaximaQuery), responses(
    (status = 200, description = "The deepest positions in groups"),
    (status = 404, description = "There is no such table"),
))]
pub(super) async fn deepest(
    State(service): State<Service>,
    Query(query): Query<MaximaQuery>,
    headers: HeaderMap,
) -> Response {
    let answer = async {
        let material = material(&query.material)?;
        let metric = one_metric(query.metric.as_deref(), Metric::Dtm)?;
        let build = reader(&service, material, metric).await?;
        let work = move |given_up| {
            let tables = TableSet::solve(&build, material, &[metric])?.unless(given_up);
            let mut groups: Vec<Vec<Hit>> = Vec::new();
            for side in Color::BOTH {
                for outcome in [Outcome::Win, Outcome::Loss] {
                    groups.push(maxima(&tables, metric, side, outcome, |_, _| {})?);
                }
            }
            Ok::<_, MineError>(groups)
        };
        let groups = service.search_while_wanted(work).await??;
        let found = MaximaJson::new(material, metric, &groups);
        Ok(json(&headers, &found, Lasting::Forever))
    };
    super::answered(answer.await)
}

/// Which man is free, and where the others stand.
#[derive(Deserialize, IntoParams, Debug)]
#[into_params(parameter_in = Query)]
pub(super) struct FreeQuery {
    /// The other men as FEN; blanks may be underscores
    #[param(example = "8/8/8/8/8/2k5/8/K7_w_-_-")]
    fen: String,
    /// The free man: K Q R B N P for White's, k q r b n p for Black's
    #[param(example = "R")]
    man: String,
    /// What the plies count: dtm, dtc, dtz or dtz50
    metric: Option<String>,
}

/// One man left free: the value for each of its squares.
#[utoipa::path(get, path = "/api/v1/free", params(FreeQuery), responses(
    (status = 200, description = "Every legal square with its value"),
    (status = 400, description = "The FEN or the man is not readable"),
    (status = 404, description = "There is no such table"),
))]
pub(super) async fn free(
    State(service): State<Service>,
    Query(query): Query<FreeQuery>,
    headers: HeaderMap,
) -> Response {
    let answer = async {
        let unknown =
            || Problem::Request(format!("'{}' is not a man: use one of KQRBNPkqrbnp", query.man));
        let mut letters = query.man.chars();
        let man = letters.next().and_then(Man::from_letter).filter(|_| letters.next().is_none());
        let free = FreeMan::parse(&query.fen, man.ok_or_else(unknown)?, FenOptions::default())?;
        let metric = one_metric(query.metric.as_deref(), Metric::Dtm)?;
        if let Some(setup) = Square::all().find_map(|square| free.setup(square).ok()) {
            service.prepare(setup.position.material()).await?;
        }
        let work = move |tables: &Tablebase| {
            let squares = free.squares(tables, metric)?;
            Ok::<_, MineError>(FreeJson::new(&free, &squares, metric))
        };
        Ok(json(&headers, &service.read(work).await??, Lasting::Forever))
    };
    super::answered(answer.await)
}
