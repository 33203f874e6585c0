//! Mate under the 50-move rule, beyond the hundredth ply: the same waves run
//! again, every conversion some plies sooner (docs/dtm50.md).

use molien_values::{MAX_BITS, Metric};

use crate::CudaError;
use crate::counts::put;
use crate::device::{Buffer, Kernel};
use crate::layout::{Board, Job, Late};
use crate::unit::Unit;
use crate::waves::{TALLY_LOST, TALLY_WON, WaveSolve};
use crate::working::Working;

/// Steps of a run between two looks at whether it still decides anything: a
/// look waits for the card, and a step that decides nothing costs little.
const STEPS_A_LOOK: u16 = 8;

/// Planes that a board or a level of boards needs for its runs.
pub(crate) struct LatePlanes {
    open: Buffer,
    candidates: Buffer,
    mates: Buffer,
    wins_due: Buffer,
    holds_due: Buffer,
    run_open: Buffer,
    run_open_live: Buffer,
    run_candidates: Buffer,
    left: Buffer,
}

impl LatePlanes {
    fn addresses(&self) -> Late {
        Late {
            open: self.open.address(),
            candidates: self.candidates.address(),
            mates: self.mates.address(),
            wins_due: self.wins_due.address(),
            holds_due: self.holds_due.address(),
            run_open: self.run_open.address(),
            run_candidates: self.run_candidates.address(),
            left: self.left.address(),
        }
    }

    pub fn fill(&self, job: &mut Job) {
        job.late = self.addresses();
    }
}

impl WaveSolve<'_> {
    /// The plies after which waves under the 50-move rule end.
    pub fn last_ply(&self) -> u16 {
        if self.metric == Metric::Dtm50 { self.rule_plies } else { u16::MAX - 1 }
    }

    /// The planes for late runs, if there may be some.
    pub fn late_planes(&self) -> Result<Option<LatePlanes>, CudaError> {
        if self.metric != Metric::Dtm50 {
            return Ok(None);
        }
        Ok(Some(LatePlanes {
            open: self.plane()?,
            candidates: self.plane()?,
            mates: self.plane()?,
            wins_due: self.dues()?,
            holds_due: self.dues()?,
            run_open: self.plane()?,
            run_open_live: self.flags()?,
            run_candidates: self.plane()?,
            left: Buffer::new(self.device, self.placements() * size_of::<u64>())?,
        }))
    }

    /// Keeps the state before the first wave, if there may be late runs.
    pub fn keep_start(&self, job: &Job, working: &Working) -> Result<(), CudaError> {
        match working.late {
            Some(_) => self.device.launch(Kernel::KeepStart, job),
            None => Ok(()),
        }
    }

    /// Decides what takes longer than the rule allows without a zeroing move,
    /// after the run of 0 was stopped, on the boards around these placements of
    /// the pawns. The run in which all conversions count at the first step says
    /// how much that is, and on which boards; the others need no further run.
    pub fn late_wins(
        &self,
        job: &mut Job,
        unit: &mut Unit,
        working: &mut Working,
        mut level: Vec<u32>,
    ) -> Result<(), CudaError> {
        let Some(late) = working.late.take() else { return Ok(()) };
        unit.record.stopped = true;
        let [last_due] = working.last_due.words::<1>()?;
        let last = (last_due as u16).saturating_sub(1);
        if last > 0 {
            late.left.fill(0)?;
            self.late_run(job, working, &late, last)?;
            self.device.launch(Kernel::CountLate, job)?;
        }
        for sooner in 1..=last {
            let left: Vec<u64> = late.left.read(self.placements())?;
            level.retain(|&place| left[place as usize] > 0);
            if level.is_empty() {
                break;
            }
            let places = Buffer::of(self.device, &level)?;
            (job.level, job.level_count) = (places.address(), level.len() as u64);
            self.late_run(job, working, &late, sooner)?;
            self.take_late(job, unit, working, self.last_ply() + sooner)?;
        }
        working.late = Some(late);
        self.forget_marks(working)
    }

    /// Placements of the pawns; boards without pawns are one.
    fn placements(&self) -> usize {
        let Board { tiles, numbers, .. } = self.layout;
        if self.layout.kings_in_tile() { (tiles / numbers) as usize } else { 1 }
    }

    /// One run, every conversion so many plies sooner, in planes of its own.
    fn late_run(
        &self,
        job: &Job,
        working: &mut Working,
        late: &LatePlanes,
        sooner: u16,
    ) -> Result<(), CudaError> {
        let mut job = Job {
            open: late.run_open.address(),
            open_live: late.run_open_live.address(),
            candidates: late.run_candidates.address(),
            sooner: u32::from(sooner),
            // Nothing is kept of single steps.
            won: 0,
            lost: 0,
            won_depth: [0; MAX_BITS],
            lost_depth: [0; MAX_BITS],
            noted_won: 0,
            noted_lost: 0,
            ..*job
        };
        self.set_lost(&mut job, working);
        self.forget_marks(working)?;
        self.device.launch(Kernel::StartRun, &job)?;
        let [last_due] = working.last_due.words::<1>()?;
        let mut step = 0;
        while step < self.last_ply() {
            if self.progress.cancelled() {
                return Err(CudaError::Cancelled { material: self.board.material() });
            }
            let until = self.last_ply().min(step + STEPS_A_LOOK);
            while step < until {
                step += 1;
                self.late_step(&mut job, working, step)?;
            }
            let tallies = self.tallies(working)?;
            let decided = tallies[TALLY_LOST].decided + tallies[TALLY_WON].decided;
            if decided == 0 && u64::from(step + sooner) >= last_due {
                break;
            }
        }
        Ok(())
    }

    fn late_step(&self, job: &mut Job, working: &mut Working, step: u16) -> Result<(), CudaError> {
        job.ply = u32::from(step);
        self.set_lost(job, working);
        working.lost_live[1].fill(0)?;
        let lists = [Kernel::CountLists, Kernel::AddUpLists, Kernel::WriteLists];
        for kernel in lists.into_iter().chain([Kernel::Defend, Kernel::Attack]) {
            self.device.launch(kernel, job)?;
        }
        working.swap_lost();
        Ok(())
    }

    /// Takes over what the last run has decided first, at this ply.
    fn take_late(
        &self,
        job: &mut Job,
        unit: &mut Unit,
        working: &Working,
        ply: u16,
    ) -> Result<(), CudaError> {
        job.ply = u32::from(ply);
        self.set_depths(job, unit, ply)?;
        self.set_lost(job, working);
        working.lost_live[1].fill(0)?;
        self.device.launch(Kernel::TakeLate, job)?;
        self.look(job, ply, (job.lost_now, job.lost_now_live))?;
        let tallies = self.tallies(working)?;
        let (lost, won) = (tallies[TALLY_LOST], tallies[TALLY_WON]);
        self.take_notes(unit, working, [won.decided, lost.decided])?;
        self.report(ply, &lost);
        self.report(ply, &won);
        put(&mut unit.record.lost, ply, lost);
        put(&mut unit.record.won, ply, won);
        Ok(())
    }

    /// A run that is stopped leaves marks and conversions that are still to fall
    /// due, which a run on other boards must not see.
    fn forget_marks(&self, working: &Working) -> Result<(), CudaError> {
        let [before, now] = &working.lost_live;
        for flags in [before, now, &working.dirty_open, &working.dirty_candidates] {
            flags.fill(0)?;
        }
        for planes in [&working.wins, &working.holds].into_iter().flatten() {
            planes.due.fill(0xff)?;
        }
        Ok(())
    }
}
