//! Telling the caller how a solve is going.

use molien_board::{Color, Material};
use molien_values::Metric;

/// What a piece of work takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Hyperboards to solve: placements of the pawns with their pieces.
    pub placements: u64,
    /// Addresses a side, all together.
    pub positions: u64,
    /// Memory at the peak, roughly.
    pub bytes: u64,
    /// Of the addresses, those of boards that are solved in little memory, which
    /// takes longer.
    pub lean_positions: u64,
    /// Temporary files, at the peak, roughly.
    pub disk_bytes: u64,
}

/// The state of a solve after one wave.
#[derive(Clone, Copy, Debug)]
pub struct WaveReport {
    /// What is being solved.
    pub material: Material,
    /// In which metric.
    pub metric: Metric,
    /// Whose wins.
    pub attacker: Color,
    /// Number of the wave: the depth in plies. 0 where only who wins is looked for, which
    /// is not found ply by ply.
    pub ply: u16,
    /// Addresses newly decided in this wave.
    pub decided: u64,
    /// Tiles computed in this wave.
    pub tiles: u64,
    /// If signatures are wanted, a number that depends on the addresses newly
    /// decided and on nothing else: not on threads, ranks or the order of work.
    pub signature: Option<u64>,
}

/// Receives news of a solve. All methods have empty defaults.
pub trait Progress: Send + Sync {
    /// What a position takes, said before it is solved.
    fn plan(&self, _material: Material, _metric: Metric, _cost: &Cost) {}
    /// A material's solve begins; it has this many addresses a side.
    fn begin(&self, _material: Material, _metric: Metric, _positions: u64) {}
    /// A wave is done.
    fn wave(&self, _report: &WaveReport) {}
    /// Whether waves are to have signatures, which take a little time.
    fn wants_signatures(&self) -> bool {
        false
    }
    /// A board is solved; it has this many addresses a side.
    fn solved(&self, _material: Material, _metric: Metric, _positions: u64) {}
    /// A material's solve is complete.
    fn end(&self, _material: Material, _metric: Metric) {}
    /// Tables kept for later were given up to make room: an allocator may give
    /// back what they took.
    fn made_room(&self) {}
    /// Another process is making a material's table: this one waits for it.
    fn waiting(&self, _material: Material) {}
    /// Whether the solve should stop early; asked once a wave.
    fn cancelled(&self) -> bool {
        false
    }
}

/// No news wanted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {}
