//! Memory on the card while the waves of a unit run.

use molien_hyper::Tile;
use molien_values::{MAX_BITS, Rule};

use crate::counts::{Record, TALLY_WORDS};
use crate::device::Buffer;
use crate::late::LatePlanes;
use crate::layout::{Job, Release};
use crate::pawn_exits::rule_number;
use crate::two_planes::PutOffRoom;
use crate::unit::{Unit, addresses};
use crate::watch::{Notes, Watch};
use crate::waves::{GROUP_TILES, TALLIES, WaveSolve};
use crate::{CudaError, Detail, Planes};

/// Release planes of one side.
pub(crate) struct ReleasePlanes {
    pub some: Buffer,
    pub bits: Vec<Buffer>,
    pub due: Buffer,
}

/// Buffers that live while the waves run.
pub(crate) struct Working {
    /// In two planes: what is not lost.
    pub candidates: Buffer,
    pub candidates_live: Buffer,
    /// The losses of the last wave and of this one; none in two planes.
    pub lost: Vec<Buffer>,
    pub lost_live: [Buffer; 2],
    pub dirty_open: Buffer,
    pub dirty_candidates: Buffer,
    pub list_open: Buffer,
    pub list_candidates: Buffer,
    pub starts: Buffer,
    pub counts: Buffer,
    pub tally: Buffer,
    pub last_due: Buffer,
    pub wins: Option<ReleasePlanes>,
    pub holds: Option<ReleasePlanes>,
    /// Under the 50-move rule.
    pub late: Option<LatePlanes>,
    pub watch: Option<Watch>,
    pub notes: Option<[Notes; 2]>,
    /// In two planes: by tile, how many stuck positions are held.
    pub held: Option<Buffer>,
    pub put_off: Option<PutOffRoom>,
}

impl Working {
    /// The losses of this wave become those of the last.
    pub fn swap_lost(&mut self) {
        self.lost.reverse();
        self.lost_live.reverse();
    }

    /// Gives up everything but the plane of candidates.
    pub fn into_candidates(self) -> Buffer {
        self.candidates
    }
}

impl WaveSolve<'_> {
    pub fn tiles(&self) -> usize {
        self.layout.tiles as usize
    }

    pub fn plane_bytes(&self) -> usize {
        self.tiles() * size_of::<Tile>()
    }

    pub fn plane(&self) -> Result<Buffer, CudaError> {
        Buffer::new(self.device, self.plane_bytes())
    }

    /// A plane that kernels touch seldom: a bit of the plies of conversions, which are
    /// looked at when one of a tile falls due, or a bit of depths, which are written once.
    /// Where the card has no room it is in the memory of the host.
    pub fn seldom_plane(&self) -> Result<Buffer, CudaError> {
        let beside = || Buffer::beside(self.device, self.plane_bytes());
        if self.beside.is_planned() {
            return beside();
        }
        match self.plane() {
            Err(CudaError::Full { .. }) if self.beside.is_spare() => beside(),
            answer => answer,
        }
    }

    pub fn flags(&self) -> Result<Buffer, CudaError> {
        Buffer::zeroed(self.device, self.tiles().next_multiple_of(GROUP_TILES))
    }

    pub fn list(&self) -> Result<Buffer, CudaError> {
        Buffer::new(self.device, self.tiles().next_multiple_of(GROUP_TILES) * 4)
    }

    pub fn release(&self, bits: usize) -> Result<Option<ReleasePlanes>, CudaError> {
        if bits == 0 {
            return Ok(None);
        }
        let bits = (0..bits).map(|_| self.seldom_plane()).collect::<Result<_, _>>()?;
        Ok(Some(ReleasePlanes { some: self.plane()?, bits, due: self.dues()? }))
    }

    /// By tile, a ply.
    pub fn dues(&self) -> Result<Buffer, CudaError> {
        Buffer::new(self.device, self.tiles().next_multiple_of(GROUP_TILES) * 2)
    }

    /// Bits the plies of conversions can need.
    pub fn release_bits(&self) -> usize {
        match self.metric.conversion_rule() {
            Rule::One => 0,
            Rule::Onward => {
                let deepest = self.subs.iter().map(|sub| sub.depth_bits()).max().unwrap_or(0);
                (deepest + 1).min(MAX_BITS)
            }
            Rule::Fifty => 7,
        }
    }

    pub fn watch(&self) -> Result<Option<Watch>, CudaError> {
        let watched = self.extras.watched;
        let watch = || Watch::new(self.device, self.board, self.attacker, watched);
        (!watched.is_empty()).then(watch).transpose()
    }

    pub fn notes(&self) -> Result<Option<[Notes; 2]>, CudaError> {
        let notes = || Notes::new(self.device);
        self.extras.deepest.then(|| Ok([notes()?, notes()?])).transpose()
    }

    pub fn working(&self, bits: usize) -> Result<Working, CudaError> {
        let in_two = self.planes == Planes::Two;
        let lost = if in_two { Vec::new() } else { vec![self.plane()?, self.plane()?] };
        let held = || Buffer::zeroed(self.device, self.tiles() * size_of::<u16>());
        let mut working = Working {
            candidates: self.plane()?,
            candidates_live: self.flags()?,
            lost,
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
            late: self.late_planes()?,
            watch: self.watch()?,
            notes: self.notes()?,
            held: in_two.then(held).transpose()?,
            put_off: None,
        };
        if in_two {
            // Last, since it takes what is left.
            working.put_off =
                Some(PutOffRoom::new(self.device, self.tiles(), self.extras.put_off_bytes)?);
        }
        Ok(working)
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
            has_depths: self.keep == Detail::Depths,
        })
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
        job.held = working.held.as_ref().map_or(0, Buffer::address);
        let release = |planes: &Option<ReleasePlanes>| {
            planes.as_ref().map_or(Release::default(), |planes| Release {
                some: planes.some.address(),
                bits: addresses(&planes.bits),
                due: planes.due.address(),
            })
        };
        job.wins = release(&working.wins);
        job.holds = release(&working.holds);
        if let Some(late) = &working.late {
            late.fill(job);
        }
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

    pub fn set_lost(&self, job: &mut Job, working: &Working) {
        let lost = |i: usize| working.lost.get(i).map_or(0, Buffer::address);
        job.lost_before = lost(0);
        job.lost_before_live = working.lost_live[0].address();
        job.lost_now = lost(1);
        job.lost_now_live = working.lost_live[1].address();
    }

    pub fn set_depths(&self, job: &mut Job, unit: &mut Unit, ply: u16) -> Result<(), CudaError> {
        if self.keep != Detail::Depths {
            return Ok(());
        }
        for planes in [&mut unit.won_depth, &mut unit.lost_depth] {
            let bits = (u16::BITS - ply.leading_zeros()) as usize;
            while planes.len() < bits {
                let plane = self.seldom_plane()?;
                plane.fill(0)?;
                planes.push(plane);
            }
        }
        job.won_depth = addresses(&unit.won_depth);
        job.lost_depth = addresses(&unit.lost_depth);
        Ok(())
    }
}
