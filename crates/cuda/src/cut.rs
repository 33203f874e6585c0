//! Slices: what is read of another table after a promotion, or of a board without
//! pawns after a capture, in the layout with the kings in the tile.

use molien_board::{Color, Man};
use molien_hyper::Tile;
use molien_values::{Metric, Rule};

use crate::device::{Buffer, Kernel};
use crate::layout::{Board, Exit, Job, Place};
use crate::pawn_exits::{NO_SQUARE, Places, Relaid, SliceKey};
use crate::store::{CardPlanes, Depths, Read};
use crate::unit::Unit;
use crate::waves::base_job;
use crate::{CudaEngine, CudaError};

/// The first square of the rank on which a side promotes.
fn promotion_rank(color: Color) -> u8 {
    match color {
        Color::White => 56,
        Color::Black => 0,
    }
}

/// What is kept of the depths of a unit that conversions lead to.
fn depths_read(unit: &Unit, metric: Metric, read: Read) -> Depths {
    match (metric.conversion_rule(), read) {
        (Rule::One, _) => Depths::Bits(0),
        (Rule::Onward, Read::Losses) => Depths::Bits(unit.lost_depth.len()),
        (Rule::Onward, Read::Wins) => Depths::Bits(unit.won_depth.len()),
        (Rule::Fifty, _) => Depths::Late,
    }
}

/// Planes that a slice has.
pub(crate) fn slice_planes(metric: Metric, depth_bits: u64) -> u64 {
    let depths = match metric.conversion_rule() {
        Rule::One => 0,
        Rule::Onward => depth_bits,
        Rule::Fifty => 1,
    };
    2 + depths
}

impl CudaEngine {
    /// A board without pawns with the kings in the tile, from its unit for the same
    /// attacker, which may have the colours exchanged.
    pub(crate) fn relay(
        &self,
        unit: &Unit,
        attacker: Color,
        metric: Metric,
        relaid: &Relaid,
    ) -> Result<CardPlanes, CudaError> {
        let layout = Board::around_kings(&relaid.men, 1);
        let fixed_square = relaid.fixed.map_or(NO_SQUARE, |(_, square)| square.index() as u8);
        let exchanged = unit.board.material() != relaid.material;
        let from = relaid.sources(&unit.board);
        let how = Exit { from, fixed_square, mirrored: u8::from(exchanged), ..Exit::default() };
        let read = Read::after(relaid.mover, attacker);
        self.cut(Kernel::Relay, unit, metric, (layout, read), how)
    }

    /// The slices of a part, from its unit for the same attacker; colours may be
    /// exchanged.
    pub(crate) fn cut_slices(
        &self,
        unit: &Unit,
        places: &Places,
        attacker: Color,
        metric: Metric,
        key: &SliceKey,
    ) -> Result<CardPlanes, CudaError> {
        let Man { color, .. } = key.promoted;
        let layout = Board::around_kings(&key.men, places.placements.len() * 8);
        let how = Exit {
            from: key.sources(places),
            fixed_square: promotion_rank(color),
            mirrored: u8::from(!key.material.is_canonical()),
            ..Exit::default()
        };
        let read = Read::after(color, attacker);
        self.cut(Kernel::CutSlices, unit, metric, (layout, read), how)
    }

    /// Copies what is read. `how.mirrored` says whether colours are exchanged.
    fn cut(
        &self,
        kernel: Kernel,
        unit: &Unit,
        metric: Metric,
        (layout, read): (Board, Read),
        how: Exit,
    ) -> Result<CardPlanes, CudaError> {
        let depths = depths_read(unit, metric, read);
        let plane = || Buffer::new(&self.device, layout.tiles as usize * size_of::<Tile>());
        let singles = if read == Read::Losses { 1 } else { 2 };
        let (bits, rule) = match depths {
            Depths::Bits(bits) => (bits, Rule::Onward),
            Depths::Late => (1, Rule::Fifty),
        };
        let planes = (0..singles + bits).map(|_| plane()).collect::<Result<_, _>>()?;
        let planes = CardPlanes { layout, read, depths, planes };
        let mut job = base_job(layout, &self.tables, Color::White);
        job.rule = u32::from(crate::pawn_exits::rule_number(rule));
        job.subs[0] = unit.as_sub();
        fill(&mut job, &planes, singles);
        let (how, place) =
            (Buffer::of(&self.device, &[how])?, Buffer::of(&self.device, &[Place::default()])?);
        (job.exits, job.places) = (how.address(), place.address());
        self.device.launch(kernel, &job)?;
        self.device.synchronize()?;
        Ok(planes)
    }
}

/// Tells the kernel where the planes are.
fn fill(job: &mut Job, out: &CardPlanes, singles: usize) {
    let at = |number: usize| out.planes.get(number).map_or(0, Buffer::address);
    let depth = std::array::from_fn(|k| at(singles + k));
    match out.read {
        Read::Losses => (job.lost, job.lost_depth) = (at(0), depth),
        Read::Wins => (job.open, job.won, job.won_depth) = (at(0), at(1), depth),
    }
}
