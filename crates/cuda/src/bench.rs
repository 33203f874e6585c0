//! How fast the card works, phase by phase.

use std::time::Instant;

use molien_board::{Color, Material};
use molien_hyper::Hyperboard;
use molien_values::Metric;

use crate::device::{Buffer, Kernel};
use crate::layout::Board;
use crate::waves::{Extras, base_job};
use crate::{Attackers, CudaEngine, CudaError, Detail, Planes, Request};

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
    /// Init, lists, and the two halves of the waves.
    pub phases: Vec<Phase>,
    /// In two planes: tiles for which sub-games were looked up.
    pub looked_up_tiles: u64,
    /// In two planes: the most bytes put off at once.
    pub put_off_bytes: u64,
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
    pub fn bench(
        &self,
        material: Material,
        metric: Metric,
        planes: Planes,
    ) -> Result<Bench, CudaError> {
        let copy_bytes_per_second = self.copy_bandwidth()?;
        let keep = if material.len() > 6 { Detail::Counts } else { Detail::Outcomes };
        let attackers = Attackers::White;
        let request =
            Request { material, metric, keep, attackers, opposite_bishops: false, planes };
        let board = Hyperboard::pieces(material);
        let subs = self.subs(&request, &board, Color::White)?;
        self.device.mark_measured(true);
        let (unit, timing) =
            self.timed_unit(&request, Color::White, Extras { measure: true, ..Extras::default() })?;
        self.device.mark_measured(false);
        drop((unit, subs));
        self.forget_all();
        let phase = |name, time: std::time::Duration, tiles| Phase {
            name,
            seconds: time.as_secs_f64(),
            tiles,
        };
        let tiles = board.tiles() as u64;
        let phases = vec![
            // Legal positions, the defender's start, the attacker's captures.
            phase("init", timing.init, 3 * tiles),
            phase("lists", timing.lists, 2 * tiles * u64::from(timing.plies)),
            phase("defend", timing.defend, timing.defend_tiles),
            phase("attack", timing.attack, timing.attack_tiles),
        ];
        let (looked_up_tiles, put_off_bytes) = (timing.looked_up_tiles, timing.put_off_bytes);
        let device = self.device_name();
        Ok(Bench {
            device,
            material,
            copy_bytes_per_second,
            phases,
            looked_up_tiles,
            put_off_bytes,
        })
    }
}
