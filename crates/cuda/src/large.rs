//! Tables with pawns that do not fit the card: their figures, and their boards one
//! after the other.
//!
//! Their placements are solved in parts ([`Split`]). Of a finished part two things
//! are kept: its values as long as less advanced pawns can step there, and the
//! slices that the tables above it read after a promotion. So are the slices of
//! large tables without pawns. All other values are given up.

use std::sync::Arc;

use molien_board::{Color, Material};
use molien_build::order;
use molien_hyper::Hyperboard;
use molien_values::{BoardReceiver, Longest, Metric, Placement, SideStats, Stats};

use crate::assemble::{Finished, wave_stats};
use crate::engine::LARGE_MEN;
use crate::large_keep::{keep_for_steps, slice_bytes};
use crate::large_memory::{PieceSlices, SlicePlan, part_memory, part_most_bytes, slice_plan};
use crate::large_tables::{Demand, LargeTables};
use crate::needs::{card_memory, sub_detail};
use crate::pawn_exits::{PawnExits, Places, TargetKey};
use crate::pawn_solve::{Kept, Targets};
use crate::split::Split;
use crate::store::Stored;
use crate::unit::Unit;
use crate::waves::Extras;
use crate::{CardMemory, CudaEngine, CudaError, Detail, Planes, Request};

/// One part of a table, while it is solved.
struct Part<'a> {
    request: Request,
    number: u32,
    split: &'a Split,
    places: Arc<Places>,
    exits: PawnExits,
    /// Who is handed its boards.
    receiver: Option<&'a dyn BoardReceiver>,
}

impl CudaEngine {
    /// The statistics of some tables will be asked for: what they share is solved
    /// once. In canonical orientation.
    pub(crate) fn expect_large(&self, materials: &[Material], metric: Metric) {
        let mut tables = self.large_tables();
        let expected = &mut tables.entry(metric).or_default().expected;
        for material in materials.iter().filter(|material| self.is_large(**material)) {
            if !expected.contains(material) {
                expected.push(*material);
            }
        }
    }

    /// Bytes of large tables that went to the host and came back, where the card had
    /// too little room.
    pub fn moved_bytes(&self, metric: Metric) -> u64 {
        self.large_tables().get(&metric).map_or(0, |tables| tables.store.moved_bytes)
    }

    /// Whether only the statistics of a table can be had.
    pub(crate) fn is_large(&self, material: Material) -> bool {
        material.has_pawns() && material.len() == self.large_men
    }

    /// The statistics of a table, if it was solved already.
    pub(crate) fn known_large(&self, material: Material, metric: Metric) -> Option<Stats> {
        self.large_tables().get(&metric)?.stats.get(&material).cloned()
    }

    /// The statistics of a large table in canonical orientation. A receiver is handed its
    /// boards.
    pub(crate) fn large_statistics(
        &self,
        material: Material,
        metric: Metric,
        receiver: Option<&dyn BoardReceiver>,
    ) -> Result<Stats, CudaError> {
        let _one = self.one_at_a_time();
        let mut all = self.large_tables();
        let tables = all.entry(metric).or_default();
        if let Some(stats) = tables.stats.get(&material).filter(|_| receiver.is_none()) {
            return Ok(stats.clone());
        }
        if !tables.order.contains(&material) {
            self.plan_large(tables, material, metric)?;
        }
        self.solve_planned(tables, material, metric, receiver)
    }

    /// Solves a table that was planned, with all before it.
    pub(crate) fn solve_planned(
        &self,
        tables: &mut LargeTables,
        material: Material,
        metric: Metric,
        receiver: Option<&dyn BoardReceiver>,
    ) -> Result<Stats, CudaError> {
        let boards = if self.own_kernels { tables.large_boards(material) } else { Vec::new() };
        let mut solve = || self.solve_until(tables, material, metric, receiver);
        if self.large_men < LARGE_MEN {
            return solve(); // a test: the kernels are compiled as they are needed
        }
        self.while_preparing_large(metric, &boards, solve)
    }

    /// Solves tables in the order planned until one is solved.
    fn solve_until(
        &self,
        tables: &mut LargeTables,
        material: Material,
        metric: Metric,
        receiver: Option<&dyn BoardReceiver>,
    ) -> Result<Stats, CudaError> {
        while let Some(next) = tables.order.pop_front() {
            let receiver = receiver.filter(|_| next == material);
            let stats = match self.solve_large(tables, next, metric, receiver) {
                Ok(stats) => stats,
                Err(error) => {
                    // What is solved stays known; the rest is planned anew.
                    let known = std::mem::take(tables);
                    tables.stats = known.stats;
                    return Err(error);
                }
            };
            tables.give_up();
            self.lock().retain_for(metric, |unit| {
                unit.len() + 1 < next.len() || tables.is_read_whole(unit)
            });
            tables.stats.insert(next, stats.clone());
            if next == material {
                return Ok(stats);
            }
        }
        Err(CudaError::Pawns { material })
    }

    /// Plans a table and those that are expected besides, if their slices fit the card
    /// and the host; if not, the table alone.
    fn plan_large(
        &self,
        tables: &mut LargeTables,
        material: Material,
        metric: Metric,
    ) -> Result<(), CudaError> {
        let card_bytes = self.memory()?.1;
        let part_bytes = self.part_bytes.unwrap_or(part_most_bytes(metric, card_bytes));
        let planned = |goals: &[Material]| self.planned(goals, metric, card_bytes);
        let alone = planned(&[material]).map_err(|bytes| self.too_much(material, metric, bytes))?;
        let known = &tables.stats;
        tables.expected.retain(|goal| !known.contains_key(goal) && planned(&[*goal]).is_ok());
        let mut goals = tables.expected.clone();
        goals.push(material);
        let (order, slices) = planned(&goals).unwrap_or(alone);
        tables.store.most_host_bytes = self.host_bytes - slices.beside_bytes;
        tables.plan(order, slices, part_bytes);
        Ok(())
    }

    /// Card and host would have to hold so many bytes of slices.
    pub(crate) fn too_much(&self, material: Material, metric: Metric, bytes: u64) -> CudaError {
        let mib = |bytes: u64| bytes.div_ceil(1 << 20);
        let (needed_mib, host_mib) = (mib(bytes), mib(self.host_bytes));
        CudaError::Slices { material, metric, needed_mib, host_mib }
    }

    /// The order in which some tables and what they read are solved, and what is done with
    /// slices; or how many bytes card and host would have to hold.
    fn planned(
        &self,
        goals: &[Material],
        metric: Metric,
        card_bytes: u64,
    ) -> Result<(Vec<Material>, SlicePlan), u64> {
        let mut order = order(goals, |material| material.len() < self.large_men);
        order.retain(Material::has_pawns);
        let slices = slice_plan(&order, metric, card_bytes, self.host_bytes)?;
        Ok((order, slices))
    }

    /// Says whether the slices of a table fit card and host, and what they take if not.
    pub(crate) fn room_for_large(
        &self,
        material: Material,
        metric: Metric,
    ) -> Result<(), CudaError> {
        let planned = self.planned(&[material], metric, self.memory()?.1);
        planned.map(drop).map_err(|bytes| self.too_much(material, metric, bytes))
    }

    /// Sees to the slices of tables without pawns that a table reads.
    fn solve_pieces_for(
        &self,
        tables: &mut LargeTables,
        reader: Material,
        metric: Metric,
    ) -> Result<(), CudaError> {
        for (read, _) in tables.promotions(reader) {
            let table = read.canonical();
            let own = tables.demands(table, std::iter::once(reader));
            if read.has_pawns() || own.iter().all(|demand| tables.store.contains(&demand.key)) {
                continue;
            }
            let demands = match tables.pieces {
                Some(PieceSlices::ForOne) => own,
                _ => tables
                    .demands(table, std::iter::once(reader).chain(tables.order.iter().copied())),
            };
            let stats = self.solve_large_pieces(tables, table, metric, &demands)?;
            tables.stats.insert(table, stats);
        }
        Ok(())
    }

    /// A table without pawns: statistics, and the slices that are read of it.
    fn solve_large_pieces(
        &self,
        tables: &mut LargeTables,
        material: Material,
        metric: Metric,
        demands: &[Demand],
    ) -> Result<Stats, CudaError> {
        let own_metric = metric.without_pawns();
        let keep = sub_detail(own_metric);
        let request = Request { keep, ..Request::new(material, own_metric) };
        let board = Hyperboard::pieces(material);
        self.progress.begin(material, own_metric, board.tiles() as u64 * 4096);
        let needs = card_memory(material, own_metric, keep, &[Color::White], Planes::Four);
        // Solved again for another reader it is what it was.
        let known = tables.stats.get(&material).cloned();
        let extras = Extras { checked_before: known.is_some(), ..Extras::default() };
        let mut units: Vec<Arc<Unit>> = Vec::new();
        for attacker in Color::BOTH {
            let solve = |tables: &mut LargeTables| {
                self.room_for(tables, &needs, material, metric)?;
                self.timed_unit(&request, attacker, extras)
            };
            let (mut unit, _) = self.once_more(tables, solve)?;
            self.forget_large();
            self.hand_out(tables, &unit, attacker, metric, demands)?;
            if let Some(unit) = Arc::get_mut(&mut unit) {
                (unit.won_depth, unit.lost_depth) = (Vec::new(), Vec::new());
            }
            units.push(unit);
        }
        self.progress.end(material, own_metric);
        if let Some(known) = known {
            return Ok(known);
        }
        let mut stats = wave_stats(own_metric, &units[0], Some(&units[1]));
        self.final_counts(&request, &units, &mut stats)?;
        Ok(stats)
    }

    /// A table with pawns: statistics, and the slices that are read of it.
    fn solve_large(
        &self,
        tables: &mut LargeTables,
        material: Material,
        metric: Metric,
        receiver: Option<&dyn BoardReceiver>,
    ) -> Result<Stats, CudaError> {
        self.solve_pieces_for(tables, material, metric)?;
        let split = tables.splits.of(material).clone();
        let tiles = split.places.placements.len() as u64 * u64::from(split.places.numbers);
        self.progress.begin(material, metric, tiles * 4096);
        let demands = tables.demands(material, tables.order.iter().copied());
        let mut total = Stats::new(material, metric);
        for number in 0..split.parts.len() {
            tables.give_up_before(material, &split, number);
            let places = Arc::new(split.places.some(&split.parts[number]));
            let exits = PawnExits::within(material, &places, metric, Some(&tables.splits));
            let request = Request { keep: Detail::Depths, ..Request::new(material, metric) };
            let number = number as u32;
            let part = Part { request, number, split: &split, places, exits, receiver };
            let stats = self.solve_part(tables, &part, &demands)?;
            absorb_in_order(&mut total, &stats);
        }
        self.progress.end(material, metric);
        Ok(total)
    }

    fn solve_part(
        &self,
        tables: &mut LargeTables,
        part: &Part<'_>,
        demands: &[Demand],
    ) -> Result<Stats, CudaError> {
        let Request { material, metric, .. } = part.request;
        let is_own = |demand: &&Demand| match &demand.key {
            Stored::Slice { key, .. } => key.part == part.number,
            _ => false,
        };
        let mut units = Vec::new();
        for attacker in Color::BOTH {
            let unit = self.once_more(tables, |tables| self.part_unit(tables, part, attacker))?;
            for demand in demands.iter().filter(is_own) {
                self.hand_out(tables, &unit, attacker, metric, std::slice::from_ref(demand))?;
            }
            units.push(Arc::new(unit));
        }
        let mut stats = wave_stats(metric, &units[0], Some(&units[1]));
        self.final_counts(&part.request, &units, &mut stats)?;
        if let Some(receiver) = part.receiver {
            self.hand_over_part(tables, part, &units, receiver)?;
        }
        for (unit, attacker) in units.into_iter().zip(Color::BOTH) {
            if let Ok(unit) = Arc::try_unwrap(unit)
                && !Unit::is_bare(material, attacker)
            {
                keep_for_steps(&mut tables.store, unit, part.number, attacker);
            }
        }
        Ok(stats)
    }

    /// Copies the boards of a part to the host. Who receives them has work to do with
    /// them, which goes on while the card solves the next part.
    fn hand_over_part(
        &self,
        tables: &mut LargeTables,
        part: &Part<'_>,
        units: &[Arc<Unit>],
        receiver: &dyn BoardReceiver,
    ) -> Result<(), CudaError> {
        let Request { material, metric, .. } = part.request;
        let wanted = |place: &Placement| receiver.wants(*place);
        if !part.places.placements.iter().any(wanted) {
            return Ok(());
        }
        // Depths and what is legal, of both attackers together.
        let united = 2 * (1 + units.iter().map(|unit| unit.depth_bits()).max().unwrap_or(0));
        let bytes = part.split.part_bytes() * united as u64;
        self.room_beside(tables, bytes, material, metric)?;
        let finished = Finished::new(self, &units[0], &units[1])?;
        let boards = finished.boards.len();
        let batch = (receiver.batch_bytes() / finished.board_bytes().max(1)).max(1) as usize;
        for first in (0..boards).step_by(batch) {
            let some = first..(first + batch).min(boards);
            if !part.places.placements[some.clone()].iter().any(wanted) {
                continue;
            }
            let copied = finished.copy(some)?;
            if !receiver.take(copied) {
                return Err(CudaError::Cancelled { material });
            }
        }
        Ok(())
    }

    /// One attacker's wins of a part.
    fn part_unit(
        &self,
        tables: &mut LargeTables,
        part: &Part<'_>,
        attacker: Color,
    ) -> Result<Unit, CudaError> {
        let Request { material, metric, .. } = part.request;
        let needs = part_memory(metric, part.split.part_bytes());
        self.room_for(tables, &needs, material, metric)?;
        let targets = match Unit::is_bare(material, attacker) {
            true => Targets::default(),
            false => self.part_targets(tables, part, attacker)?,
        };
        self.room_for(tables, &needs, material, metric)?;
        self.solve_places(&part.request, attacker, part.places.clone(), &part.exits, targets)
    }

    /// Does something, and once more with all that can be put aside put aside if the
    /// card turns out to be full.
    pub(crate) fn once_more<T>(
        &self,
        tables: &mut LargeTables,
        work: impl Fn(&mut LargeTables) -> Result<T, CudaError>,
    ) -> Result<T, CudaError> {
        match work(tables) {
            Err(CudaError::Full { .. }) => {
                tables.store.make_room(&self.device, u64::MAX)?;
                self.forget_all();
                work(tables)
            }
            other => other,
        }
    }

    /// Cuts what is demanded of a unit, and keeps it.
    fn hand_out(
        &self,
        tables: &mut LargeTables,
        unit: &Unit,
        attacker: Color,
        metric: Metric,
        demands: &[Demand],
    ) -> Result<(), CudaError> {
        for demand in demands.iter().filter(|demand| demand.attacker == attacker) {
            let bytes = slice_bytes(&demand.key, unit, metric);
            self.room_beside(tables, bytes, unit.board.material(), metric)?;
            let planes = match (&demand.key, &unit.places) {
                (Stored::Relaid { key, attacker }, _) => {
                    self.relay(unit, *attacker, metric, key)?
                }
                (Stored::Slice { key, attacker }, Some(places)) => {
                    self.cut_slices(unit, places, *attacker, metric, key)?
                }
                _ => continue,
            };
            tables.store.insert(demand.key.clone(), Arc::new(planes));
        }
        Ok(())
    }

    /// The boards that the moves out of a part lead to.
    fn part_targets(
        &self,
        tables: &mut LargeTables,
        part: &Part<'_>,
        attacker: Color,
    ) -> Result<Targets, CudaError> {
        let Request { material, .. } = part.request;
        let mut out = Targets::default();
        for target in &part.exits.targets {
            let key = match target {
                TargetKey::Pawns(_) => {
                    out.push(self.whole_unit(&part.request, attacker, target)?);
                    continue;
                }
                TargetKey::Part(key) => Stored::Part { material, key: *key, attacker },
                TargetKey::Slice(key) => Stored::Slice { key: key.clone(), attacker },
                TargetKey::Pieces(key) => Stored::Relaid { key: key.clone(), attacker },
            };
            let absent_bytes = tables.store.absent_bytes(&key);
            if absent_bytes > 0 {
                self.room_beside(tables, absent_bytes, material, part.request.metric)?;
            }
            let planes = match (tables.store.get(&self.device, &key)?, target) {
                (Some(planes), _) => planes,
                (None, TargetKey::Pieces(relaid)) if relaid.material.len() < material.len() => {
                    let made = self.relay_whole(&part.request, attacker, relaid)?;
                    let made = Arc::new(made);
                    tables.store.insert(key, made.clone());
                    made
                }
                (None, _) => return Err(CudaError::Pawns { material }),
            };
            out.push(Kept::Planes(planes));
        }
        Ok(out)
    }

    /// Sees to it that the card has room for a solve, or for what must be on the card of it.
    pub(crate) fn room_for(
        &self,
        tables: &mut LargeTables,
        needs: &CardMemory,
        material: Material,
        metric: Metric,
    ) -> Result<(), CudaError> {
        match self.room_beside(tables, needs.total(), material, metric) {
            Err(CudaError::Memory { .. }) if self.device.memory()?.0 >= self.least_bytes(needs) => {
                Ok(())
            }
            answer => answer,
        }
    }

    /// Sees to it that the card has so much free: slices go to the host, then units
    /// that can be solved again are given up.
    pub(crate) fn room_beside(
        &self,
        tables: &mut LargeTables,
        bytes: u64,
        material: Material,
        metric: Metric,
    ) -> Result<(), CudaError> {
        if tables.store.make_room(&self.device, bytes)? {
            return Ok(());
        }
        while self.device.memory()?.0 < bytes && self.lock().evict() {}
        if self.device.memory()?.0 < bytes {
            self.lock().clear();
        }
        let free = self.device.memory()?.0;
        if free >= bytes {
            return Ok(());
        }
        let mib = |bytes: u64| bytes.div_ceil(1 << 20);
        let plan = "its planes beside what they read".to_owned();
        let (needed_mib, free_mib) = (mib(bytes), mib(free));
        Err(CudaError::Memory { material, metric, needed_mib, plan, free_mib })
    }
}

/// Adds the figures of a part. Of equally long wins the first in the order of the
/// table is told, in whatever order the parts are solved.
fn absorb_in_order(total: &mut Stats, part: &Stats) {
    let before = total.sides.clone();
    total.absorb(part);
    let longest: [fn(&mut SideStats) -> &mut Option<Longest>; 2] =
        [|side| &mut side.longest_win, |side| &mut side.longest_loss];
    for ((side, mut before), part) in total.sides.iter_mut().zip(before).zip(&part.sides) {
        let mut part = part.clone();
        for of in longest {
            let (Some(old), Some(new)) = (of(&mut before), of(&mut part)) else { continue };
            let place = |longest: &Longest| Placement::of(&longest.position);
            if old.plies == new.plies && place(new) < place(old) {
                *of(side) = Some(new.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Solves the parts of a table up to one of them.
    fn solve_up_to(engine: &CudaEngine, tables: &mut LargeTables, material: Material, last: usize) {
        let metric = Metric::Dtm;
        engine.plan_large(tables, material, metric).unwrap();
        tables.order.clear();
        engine.solve_pieces_for(tables, material, metric).unwrap();
        for number in 0..last {
            let split = tables.splits.of(material).clone();
            let part = part_of(tables, &split, number);
            engine.solve_part(tables, &part, &[]).unwrap();
        }
    }

    fn part_of<'a>(tables: &LargeTables, split: &'a Split, number: usize) -> Part<'a> {
        let (material, metric) = ("KPK".parse().unwrap(), Metric::Dtm);
        let places = Arc::new(split.places.some(&split.parts[number]));
        let exits = PawnExits::within(material, &places, metric, Some(&tables.splits));
        let request = Request { keep: Detail::Depths, ..Request::new(material, metric) };
        Part { request, number: number as u32, split, places, exits, receiver: None }
    }

    /// The forward pass finds a wrong bit of a part, be it in an outcome or a depth, where
    /// pawns promote and where they step into a part that was kept.
    #[test]
    fn the_check_finds_a_wrong_bit_of_a_part() {
        let Ok(engine) = CudaEngine::emulated() else {
            println!("skipped: no compiler for the emulator");
            return;
        };
        let engine = engine.with_large_tables(3, 4 * 512);
        engine.check_tables();
        let material: Material = "KPK".parse().unwrap();
        for number in [0, 2] {
            let mut tables = LargeTables::default();
            solve_up_to(&engine, &mut tables, material, number);
            let split = tables.splits.of(material).clone();
            let part = part_of(&tables, &split, number);
            let attacker = Color::White;
            let unit = engine.part_unit(&mut tables, &part, attacker).unwrap();
            let mut check = || {
                let targets = engine.part_targets(&mut tables, &part, attacker).unwrap();
                let Part { request, places, exits, .. } = &part;
                let check = |solve: &crate::pawn_solve::PawnSolve<'_>| solve.check(&unit);
                engine.with_places(request, attacker, places, exits, targets, check)
            };
            assert_eq!(check(), Ok(()));
            let planes = [unit.won.as_ref(), unit.lost.as_ref(), unit.won_depth.get(1)];
            for plane in planes.into_iter().flatten() {
                let before: Vec<u8> = plane.read(plane.len_bytes()).unwrap();
                let mut bytes = before.clone();
                let first = bytes.iter().position(|&byte| byte != 0).unwrap();
                bytes[first] &= bytes[first] - 1;
                plane.write(&bytes).unwrap();
                assert!(matches!(check(), Err(CudaError::Inconsistent { failures: 1.., .. })));
                plane.write(&before).unwrap();
            }
        }
    }
}
