//! Running both checks, and what they find.

use molien_board::{MAX_MEN, Material, Position};
use molien_build::{Build, BuildError, check_consistency};
use molien_solve::Consistency;
use molien_table::TableError;
use molien_values::{Metric, Value};
use thiserror::Error;

use crate::dtm50::check_dtm50;
use crate::{Referee, RefereeError};

/// How many disagreements are kept with their positions.
const KEPT: usize = 10;

/// Up to this many men the referee looks at every position.
const EXHAUSTIVE_MEN: usize = 4;

/// Up to this many men all metrics are held in memory at once.
const TOGETHER_MEN: usize = 5;

/// What to check, and how hard.
#[derive(Clone, Debug)]
pub struct Options {
    /// In which metrics.
    pub metrics: Vec<Metric>,
    /// Positions the referee samples where it does not look at all of them;
    /// none: it always looks at all.
    pub sample: Option<u64>,
    /// The seed of the sample.
    pub seed: u64,
    /// Beside the sample, every position with an en-passant capture in reach.
    pub en_passant: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            metrics: Metric::ALL.to_vec(),
            sample: Some(1_000_000),
            seed: 1,
            en_passant: false,
        }
    }
}

/// Why a check could not run.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// A table could not be made.
    #[error(transparent)]
    Solve(#[from] BuildError),
    /// A table leads out of all tables.
    #[error(transparent)]
    Referee(#[from] RefereeError),
    /// A stored table is damaged.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The caller asked to stop.
    #[error("checking {material} was interrupted")]
    Interrupted {
        /// The material.
        material: Material,
    },
    /// More men than any table can have.
    #[error("{material} has {} men, but at most {MAX_MEN} are supported", material.len())]
    TooManyMen {
        /// The material.
        material: Material,
    },
}

/// A position whose value is not what its moves say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Disagreement {
    /// Where; none if the address is no placement at all.
    pub position: Option<Position>,
    /// In which metric; none if legality itself is in question.
    pub metric: Option<Metric>,
    /// What the table says.
    pub found: Option<Value>,
    /// What the moves say.
    pub expected: Option<Value>,
}

/// What the referee found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct RefereeReport {
    /// Positions looked at.
    pub checked: u64,
    /// Values (or legalities) that are wrong.
    pub failures: u64,
    /// The first of them.
    pub first: Vec<Disagreement>,
}

impl RefereeReport {
    pub(crate) fn wrong(disagreement: Disagreement) -> RefereeReport {
        RefereeReport { checked: 0, failures: 1, first: vec![disagreement] }
    }

    /// Table and referee differ on whether the position is legal.
    pub(crate) fn illegal(position: Option<Position>) -> RefereeReport {
        let wrong = Disagreement { position, metric: None, found: None, expected: None };
        RefereeReport { checked: 1, ..RefereeReport::wrong(wrong) }
    }

    pub(crate) fn merge_with(mut self, other: RefereeReport) -> RefereeReport {
        self.checked += other.checked;
        self.failures += other.failures;
        let room = KEPT.saturating_sub(self.first.len());
        self.first.extend(other.first.into_iter().take(room));
        self
    }

    pub(crate) fn merge(a: RefereeReport, b: RefereeReport) -> Result<RefereeReport, RefereeError> {
        Ok(a.merge_with(b))
    }
}

/// What the self-consistency check of one metric found.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct PlaneReport {
    /// The metric.
    pub metric: Metric,
    /// The findings.
    pub found: Consistency,
    /// Whether depths were checked too, or only who wins.
    pub depths: bool,
}

/// What both checks found on a material.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Report {
    /// The material, in canonical orientation.
    pub material: Material,
    /// Self-consistency, metric by metric.
    pub planes: Vec<PlaneReport>,
    /// The referee's findings.
    pub referee: RefereeReport,
    /// Whether the referee looked at every position.
    pub exhaustive: bool,
}

impl VerifyError {
    /// Whether the caller asked to stop.
    pub fn is_cancelled(&self) -> bool {
        match self {
            VerifyError::Solve(error) => error.is_cancelled(),
            VerifyError::Referee(error) => matches!(error, RefereeError::Interrupted { .. }),
            VerifyError::Table(error) => error.is_interrupted(),
            VerifyError::Interrupted { .. } => true,
            VerifyError::TooManyMen { .. } => false,
        }
    }

    /// The same, but what was interrupted is the check, whatever it was doing.
    pub(crate) fn of_check(self, material: Material) -> VerifyError {
        if self.is_cancelled() { VerifyError::Interrupted { material } } else { self }
    }
}

impl Report {
    /// How many values are wrong.
    pub fn failures(&self) -> u64 {
        self.referee.failures + self.planes.iter().map(|plane| plane.found.failures).sum::<u64>()
    }
}

/// Solves a material (or takes its tables from the solver) and checks it in
/// both ways.
///
/// # Errors
/// If a table cannot be solved, or it is cancelled.
pub fn verify(
    solver: &Build,
    material: Material,
    options: &Options,
) -> Result<Report, VerifyError> {
    let material = material.canonical();
    check_both_ways(solver, material, options).map_err(|error| error.of_check(material))
}

fn check_both_ways(
    solver: &Build,
    material: Material,
    options: &Options,
) -> Result<Report, VerifyError> {
    if material.len() > MAX_MEN {
        return Err(VerifyError::TooManyMen { material });
    }
    let mut metrics = distinct_metrics(material, &options.metrics);
    let sample = options.sample.filter(|_| material.len() > EXHAUSTIVE_MEN);
    let exhaustive = sample.is_none();
    let mut report =
        Report { material, planes: Vec::new(), referee: RefereeReport::default(), exhaustive };
    if let Some(place) = metrics.iter().position(|&metric| metric == Metric::Dtm50) {
        let metric = metrics.remove(place);
        let found = check_dtm50(solver, material)?;
        report.planes.push(PlaneReport { metric, found, depths: true });
    }
    let together = if material.len() <= TOGETHER_MEN { metrics.len() } else { 1 };
    for metrics in metrics.chunks(together.max(1)) {
        for &metric in metrics {
            let table = solver.table(material, metric)?;
            let found = check_consistency(solver, &table)?;
            report.planes.push(PlaneReport { metric, found, depths: table.has_depths() });
        }
        let referee = Referee::new(solver, material, metrics)?;
        let found = match sample {
            None => referee.exhaustive()?,
            Some(count) => {
                let sample = referee.sample(count, options.seed)?;
                if options.en_passant { sample.merge_with(referee.en_passant()?) } else { sample }
            }
        };
        report.referee = report.referee.merge_with(found);
        if material.len() > TOGETHER_MEN {
            metrics.iter().for_each(|&metric| solver.forget(material, metric));
        }
    }
    Ok(report)
}

/// The metrics without those that are the same table.
fn distinct_metrics(material: Material, metrics: &[Metric]) -> Vec<Metric> {
    let mut distinct = Vec::new();
    for &metric in metrics {
        let metric = if material.has_pawns() { metric } else { metric.without_pawns() };
        if !distinct.contains(&metric) {
            distinct.push(metric);
        }
    }
    distinct
}
