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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use molien_board::{Material, Position, Square};
    use molien_hyper::{Hyperboard, Index, OuterAxes};
    use molien_testing::Random;
    use molien_values::Placement;

    use super::*;
    use crate::counts::Record;
    use crate::large_memory::promotions;

    /// A unit whose planes are noise, and the planes.
    fn noise(
        engine: &CudaEngine,
        board: Hyperboard,
        places: Option<Arc<Places>>,
        random: &mut Random,
    ) -> Unit {
        let layout = match &places {
            Some(places) => Board::around_kings(&places.outer, places.placements.len()),
            None => Board::new(&board),
        };
        let mut words = || (0..layout.tiles * 64).map(|_| random.number()).collect::<Vec<u64>>();
        let (won, lost, depths) = (words(), words(), [words(), words(), words()]);
        let plane = |words: &[u64]| Buffer::of(&engine.device, words).unwrap();
        // What is not decided has no depth.
        let within = |words: &[u64], set: &[u64]| {
            let both: Vec<u64> = words.iter().zip(set).map(|(a, b)| a & b).collect();
            plane(&both)
        };
        Unit {
            board,
            places,
            place_list: None,
            layout,
            open: plane(&words()),
            open_live: plane(&words()),
            won: Some(plane(&won)),
            lost: Some(plane(&lost)),
            stalemate: None,
            won_depth: depths[1..].iter().map(|depth| within(depth, &won)).collect(),
            lost_depth: depths.iter().map(|depth| within(depth, &lost)).collect(),
            record: Record::default(),
            has_depths: true,
        }
    }

    fn bits(planes: &[&Buffer], Index { tile, row, column }: Index) -> Vec<bool> {
        let bit = |plane: &&Buffer| {
            let mut word = [0u64];
            plane.read_into(&mut word, tile * 64 + row.index()).unwrap();
            word[0] >> column.index() & 1 == 1
        };
        planes.iter().map(bit).collect()
    }

    fn planes_read(unit: &Unit, read: Read) -> Vec<&Buffer> {
        match read {
            Read::Losses => unit.lost.iter().chain(&unit.lost_depth).collect(),
            Read::Wins => {
                std::iter::once(&unit.open).chain(&unit.won).chain(&unit.won_depth).collect()
            }
        }
    }

    /// Where a position is in a slice with these men, kings in the tile; its man is
    /// on the so-manieth square of his rank, its pawns the so-manieth.
    fn in_slice(position: &Position, men: &[Man], board: usize, promoted: Man) -> Index {
        let mut rest: Vec<(Man, Square)> = position.men().collect();
        rest.retain(|(man, at)| *man != promoted || at.rank() % 7 != 0);
        let squares: Vec<Square> = men
            .iter()
            .map(|man| {
                let at = rest.iter().position(|(other, _)| other == man).unwrap();
                rest.remove(at).1
            })
            .collect();
        let axes = OuterAxes::new(men);
        let tile = board * axes.len() + axes.encode(&squares);
        let [row, column] = Color::BOTH.map(|color| position.king(color));
        Index { tile, row, column }
    }

    /// A table of noise, and who reads it after which promotion.
    struct Case<'a> {
        engine: &'a CudaEngine,
        men: Vec<Man>,
        material: Material,
        promoted: Man,
        unit: Unit,
    }

    impl Case<'_> {
        fn table(&self) -> Material {
            self.material.canonical()
        }

        fn board(&self, pawns: Placement) -> Hyperboard {
            board_around(self.table(), pawns)
        }

        fn slice(&self, square: Square, attacker: Color) -> CardPlanes {
            let (material, men, promoted) = (self.material, self.men.clone(), self.promoted);
            let slice = match &self.unit.places {
                Some(places) => {
                    let key = SliceKey { material, part: 0, men, promoted };
                    self.engine.cut_slices(&self.unit, places, attacker, Metric::Dtm, &key)
                }
                None => {
                    let (fixed, mover) = (Some((promoted, square)), promoted.color);
                    let key = Relaid { material, men, fixed, mover };
                    self.engine.relay(&self.unit, attacker, Metric::Dtm, &key)
                }
            };
            slice.unwrap()
        }

        /// Compares a position, if it is in a slice.
        fn compare(&self, position: &Position) -> bool {
            let exchanged = self.material != self.table();
            let stored = if exchanged { position.swap_colors() } else { *position };
            let pawns = Placement::of(&stored);
            let men = position.of(self.promoted).into_iter();
            let mut at_edge = men.filter(|at| at.rank() % 7 == 0);
            let (Some(square), None) = (at_edge.next(), at_edge.next()) else { return false };
            let rank = usize::from(promotion_rank(self.promoted.color)) / 8;
            let placements = self.unit.boards().placements;
            let place = placements.iter().position(|p| *p == pawns);
            if square.index() / 8 != rank || place.is_some() != self.table().has_pawns() {
                return false;
            }
            for attacker in Color::BOTH {
                let slice = self.slice(square, attacker);
                let board = place.map_or(0, |place| place * 8 + square.index() % 8);
                let here = in_slice(position, &self.men, board, self.promoted);
                let own = self.board(pawns);
                let mut there = own.encode(&stored).unwrap();
                there.tile += place.unwrap_or(0) * own.tiles();
                let planes: Vec<&Buffer> = slice.planes.iter().collect();
                let expected = bits(&planes_read(&self.unit, slice.read), there);
                assert_eq!(bits(&planes, here), expected, "{} {position}", self.material);
            }
            true
        }
    }

    fn board_around(table: Material, pawns: Placement) -> Hyperboard {
        match pawns == Placement::NONE {
            true => Hyperboard::pieces(table),
            false => Hyperboard::around_pawns(table, pawns.bitboards()),
        }
    }

    /// Every position after a promotion has in the slice what the table has for it,
    /// whichever way round the table is.
    fn check(engine: &CudaEngine, reader: &str, random: &mut Random) {
        let reader: Material = reader.parse().unwrap();
        let men = Places::new(reader).outer;
        for (material, promoted) in promotions(reader) {
            let table = material.canonical();
            let places = table.has_pawns().then(|| Arc::new(Places::new(table).some(&[0, 5])));
            let first = places.as_ref().map_or(Placement::NONE, |places| places.placements[0]);
            let unit = noise(engine, board_around(table, first), places, random);
            let case = Case { engine, men: men.clone(), material, promoted, unit };
            let tries = (0..20_000).map(|_| random.position(material));
            let seen = tries.filter(|position| case.compare(position)).take(4).count();
            assert_eq!(seen, 4, "{material}");
        }
    }

    #[test]
    fn slices_have_the_values_of_the_table() {
        let Ok(engine) = CudaEngine::emulated() else {
            println!("skipped: no compiler for the emulator");
            return;
        };
        let mut random = Random::new(17);
        for reader in ["KPK", "KNKP", "KPKP", "KNPKP"] {
            check(&engine, reader, &mut random);
        }
    }
}
