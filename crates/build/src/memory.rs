//! What boards take in memory, roughly, and who may take how much.
//!
//! Work in progress reserves what it takes; tables kept for later make room for
//! it. Who finds no room waits until other work has ended, and only if there is
//! none is it refused.

use std::sync::{Condvar, Mutex, PoisonError};

use molien_board::{Material, Role};
use molien_hyper::{OuterAxes, Tile};
use molien_solve::{Keep, Node, Wanted};
use molien_values::{Metric, Placement, Rule};

use crate::BuildError;
use crate::cache::Key;
use crate::limits::keep_for_others;
use crate::lock;
use crate::plan::reads_of;

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

fn planes_kept(keep: Keep) -> u64 {
    match keep {
        Keep::Depths => OUTCOME_PLANES + 2 * DEPTH_PLANES,
        Keep::Outcomes => OUTCOME_PLANES,
    }
}

/// What stays of a solved board.
pub(crate) fn kept_bytes(tiles: u64, keep: Keep) -> u64 {
    tiles * size_of::<Tile>() as u64 * planes_kept(keep)
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
fn most_copied_bytes(nodes: &[Node], metric: Metric) -> u64 {
    /// Boards looked at: of three pawns there are thousands.
    const LOOKED_AT: usize = 64;
    let copied = |node: &Node| -> u64 {
        let wanted = reads_of(node, metric, &Role::PROMOTIONS);
        wanted.iter().filter(|wanted| wanted.is_copied()).map(copied_bytes).sum()
    };
    let step = nodes.len().div_ceil(LOOKED_AT).max(1);
    nodes.iter().step_by(step).map(copied).max().unwrap_or(0)
}

/// The peak of solving stages of boards of one material, `at_once` of a stage
/// side by side, everything kept; what they read of other materials is left
/// out.
pub(crate) fn peak_bytes(stages: &[Vec<Node>], metric: Metric, keep: Keep, at_once: u64) -> u64 {
    let nodes: Vec<Node> = stages.concat();
    let Some(first) = nodes.first() else { return 0 };
    let tiles = first.tiles();
    let copied = match first.pawns {
        Placement::NONE => 0,
        _ => most_copied_bytes(&nodes, metric),
    };
    let widest = stages.iter().map(|stage| stage.len() as u64).max().unwrap_or(0);
    let in_work = working_bytes(tiles, metric) + copied;
    kept_bytes(tiles, keep) * nodes.len() as u64 + at_once.min(widest) * in_work
}

/// What stays of a board of a plan.
pub(crate) fn kept_for_others_bytes(node: &Node, tiles: u64, metric: Metric) -> u64 {
    kept_bytes(tiles, keep_for_others(node.material, metric))
}

/// The memory that may be used, and what work in progress has reserved of it.
pub(crate) struct Budget {
    pub limit_bytes: u64,
    reserved_bytes: Mutex<u64>,
    freed: Condvar,
}

/// Memory reserved for a piece of work.
pub(crate) struct Reservation<'a> {
    budget: &'a Budget,
    bytes: u64,
}

impl Budget {
    pub fn new(limit_bytes: u64) -> Budget {
        Budget { limit_bytes, reserved_bytes: Mutex::new(0), freed: Condvar::new() }
    }

    /// Reserves memory for a piece of work. `make_room` gives up what it can
    /// until at most so much is kept, and returns how much that is.
    pub fn reserve(
        &self,
        key: Key,
        needed: u64,
        make_room: impl Fn(u64) -> u64,
    ) -> Result<Reservation<'_>, BuildError> {
        let mut reserved = lock(&self.reserved_bytes);
        loop {
            let taken = needed.saturating_add(*reserved);
            let kept = make_room(self.limit_bytes.saturating_sub(taken));
            if taken.saturating_add(kept) <= self.limit_bytes {
                *reserved = taken;
                return Ok(Reservation { budget: self, bytes: needed });
            }
            if *reserved == 0 {
                return Err(self.refusal(key, needed.saturating_add(kept)));
            }
            reserved = self.freed.wait(reserved).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Why so much cannot be had.
    pub fn refusal(&self, (material, metric): Key, needed: u64) -> BuildError {
        let mib = |bytes: u64| bytes.div_ceil(1 << 20);
        let (needed_mib, limit_mib) = (mib(needed), mib(self.limit_bytes));
        BuildError::Memory { material, metric, needed_mib, limit_mib }
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        *lock(&self.budget.reserved_bytes) -= self.bytes;
        self.budget.freed.notify_all();
    }
}

/// All boards of a material in stages that read only earlier stages: the
/// furthest advanced pawns first.
pub(crate) fn stages(material: Material) -> Vec<Vec<Node>> {
    if !material.has_pawns() {
        return vec![vec![Node { material, pawns: Placement::NONE }]];
    }
    let mut placements = Placement::all(&material);
    placements.sort_by_key(|placement| std::cmp::Reverse(placement.advancement()));
    let node = |&pawns: &Placement| Node { material, pawns };
    let levels = placements.chunk_by(|a, b| a.advancement() == b.advancement());
    levels.map(|level| level.iter().map(node).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "KQK";

    /// Work that does not fit beside other work waits for it; what never fits
    /// is refused.
    #[test]
    fn work_waits_for_room() {
        let key = (KEY.parse().unwrap(), Metric::Dtm);
        let budget = Budget::new(100);
        let first = budget.reserve(key, 70, |_| 0).unwrap();
        std::thread::scope(|scope| {
            let second = scope.spawn(|| budget.reserve(key, 60, |_| 0).map(drop).is_ok());
            std::thread::yield_now();
            drop(first);
            assert!(second.join().unwrap());
        });
        assert!(budget.reserve(key, 60, |room| room.min(40)).is_ok());
        let refused = budget.reserve(key, 60, |_| 50).map(drop);
        assert!(matches!(refused, Err(BuildError::Memory { .. })));
        assert!(budget.reserve(key, 101, |_| 0).is_err());
    }
}
