//! What boards with pawns read: tables, other boards with pawns, and copies.

use std::sync::Arc;

use molien_board::Material;
use molien_operators::Backend;
use molien_values::{BoardValues, Metric, Placement};

use crate::pawn_exits::Parts;
use crate::piece_view::of_piece_board;
use crate::reach::Node;
use crate::record::Keep;
use crate::solver::lock;
use crate::view::{View, Wanted, of_pawn_board};
use crate::{SolveError, Solver};

/// The sub-games of pawn hyperboards, in one metric.
pub(crate) struct SolverParts<'a> {
    pub solver: &'a Solver,
    pub metric: Metric,
}

impl SolverParts<'_> {
    /// The values of a canonical material around a canonical placement.
    fn part(&self, material: Material, pawns: Placement) -> Result<Arc<BoardValues>, SolveError> {
        if let Some(part) = lock(&self.solver.parts).get(&(material, self.metric, pawns)) {
            return Ok(part.game.clone());
        }
        if let Some(table) = self.solver.get(material, self.metric)?
            && let Some(game) = table.part(pawns)
        {
            return Ok(game.clone());
        }
        Ok(self.solver.solve_part(material, self.metric, pawns)?.game.clone())
    }

    /// Copies what is wanted off its board.
    fn copy(&self, wanted: &Wanted) -> Result<View, SolveError> {
        let Node { material, pawns } = wanted.node();
        if pawns != Placement::NONE {
            return Ok(of_pawn_board(self.backend(), &self.part(material, pawns)?, wanted));
        }
        let keep = Keep::for_others(material, self.metric);
        let table = self.solver.solve_one(material, self.metric, keep)?;
        Ok(of_piece_board(self.backend(), &table.parts[0], wanted))
    }

    /// Copies what is wanted, for this reader and others.
    pub fn keep(&self, wanted: Wanted) -> Result<Arc<View>, SolveError> {
        let view = Arc::new(self.copy(&wanted)?);
        lock(&self.solver.views).insert((self.metric, wanted), view.clone());
        Ok(view)
    }
}

impl Parts for SolverParts<'_> {
    fn backend(&self) -> &'static dyn Backend {
        self.solver.backend
    }

    fn view(&self, wanted: Wanted) -> Result<View, SolveError> {
        let key = (self.metric, wanted);
        if let Some(view) = lock(&self.solver.views).get(&key) {
            return Ok(View::Common(view.clone()));
        }
        let wanted = key.1;
        if wanted.is_common() { self.keep(wanted).map(View::Common) } else { self.copy(&wanted) }
    }
}
