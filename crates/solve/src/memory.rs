//! What tables keep, and what that takes in memory, roughly.

use molien_board::Material;
use molien_hyper::{Hyperboard, Tile};
use molien_operators::Rule;

use crate::record::Keep;
use crate::{Metric, Placement};

/// Up to this many men a table without pawns always keeps its depths.
const DEPTHS_MEN: usize = 5;

/// Planes alive at the peak of a solve: legal, won and lost for both sides,
/// open, candidates, two waves of losses, one of wins, two releases.
const WORKING_PLANES: u64 = 13;
/// Planes that stay of a solved board: legal, won and lost for both sides.
const OUTCOME_PLANES: u64 = 6;
/// Planes of depth bits kept, both sides together.
const DEPTH_PLANES: u64 = 2 * 8;

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
            Keep::Depths => OUTCOME_PLANES + DEPTH_PLANES,
            Keep::Outcomes => OUTCOME_PLANES,
        }
    }
}

/// What stays of a solved board.
pub(crate) fn kept_bytes(tiles: u64, keep: Keep) -> u64 {
    tiles * size_of::<Tile>() as u64 * keep.planes()
}

/// What solving a board takes on top of what stays.
pub(crate) fn working_bytes(tiles: u64) -> u64 {
    tiles * size_of::<Tile>() as u64 * (WORKING_PLANES - OUTCOME_PLANES)
}

/// The peak of solving a whole material, its sub-games left out.
pub(crate) fn peak_bytes(material: Material, keep: Keep) -> u64 {
    if material.has_pawns() {
        let placements = Placement::all(&material);
        let Some(first) = placements.first() else { return 0 };
        let board = Hyperboard::around_pawns(material, first.bitboards());
        return kept_bytes(board.tiles() as u64, keep) * placements.len() as u64;
    }
    let tiles = Hyperboard::pieces(material).tiles() as u64;
    kept_bytes(tiles, keep) + working_bytes(tiles)
}
