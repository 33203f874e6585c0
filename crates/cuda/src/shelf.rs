//! The card as a source of tables for the processor's solver.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use molien_board::Material;
use molien_operators::SubGame;
use molien_solve::{Metric, Shelf, Stats, Table};

use crate::{CudaEngine, CudaError, Request};

/// The longest phase that the 50-move rule allows, in plies.
const LIMIT_PLIES: usize = 100;

/// A shelf that solves on the card what is asked of it: every table of three
/// to five men that fits.
pub struct CudaShelf {
    engine: Arc<CudaEngine>,
    solved: Mutex<HashMap<Material, Solved>>,
}

/// What is known of a material for telling whether the 50-move rule matters.
#[derive(Default)]
struct Solved {
    /// Without the rule, as long as somebody holds the table.
    plain: Option<(Vec<Weak<SubGame>>, Stats)>,
    /// The greatest depth under the rule.
    deepest: Option<usize>,
}

impl CudaShelf {
    /// A shelf on this engine.
    pub fn new(engine: Arc<CudaEngine>) -> CudaShelf {
        CudaShelf { engine, solved: Mutex::default() }
    }

    fn fits(&self, material: Material, metric: Metric) -> bool {
        let needed = self.engine.plan(&Request::new(material, metric)).total();
        self.engine.memory().is_ok_and(|(_, total)| needed < total)
    }

    fn solved(&self) -> MutexGuard<'_, HashMap<Material, Solved>> {
        // Entries are only ever added or replaced whole.
        self.solved.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where nothing takes more than 100 plies, here or in a sub-game, the
    /// 50-move rule changes nothing and the table is that without the rule.
    fn without_curses(&self, material: Material) -> Option<Table> {
        let solved = self.solved();
        let harmless = |sub: &Material| {
            let deepest = solved.get(&sub.canonical()).and_then(|known| known.deepest);
            sub.len() == 2 || deepest.is_some_and(|deepest| deepest <= LIMIT_PLIES)
        };
        let (parts, stats) = solved.get(&material)?.plain.as_ref()?;
        if stats.deepest() > LIMIT_PLIES || !material.successors().iter().all(harmless) {
            return None;
        }
        let parts = parts.iter().map(Weak::upgrade).collect::<Option<_>>()?;
        let metric = Metric::Dtz50;
        Some(Table { material, metric, parts, stats: Stats { metric, ..stats.clone() } })
    }

    fn note(&self, table: &Table) {
        let mut solved = self.solved();
        let entry = solved.entry(table.material).or_default();
        let plain = if table.material.has_pawns() { Metric::Dtz } else { Metric::Dtc };
        if table.metric == plain {
            let parts = table.parts.iter().map(Arc::downgrade).collect();
            entry.plain = Some((parts, table.stats.clone()));
        }
        if table.metric == Metric::Dtz50 {
            entry.deepest = Some(table.stats.deepest());
        }
    }
}

impl Shelf for CudaShelf {
    fn contains(&self, material: Material, metric: Metric) -> bool {
        // Kings alone are no table; depths of more than five men are not kept.
        (3..=5).contains(&material.len()) && self.fits(material, metric)
    }

    fn load(&self, material: Material, metric: Metric) -> Result<Option<Table>, String> {
        if !self.contains(material, metric) {
            return Ok(None);
        }
        let same = if metric == Metric::Dtz50 { self.without_curses(material) } else { None };
        let table = match same {
            Some(table) => table,
            None => match self.engine.solve(material, metric) {
                Ok(table) => table,
                // Somebody else uses the card: the processor can do it.
                Err(CudaError::Memory { .. }) => return Ok(None),
                Err(error) => return Err(error.to_string()),
            },
        };
        self.note(&table);
        Ok(Some(table))
    }
}
