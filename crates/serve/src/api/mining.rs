//! What is in a table: positions that match a query, zugzwangs, maxima, the
//! free man.

use std::ops::ControlFlow;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use futures_util::stream;
use molien_board::{Color, FenOptions, Man, Material, Square};
use molien_build::Build;
use molien_mine::{
    FreeMan, Hit, MineError, Query as Wanted, Search, TableSet, ZugzwangKind, maxima, zugzwangs,
};
use molien_probe::{ProbeError, Tablebase};
use molien_schema::{CountJson, ErrorJson, FreeJson, HitJson, MaximaJson, ZugzwangJson};
use molien_values::{Metric, Outcome};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;
use utoipa::IntoParams;

use super::NDJSON;
use super::query::{Query, material, one_metric};
use crate::reply::{Lasting, json};
use crate::{Problem, Service};

/// Positions in an answer, at most and if nothing is said.
const MOST_HITS: usize = 10_000;
const USUAL_HITS: usize = 100;

impl From<MineError> for Problem {
    fn from(error: MineError) -> Problem {
        match error {
            MineError::Solve(error) => Problem::Build(error),
            MineError::Probe(error) => Problem::Probe(error),
            MineError::Fen(error) => Problem::Fen(error),
            error @ (MineError::NoDepths { .. } | MineError::NoMetric { .. }) => {
                Problem::NotFound(error.to_string())
            }
            error => Problem::Internal(error.to_string()),
        }
    }
}

/// Makes sure that a table is stored, and gives what reads the folder and solves
/// nothing. It is made for one request: no table stays in memory after it.
async fn reader(service: &Service, material: Material, metric: Metric) -> Result<Build, Problem> {
    service.prepare(material).await?;
    let missing = ProbeError::MissingTable { material, metric };
    let holds = service.read(move |tables| tables.holds(material, metric)).await?;
    let folder = service.folder().filter(|_| holds).ok_or(missing)?;
    let build = Build::new().with_folder(folder.clone()).without_solving();
    Ok(build.with_memory_limit(service.config().memory_bytes))
}

/// Takes lines one by one; says whether the client still wants them.
type Emit<'a> = &'a mut dyn FnMut(Bytes) -> ControlFlow<()>;

/// An object as a line.
fn line(object: &impl Serialize) -> Bytes {
    let mut text = serde_json::to_vec(object).unwrap_or_default();
    text.push(b'\n');
    Bytes::from(text)
}

/// Streams what `work` finds, a line each, up to a limit. The channel holds all
/// of it, so that a slow client does not keep the place of a search.
fn streamed(
    service: &Service,
    limit: usize,
    work: impl FnOnce(Emit<'_>) -> Result<(), MineError> + Send + 'static,
) -> Response {
    let (sender, receiver) = mpsc::channel::<Bytes>(limit + 1);
    let searched = service.search(move |_| {
        let mut left = limit;
        let mut emit = |line: Bytes| {
            left = left.saturating_sub(1);
            let gone = sender.try_send(line).is_err();
            if gone || left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        if let Err(error) = work(&mut emit) {
            // Whether the client is still there to read it or not.
            let _ = sender.try_send(line(&ErrorJson::new(None, Problem::from(error))));
        }
    });
    tokio::spawn(searched);
    let lines = stream::unfold(receiver, |mut receiver| async move {
        let line = receiver.recv().await?;
        Some((Ok::<_, std::convert::Infallible>(line), receiver))
    });
    let mut response = Body::from_stream(lines).into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(NDJSON));
    response
}

/// How many positions are wanted.
fn limit(asked: Option<usize>) -> Result<usize, Problem> {
    match asked.unwrap_or(USUAL_HITS) {
        found @ 1..=MOST_HITS => Ok(found),
        found => Err(Problem::Request(format!(
            "the limit is {found}, expected a number from 1 to {MOST_HITS}"
        ))),
    }
}

/// Which positions.
#[derive(Deserialize, IntoParams, Debug)]
#[into_params(parameter_in = Query)]
pub(super) struct FindQuery {
    /// A material such as KRKN
    #[param(example = "KRKN")]
    material: String,
    /// Which positions, as docs/find.md has it
    #[param(example = "zugzwang and white wins")]
    query: String,
    /// Positions at most: 100 if nothing is said, 10,000 at most
    limit: Option<usize>,
    /// Say how many there are instead
    #[serde(default)]
    count: bool,
}

/// The positions of a material that match a query, an object a line.
#[utoipa::path(get, path = "/api/v1/find", params(FindQuery), responses(
    (status = 200, description = "An object a line, or with count one object", content_type = "application/x-ndjson"),
    (status = 400, description = "A mistake in the query, with its column"),
    (status = 404, description = "There is no such table"),
))]
pub(super) async fn find(
    State(service): State<Service>,
    Query(query): Query<FindQuery>,
    headers: HeaderMap,
) -> Response {
    let answer = async {
        let material = material(&query.material)?;
        let wanted = Wanted::parse(&query.query, material)
            .map_err(|error| Problem::Request(error.to_string()))?;
        let limit = limit(query.limit)?;
        let build = reader(&service, material, Metric::Dtz50).await?;
        if query.count {
            let work = move |_: &Tablebase| {
                let tables = opened(&build, material, &wanted, &[])?;
                Search::new(&tables, &wanted)?.count(|_, _| {})
            };
            let count = service.search(work).await??;
            let found = CountJson::new(material, &query.query, count);
            return Ok(json(&headers, &found, Lasting::Forever));
        }
        Ok(streamed(&service, limit, move |emit| {
            let metrics = match wanted.metrics() {
                asked if asked.is_empty() => vec![Metric::Dtm],
                asked => asked,
            };
            let tables = opened(&build, material, &wanted, &metrics)?;
            let search = Search::new(&tables, &wanted)?;
            search.each(|_, _| {}, |hit| emit(line(&HitJson::new(&hit, tables.metrics()))))
        }))
    };
    super::answered(answer.await)
}

/// The tables that a query needs.
fn opened(
    build: &Build,
    material: Material,
    wanted: &Wanted,
    told: &[Metric],
) -> Result<TableSet, MineError> {
    let mut tables = TableSet::open(build, material, &wanted.metrics(), told)?;
    if wanted.minds_the_rule() {
        tables = tables.minding_the_rule();
    }
    if wanted.needs_moves() { tables.with_moves(build) } else { Ok(tables) }
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
        Ok(streamed(&service, limit, move |emit| {
            let tables = TableSet::solve(&build, material, &[metric])?;
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
        let work = move |_: &Tablebase| {
            let tables = TableSet::solve(&build, material, &[metric])?;
            let mut groups: Vec<Vec<Hit>> = Vec::new();
            for side in Color::BOTH {
                for outcome in [Outcome::Win, Outcome::Loss] {
                    groups.push(maxima(&tables, metric, side, outcome, |_, _| {})?);
                }
            }
            Ok::<_, MineError>(groups)
        };
        let groups = service.search(work).await??;
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
