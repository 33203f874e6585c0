//! The forward pass over finished planes.

use crate::counts::{TALLY_WORDS, Tally};
use crate::device::{Buffer, Kernel};
use crate::layout::Job;
use crate::waves::{TALLIES, WaveSolve};
use crate::{CudaError, Detail};

impl WaveSolve<'_> {
    /// Checks the finished planes of a job, if that is wanted and depths were
    /// kept.
    pub fn check(&self, job: &Job) -> Result<(), CudaError> {
        if !self.extras.check || self.keep != Detail::Depths {
            return Ok(());
        }
        let tally = Buffer::zeroed(self.device, TALLIES * TALLY_WORDS * 8)?;
        let mut job = *job;
        job.tally = tally.address();
        self.device.launch(Kernel::CheckValues, &job)?;
        let words = tally.words::<TALLY_WORDS>()?;
        match Tally::from_words(&words).decided {
            0 => Ok(()),
            failures => {
                let (material, metric) = (self.board.material(), self.metric);
                Err(CudaError::Inconsistent { material, metric, failures })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unit::addresses;
    use crate::waves::{Extras, base_job};
    use crate::{CudaEngine, Request};
    use molien_board::Color;
    use molien_values::Metric;

    /// The forward pass finds a single wrong bit, in an outcome or a depth.
    #[test]
    fn the_check_finds_a_wrong_bit() {
        let Ok(engine) = CudaEngine::emulated() else {
            println!("skipped: no compiler for the emulator");
            return;
        };
        let request = Request::new("KRK".parse().unwrap(), Metric::Dtm);
        let unit = engine.unit(&request, Color::White).unwrap();
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
        };
        let mut job = base_job(unit.layout, &engine.tables, Color::White);
        solve.fill_job(&mut job, &unit, &solve.working(0).unwrap(), 0);
        job.open = unit.open.address();
        job.won = unit.won.as_ref().unwrap().address();
        job.won_depth = addresses(&unit.won_depth);
        job.lost_depth = addresses(&unit.lost_depth);
        assert_eq!(solve.check(&job), Ok(()));
        let planes = [unit.won.as_ref(), unit.lost.as_ref(), unit.won_depth.get(2)];
        for plane in planes.into_iter().flatten() {
            let mut bytes: Vec<u8> = plane.read(unit.board.plane_bytes()).unwrap();
            let first = bytes.iter().position(|&byte| byte != 0).unwrap();
            bytes[first] ^= bytes[first] & bytes[first].wrapping_neg();
            plane.write(&bytes).unwrap();
            let found = solve.check(&job);
            assert!(matches!(found, Err(CudaError::Inconsistent { failures: 1.., .. })));
            bytes[first] = 0xff; // more wrong still
            plane.write(&bytes).unwrap();
            assert!(solve.check(&job).is_err());
        }
    }
}
