//! Waves kept outside the process, so that an interrupted solve can resume.

use molien_board::{Color, Material};
use molien_hyper::Plane;

use crate::{LogError, Metric, Placement};

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
    /// Into how many classes of king pairs they fall, each as large as the
    /// others; 1 around pawns.
    pub classes: usize,
}

/// Where waves are kept.
pub trait WaveLog: Send + Sync {
    /// Opens the log of a run, with what an earlier process left in it.
    /// `None` if the run is too small to be worth a log.
    ///
    /// # Errors
    /// If there should be a log but it cannot be opened.
    fn open(&self, run: &Run) -> Result<Option<Box<dyn RunLog>>, LogError>;
}

/// The log of one run: what each wave has decided, all of it, so that the waves
/// up to some ply give back the state of the solve at that ply.
pub trait RunLog: Send {
    /// Replaces the contents of the planes (lost with the defender to move, won
    /// with the attacker to move) by the next wave an earlier process has
    /// logged. False if there is none, whatever the planes are then; after
    /// that waves are only appended.
    fn next(&mut self, lost: &mut Plane, won: &mut Plane) -> bool;

    /// Appends a wave, beginning with wave 0.
    ///
    /// # Errors
    /// If it cannot be kept.
    fn append(&mut self, lost: &Plane, won: &Plane) -> Result<(), LogError>;

    /// From now on planes have these classes of king pairs only, in this order.
    fn hold_only(&mut self, classes: &[usize]);

    /// Several processes append a wave together, each the classes it holds: each codes
    /// them, and says how many bytes each class takes; those of others are 0.
    ///
    /// # Errors
    /// If they cannot be coded.
    fn code(&mut self, lost: &Plane, won: &Plane) -> Result<Vec<u64>, LogError>;

    /// Writes what was coded, given the bytes that each class takes, those of the
    /// others included.
    ///
    /// # Errors
    /// If it cannot be kept.
    fn write(&mut self, lengths: &[u64]) -> Result<(), LogError>;

    /// All have written: the wave counts. One of the processes says so in the log.
    ///
    /// # Errors
    /// If that cannot be said.
    fn commit(&mut self, lengths: &[u64], says_so: bool) -> Result<(), LogError>;
}
