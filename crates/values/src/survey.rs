//! Figures of boards too large to keep the value of every position.

use molien_board::{Material, Position};
use thiserror::Error;

use crate::{Metric, Stats, Value};

/// Which placements are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bishops {
    /// All of them.
    Any,
    /// Those with two like bishops of one side on squares of both colours.
    Opposite,
}

/// Statistics of White's wins, and the positions of the deepest ones.
#[derive(Clone, Debug)]
pub struct Survey {
    /// Statistics; those of Black's wins are left out.
    pub stats: Stats,
    /// The deepest wins, White to move; of mirror images one. Empty if there
    /// are too many to list.
    pub deepest_wins: Vec<Position>,
    /// The deepest losses, Black to move, likewise.
    pub deepest_losses: Vec<Position>,
}

/// Solves boards for their figures. Values are not kept: those that are wanted are
/// noted on the way.
pub trait Surveyor: Send + Sync {
    /// Whether this is the way to solve a material, rather than as a table.
    fn surveys(&self, material: Material) -> bool;

    /// Whether the statistics of a material can be had, be it without the values of
    /// positions.
    fn counts(&self, material: Material, _metric: Metric) -> bool {
        self.surveys(material)
    }

    /// The statistics of these materials, in canonical orientation, will be asked
    /// for: what they share may be solved once.
    fn expect(&self, _materials: &[Material], _metric: Metric) {}

    /// Whether a material is so large that only one side's wins are solved at
    /// a time, and both sides' statistics cannot be had.
    fn is_one_sided(&self, material: Material) -> bool;

    /// The statistics of both sides' wins.
    ///
    /// # Errors
    /// If the board cannot be solved.
    fn statistics(&self, material: Material, metric: Metric) -> Result<Stats, SurveyError>;

    /// The statistics of White's wins.
    ///
    /// # Errors
    /// If the board cannot be solved.
    fn white_wins(
        &self,
        material: Material,
        metric: Metric,
        bishops: Bishops,
    ) -> Result<Stats, SurveyError>;

    /// The same with the deepest positions, in the least memory.
    ///
    /// # Errors
    /// If the board cannot be solved.
    fn survey(&self, material: Material, metric: Metric) -> Result<Survey, SurveyError>;

    /// The values of legal positions of one material.
    ///
    /// # Errors
    /// If the board cannot be solved, or a position is not one of it.
    fn values(
        &self,
        material: Material,
        metric: Metric,
        positions: &[Position],
    ) -> Result<Vec<Value>, SurveyError>;
}

/// Why there are no figures.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SurveyError {
    /// The planes do not fit the memory there is.
    #[error(
        "{material} in {metric} needs {needed_mib} MiB ({plan}), but only {free_mib} MiB are free"
    )]
    Memory {
        /// What was asked.
        material: Material,
        /// In which metric.
        metric: Metric,
        /// What it needs.
        needed_mib: u64,
        /// What for.
        plan: String,
        /// What there is.
        free_mib: u64,
    },
    /// So large a board is solved for one side's wins at a time.
    #[error("{material}: of so many men only one side's wins are counted at a time")]
    OneSided {
        /// What was asked.
        material: Material,
    },
    /// The caller asked to stop.
    #[error("solving {material} was interrupted")]
    Cancelled {
        /// What was being solved.
        material: Material,
    },
    /// Anything else; the text says what.
    #[error("{material}: {reason}")]
    Failed {
        /// What was being solved.
        material: Material,
        /// What went wrong.
        reason: String,
    },
}
