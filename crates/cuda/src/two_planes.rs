//! The waves in two planes; `kernels/two.cu` says how and why.

use std::sync::Arc;

use molien_hyper::Tile;

use crate::CudaError;
use crate::counts::{Tally, put};
use crate::device::{Buffer, Device, Kernel};
use crate::layout::{Job, PutOff, PutOffTile};
use crate::unit::Unit;
use crate::waves::{Start, TALLY_LOST, TALLY_LOST_NEXT, TALLY_WON, Timing, WaveSolve};
use crate::working::Working;

/// Bytes of the blocks that hold what is put off, as in the kernels.
const BLOCK_BYTES: usize = 16;
/// Bytes that a tile may take, with its number, where there is too little room
/// for all of them as rows.
const USUAL_BYTES: usize = 56;
/// Beyond the last block: 32 bytes are read at a time.
const SLACK_BYTES: usize = 32;
/// Memory of the card that others need: kernels, stacks, lists of positions.
const RESERVE_BYTES: u64 = 2 << 30;

/// Room for what is decided but cannot be taken off its plane yet.
pub(crate) struct PutOffRoom {
    /// Tiles and blocks used, and whether there was too little room.
    used: Buffer,
    tiles: Buffer,
    blocks: Buffer,
    most_tiles: usize,
    most_blocks: usize,
}

impl PutOffRoom {
    /// Takes what is free on the card, up to what a board of so many tiles can
    /// need and to a limit, if there is one; if somebody else was faster, less.
    pub fn new(
        device: &Arc<dyn Device>,
        tiles: usize,
        limit_bytes: Option<usize>,
    ) -> Result<PutOffRoom, CudaError> {
        let most = tiles * (size_of::<PutOffTile>() + size_of::<Tile>());
        let free = device.memory()?.0;
        let spare = free - RESERVE_BYTES.min(free / 4);
        let spare = usize::try_from(spare).unwrap_or(usize::MAX);
        let mut bytes = spare.min(most).min(limit_bytes.unwrap_or(usize::MAX));
        loop {
            match PutOffRoom::with_bytes(device, tiles, bytes) {
                Err(CudaError::Full { .. }) if bytes > most / 64 => bytes -= bytes / 4,
                answer => return answer,
            }
        }
    }

    fn with_bytes(
        device: &Arc<dyn Device>,
        tiles: usize,
        bytes: usize,
    ) -> Result<PutOffRoom, CudaError> {
        let most_tiles = tiles.min(bytes / USUAL_BYTES);
        // The kernels know blocks by 32 bits.
        let left = bytes - most_tiles * size_of::<PutOffTile>();
        let most_blocks = (left / BLOCK_BYTES).min(u32::MAX as usize);
        Ok(PutOffRoom {
            used: Buffer::zeroed(device, 3 * 8)?,
            tiles: Buffer::new(device, most_tiles * size_of::<PutOffTile>())?,
            blocks: Buffer::new(device, most_blocks * BLOCK_BYTES + SLACK_BYTES)?,
            most_tiles,
            most_blocks,
        })
    }

    fn fill(&self, job: &mut Job) {
        job.put_off = PutOff {
            used: self.used.address(),
            tiles: self.tiles.address(),
            blocks: self.blocks.address(),
            most_tiles: self.most_tiles as u64,
            most_blocks: self.most_blocks as u64,
            wanted: 0,
            from_open: 0,
        };
    }
}

/// Which half of a ply.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Half {
    Defender,
    Attacker,
}

/// The half of a ply that is put off: the one that only conversions forced on
/// the loser set in motion.
fn put_off_half(ply: u16) -> Half {
    if ply % 2 == 1 { Half::Defender } else { Half::Attacker }
}

impl WaveSolve<'_> {
    /// Ply 0 and ply 1.
    pub fn first_plies_in_two(
        &self,
        job: &mut Job,
        unit: &mut Unit,
        working: &mut Working,
        room: &PutOffRoom,
        timing: &mut Timing,
    ) -> Result<Start, CudaError> {
        room.fill(job);
        self.set_depths(job, unit, 1)?;
        job.ply = 1;
        job.put_off.wanted = 1;
        self.device.launch(Kernel::TwoStart, job)?;
        self.look(job, 0, (0, 0))?;
        job.put_off.wanted = 0;
        self.device.launch(Kernel::TwoFirst, job)?;
        self.take_off(job, room, timing)?;
        self.look(job, 1, (0, 0))?;
        let tallies = self.tallies(working)?;
        let [mated, won, forced] = [TALLY_LOST, TALLY_WON, TALLY_LOST_NEXT].map(|i| tallies[i]);
        self.take_notes(unit, working, [won.decided, forced.decided])?;
        for (ply, lost, won) in [(0, mated, Tally::default()), (1, forced, won)] {
            self.report(ply, &lost);
            self.report(ply, &won);
            put(&mut unit.record.lost, ply, lost);
            put(&mut unit.record.won, ply, won);
        }
        working.swap_lost();
        Ok(Start { lost: forced.decided, won: won.decided, ply: 1 })
    }

    /// Both halves of a later ply, given what the one before decided.
    pub fn halves_in_two(
        &self,
        job: &mut Job,
        room: &PutOffRoom,
        [lost, won]: [u64; 2],
        timing: &mut Timing,
    ) -> Result<(), CudaError> {
        let off = put_off_half(job.ply as u16);
        job.put_off.from_open = u32::from(off == Half::Attacker);
        // Who is put off comes first: the other changes the plane it reads.
        let other = if off == Half::Defender { Half::Attacker } else { Half::Defender };
        for half in [off, other] {
            job.put_off.wanted = u32::from(half == off);
            match half {
                Half::Defender if won > 0 => {
                    self.timed(Kernel::TwoDefend, job, &mut timing.defend)?;
                }
                Half::Attacker if lost > 0 => {
                    self.timed(Kernel::TwoAttack, job, &mut timing.attack)?;
                }
                _ => {}
            }
        }
        self.take_off(job, room, timing)
    }

    /// Takes what was put off from its plane.
    fn take_off(&self, job: &Job, room: &PutOffRoom, timing: &mut Timing) -> Result<(), CudaError> {
        let [tiles, blocks, full] = room.used.words::<3>()?;
        let bytes = tiles * size_of::<PutOffTile>() as u64 + blocks * BLOCK_BYTES as u64;
        timing.put_off_bytes = timing.put_off_bytes.max(bytes);
        if full != 0 {
            let room_bytes =
                room.most_tiles * size_of::<PutOffTile>() + room.most_blocks * BLOCK_BYTES;
            return Err(CudaError::PutOff {
                material: self.board.material(),
                needed_mib: bytes.div_ceil(1 << 20),
                room_mib: room_bytes as u64 >> 20,
            });
        }
        if tiles > 0 {
            self.device.launch(Kernel::TakeOff, job)?;
            room.used.fill(0)?;
        }
        Ok(())
    }

    /// Gives the unit its plane of losses, which is what is not unlost.
    pub fn finish_two(
        &self,
        job: &mut Job,
        unit: &mut Unit,
        unlost: Buffer,
    ) -> Result<(), CudaError> {
        self.device.launch(Kernel::TwoFinish, job)?;
        job.lost = unlost.address();
        unit.lost = Some(unlost);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use molien_board::Color;
    use molien_values::Metric;

    use crate::waves::Extras;
    use crate::{CudaEngine, CudaError, Planes, Request};

    /// With too little room a solve stops and says so; with just enough it does
    /// not.
    #[test]
    fn too_little_room_is_an_error() {
        let engine = match CudaEngine::emulated() {
            Ok(engine) => engine,
            Err(error) => return println!("skipped: {error}"),
        };
        let material = "KQQK".parse().unwrap();
        let request = Request { planes: Planes::Two, ..Request::new(material, Metric::Dtc) };
        let solve = |put_off_bytes| {
            let extras = Extras { put_off_bytes, deepest: true, ..Extras::default() };
            engine.timed_unit(&request, Color::White, extras).map(|(_, timing)| timing)
        };
        let needed = solve(None).unwrap().put_off_bytes as usize;
        assert!(needed > 100, "{needed}");
        assert!(matches!(solve(Some(needed / 2)), Err(CudaError::PutOff { .. })));
        assert_eq!(solve(Some(8 * needed)).unwrap().put_off_bytes as usize, needed);
    }
}
