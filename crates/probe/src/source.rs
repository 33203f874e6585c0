//! Where values come from.

use molien_board::{MAX_MEN, Material, Position};
use molien_solve::{SolveError, Solver};
use molien_values::{Metric, Stats, Value};

use crate::ProbeError;

/// A place that knows the values of positions: a solver, a folder of files.
pub trait Source: Send + Sync {
    /// The value of a legal position, its en-passant right ignored.
    ///
    /// # Errors
    /// If there is no table for it, or the table cannot be used.
    fn value(&self, position: &Position, metric: Metric) -> Result<Value, ProbeError>;

    /// Whether the whole table of a material lies in a file, so that nothing has
    /// to be solved for it.
    fn is_stored(&self, _material: Material, _metric: Metric) -> bool {
        false
    }

    /// Announces positions that will be asked for, so that what they share is
    /// worked out once.
    ///
    /// # Errors
    /// If there is no table for one, or the table cannot be used.
    fn expect(&self, _positions: &[Position], _metric: Metric) -> Result<(), ProbeError> {
        Ok(())
    }

    /// The statistics of a material, in canonical orientation.
    ///
    /// # Errors
    /// If there is no table for it, or the table cannot be used.
    fn stats(&self, material: Material, metric: Metric) -> Result<Stats, ProbeError>;

    /// Makes sure the table of a material is at hand, so that later calls of
    /// [`Source::value`] are quick.
    ///
    /// # Errors
    /// If there is no table for it, or the table cannot be used.
    fn prepare(&self, material: Material, metric: Metric) -> Result<(), ProbeError>;
}

/// Solves what is asked for and keeps it in memory.
pub struct SolverSource {
    solver: Solver,
}

impl SolverSource {
    /// Answers from this solver's tables.
    pub fn new(solver: Solver) -> SolverSource {
        SolverSource { solver }
    }

    /// The solver.
    pub fn solver(&self) -> &Solver {
        &self.solver
    }
}

pub(crate) fn check_men(material: Material) -> Result<(), ProbeError> {
    let men = material.len();
    if men > MAX_MEN { Err(ProbeError::TooManyMen { men }) } else { Ok(()) }
}

impl Source for SolverSource {
    fn value(&self, position: &Position, metric: Metric) -> Result<Value, ProbeError> {
        let material = position.material();
        check_men(material)?;
        match self.solver.value(position, metric)? {
            // A win takes at least one ply, and a loss in none is mate: other
            // zeros mean that depths were not kept.
            Value::Win(0) => Err(ProbeError::NoDepth { material, metric }),
            Value::Loss(0) if !position.is_checkmate() => {
                Err(ProbeError::NoDepth { material, metric })
            }
            value => Ok(value),
        }
    }

    fn expect(&self, positions: &[Position], metric: Metric) -> Result<(), ProbeError> {
        positions.iter().try_for_each(|position| check_men(position.material()))?;
        Ok(self.solver.watch(positions, metric)?)
    }

    fn stats(&self, material: Material, metric: Metric) -> Result<Stats, ProbeError> {
        check_men(material)?;
        Ok(self.solver.solve(material, metric)?.stats.clone())
    }

    fn prepare(&self, material: Material, metric: Metric) -> Result<(), ProbeError> {
        check_men(material)?;
        self.solver.solve(material, metric).map(drop).map_err(|e: SolveError| e.into())
    }
}
