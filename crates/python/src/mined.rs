//! What is found in tables: figures, lines, studies, lists.

use std::ops::ControlFlow;
use std::time::Duration;

use molien::lines::study::{Options, annotated, check_game, read};
use molien::lines::{Play, Strategy, Until, best_line};
use molien::mine::plot::{Plot, Scale, free_board};
use molien::mine::{
    Figures, FreeMan, Hit, Query, TableSet, ZugzwangKind, export::Columns, maxima, zugzwangs,
};
use molien::pawns::{Limits, explain_within};
use molien::schema::{
    ExplanationJson, FreeJson, GameJson, LineJson, MaximaJson, StatsJson, ZugzwangJson,
};
use molien::{Color, Counting, FenOptions, Man, Metric, Outcome};
use pyo3::prelude::*;

use crate::columns::Layout;
use crate::desk::Desk;
use crate::errors::Failure;
use crate::input;
use crate::stream::{Stream, StreamPlan};
use crate::tables::{Tables, plain};

/// An answer and its picture.
type Drawn<'py> = (Bound<'py, PyAny>, String);

/// Why a pawn ending is won or drawn.
#[pyfunction]
pub fn explain<'py>(py: Python<'py>, fen: &str, seconds: f64) -> PyResult<Bound<'py, PyAny>> {
    let setup = input::setup(fen)?;
    if !(seconds > 0.0 && seconds <= 1e7) {
        return Err(Failure::invalid("expected a positive number of seconds").into());
    }
    let limits = Limits { time: Some(Duration::from_secs_f64(seconds)), ..Limits::default() };
    let desk = Desk::default();
    let work = || -> Result<ExplanationJson, Failure> {
        let found = explain_within(&setup.position, limits, desk.stop_flag())?;
        Ok(ExplanationJson::new(&setup, &found))
    };
    plain(py, &desk.watch(py, None, work)?)
}

fn strategy(name: Option<&str>, default: &Strategy) -> Result<Strategy, Failure> {
    match name {
        None => Ok(default.clone()),
        Some(name) => match Metric::from_name(name) {
            Ok(metric) => Ok(metric.into()),
            Err(_) => Ok(name.parse()?),
        },
    }
}

fn kinds(names: &[String]) -> Result<Vec<ZugzwangKind>, Failure> {
    let kind = |name: &String| {
        let found = ZugzwangKind::ALL.into_iter().find(|kind| kind.name() == name);
        let allowed = ZugzwangKind::ALL.map(ZugzwangKind::name).join(", ");
        found.ok_or_else(|| Failure::invalid(format!("'{name}' is no kind: use one of {allowed}")))
    };
    names.iter().map(kind).collect()
}

#[pymethods]
impl Tables {
    /// The figures of a material, and their histogram.
    fn stats<'py>(
        &self,
        py: Python<'py>,
        material: &str,
        metric: &str,
        counting: &str,
        log: bool,
    ) -> PyResult<Drawn<'py>> {
        let (material, metric) = (input::material(material)?, input::metric(metric)?);
        let counting: Counting = counting.parse().map_err(Failure::from)?;
        let scale = if log { Scale::Logarithmic } else { Scale::Linear };
        let work = || -> Result<(StatsJson, String), Failure> {
            let stats = self.tables.stats(material, metric)?;
            let figures = Figures { stats: &stats, metric, counting };
            Ok((StatsJson::new(&figures), Plot::of(&[figures], scale).to_svg()?))
        };
        let (json, svg) = self.desk.watch(py, None, work)?;
        Ok((plain(py, &json)?, svg))
    }

    /// Best play: the line, as text and as PGN.
    #[pyo3(signature = (fen, white, black, plies, conversion, fifty_moves))]
    #[allow(clippy::too_many_arguments, reason = "the arguments of the function in Python")]
    fn line<'py>(
        &self,
        py: Python<'py>,
        fen: &str,
        white: Option<&str>,
        black: Option<&str>,
        plies: Option<usize>,
        conversion: bool,
        fifty_moves: bool,
    ) -> PyResult<(Bound<'py, PyAny>, String, String)> {
        let setup = input::setup(fen)?;
        let default =
            if fifty_moves { Strategy::within_the_rule() } else { Strategy::from(Metric::Dtm) };
        let play = Play { white: strategy(white, &default)?, black: strategy(black, &default)? };
        let plies = plies.unwrap_or(Until::default().plies);
        let until = Until { plies, conversion, fifty_moves };
        let work = || -> Result<_, Failure> {
            let line = best_line(&self.tables, setup, &play, until)?;
            let event = format!("Best play, {}-{}", play.white, play.black);
            Ok((LineJson::new(&line, &play), line.to_text(), line.to_pgn(&event)))
        };
        let (json, text, pgn) = self.desk.watch(py, None, work)?;
        Ok((plain(py, &json)?, text, pgn))
    }

    /// Games and studies, judged, and each with its annotations.
    fn study<'py>(
        &self,
        py: Python<'py>,
        pgn: Vec<u8>,
        name: &str,
        max_men: usize,
        fifty_moves: bool,
    ) -> PyResult<(Bound<'py, PyAny>, Vec<String>)> {
        let options = Options { max_men, fifty_moves };
        let work = || -> Result<(Vec<GameJson>, Vec<String>), Failure> {
            let (mut games, mut texts) = (Vec::new(), Vec::new());
            for game in read(&pgn) {
                let report = check_game(&self.tables, &game, &options)?;
                games.push(GameJson::new(name, &report));
                let text = annotated(&game, &report);
                texts.push(String::from_utf8_lossy(&text).into_owned());
            }
            Ok((games, texts))
        };
        let (games, texts) = self.desk.watch(py, None, work)?;
        Ok((plain(py, &games)?, texts))
    }

    /// One man tried on every square, and the board of that.
    fn free<'py>(
        &self,
        py: Python<'py>,
        fen: &str,
        man: char,
        metric: &str,
    ) -> PyResult<Drawn<'py>> {
        let letters = "KQRBNPkqrbnp";
        let unknown = || Failure::invalid(format!("'{man}' is not a man: use one of {letters}"));
        let man = Man::from_letter(man).ok_or_else(unknown)?;
        let metric = input::metric(metric)?;
        let free = FreeMan::parse(fen, man, FenOptions::default()).map_err(Failure::from)?;
        let work = || -> Result<(FreeJson, String), Failure> {
            let squares = free.squares(&self.tables, metric)?;
            let svg = free_board(&free, &squares, metric).to_svg();
            Ok((FreeJson::new(&free, &squares, metric), svg))
        };
        let (json, svg) = self.desk.watch(py, None, work)?;
        Ok((plain(py, &json)?, svg))
    }

    /// The mutual zugzwangs of a material.
    #[pyo3(signature = (material, metric, types, limit))]
    fn zugzwangs<'py>(
        &self,
        py: Python<'py>,
        material: &str,
        metric: &str,
        types: Vec<String>,
        limit: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (material, metric) = (input::material(material)?, input::metric(metric)?);
        let (kinds, limit) = (kinds(&types)?, limit.unwrap_or(usize::MAX));
        let work = || -> Result<Vec<ZugzwangJson>, Failure> {
            let tables = TableSet::solve(&self.build, material, &[metric])?;
            let depths = Some(metric).filter(|&metric| tables.check_depths(metric).is_ok());
            let mut found = Vec::new();
            let take = |zugzwang: molien::mine::Zugzwang| {
                if found.len() >= limit || self.desk.stopped() {
                    return ControlFlow::Break(());
                }
                found.push(ZugzwangJson::new(&zugzwang, depths));
                ControlFlow::Continue(())
            };
            zugzwangs(&tables, &kinds, |_, _| {}, take)?;
            Ok(found)
        };
        plain(py, &self.desk.watch(py, None, work)?)
    }

    /// The deepest positions of a material.
    fn maxima<'py>(
        &self,
        py: Python<'py>,
        material: &str,
        metric: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (material, metric) = (input::material(material)?, input::metric(metric)?);
        let work = || -> Result<MaximaJson, Failure> {
            let tables = TableSet::solve(&self.build, material, &[metric])?;
            let mut groups: Vec<Vec<Hit>> = Vec::new();
            for side in Color::BOTH {
                for outcome in [Outcome::Win, Outcome::Loss] {
                    groups.push(maxima(&tables, metric, side, outcome, |_, _| {})?);
                }
            }
            groups.retain(|hits| !hits.is_empty());
            Ok(MaximaJson::new(material, metric, &groups))
        };
        plain(py, &self.desk.watch(py, None, work)?)
    }

    /// The positions of a material that match a query, in batches.
    #[pyo3(signature = (material, query, metrics, fens, squares, batch_rows))]
    #[allow(clippy::too_many_arguments, reason = "the arguments of the function in Python")]
    fn positions(
        &self,
        py: Python<'_>,
        material: &str,
        query: Option<&str>,
        metrics: Vec<String>,
        fens: bool,
        squares: bool,
        batch_rows: usize,
    ) -> PyResult<Stream> {
        let (material, metrics) = (input::material(material)?, input::metrics(&metrics)?);
        let parsed = query.map(|text| Query::parse(text, material)).transpose();
        let parsed = parsed.map_err(Failure::from)?;
        let open = || -> Result<TableSet, Failure> {
            // Of everything, all depths are read in one go; of what few queries
            // find, one by one.
            Ok(match &parsed {
                Some(query) => TableSet::for_query(&self.build, material, query, &metrics)?,
                None => TableSet::open(&self.build, material, &metrics, &[])?.minding_the_rule(),
            })
        };
        let tables = self.desk.watch(py, None, open)?;
        let columns = Columns::new(material, &metrics);
        let men = if squares { columns.man_names() } else { Vec::new() };
        let layout = Layout { fens, turn: true, men, metrics };
        let query = parsed.unwrap_or_else(Query::all);
        let batch_rows = batch_rows.max(1);
        Ok(Stream::new(StreamPlan { tables, query, layout, columns, batch_rows }))
    }
}
