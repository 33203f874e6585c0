//! Positions with a single good move.

use molien_board::Color;
use molien_values::{Metric, Outcome, Value};

use crate::query::Query;
use crate::{Hit, MineError, Search, TableSet};

/// Positions of one depth that have a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct OnlyMoveCounts {
    /// All of them.
    pub positions: u64,
    /// Those with exactly one move that keeps the outcome.
    pub one_keeping: u64,
    /// Those with exactly one move that is optimal in the metric.
    pub one_optimal: u64,
    /// Those with exactly one legal move.
    pub one_legal: u64,
}

impl OnlyMoveCounts {
    fn add(&mut self, other: &OnlyMoveCounts) {
        self.positions += other.positions;
        self.one_keeping += other.one_keeping;
        self.one_optimal += other.one_optimal;
        self.one_legal += other.one_legal;
    }
}

/// Only-move statistics of one side to move.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct OnlyMoves {
    /// Won positions by depth in plies.
    pub wins: Vec<OnlyMoveCounts>,
    /// Drawn positions; every move that keeps the draw is optimal.
    pub draws: OnlyMoveCounts,
    /// Lost positions by depth in plies; every move keeps the outcome.
    pub losses: Vec<OnlyMoveCounts>,
}

impl OnlyMoves {
    fn slot(&mut self, value: Value) -> &mut OnlyMoveCounts {
        let by_depth = match value.outcome() {
            Outcome::Draw => return &mut self.draws,
            Outcome::Win => &mut self.wins,
            Outcome::Loss => &mut self.losses,
        };
        let depth = usize::from(value.plies().unwrap_or(0));
        if by_depth.len() <= depth {
            by_depth.resize(depth + 1, OnlyMoveCounts::default());
        }
        &mut by_depth[depth]
    }

    fn absorb(&mut self, other: &OnlyMoves) {
        self.draws.add(&other.draws);
        for (mine, theirs) in [(&mut self.wins, &other.wins), (&mut self.losses, &other.losses)] {
            if mine.len() < theirs.len() {
                mine.resize(theirs.len(), OnlyMoveCounts::default());
            }
            mine.iter_mut().zip(theirs).for_each(|(a, b)| a.add(b));
        }
    }
}

/// Counts the positions with a single good move, for White and for Black to
/// move. Every position's moves are played, which takes a few microseconds
/// for each: minutes for five men.
///
/// # Errors
/// If the tables have no depths, or lack the tables that moves lead to.
pub fn only_moves(
    tables: &TableSet,
    metric: Metric,
    progress: impl FnMut(u64, u64),
) -> Result<[OnlyMoves; 2], MineError> {
    let material = tables.material();
    tables.check_depths(metric)?;
    let moves = tables.moves.clone().ok_or(MineError::NoMetric { material, metric })?;
    let count = |counts: &mut [OnlyMoves; 2], hit: &Hit| {
        let Some(value) = hit.values[metric as usize] else { return Ok(()) };
        let good = moves.good_moves(&hit.position)?;
        if good.legal == 0 {
            return Ok(());
        }
        counts[hit.position.turn().index()].slot(value).add(&OnlyMoveCounts {
            positions: 1,
            one_keeping: u64::from(good.keeping == 1),
            one_optimal: u64::from(good.optimal == 1),
            one_legal: u64::from(good.legal == 1),
        });
        Ok(())
    };
    let merge = |into: &mut [OnlyMoves; 2], from: [OnlyMoves; 2]| {
        for color in Color::BOTH {
            into[color.index()].absorb(&from[color.index()]);
        }
    };
    Search::new(tables, &Query::all())?.fold(progress, count, merge)
}
