//! Counts that need the finished planes of both attackers.

use std::sync::Arc;

use molien_board::Color;
use molien_values::Stats;

use crate::assemble::{FINAL_TALLIES, add_final_counts};
use crate::counts::TALLY_WORDS;
use crate::device::{Buffer, Kernel};
use crate::layout::bishop_pair;
use crate::unit::Unit;
use crate::waves::base_job;
use crate::{CudaEngine, CudaError, Request};

impl CudaEngine {
    /// Legal positions and zugzwangs.
    pub(crate) fn final_counts(
        &self,
        request: &Request,
        units: &[Arc<Unit>],
        stats: &mut Stats,
    ) -> Result<(), CudaError> {
        let white = &units[0];
        let address = |plane: Option<&Buffer>| plane.map_or(0, Buffer::address);
        let mut job = base_job(white.layout, &self.tables, Color::White);
        let pair = if request.opposite_bishops { bishop_pair(&white.board) } else { None };
        job.bishops = pair.unwrap_or([-1; 2]);
        job.places = address(white.place_list.as_ref());
        job.open = white.open.address();
        job.open_live = white.open_live.address();
        let missing = white.lost.is_none() && !Unit::is_bare(request.material, Color::White);
        let again = if missing { Some(self.lost_again(request, white)?) } else { None };
        job.lost = address(white.lost.as_ref().or(again.as_ref()));
        if let Some(black) = units.get(1) {
            job.other_won = address(black.won.as_ref());
            job.other_lost = address(black.lost.as_ref());
        }
        let tally = Buffer::zeroed(&self.device, FINAL_TALLIES * TALLY_WORDS * 8)?;
        job.tally = tally.address();
        self.device.launch(Kernel::FinalCounts, &job)?;
        let words = tally.words::<{ FINAL_TALLIES * TALLY_WORDS }>()?;
        add_final_counts(stats, white.boards(), &words);
        Ok(())
    }

    /// The plane of Black's lost positions, worked out again from White's
    /// finished open positions, the sub-games and the legal positions.
    fn lost_again(&self, request: &Request, white: &Unit) -> Result<Buffer, CudaError> {
        let mut job = base_job(white.layout, &self.tables, Color::White);
        let subs = self.subs(request, &white.board, Color::White)?;
        for (i, sub) in subs.iter().enumerate() {
            job.subs[i] = sub.as_sub();
        }
        let plane = || Buffer::new(&self.device, white.board.plane_bytes());
        let (legal, lost) = (plane()?, plane()?);
        let live = Buffer::new(&self.device, white.board.tiles())?;
        job.open = legal.address();
        job.open_live = live.address();
        self.device.launch(Kernel::InitOpen, &job)?;
        job.lost_before = legal.address();
        job.lost_before_live = live.address();
        job.open = white.open.address();
        job.open_live = white.open_live.address();
        job.lost = lost.address();
        self.device.launch(Kernel::LostAgain, &job)?;
        self.device.synchronize()?;
        Ok(lost)
    }
}
