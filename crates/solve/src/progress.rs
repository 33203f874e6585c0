//! Telling the caller how a solve is going.

use molien_board::{Color, Material};

use crate::Cost;
use molien_values::Metric;

/// The state of a solve after one wave.
#[derive(Clone, Copy, Debug)]
pub struct WaveReport {
    /// What is being solved.
    pub material: Material,
    /// In which metric.
    pub metric: Metric,
    /// Whose wins.
    pub attacker: Color,
    /// Number of the wave: the depth in plies.
    pub ply: u16,
    /// Addresses newly decided in this wave.
    pub decided: u64,
    /// Tiles computed in this wave.
    pub tiles: u64,
}

/// Receives news of a solve. All methods have empty defaults.
pub trait Progress: Send + Sync {
    /// What a position takes, said before it is solved.
    fn plan(&self, _material: Material, _metric: Metric, _cost: &Cost) {}
    /// A material's solve begins; it has this many addresses a side.
    fn begin(&self, _material: Material, _metric: Metric, _positions: u64) {}
    /// A wave is done.
    fn wave(&self, _report: &WaveReport) {}
    /// A material's solve is complete.
    fn end(&self, _material: Material, _metric: Metric) {}
    /// Whether the solve should stop early; asked once a wave.
    fn cancelled(&self) -> bool {
        false
    }
}

/// No news wanted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {}
