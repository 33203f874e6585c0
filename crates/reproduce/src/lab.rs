//! Where our figures come from.

use std::sync::Arc;

use molien_board::{Material, Position, Role};
use molien_build::Build;
use molien_probe::{ProbeError, SolverSource, Source, Tablebase};
use molien_values::{Metric, Stats};

use crate::ReproduceError;

/// Counts White's wins of large boards without pawns, all other values left
/// out: something faster than the processor.
pub trait LargeBoards: Send + Sync {
    /// The statistics of White's wins in DTC; with `opposite_bishops` only of
    /// placements whose two like bishops stand on squares of both colours.
    ///
    /// # Errors
    /// If the board cannot be solved.
    fn white_wins(&self, material: Material, opposite_bishops: bool) -> Result<Stats, ProbeError>;
}

/// Tables of chess, and of chess with promotion to queens only.
pub struct Lab {
    chess: Arc<SolverSource>,
    /// Where values of chess come from: `chess`, or something before it.
    source: Arc<dyn Source>,
    large: Option<Arc<dyn LargeBoards>>,
    queens: Arc<SolverSource>,
}

impl Lab {
    /// Solves with solvers made by `solver`.
    pub fn new(solver: impl Fn() -> Build) -> Lab {
        let chess = Arc::new(SolverSource::new(solver()));
        Lab {
            chess: chess.clone(),
            source: chess,
            large: None,
            queens: Arc::new(SolverSource::new(solver().with_promotions(&[Role::Queen]))),
        }
    }

    /// Asks another source, which may ask the solver in turn.
    pub fn with_source(mut self, wrap: impl FnOnce(Arc<dyn Source>) -> Arc<dyn Source>) -> Lab {
        self.source = wrap(self.source);
        self
    }

    /// Counts White's wins of six men with this.
    pub fn with_large_boards(mut self, large: Arc<dyn LargeBoards>) -> Lab {
        self.large = Some(large);
        self
    }

    /// The statistics of White's wins in DTC, if there is something that
    /// counts them apart from Black's.
    pub(crate) fn white_wins(
        &self,
        material: Material,
        opposite_bishops: bool,
    ) -> Result<Option<Stats>, ReproduceError> {
        let count = |large: &Arc<dyn LargeBoards>| large.white_wins(material, opposite_bishops);
        Ok(self.large.as_ref().map(count).transpose()?)
    }

    /// The solver of chess.
    pub fn solver(&self) -> &Build {
        self.chess.solver()
    }

    /// The solver that promotes to queens only.
    pub fn queens_solver(&self) -> &Build {
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
