//! Where our figures come from.

use std::sync::Arc;

use molien_board::{Material, Position, Role};
use molien_probe::{ProbeError, SolverSource, Source, SurveySource, Tablebase};
use molien_solve::Solver;
use molien_values::{Bishops, Metric, Stats, Surveyor};

use crate::ReproduceError;

/// Tables of chess, and of chess with promotion to queens only.
pub struct Lab {
    chess: Arc<SolverSource>,
    /// Where values of chess come from: `chess`, or something before it.
    source: Arc<dyn Source>,
    /// Something faster for six men.
    surveyor: Option<Arc<dyn Surveyor>>,
    queens: Arc<SolverSource>,
}

impl Lab {
    /// Solves with solvers made by `solver`.
    pub fn new(solver: impl Fn() -> Solver) -> Lab {
        let chess = Arc::new(SolverSource::new(solver()));
        Lab {
            chess: chess.clone(),
            source: chess,
            surveyor: None,
            queens: Arc::new(SolverSource::new(solver().with_promotions(&[Role::Queen]))),
        }
    }

    /// Has large boards solved by this.
    pub fn with_surveyor(mut self, surveyor: Arc<dyn Surveyor>) -> Lab {
        self.source = Arc::new(SurveySource::new(surveyor.clone(), self.source));
        self.surveyor = Some(surveyor);
        self
    }

    /// The statistics of White's wins in DTC, if there is something that
    /// counts them apart from Black's.
    pub(crate) fn white_wins(
        &self,
        material: Material,
        bishops: Bishops,
    ) -> Result<Option<Stats>, ReproduceError> {
        let Some(surveyor) = &self.surveyor else { return Ok(None) };
        let stats = surveyor.white_wins(material, Metric::Dtc, bishops);
        Ok(Some(stats.map_err(ProbeError::from)?))
    }

    /// The solver of chess.
    pub fn solver(&self) -> &Solver {
        self.chess.solver()
    }

    /// The solver that promotes to queens only.
    pub fn queens_solver(&self) -> &Solver {
        self.queens.solver()
    }

    /// Answers for chess.
    pub fn tables(&self) -> Tablebase {
        Tablebase::new(self.source.clone())
    }

    /// Answers with promotion to queens only.
    pub fn queens_tables(&self) -> Tablebase {
        Tablebase::new(self.queens.clone())
    }

    /// Makes sure that [`Lab::tables`] knows the depths of these positions,
    /// six men without pawns included.
    pub(crate) fn gather(
        &self,
        positions: &[Position],
        metric: Metric,
    ) -> Result<(), ReproduceError> {
        Ok(self.source.expect(positions, metric)?)
    }
}
