//! What tables keep, and what that takes in memory, roughly.

use molien_board::{Material, Role};
use molien_hyper::{Hyperboard, OuterAxes, Tile};
use molien_values::{BoardValues, Metric, Placement, Rule};

use crate::cache::Key;
use crate::plan::reads;
use crate::reach::Node;
use crate::record::Keep;
use crate::solver::{Swapped, key, lock};
use crate::view::Wanted;
use crate::{SolveError, Solver};

/// Up to this many men a table without pawns always keeps its depths.
const DEPTHS_MEN: usize = 5;

/// Planes alive at the peak of a solve on top of those that stay: open,
/// candidates, two waves of losses, one of wins, the positions of two releases.
const WORKING_PLANES: u64 = 7;
/// Planes of the bits of two releases, where the count goes on after a
/// conversion.
const RELEASE_PLANES: u64 = 2 * 7;
/// Planes that stay of a solved board: legal, won and lost for both sides.
const OUTCOME_PLANES: u64 = 6;
/// Planes of depth bits kept, one side to move.
const DEPTH_PLANES: u64 = 8;

impl Keep {
    /// What a table of this material keeps when nothing else depends on it.
    pub fn alone(material: Material) -> Keep {
        let small = material.has_pawns() || material.len() <= DEPTHS_MEN;
        if small { Keep::Depths } else { Keep::Outcomes }
    }

    /// What it keeps when others read it: where a capture or promotion goes on
    /// counting, who wins is not enough.
    pub fn for_others(material: Material, metric: Metric) -> Keep {
        let goes_on = metric.conversion_rule() != Rule::One;
        if goes_on { Keep::Depths } else { Keep::alone(material) }
    }

    fn planes(self) -> u64 {
        match self {
            Keep::Depths => OUTCOME_PLANES + 2 * DEPTH_PLANES,
            Keep::Outcomes => OUTCOME_PLANES,
        }
    }
}

/// What stays of a solved board.
pub(crate) fn kept_bytes(tiles: u64, keep: Keep) -> u64 {
    tiles * size_of::<Tile>() as u64 * keep.planes()
}

/// What solving a board takes on top of what stays.
pub(crate) fn working_bytes(tiles: u64, metric: Metric) -> u64 {
    let goes_on = metric.conversion_rule() != Rule::One;
    let planes = WORKING_PLANES + if goes_on { RELEASE_PLANES } else { 0 };
    tiles * size_of::<Tile>() as u64 * planes
}

/// A copy of what is read of a board, one side to move.
pub(crate) fn copied_bytes(wanted: &Wanted) -> u64 {
    let planes = OUTCOME_PLANES / 2 + if wanted.depths { DEPTH_PLANES } else { 0 };
    OuterAxes::new(&wanted.men).len() as u64 * size_of::<Tile>() as u64 * planes
}

/// What one of these boards copies of others: the most of a sample.
fn most_copied_bytes(material: Material, metric: Metric, placements: &[Placement]) -> u64 {
    /// Boards looked at: of three pawns there are thousands.
    const LOOKED_AT: usize = 64;
    let copied = |&pawns: &Placement| -> u64 {
        let wanted = reads(&Node { material, pawns }, metric, &Role::PROMOTIONS);
        wanted.iter().filter(|wanted| wanted.is_copied()).map(copied_bytes).sum()
    };
    let step = placements.len().div_ceil(LOOKED_AT).max(1);
    placements.iter().step_by(step).map(copied).max().unwrap_or(0)
}

/// How many placements are solved side by side: those equally far advanced.
fn widest_level(placements: &[Placement]) -> u64 {
    let mut levels: Vec<i32> = placements.iter().map(|p| p.advancement()).collect();
    levels.sort_unstable();
    levels.chunk_by(|a, b| a == b).map(|level| level.len() as u64).max().unwrap_or(0)
}

/// How many boards may be in work at a time: a thread that waits for the tiles
/// of its board may begin another one.
pub(crate) fn boards_at_once() -> u64 {
    2 * rayon::current_num_threads() as u64
}

/// The peak of solving a whole material, its sub-games left out.
pub(crate) fn peak_bytes(material: Material, metric: Metric, keep: Keep) -> u64 {
    if material.has_pawns() {
        let placements = Placement::all(&material);
        let Some(first) = placements.first() else { return 0 };
        let tiles = Hyperboard::around_pawns(material, first.bitboards()).tiles() as u64;
        let in_work =
            working_bytes(tiles, metric) + most_copied_bytes(material, metric, &placements);
        let at_once = boards_at_once().min(widest_level(&placements));
        return kept_bytes(tiles, keep) * placements.len() as u64 + at_once * in_work;
    }
    let tiles = Hyperboard::pieces(material).tiles() as u64;
    kept_bytes(tiles, keep) + working_bytes(tiles, metric)
}

impl Solver {
    /// What the boards with pawns take that were solved for single positions.
    pub(crate) fn parts_bytes(&self) -> u64 {
        lock(&self.parts).values().map(|part| game_bytes(&part.game)).sum()
    }

    /// Makes room for a solve that needs so much: gives up tables it does not
    /// read, if it must.
    pub(crate) fn check_memory(
        &self,
        material: Material,
        metric: Metric,
        needed: u64,
    ) -> Result<(), SolveError> {
        self.check_memory_for(material, material, metric, needed)
    }

    /// The same for a solve on the way to another one, whose tables stay too.
    pub(crate) fn check_memory_for(
        &self,
        goal: Material,
        material: Material,
        metric: Metric,
        needed: u64,
    ) -> Result<(), SolveError> {
        let limit = self.memory_limit_bytes;
        let swapped = |map: &Swapped| map.values().map(|game| game_bytes(game)).sum::<u64>();
        let parts = self.parts_bytes();
        let mut kept = parts + lock(&self.tables).bytes() + swapped(&lock(&self.swapped));
        if needed.saturating_add(kept) > limit {
            let readers = [goal, material].into_iter();
            let read = readers.flat_map(|reader| self.to_read(reader, metric));
            let read: Vec<Material> = read.flatten().collect();
            let wanted = |table: &Key| read.contains(&table.0) && *table == key(table.0, metric);
            let room = limit.saturating_sub(needed);
            lock(&self.swapped).retain(|key, _| wanted(key));
            kept = parts + swapped(&lock(&self.swapped));
            kept += lock(&self.tables).give_up(room.saturating_sub(kept), wanted);
        }
        let needed = needed.saturating_add(kept);
        if needed <= limit {
            return Ok(());
        }
        let mib = |bytes: u64| bytes.div_ceil(1 << 20);
        let (needed_mib, limit_mib) = (mib(needed), mib(limit));
        Err(SolveError::Memory { material, metric, needed_mib, limit_mib })
    }
}

fn game_bytes(game: &BoardValues) -> u64 {
    game.values.iter().map(|graded| graded.len_bytes() as u64).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On the way to a table, those it reads are not given up: they would have
    /// to be solved again, all at once, while it is being solved.
    #[test]
    fn what_the_goal_reads_stays() {
        let [goal, other, queen, bishop] = ["KPK", "KRK", "KQK", "KBK"].map(|m| m.parse().unwrap());
        let mut solver = Solver::new();
        for material in [queen, bishop] {
            solver.solve(material, Metric::Dtm).unwrap();
        }
        solver.memory_limit_bytes = lock(&solver.tables).bytes();
        let known = |solver: &Solver| {
            [queen, bishop].map(|m| solver.is_known(m, Metric::Dtm, Keep::Depths))
        };
        let refused = solver.check_memory_for(goal, other, Metric::Dtm, 1);
        assert!(matches!(refused, Err(SolveError::Memory { .. })));
        assert_eq!(known(&solver), [true, true]);
        solver.check_memory(other, Metric::Dtm, 1).unwrap();
        assert_eq!(known(&solver), [false, true]);
    }
}
