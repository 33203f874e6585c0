//! The forward pass over finished planes.

use molien_values::MAX_BITS;

use crate::counts::{TALLY_WORDS, Tally};
use crate::device::{Buffer, Kernel};
use crate::layout::{Job, Layer};
use crate::unit::{Unit, addresses};
use crate::waves::{TALLIES, WaveSolve};
use crate::{CudaError, Detail};

/// The planes of a board's values at one clock.
struct ClockLayer {
    open: Buffer,
    won: Buffer,
    lost: Buffer,
    won_depth: Vec<Buffer>,
    lost_depth: Vec<Buffer>,
}

impl ClockLayer {
    fn new(solve: &WaveSolve<'_>, bits: usize) -> Result<ClockLayer, CudaError> {
        let depth = || (0..bits).map(|_| solve.plane()).collect::<Result<Vec<_>, _>>();
        Ok(ClockLayer {
            open: solve.plane()?,
            won: solve.plane()?,
            lost: solve.plane()?,
            won_depth: depth()?,
            lost_depth: depth()?,
        })
    }

    fn addresses(&self) -> Layer {
        Layer {
            open: self.open.address(),
            won: self.won.address(),
            lost: self.lost.address(),
            won_depth: addresses(&self.won_depth),
            lost_depth: addresses(&self.lost_depth),
        }
    }
}

impl WaveSolve<'_> {
    /// Checks the finished planes of a job, if that is wanted and depths were
    /// kept.
    pub fn check(&self, job: &Job, unit: &Unit) -> Result<(), CudaError> {
        if !self.extras.check || self.keep != Detail::Depths {
            return Ok(());
        }
        let tally = Buffer::zeroed(self.device, TALLIES * TALLY_WORDS * 8)?;
        let mut job = *job;
        job.tally = tally.address();
        if unit.record.stopped {
            self.check_clocks(&job, unit)?;
        } else {
            job.ply = u32::from(self.last_ply());
            self.device.launch(Kernel::CheckValues, &job)?;
        }
        let words = tally.words::<TALLY_WORDS>()?;
        match Tally::from_words(&words).decided {
            0 => Ok(()),
            failures => {
                let (material, metric) = (self.board.material(), self.metric);
                Err(CudaError::Inconsistent { material, metric, failures })
            }
        }
    }

    /// Works mate under the 50-move rule out once more, clock by clock from the
    /// full count down to zero, and compares.
    fn check_clocks(&self, job: &Job, unit: &Unit) -> Result<(), CudaError> {
        // One bit more, so that what is too deep is seen to be.
        let bits = (unit.depth_bits() + 1).min(MAX_BITS);
        let layers = [ClockLayer::new(self, bits)?, ClockLayer::new(self, bits)?];
        let layers = layers.each_ref().map(ClockLayer::addresses);
        let mut clock = *job;
        for left in 0..=self.last_ply() {
            if self.progress.cancelled() {
                return Err(CudaError::Cancelled { material: self.board.material() });
            }
            if left > 0 {
                let Layer { open, won, lost, won_depth, lost_depth } = clock.layer;
                clock = Job { open, won, lost, won_depth, lost_depth, ..clock };
            }
            clock.ply = u32::from(left);
            clock.layer = layers[usize::from(left % 2)];
            self.device.launch(Kernel::CheckClock, &clock)?;
        }
        self.device.launch(Kernel::CheckLayer, &Job { layer: clock.layer, ..*job })?;
        self.device.synchronize()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::waves::{Extras, base_job};
    use crate::{CudaEngine, Request};
    use molien_board::Color;
    use molien_values::Metric;

    /// The forward pass finds a single wrong bit, in an outcome or a depth;
    /// under the 50-move rule too, where it stops the waves.
    #[test]
    fn the_check_finds_a_wrong_bit() {
        let Ok(engine) = CudaEngine::emulated() else {
            println!("skipped: no compiler for the emulator");
            return;
        };
        finds_a_wrong_bit(&engine, Metric::Dtm, false);
        finds_a_wrong_bit(&engine.with_rule_plies(8), Metric::Dtm50, true);
    }

    fn finds_a_wrong_bit(engine: &CudaEngine, metric: Metric, stopped: bool) {
        let request = Request::new("KRK".parse().unwrap(), metric);
        let unit = engine.unit(&request, Color::White).unwrap();
        assert_eq!(unit.record.stopped, stopped);
        let subs = engine.subs(&request, &unit.board, Color::White).unwrap();
        let solve = WaveSolve {
            device: &engine.device,
            progress: &*engine.progress,
            tables: &engine.tables,
            board: &unit.board,
            layout: unit.layout,
            attacker: Color::White,
            metric: request.metric,
            rule_plies: engine.rule_plies,
            keep: request.keep,
            planes: request.planes,
            subs,
            bishops: None,
            extras: Extras { check: true, ..Extras::default() },
            beside: Default::default(),
        };
        let mut job = base_job(unit.layout, &engine.tables, Color::White);
        solve.fill_job(&mut job, &unit, &solve.working(0).unwrap(), 0);
        job.open = unit.open.address();
        job.won = unit.won.as_ref().unwrap().address();
        job.won_depth = addresses(&unit.won_depth);
        job.lost_depth = addresses(&unit.lost_depth);
        assert_eq!(solve.check(&job, &unit), Ok(()));
        let planes = [unit.won.as_ref(), unit.lost.as_ref(), unit.won_depth.get(2)];
        for plane in planes.into_iter().flatten() {
            let mut bytes: Vec<u8> = plane.read(unit.board.plane_bytes()).unwrap();
            let first = bytes.iter().position(|&byte| byte != 0).unwrap();
            bytes[first] ^= bytes[first] & bytes[first].wrapping_neg();
            plane.write(&bytes).unwrap();
            let found = solve.check(&job, &unit);
            assert!(matches!(found, Err(CudaError::Inconsistent { failures: 1.., .. })));
            bytes[first] = 0xff; // more wrong still
            plane.write(&bytes).unwrap();
            assert!(solve.check(&job, &unit).is_err());
        }
    }
}
