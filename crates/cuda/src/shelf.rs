//! The card as a source of tables for the processor's solver.

use std::sync::Arc;

use molien_board::Material;
use molien_solve::{Metric, Shelf, Table};

use crate::{CudaEngine, Request};

/// A shelf that solves on the card what is asked of it: every table without
/// pawns that fits. A `molien_solve::Solver` with this shelf solves pawn
/// placements itself and takes the tables they promote into from the card.
///
/// A table read from another shelf, if one is given, is not solved again.
pub struct CudaShelf {
    engine: Arc<CudaEngine>,
    first: Option<Arc<dyn Shelf>>,
}

impl CudaShelf {
    /// A shelf on this engine.
    pub fn new(engine: Arc<CudaEngine>) -> CudaShelf {
        CudaShelf { engine, first: None }
    }

    /// Looks on another shelf first.
    pub fn after(mut self, shelf: Arc<dyn Shelf>) -> CudaShelf {
        self.first = Some(shelf);
        self
    }

    fn fits(&self, material: Material, metric: Metric) -> bool {
        let needed = self.engine.plan(&Request::new(material, metric)).total();
        self.engine.memory().is_ok_and(|(_, total)| needed < total)
    }
}

impl Shelf for CudaShelf {
    fn contains(&self, material: Material, metric: Metric) -> bool {
        let stored = self.first.as_ref().is_some_and(|shelf| shelf.contains(material, metric));
        stored || !material.has_pawns() && material.len() <= 6 && self.fits(material, metric)
    }

    fn load(&self, material: Material, metric: Metric) -> Result<Option<Table>, String> {
        if let Some(shelf) = &self.first
            && let Some(table) = shelf.load(material, metric)?
        {
            return Ok(Some(table));
        }
        if !self.contains(material, metric) {
            return Ok(None);
        }
        self.engine.solve(material, metric).map(Some).map_err(|error| error.to_string())
    }
}
