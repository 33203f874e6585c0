//! Where our figures come from.

use std::sync::Arc;

use molien_board::{Position, Role};
use molien_probe::{SolverSource, Tablebase};
use molien_solve::{Metric, Solver};

use crate::ReproduceError;

/// Tables of chess, and of chess with promotion to queens only.
pub struct Lab {
    chess: Arc<SolverSource>,
    queens: Arc<SolverSource>,
}

impl Lab {
    /// Solves with solvers made by `solver`.
    pub fn new(solver: impl Fn() -> Solver) -> Lab {
        Lab {
            chess: Arc::new(SolverSource::new(solver())),
            queens: Arc::new(SolverSource::new(solver().with_promotions(&[Role::Queen]))),
        }
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
        Tablebase::new(self.chess.clone())
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
        Ok(self.solver().watch(positions, metric)?)
    }
}
