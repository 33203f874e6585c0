//! Waves kept outside the process, so that an interrupted solve can go on.

use molien_board::{Color, Material};
use molien_hyper::Plane;

use crate::{Metric, Placement};

/// Which waves: those of one side's wins on one hyperboard.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Run {
    /// The material, in the hyperboard's orientation.
    pub material: Material,
    /// What is counted.
    pub metric: Metric,
    /// The hyperboard's pawns.
    pub pawns: Placement,
    /// Whose wins.
    pub attacker: Color,
    /// Tiles of the hyperboard.
    pub tiles: usize,
}

/// What one wave has decided: all of it, so that the waves up to some ply give
/// back the state of the solve at that ply.
#[derive(Clone, Debug, Default)]
pub struct Wave {
    /// Lost positions, defender to move.
    pub lost: Plane,
    /// Won positions, attacker to move.
    pub won: Plane,
}

/// Where waves are kept.
pub trait WaveLog: Send + Sync {
    /// Opens the log of a run, with what an earlier process left in it.
    /// `None` if the run is too small to be worth a log.
    ///
    /// # Errors
    /// If there should be a log but cannot be; the text says why.
    fn open(&self, run: &Run) -> Result<Option<Box<dyn RunLog>>, String>;
}

/// The log of one run. Wave 0 is never logged; the first entry is wave 1.
pub trait RunLog: Send {
    /// The next wave an earlier process has logged. After the first `None`
    /// waves are only appended.
    fn next(&mut self) -> Option<Wave>;

    /// Appends a wave.
    ///
    /// # Errors
    /// If it cannot be kept; the text says why.
    fn append(&mut self, lost: &Plane, won: &Plane) -> Result<(), String>;
}
