//! Solving for the waves alone.

use molien_board::Material;
use molien_hyper::Hyperboard;

use crate::board_solve::BoardSolve;
use crate::record::Keep;
use crate::solver::lock;
use crate::watch::Watch;
use crate::{SolveError, Solver};
use molien_values::{Metric, Stats, WaveLog};

impl Solver {
    /// Solves a material without pawns, given in canonical orientation, and
    /// leaves its waves in `log`, even if its table is known already. What it
    /// depends on is solved if need be; of itself only the statistics are
    /// returned. Where `log` has waves of an interrupted solve they are gone on
    /// with. Without pawns DTZ is DTC.
    ///
    /// # Errors
    /// If it needs too much memory, is cancelled, or cannot be logged.
    pub fn solve_logged(
        &self,
        material: Material,
        metric: Metric,
        log: &dyn WaveLog,
    ) -> Result<Stats, SolveError> {
        let metric = metric.without_pawns();
        self.solve_below(material, metric)?;
        let board = Hyperboard::pieces(material);
        let exits = self.exits(&board, metric)?;
        self.progress.begin(material, metric, board.tiles() as u64 * 4096);
        let solve = self.board_solve(&board, &*exits, metric, Keep::Outcomes);
        let solve = BoardSolve { log: Some(log), ..solve };
        let (_, stats) = solve.run(&mut Watch::nothing())?;
        self.progress.end(material, metric);
        Ok(stats)
    }

    /// Gives up all that is kept in memory.
    pub fn forget_all(&self) {
        lock(&self.tables).give_up(0, |_| false);
        lock(&self.swapped).clear();
        lock(&self.parts).clear();
        lock(&self.views).clear();
    }
}
