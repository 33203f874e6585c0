//! How fast the card works, phase by phase.

use std::time::Instant;

use molien_board::{Color, Material};
use molien_hyper::Hyperboard;
use molien_solve::Metric;

use crate::device::{Buffer, Kernel};
use crate::layout::Board;
use crate::plan::sub_keep;
use crate::waves::base_job;
use crate::{Attackers, CudaEngine, CudaError, Keep, Request};

/// One phase of a solve.
#[derive(Clone, Debug)]
pub struct Phase {
    /// Its name.
    pub name: &'static str,
    /// Seconds it took.
    pub seconds: f64,
    /// Tiles worked on.
    pub tiles: u64,
}

impl Phase {
    /// Tiles a second.
    pub fn tiles_per_second(&self) -> f64 {
        self.tiles as f64 / self.seconds
    }

    /// Positions a second: 4096 a tile.
    pub fn positions_per_second(&self) -> f64 {
        self.tiles_per_second() * 4096.0
    }
}

/// What a benchmark found.
#[derive(Clone, Debug)]
pub struct Bench {
    /// The card.
    pub device: String,
    /// What was solved.
    pub material: Material,
    /// Bytes a second of a plain copy of planes, read and written.
    pub copy_bytes_per_second: f64,
    /// Init and waves.
    pub phases: Vec<Phase>,
}

impl CudaEngine {
    /// Bytes a second, read and written, of a plain copy between two planes of
    /// a six-man board.
    fn copy_bandwidth(&self) -> Result<f64, CudaError> {
        const ROUNDS: u32 = 8;
        let board = Hyperboard::pieces("KQRKQR".parse().unwrap_or(Material::KINGS));
        let from = Buffer::new(&self.device, board.plane_bytes())?;
        let to = Buffer::new(&self.device, board.plane_bytes())?;
        from.fill(0x5a)?;
        let mut job = base_job(Board::new(&board), &self.tables, Color::White);
        job.open = from.address();
        job.candidates = to.address();
        self.device.launch(Kernel::CopyPlane, &job)?;
        self.device.synchronize()?;
        let started = Instant::now();
        for _ in 0..ROUNDS {
            self.device.launch(Kernel::CopyPlane, &job)?;
        }
        self.device.synchronize()?;
        let bytes = 2.0 * board.plane_bytes() as f64 * f64::from(ROUNDS);
        Ok(bytes / started.elapsed().as_secs_f64())
    }

    /// Solves White's wins of a material, sub-games aside, and measures.
    ///
    /// # Errors
    /// If it does not fit the card.
    pub fn bench(&self, material: Material, metric: Metric) -> Result<Bench, CudaError> {
        let copy_bytes_per_second = self.copy_bandwidth()?;
        let request = Request {
            material,
            metric,
            keep: Keep::Outcomes,
            attackers: Attackers::White,
            opposite_bishops: false,
        };
        for man in material.men() {
            let Some(less) = material.without(man) else { continue };
            self.unit(&Request { material: less, keep: sub_keep(metric), ..request }, Color::White)?;
        }
        self.device.mark_measured(true);
        let (unit, timing) = self.unit(&request, Color::White)?;
        self.device.mark_measured(false);
        // Legal positions, the defender's start, the attacker's captures.
        let init_tiles = 3 * unit.board.tiles() as u64;
        let init = Phase { name: "init", seconds: timing.init.as_secs_f64(), tiles: init_tiles };
        let waves =
            Phase { name: "waves", seconds: timing.waves.as_secs_f64(), tiles: timing.tiles };
        drop(unit);
        self.forget_all();
        Ok(Bench {
            device: self.device_name(),
            material,
            copy_bytes_per_second,
            phases: vec![init, waves],
        })
    }
}
