//! Positions that match a query.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse as _, Response};
use molien_board::{Material, Setup};
use molien_build::Build;
use molien_mine::export::{Columns, CsvWriter, ParquetWriter, RowWriter};
use molien_mine::{Hit, MineError, Query as MineQuery, Search, TableSet};
use molien_schema::{CountJson, HitJson};
use molien_values::Metric;
use serde::Deserialize;
use utoipa::IntoParams;

use super::mining::{limit, reader};
use super::query::{Query, material};
use super::stream::{line, streamed};
use crate::reply::{Lasting, json};
use crate::{Problem, Service};

/// How positions are written.
#[derive(Deserialize, Default, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub(super) enum Format {
    #[default]
    Ndjson,
    Fen,
    Csv,
    Parquet,
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
    /// `ndjson`, or a file of another kind: `fen`, `csv` or `parquet`
    #[serde(default)]
    #[param(value_type = String)]
    format: Format,
}

/// A question to the tables of a material, ready to be asked.
pub(crate) struct Sought {
    build: Build,
    material: Material,
    query: MineQuery,
}

impl Sought {
    /// Reads a question and has the table made, if need be.
    pub async fn read(service: &Service, name: &str, query: &str) -> Result<Sought, Problem> {
        let material = material(name)?;
        let query = MineQuery::parse(query, material)
            .map_err(|error| Problem::Request(error.to_string()))?;
        let build = reader(service, material, Metric::Dtz50).await?;
        Ok(Sought { build, material, query })
    }

    /// The tables that are needed, with depths to be told, as long as somebody
    /// wants to know.
    fn tables(&self, told: &[Metric], given_up: Arc<AtomicBool>) -> Result<TableSet, MineError> {
        let tables = TableSet::for_query(&self.build, self.material, &self.query, told)?;
        Ok(tables.unless(given_up))
    }

    /// The depths that are told: those asked about, or else those to mate.
    fn told(&self) -> Vec<Metric> {
        match self.query.metrics() {
            asked if asked.is_empty() => vec![Metric::Dtm],
            asked => asked,
        }
    }

    fn each(
        &self,
        given_up: Arc<AtomicBool>,
        mut emit: impl FnMut(&Hit, &[Metric]) -> ControlFlow<()>,
    ) -> Result<(), MineError> {
        let tables = self.tables(&self.told(), given_up)?;
        let search = Search::new(&tables, &self.query)?;
        search.each(|_, _| {}, |hit| emit(&hit, tables.metrics()))
    }

    /// The first positions, up to a limit.
    pub async fn first(self, service: &Service, limit: usize) -> Result<Vec<Hit>, Problem> {
        let work = move |given_up| {
            let mut found = Vec::new();
            self.each(given_up, |hit, _| {
                found.push(hit.clone());
                if found.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            })?;
            Ok::<_, MineError>(found)
        };
        Ok(service.search_while_wanted(work).await??)
    }

    async fn count(self, service: &Service) -> Result<u64, Problem> {
        let work = move |given_up| {
            let tables = self.tables(&[], given_up)?;
            Search::new(&tables, &self.query)?.count(|_, _| {})
        };
        Ok(service.search_while_wanted(work).await??)
    }

    fn stream(self, service: &Service, limit: usize) -> Response {
        streamed(service, limit, move |emit, given_up| {
            self.each(given_up, |hit, metrics| emit(line(&HitJson::new(hit, metrics))))
        })
    }

    /// The positions as a file of another kind, which is made before it is sent.
    async fn file(
        self,
        service: &Service,
        limit: usize,
        format: Format,
    ) -> Result<Response, Problem> {
        let (material, told) = (self.material, self.told());
        let hits = self.first(service, limit).await?;
        let (kind, end) = match format {
            Format::Csv => ("text/csv; charset=utf-8", "csv"),
            Format::Parquet => ("application/vnd.apache.parquet", "parquet"),
            Format::Ndjson | Format::Fen => ("text/plain; charset=utf-8", "fen"),
        };
        let body = written(&hits, format, Columns::new(material, &told))?;
        let name = format!("attachment; filename=\"{}.{end}\"", material.file_name());
        let headers =
            [(header::CONTENT_TYPE, kind.to_owned()), (header::CONTENT_DISPOSITION, name)];
        Ok((headers, body).into_response())
    }
}

/// Positions as the bytes of a file.
fn written(hits: &[Hit], format: Format, columns: Columns) -> Result<Vec<u8>, MineError> {
    let mut body = Vec::new();
    let mut writer: Box<dyn RowWriter + '_> = match format {
        Format::Csv => Box::new(CsvWriter::new(&mut body, columns)?),
        Format::Parquet => Box::new(ParquetWriter::new(&mut body, columns)?),
        Format::Ndjson | Format::Fen => {
            let lines = hits.iter().map(|hit| format!("{}\n", Setup::from(hit.position)));
            return Ok(lines.collect::<String>().into_bytes());
        }
    };
    hits.iter().try_for_each(|hit| writer.write(hit))?;
    writer.finish()?;
    Ok(body)
}

/// The positions of a material that match a query, an object a line.
#[utoipa::path(get, path = "/api/v1/find", params(FindQuery), responses(
    (status = 200, description = "An object a line, or a file, or with count one object", content_type = "application/x-ndjson"),
    (status = 400, description = "A mistake in the query, with its column"),
    (status = 404, description = "There is no such table"),
))]
pub(super) async fn get(
    State(service): State<Service>,
    Query(query): Query<FindQuery>,
    headers: HeaderMap,
) -> Response {
    let answer = async {
        let limit = limit(query.limit)?;
        let sought = Sought::read(&service, &query.material, &query.query).await?;
        if query.count {
            let material = sought.material;
            let count = sought.count(&service).await?;
            let found = CountJson::new(material, &query.query, count);
            return Ok(json(&headers, &found, Lasting::Forever));
        }
        match query.format {
            Format::Ndjson => Ok(sought.stream(&service, limit)),
            other => sought.file(&service, limit, other).await,
        }
    };
    super::answered(answer.await)
}
