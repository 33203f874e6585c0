//! Materials with pawns: a hyperboard for each placement of the pawns.

use std::sync::Arc;

use molien_board::Material;
use molien_hyper::Hyperboard;
use molien_values::{BoardValues, Metric, Placement, Stats, Table};
use rayon::prelude::*;

use crate::record::Keep;
use crate::solver::lock;
use crate::watch::Watch;
use crate::{SolveError, Solver};

/// One solved hyperboard with pawns.
pub(crate) struct Part {
    pub game: Arc<BoardValues>,
    stats: Stats,
}

impl Solver {
    /// All placements of the pawns, the furthest advanced first.
    pub(crate) fn solve_pawns(
        &self,
        material: Material,
        metric: Metric,
    ) -> Result<Table, SolveError> {
        let mut placements = Placement::all(&material);
        placements.sort_by_key(|placement| std::cmp::Reverse(placement.advancement()));
        let board = placements.first().map(|p| Hyperboard::around_pawns(material, p.bitboards()));
        let tiles = placements.len() * board.map_or(0, |board| board.tiles());
        self.progress.begin(material, metric, tiles as u64 * 4096);
        for level in placements.chunk_by(|a, b| a.advancement() == b.advancement()) {
            level
                .par_iter()
                .try_for_each(|&pawns| self.solve_part(material, metric, pawns).map(drop))?;
        }
        lock(&self.views).clear();
        placements.sort_unstable();
        let mut stats = Stats::new(material, metric);
        let mut games = Vec::with_capacity(placements.len());
        let mut parts = lock(&self.parts);
        for pawns in placements {
            if let Some(part) = parts.remove(&(material, metric, pawns)) {
                stats.absorb(&part.stats);
                games.push(part.game.clone());
            }
        }
        self.progress.end(material, metric);
        Ok(Table { material, metric, parts: games, stats })
    }

    pub(crate) fn solve_part(
        &self,
        material: Material,
        metric: Metric,
        pawns: Placement,
    ) -> Result<Arc<Part>, SolveError> {
        let key = (material, metric, pawns);
        if let Some(part) = lock(&self.parts).get(&key) {
            return Ok(part.clone());
        }
        let board = Hyperboard::around_pawns(material, pawns.bitboards());
        let exits = self.exits(&board, metric)?;
        let solve = self.board_solve(&board, &*exits, metric, Keep::Depths);
        let (game, stats) = solve.run(&mut Watch::nothing())?;
        let part = Arc::new(Part { game: Arc::new(game), stats });
        lock(&self.parts).insert(key, part.clone());
        Ok(part)
    }
}
