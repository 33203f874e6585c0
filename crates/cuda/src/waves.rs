//! The waves of one unit, driven from the host.

use std::sync::Arc;
use std::time::{Duration, Instant};

use molien_board::{Color, Position};
use molien_hyper::{Hyperboard, Tile};
use molien_operators::{MAX_BITS, Rule};
use molien_solve::{Metric, Progress, WaveReport};

use crate::counts::{Record, TALLY_WORDS, Tally, put};
use crate::device::{Buffer, Device, Kernel};
use crate::layout::{Board, Job, Release};
use crate::pawn_exits::rule_number;
use crate::unit::{Unit, addresses, grow_depths};
use crate::watch::{Notes, Watch};
use crate::{CudaError, Keep};

/// Tallies a launch can write.
const TALLIES: usize = 8;
/// Places of the tallies, as in `kernels/waves.cu`.
pub(crate) const TALLY_LOST: usize = 0;
const TALLY_WON: usize = 1;
const TALLY_LOST_NEXT: usize = 2;
/// Tiles of a group when lists are made, as in `kernels/waves.cu`.
const GROUP_TILES: usize = 512;

/// What solving a unit needs.
pub(crate) struct WaveSolve<'a> {
    pub device: &'a Arc<dyn Device>,
    pub progress: &'a dyn Progress,
    pub tables: &'a Buffer,
    pub board: &'a Hyperboard,
    pub layout: Board,
    pub attacker: Color,
    pub metric: Metric,
    pub keep: Keep,
    /// The unit without the i-th piece.
    pub subs: Vec<Arc<Unit>>,
    /// Count only placements with these two bishops on both colours.
    pub bishops: Option<[i32; 2]>,
    pub extras: Extras<'a>,
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
}

/// Release planes of one side.
pub(crate) struct ReleasePlanes {
    pub some: Buffer,
    pub bits: Vec<Buffer>,
    pub due: Buffer,
}

/// Buffers that live while the waves run.
pub(crate) struct Working {
    candidates: Buffer,
    candidates_live: Buffer,
    lost: [Buffer; 2],
    lost_live: [Buffer; 2],
    dirty_open: Buffer,
    dirty_candidates: Buffer,
    list_open: Buffer,
    list_candidates: Buffer,
    starts: Buffer,
    counts: Buffer,
    tally: Buffer,
    pub last_due: Buffer,
    pub wins: Option<ReleasePlanes>,
    pub holds: Option<ReleasePlanes>,
    watch: Option<Watch>,
    notes: Option<[Notes; 2]>,
}

/// Where the later plies go on: the last ply done, and what it decided.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start {
    pub lost: u64,
    pub won: u64,
    pub ply: u16,
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
    fn tiles(&self) -> usize {
        self.layout.tiles as usize
    }

    pub fn plane_bytes(&self) -> usize {
        self.tiles() * size_of::<Tile>()
    }

    pub fn plane(&self) -> Result<Buffer, CudaError> {
        Buffer::new(self.device, self.plane_bytes())
    }

    fn flags(&self) -> Result<Buffer, CudaError> {
        Buffer::zeroed(self.device, self.tiles().next_multiple_of(GROUP_TILES))
    }

    fn list(&self) -> Result<Buffer, CudaError> {
        Buffer::new(self.device, self.tiles().next_multiple_of(GROUP_TILES) * 4)
    }

    fn release(&self, bits: usize) -> Result<Option<ReleasePlanes>, CudaError> {
        if bits == 0 {
            return Ok(None);
        }
        let bits = (0..bits).map(|_| self.plane()).collect::<Result<_, _>>()?;
        let due = Buffer::new(self.device, self.tiles().next_multiple_of(GROUP_TILES) * 2)?;
        Ok(Some(ReleasePlanes { some: self.plane()?, bits, due }))
    }

    /// Bits the plies of conversions can need.
    fn release_bits(&self) -> usize {
        match self.metric.conversion_rule() {
            Rule::One => 0,
            Rule::Onward => {
                let deepest = self.subs.iter().map(|sub| sub.depth_bits()).max().unwrap_or(0);
                (deepest + 1).min(MAX_BITS)
            }
            Rule::Fifty => 7,
        }
    }

    fn watch(&self) -> Result<Option<Watch>, CudaError> {
        let watched = self.extras.watched;
        let watch = || Watch::new(self.device, self.board, self.attacker, watched);
        (!watched.is_empty()).then(watch).transpose()
    }

    fn notes(&self) -> Result<Option<[Notes; 2]>, CudaError> {
        let notes = || Notes::new(self.device);
        self.extras.deepest.then(|| Ok([notes()?, notes()?])).transpose()
    }

    pub fn working(&self, bits: usize) -> Result<Working, CudaError> {
        Ok(Working {
            candidates: self.plane()?,
            candidates_live: self.flags()?,
            lost: [self.plane()?, self.plane()?],
            lost_live: [self.flags()?, self.flags()?],
            dirty_open: self.flags()?,
            dirty_candidates: self.flags()?,
            list_open: self.list()?,
            list_candidates: self.list()?,
            starts: Buffer::new(self.device, self.tiles().div_ceil(GROUP_TILES) * 8)?,
            counts: Buffer::zeroed(self.device, 8)?,
            tally: Buffer::zeroed(self.device, TALLIES * TALLY_WORDS * 8)?,
            last_due: Buffer::zeroed(self.device, 8)?,
            wins: self.release(bits)?,
            holds: self.release(bits)?,
            watch: self.watch()?,
            notes: self.notes()?,
        })
    }

    pub fn empty_unit(&self) -> Result<Unit, CudaError> {
        Ok(Unit {
            board: self.board.clone(),
            places: None,
            place_list: None,
            layout: self.layout,
            open: self.plane()?,
            open_live: self.flags()?,
            won: None,
            lost: None,
            stalemate: None,
            won_depth: Vec::new(),
            lost_depth: Vec::new(),
            record: Record::default(),
            has_depths: self.keep == Keep::Depths,
        })
    }

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
        if self.keep != Keep::Counts {
            unit.lost = Some(Buffer::zeroed(self.device, self.plane_bytes())?);
        }
        let bits = self.release_bits();
        let mut working = self.working(bits)?;
        self.fill_job(&mut job, &unit, &working, bits);
        let mut timing = Timing::default();
        let start = self.first_plies(&mut job, &mut unit, &mut working, bits)?;
        timing.init = started.elapsed();
        self.later_plies(&mut job, &mut unit, &mut working, start, &mut timing)?;
        if let Some(watch) = &working.watch {
            unit.record.watched = watch.plies()?;
        }
        drop(working);
        if self.keep != Keep::Counts {
            let won = self.plane()?;
            job.won = won.address();
            self.device.launch(Kernel::FinishWon, &job)?;
            unit.won = Some(won);
        }
        self.check(&job)?;
        self.device.synchronize()?;
        Ok((unit, timing))
    }

    pub fn fill_job(&self, job: &mut Job, unit: &Unit, working: &Working, bits: usize) {
        for (i, sub) in self.subs.iter().enumerate() {
            job.subs[i] = sub.as_sub();
        }
        job.rule = u32::from(rule_number(self.metric.conversion_rule()));
        job.release_bits = bits as u32;
        job.candidates = working.candidates.address();
        job.candidates_live = working.candidates_live.address();
        job.dirty_open = working.dirty_open.address();
        job.dirty_candidates = working.dirty_candidates.address();
        job.list_open = working.list_open.address();
        job.list_candidates = working.list_candidates.address();
        job.starts = working.starts.address();
        job.counts = working.counts.address();
        job.tally = working.tally.address();
        job.last_due = working.last_due.address();
        let release = |planes: &Option<ReleasePlanes>| {
            planes.as_ref().map_or(Release::default(), |planes| Release {
                some: planes.some.address(),
                bits: addresses(&planes.bits),
                due: planes.due.address(),
            })
        };
        job.wins = release(&working.wins);
        job.holds = release(&working.holds);
        job.lost = unit.lost.as_ref().map_or(0, Buffer::address);
        if let Some(watch) = &working.watch {
            watch.fill(job);
        }
        if let Some([won, lost]) = &working.notes {
            job.noted_won = won.address();
            job.noted_lost = lost.address();
        }
        self.set_lost(job, working);
    }

    /// Looks at the watched positions, given where the losses of a ply are.
    fn look(&self, job: &Job, ply: u16, lost: (u64, u64)) -> Result<(), CudaError> {
        if job.watched_count == 0 {
            return Ok(());
        }
        let mut job = *job;
        job.ply = u32::from(ply);
        (job.lost_now, job.lost_now_live) = lost;
        self.device.launch(Kernel::Watch, &job)
    }

    /// Takes what a wave has noted, if it decided anything.
    fn take_notes(
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

    pub fn set_lost(&self, job: &mut Job, working: &Working) {
        job.lost_before = working.lost[0].address();
        job.lost_before_live = working.lost_live[0].address();
        job.lost_now = working.lost[1].address();
        job.lost_now_live = working.lost_live[1].address();
    }

    fn set_depths(&self, job: &mut Job, unit: &mut Unit, ply: u16) -> Result<(), CudaError> {
        if self.keep != Keep::Depths {
            return Ok(());
        }
        let bytes = self.plane_bytes();
        grow_depths(self.device, &mut unit.won_depth, ply, bytes)?;
        grow_depths(self.device, &mut unit.lost_depth, ply, bytes)?;
        job.won_depth = addresses(&unit.won_depth);
        job.lost_depth = addresses(&unit.lost_depth);
        Ok(())
    }

    pub fn tallies(&self, working: &Working) -> Result<[Tally; 3], CudaError> {
        let words = working.tally.words::<{ 3 * TALLY_WORDS }>()?;
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
        working.lost.swap(0, 1);
        working.lost_live.swap(0, 1);
        let decided = |tally: usize| tallies[tally].decided;
        Ok(Start { lost: decided(TALLY_LOST_NEXT), won: decided(TALLY_WON), ply: 1 })
    }

    /// Checks the finished planes of a job, if that is wanted and depths were
    /// kept.
    pub fn check(&self, job: &Job) -> Result<(), CudaError> {
        if !self.extras.check || self.keep != Keep::Depths {
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

    /// Launches a kernel and, where phases are measured, waits for it.
    fn timed(&self, kernel: Kernel, job: &Job, spent: &mut Duration) -> Result<(), CudaError> {
        let started = Instant::now();
        self.device.launch(kernel, job)?;
        if self.extras.measure {
            self.device.synchronize()?;
            *spent += started.elapsed();
        }
        Ok(())
    }

    pub fn later_plies(
        &self,
        job: &mut Job,
        unit: &mut Unit,
        working: &mut Working,
        Start { mut lost, mut won, mut ply }: Start,
        timing: &mut Timing,
    ) -> Result<(), CudaError> {
        let [last_due] = working.last_due.words::<1>()?;
        let graded = job.release_bits > 0;
        while lost > 0 || won > 0 || u64::from(ply) < last_due {
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
            if won > 0 || graded {
                self.timed(Kernel::Defend, job, &mut timing.defend)?;
            }
            if lost > 0 || graded {
                self.timed(Kernel::Attack, job, &mut timing.attack)?;
            }
            self.look(job, ply, (job.lost_now, job.lost_now_live))?;
            timing.plies = ply;
            let tallies = self.tallies(working)?;
            (lost, won) = (tallies[TALLY_LOST].decided, tallies[TALLY_WON].decided);
            timing.defend_tiles += tallies[TALLY_LOST].tiles;
            timing.attack_tiles += tallies[TALLY_WON].tiles;
            self.take_notes(unit, working, [won, lost])?;
            self.report(ply, &tallies[TALLY_LOST]);
            self.report(ply, &tallies[TALLY_WON]);
            put(&mut unit.record.lost, ply, tallies[TALLY_LOST]);
            put(&mut unit.record.won, ply, tallies[TALLY_WON]);
            working.lost.swap(0, 1);
            working.lost_live.swap(0, 1);
        }
        Ok(())
    }
}

#[cfg(all(test, feature = "emulator"))]
mod tests {
    use super::*;
    use crate::{CudaEngine, Request};

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
            keep: request.keep,
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
            let mut bytes = vec![0; unit.board.plane_bytes()];
            plane.download(&mut bytes).unwrap();
            let first = bytes.iter().position(|&byte| byte != 0).unwrap();
            bytes[first] ^= bytes[first] & bytes[first].wrapping_neg();
            plane.upload(&bytes).unwrap();
            let found = solve.check(&job);
            assert!(matches!(found, Err(CudaError::Inconsistent { failures: 1.., .. })));
            bytes[first] = 0xff; // more wrong still
            plane.upload(&bytes).unwrap();
            assert!(solve.check(&job).is_err());
        }
    }
}
