//! The card as a source of tables for the processor's solver.

use std::sync::Arc;

use molien_board::Material;
use molien_solve::{Metric, Shelf, Table};

use crate::{CudaEngine, Request};

/// A shelf that solves on the card what is asked of it: every table without
/// pawns that fits. A `molien_solve::Solver` with this shelf solves pawn
/// placements itself and takes the tables they promote into from the card.
pub struct CudaShelf {
    engine: Arc<CudaEngine>,
}

impl CudaShelf {
    /// A shelf on this engine.
    pub fn new(engine: Arc<CudaEngine>) -> CudaShelf {
        CudaShelf { engine }
    }

    fn fits(&self, material: Material, metric: Metric) -> bool {
        let needed = self.engine.plan(&Request::new(material, metric)).total();
        self.engine.memory().is_ok_and(|(_, total)| needed < total)
    }
}

impl Shelf for CudaShelf {
    fn contains(&self, material: Material, metric: Metric) -> bool {
        // Kings alone are no table; depths of more than five men are not kept.
        let wanted = !material.has_pawns() && (3..=5).contains(&material.len());
        wanted && self.fits(material, metric)
    }

    fn load(&self, material: Material, metric: Metric) -> Result<Option<Table>, String> {
        if !self.contains(material, metric) {
            return Ok(None);
        }
        self.engine.solve(material, metric).map(Some).map_err(|error| error.to_string())
    }
}
