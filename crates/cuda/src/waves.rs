//! The waves of one unit, driven from the host.

use std::sync::Arc;
use std::time::{Duration, Instant};

use molien_board::{Color, Position};
use molien_hyper::Hyperboard;
use molien_solve::{Progress, WaveReport};
use molien_values::Metric;

use crate::beside::Beside;
use crate::counts::{TALLY_WORDS, Tally, put};
use crate::device::{Buffer, Device, Kernel};
use crate::layout::{Board, Job};
use crate::unit::Unit;
use crate::working::Working;
use crate::{CudaError, Detail, Planes};

/// Tallies a launch can write.
pub(crate) const TALLIES: usize = 8;
/// Places of the tallies, as in `kernels/waves.cu`.
pub(crate) const TALLY_LOST: usize = 0;
pub(crate) const TALLY_WON: usize = 1;
pub(crate) const TALLY_LOST_NEXT: usize = 2;
const TALLY_HELD: usize = 3;
/// Tiles of a group when lists are made, as in `kernels/waves.cu`.
pub(crate) const GROUP_TILES: usize = 512;

/// What solving a unit needs.
pub(crate) struct WaveSolve<'a> {
    pub device: &'a Arc<dyn Device>,
    pub progress: &'a dyn Progress,
    pub tables: &'a Buffer,
    pub board: &'a Hyperboard,
    pub layout: Board,
    pub attacker: Color,
    pub metric: Metric,
    /// In [`Metric::Dtm50`], the plies without a zeroing move after which the
    /// game is drawn.
    pub rule_plies: u16,
    pub keep: Detail,
    pub planes: Planes,
    /// The unit without the i-th piece.
    pub subs: Vec<Arc<Unit>>,
    /// Count only placements with these two bishops on both colours.
    pub bishops: Option<[i32; 2]>,
    pub extras: Extras<'a>,
    /// Which planes are in the memory of the host.
    pub beside: Beside,
}

/// What is wanted of a solve besides its planes and counts.
#[derive(Clone, Copy, Default)]
pub(crate) struct Extras<'a> {
    /// Wait after every launch, to time the phases.
    pub measure: bool,
    /// Positions whose depth is wanted.
    pub watched: &'a [Position],
    /// Note the positions of the deepest waves.
    pub deepest: bool,
    /// Check every value by a forward pass; where depths are kept only.
    pub check: bool,
    /// It was checked when it was first solved.
    pub checked_before: bool,
    /// In two planes: bytes for what is put off, if not all that is free.
    pub put_off_bytes: Option<usize>,
}

/// Where the later plies go on: the last ply done, and what it decided.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start {
    pub lost: u64,
    pub won: u64,
    pub ply: u16,
}

/// Why the waves ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    /// No later one would decide anything.
    Nothing,
    /// The 50-move rule stopped them.
    Stopped,
}

/// How long the parts of a solve took.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Timing {
    pub init: Duration,
    /// Making the lists of tiles; only where measured.
    pub lists: Duration,
    pub defend: Duration,
    pub attack: Duration,
    /// Tiles looked at by the two halves of the waves.
    pub defend_tiles: u64,
    pub attack_tiles: u64,
    pub plies: u16,
    /// In two planes: tiles for which sub-games were looked up.
    pub looked_up_tiles: u64,
    /// In two planes: the most bytes put off at once.
    pub put_off_bytes: u64,
}

/// Starts a job: what every launch for a unit shares.
pub(crate) fn base_job(board: Board, tables: &Buffer, attacker: Color) -> Job {
    Job {
        board,
        tables: tables.address(),
        attacker: attacker.index() as u32,
        bishops: [-1; 2],
        ..Job::default()
    }
}

impl WaveSolve<'_> {
    /// Solves the unit.
    pub fn run(&self) -> Result<(Unit, Timing), CudaError> {
        let started = Instant::now();
        let mut unit = self.empty_unit()?;
        let mut job = base_job(unit.layout, self.tables, self.attacker);
        job.bishops = self.bishops.unwrap_or([-1; 2]);
        job.open = unit.open.address();
        job.open_live = unit.open_live.address();
        self.device.launch(Kernel::InitOpen, &job)?;
        if Unit::is_bare(self.board.material(), self.attacker) {
            self.device.synchronize()?;
            unit.record.watched = vec![None; self.extras.watched.len()];
            return Ok((unit, Timing::default()));
        }
        let in_two = self.planes == Planes::Two;
        if self.keep != Detail::Counts && !in_two {
            unit.lost = Some(Buffer::zeroed(self.device, self.plane_bytes())?);
        }
        let bits = self.release_bits();
        let mut working = self.working(bits)?;
        self.fill_job(&mut job, &unit, &working, bits);
        let mut timing = Timing::default();
        let start = match working.put_off.take() {
            None => self.first_plies(&mut job, &mut unit, &mut working, bits)?,
            Some(room) => {
                let timing = &mut timing;
                let start =
                    self.first_plies_in_two(&mut job, &mut unit, &mut working, &room, timing)?;
                working.put_off = Some(room);
                start
            }
        };
        timing.init = started.elapsed();
        if self.later_plies(&mut job, &mut unit, &mut working, start, &mut timing)? == End::Stopped
        {
            self.late_wins(&mut job, &mut unit, &mut working, vec![0])?;
        }
        if let Some(watch) = &working.watch {
            unit.record.watched = watch.plies()?;
        }
        let unlost = working.into_candidates();
        if in_two {
            self.finish_two(&mut job, &mut unit, unlost)?;
        }
        if self.keep != Detail::Counts {
            let won = self.plane()?;
            job.won = won.address();
            self.device.launch(Kernel::FinishWon, &job)?;
            unit.won = Some(won);
        }
        self.check(&job, &unit)?;
        self.device.synchronize()?;
        Ok((unit, timing))
    }

    /// Looks at the watched positions, given where the losses of a ply are.
    pub fn look(&self, job: &Job, ply: u16, lost: (u64, u64)) -> Result<(), CudaError> {
        if job.watched_count == 0 {
            return Ok(());
        }
        let mut job = *job;
        job.ply = u32::from(ply);
        (job.lost_now, job.lost_now_live) = lost;
        self.device.launch(Kernel::Watch, &job)
    }

    /// Takes what a wave has noted, if it decided anything.
    pub fn take_notes(
        &self,
        unit: &mut Unit,
        working: &Working,
        [won, lost]: [u64; 2],
    ) -> Result<(), CudaError> {
        let Some([won_notes, lost_notes]) = &working.notes else { return Ok(()) };
        if won > 0 {
            unit.record.deepest_won = won_notes.take(won)?;
        }
        if lost > 0 {
            unit.record.deepest_lost = lost_notes.take(lost)?;
        }
        Ok(())
    }

    pub fn tallies(&self, working: &Working) -> Result<[Tally; 4], CudaError> {
        let words = working.tally.words::<{ 4 * TALLY_WORDS }>()?;
        working.tally.fill(0)?;
        Ok(std::array::from_fn(|i| Tally::from_words(&words[i * TALLY_WORDS..])))
    }

    pub fn report(&self, ply: u16, tally: &Tally) {
        if tally.decided > 0 {
            self.progress.wave(&WaveReport {
                material: self.board.material(),
                metric: self.metric,
                attacker: self.attacker,
                ply,
                decided: tally.decided,
                tiles: tally.tiles,
                signature: None,
            });
        }
    }

    /// Ply 0, and where every conversion counts 1 also ply 1.
    fn first_plies(
        &self,
        job: &mut Job,
        unit: &mut Unit,
        working: &mut Working,
        bits: usize,
    ) -> Result<Start, CudaError> {
        let record = |unit: &mut Unit, ply: u16, lost: Tally, won: Tally| {
            self.report(ply, &lost);
            self.report(ply, &won);
            put(&mut unit.record.lost, ply, lost);
            put(&mut unit.record.won, ply, won);
        };
        if bits > 0 {
            self.device.launch(Kernel::InitWinsGraded, job)?;
            self.device.launch(Kernel::InitDefenceGraded, job)?;
            self.look(job, 0, (job.lost_before, job.lost_before_live))?;
            let tallies = self.tallies(working)?;
            record(unit, 0, tallies[TALLY_LOST], Tally::default());
            self.keep_start(job, working)?;
            return Ok(Start { lost: tallies[TALLY_LOST].decided, won: 0, ply: 0 });
        }
        self.set_depths(job, unit, 1)?;
        self.device.launch(Kernel::InitDefenceOne, job)?;
        self.look(job, 0, (job.lost_before, job.lost_before_live))?;
        job.ply = 1;
        self.device.launch(Kernel::AttackFirst, job)?;
        self.look(job, 1, (job.lost_now, job.lost_now_live))?;
        let tallies = self.tallies(working)?;
        self.take_notes(unit, working, [tallies[TALLY_WON].decided, 0])?;
        record(unit, 0, tallies[TALLY_LOST], Tally::default());
        record(unit, 1, tallies[TALLY_LOST_NEXT], tallies[TALLY_WON]);
        working.swap_lost();
        let decided = |tally: usize| tallies[tally].decided;
        Ok(Start { lost: decided(TALLY_LOST_NEXT), won: decided(TALLY_WON), ply: 1 })
    }

    /// Launches a kernel and, where phases are measured, waits for it.
    pub fn timed(&self, kernel: Kernel, job: &Job, spent: &mut Duration) -> Result<(), CudaError> {
        let started = Instant::now();
        self.device.launch(kernel, job)?;
        if self.extras.measure {
            self.device.synchronize()?;
            *spent += started.elapsed();
        }
        Ok(())
    }

    /// Both halves of a ply, given what the one before decided.
    fn halves(
        &self,
        job: &Job,
        [lost, won]: [u64; 2],
        timing: &mut Timing,
    ) -> Result<(), CudaError> {
        let graded = job.release_bits > 0;
        if won > 0 || graded {
            self.timed(Kernel::Defend, job, &mut timing.defend)?;
        }
        if lost > 0 || graded {
            self.timed(Kernel::Attack, job, &mut timing.attack)?;
        }
        Ok(())
    }

    /// All later plies, as far as they go.
    pub fn later_plies(
        &self,
        job: &mut Job,
        unit: &mut Unit,
        working: &mut Working,
        Start { mut lost, mut won, mut ply }: Start,
        timing: &mut Timing,
    ) -> Result<End, CudaError> {
        let [last_due] = working.last_due.words::<1>()?;
        while lost > 0 || won > 0 || u64::from(ply) < last_due {
            if ply == self.last_ply() {
                return Ok(End::Stopped);
            }
            if self.progress.cancelled() {
                return Err(CudaError::Cancelled { material: self.board.material() });
            }
            ply += 1;
            job.ply = u32::from(ply);
            self.set_depths(job, unit, ply)?;
            self.set_lost(job, working);
            working.lost_live[1].fill(0)?;
            for kernel in [Kernel::CountLists, Kernel::AddUpLists, Kernel::WriteLists] {
                self.timed(kernel, job, &mut timing.lists)?;
            }
            match &working.put_off {
                None => self.halves(job, [lost, won], timing)?,
                Some(room) => self.halves_in_two(job, room, [lost, won], timing)?,
            }
            self.look(job, ply, (job.lost_now, job.lost_now_live))?;
            timing.plies = ply;
            let tallies = self.tallies(working)?;
            (lost, won) = (tallies[TALLY_LOST].decided, tallies[TALLY_WON].decided);
            timing.defend_tiles += tallies[TALLY_LOST].tiles;
            timing.attack_tiles += tallies[TALLY_WON].tiles;
            timing.looked_up_tiles += tallies[TALLY_HELD].tiles;
            self.take_notes(unit, working, [won, lost])?;
            self.report(ply, &tallies[TALLY_LOST]);
            self.report(ply, &tallies[TALLY_WON]);
            put(&mut unit.record.lost, ply, tallies[TALLY_LOST]);
            put(&mut unit.record.won, ply, tallies[TALLY_WON]);
            working.swap_lost();
        }
        Ok(End::Nothing)
    }
}
