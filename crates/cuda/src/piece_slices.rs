//! Slices of large tables without pawns for the host: what its boards with pawns read
//! after a promotion.

use std::sync::Arc;

use molien_board::{Color, Material};
use molien_hyper::{Hyperboard, OuterAxes, Tile};
use molien_values::{Graded, Metric, PieceSlice, Stats};

use crate::assemble::{download, wave_stats};
use crate::cut::slice_planes;
use crate::large_tables::LargeTables;
use crate::needs::card_memory;
use crate::pawn_exits::Relaid;
use crate::store::{CardPlanes, Read};
use crate::unit::Unit;
use crate::waves::Extras;
use crate::{CudaEngine, CudaError, Detail, Planes, Request};

/// Metrics by what they read of the depths of a slice: all of it, or nothing.
const ALL_BITS: Metric = Metric::Dtm;
const NO_BITS: Metric = Metric::Dtc;

impl CudaEngine {
    /// Whether slices of a table in canonical orientation can be cut for the host.
    pub(crate) fn cuts_slices(&self, material: Material, metric: Metric) -> bool {
        let large = !material.has_pawns() && material.len() == self.large_men;
        large && Metric::ALL.contains(&metric) && self.fits_with_depths(material, metric)
    }

    fn fits_with_depths(&self, material: Material, metric: Metric) -> bool {
        let (metric, white) = (metric.without_pawns(), &[Color::White]);
        let needs = card_memory(material, metric, Detail::Depths, white, Planes::Four);
        self.fits_card(&needs)
    }

    /// Slices of a table in canonical orientation, in the order given, and its statistics.
    pub(crate) fn piece_slices(
        &self,
        material: Material,
        metric: Metric,
        wanted: &[PieceSlice],
    ) -> Result<(Vec<Graded>, Stats), CudaError> {
        let _one = self.one_at_a_time();
        let mut all = self.large_tables();
        let tables = all.entry(metric).or_default();
        let depths = wanted.iter().any(|slice| slice.depths);
        let keep = if depths { Detail::Depths } else { Detail::Outcomes };
        let request = Request { keep, ..Request::new(material, metric.without_pawns()) };
        self.while_compiling(&request, || self.cut_for_host(tables, &request, wanted))
    }

    fn cut_for_host(
        &self,
        tables: &mut LargeTables,
        request: &Request,
        wanted: &[PieceSlice],
    ) -> Result<(Vec<Graded>, Stats), CudaError> {
        let Request { material, metric, keep, .. } = *request;
        let needs = card_memory(material, metric, keep, &[Color::White], Planes::Four);
        let tiles = Hyperboard::pieces(material).tiles() as u64;
        self.progress.begin(material, metric, tiles * 4096);
        let mut slices = vec![Graded::default(); wanted.len()];
        let mut units: Vec<Arc<Unit>> = Vec::new();
        for attacker in Color::BOTH {
            let solve = |tables: &mut LargeTables| {
                self.room_for(tables, &needs, material, metric)?;
                self.timed_unit(request, attacker, Extras::default())
            };
            let (mut unit, _) = self.once_more(tables, solve)?;
            self.forget_large();
            for (slice, wanted) in slices.iter_mut().zip(wanted) {
                self.add_cut(tables, slice, &unit, attacker, wanted)?;
            }
            if let Some(unit) = Arc::get_mut(&mut unit) {
                (unit.won_depth, unit.lost_depth) = (Vec::new(), Vec::new());
            }
            units.push(unit);
        }
        let mut stats = wave_stats(metric, &units[0], Some(&units[1]));
        self.final_counts(request, &units, &mut stats)?;
        self.progress.end(material, metric);
        Ok((slices.into_iter().map(Graded::without_empty_bits).collect(), stats))
    }

    /// Adds what one attacker's unit says to a slice.
    fn add_cut(
        &self,
        tables: &mut LargeTables,
        slice: &mut Graded,
        unit: &Unit,
        attacker: Color,
        wanted: &PieceSlice,
    ) -> Result<(), CudaError> {
        let PieceSlice { material, promoted, depths, .. } = *wanted;
        // The attacker as the reader sees him.
        let attacker = if material.is_canonical() { attacker } else { !attacker };
        let metric = if depths { ALL_BITS } else { NO_BITS };
        let (men, mover) = (wanted.men.clone(), promoted.0.color);
        let key = Relaid { material, men, fixed: Some(promoted), mover };
        let tiles = OuterAxes::new(&key.men).len() as u64;
        let planes = slice_planes(metric, unit.depth_bits() as u64);
        let bytes = tiles * size_of::<Tile>() as u64 * planes;
        self.room_beside(tables, bytes, unit.board.material(), metric)?;
        add(slice, &self.relay(unit, attacker, metric, &key)?)
    }
}

/// Adds planes on the card to a slice on the host.
fn add(slice: &mut Graded, cut: &CardPlanes) -> Result<(), CudaError> {
    let plane = |plane| download(plane, 0..cut.layout.tiles as usize);
    let depth = match (cut.read, cut.planes.as_slice()) {
        (Read::Losses, [lost, depth @ ..]) => {
            slice.lost = plane(lost)?;
            depth
        }
        (Read::Wins, [open, won, depth @ ..]) => {
            (slice.legal, slice.won) = (plane(open)?, plane(won)?);
            unite(&mut slice.legal, &slice.won);
            depth
        }
        _ => &[],
    };
    for (bit, depth) in depth.iter().enumerate() {
        let depth = plane(depth)?;
        match slice.depth.get_mut(bit) {
            Some(known) => unite(known, &depth),
            None => slice.depth.push(depth),
        }
    }
    Ok(())
}

fn unite(plane: &mut [Tile], other: &[Tile]) {
    plane.iter_mut().zip(other).for_each(|(tile, other)| *tile = tile.or(other));
}

#[cfg(test)]
mod tests {
    use molien_board::Square;
    use molien_build::Build;
    use molien_operators::fastest;
    use molien_solve::{View, Wanted, of_piece_board};
    use molien_values::{Placement, Rule};

    use super::*;
    use crate::large_memory::promotions;
    use crate::pawn_exits::Places;

    /// Every slice that a material reads of another is that which the processor cuts, bit
    /// for bit, whichever way round the table is, with a bare king and without.
    fn check(engine: &CudaEngine, reader: &str, metric: Metric) {
        let reader: Material = reader.parse().unwrap();
        let depths = metric.conversion_rule() != Rule::One;
        for (material, promoted) in promotions(reader) {
            let rank = if promoted.color == Color::White { 56 } else { 0 };
            let at = |file: usize| (promoted, Square::new(rank + file));
            let men = Places::new(reader).outer;
            let slice =
                |file| PieceSlice { material, men: men.clone(), promoted: at(file), depths };
            let wanted = [0, 2, 7].map(slice);
            let own = metric.without_pawns();
            let table = Build::new().table(material.canonical(), own).unwrap();
            let (cut, stats) = engine.piece_slices(material.canonical(), metric, &wanted).unwrap();
            assert_eq!(stats, table.stats, "{material}");
            for (PieceSlice { men, promoted, .. }, cut) in wanted.into_iter().zip(cut) {
                let (pawns, turn) = (Placement::NONE, !promoted.0.color);
                let wanted = Wanted { men, pawns, fixed: Some(promoted), turn, depths };
                let view = of_piece_board(fastest(), &table.parts[0], &wanted);
                let View::Own { values, .. } = view else { panic!("a copy") };
                assert!(cut == values.without_empty_bits(), "{material} {promoted:?} {metric}");
            }
        }
    }

    #[test]
    fn slices_for_the_host_are_those_of_the_processor() {
        let Ok(engine) = CudaEngine::emulated() else {
            println!("skipped: no compiler for the emulator");
            return;
        };
        let engine = engine.with_large_tables(3, 4 * 512);
        for metric in [Metric::Dtm, Metric::Dtz, Metric::Dtz50] {
            check(&engine, "KPK", metric);
        }
        check(&engine, "KNKP", Metric::Dtm);
    }
}
