//! The card as a source of tables for the processor's solver.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use molien_board::{Material, Position};
use molien_values::{
    BoardReceiver, BoardValues, FIFTY_MOVES_PLIES, Graded, Metric, PieceSlice, Placement, Shelf,
    ShelfError, Stats, Table, Value,
};

use crate::{CudaEngine, CudaError, Request};

/// A shelf that solves on the card what is asked of it: every table of three
/// to five men that fits, and the boards of those with six men and pawns, one after the
/// other.
pub struct CudaShelf {
    engine: Arc<CudaEngine>,
    solved: Mutex<HashMap<Material, Solved>>,
}

/// What is known of a material for telling whether the 50-move rule matters.
#[derive(Default)]
struct Solved {
    /// Without the rule, as long as somebody holds the table.
    plain: Option<(Vec<Weak<BoardValues>>, Stats)>,
    /// Whether something takes too long under the rule.
    cursed: Option<bool>,
}

impl CudaShelf {
    /// A shelf on this engine.
    pub fn new(engine: Arc<CudaEngine>) -> CudaShelf {
        CudaShelf { engine, solved: Mutex::default() }
    }

    fn fits(&self, material: Material, metric: Metric) -> bool {
        self.engine.fits_card(&self.engine.needs(&Request::new(material, metric)))
    }

    fn solved(&self) -> MutexGuard<'_, HashMap<Material, Solved>> {
        // Entries are only ever added or replaced whole.
        self.solved.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where the 50-move rule spoils nothing that a move leads to, the table is
    /// that without the rule.
    fn without_curses(&self, material: Material) -> Option<Table> {
        let solved = self.solved();
        let harmless = |sub: &Material| {
            let cursed = solved.get(&sub.canonical()).and_then(|known| known.cursed);
            sub.len() == 2 || cursed == Some(false)
        };
        let (parts, stats) = solved.get(&material)?.plain.as_ref()?;
        // Only a pawn's push starts the count anew among the same men.
        let cursed = material.has_pawns() && stats.is_cursed();
        if cursed || !material.successors().iter().all(harmless) {
            return None;
        }
        let parts = parts.iter().map(Weak::upgrade).collect::<Option<_>>()?;
        let metric = Metric::Dtz50;
        Some(Table { material, metric, parts, stats: Stats { metric, ..stats.clone() } })
    }

    /// The table, solved on the card. None if somebody else uses the card's
    /// memory: the processor can do it then.
    fn solve_on_card(
        &self,
        material: Material,
        metric: Metric,
    ) -> Result<Option<Table>, CudaError> {
        let mut answer = self.engine.solve(material, metric);
        if matches!(answer, Err(CudaError::Full { .. })) {
            // What is kept for later solves makes room.
            self.engine.forget_all();
            answer = self.engine.solve(material, metric);
        }
        match answer {
            Ok(table) => Ok(Some(table)),
            Err(CudaError::Memory { .. } | CudaError::Full { .. }) => Ok(None),
            Err(error) => Err(error),
        }
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
            entry.cursed = Some(table.stats.is_cursed());
        }
    }
}

fn not_made(material: Material, metric: Metric, error: CudaError) -> ShelfError {
    ShelfError::Make { material, metric, source: Arc::new(error) }
}

impl Shelf for CudaShelf {
    fn contains(&self, material: Material, metric: Metric) -> bool {
        // Kings alone are no table; depths of more than five men are not kept;
        // who wins alone is read off DTZ50.
        metric != Metric::Wdl
            && (metric != Metric::Dtm50 || self.engine.rule_plies == FIFTY_MOVES_PLIES)
            && (3..=5).contains(&material.len())
            && self.fits(material, metric)
    }

    fn load(&self, material: Material, metric: Metric) -> Result<Option<Table>, ShelfError> {
        if !self.contains(material, metric) {
            return Ok(None);
        }
        let same = if metric == Metric::Dtz50 { self.without_curses(material) } else { None };
        let table = match same {
            Some(table) => Some(table),
            None => self
                .solve_on_card(material, metric)
                .map_err(|error| not_made(material, metric, error))?,
        };
        table.iter().for_each(|table| self.note(table));
        Ok(table)
    }

    fn has_boards(&self, material: Material, metric: Metric) -> bool {
        self.engine.is_large(material) && Metric::ALL.contains(&metric)
    }

    fn plan_boards(&self, material: Material, metric: Metric) -> Result<(), ShelfError> {
        let planned = self.engine.room_for_large(material, metric);
        planned.map_err(|error| not_made(material, metric, error))
    }

    fn hand_over(
        &self,
        material: Material,
        metric: Metric,
        receiver: &dyn BoardReceiver,
    ) -> Result<Stats, ShelfError> {
        if !self.has_boards(material, metric) {
            return Err(ShelfError::NoBoards { material, metric });
        }
        let handed = self.engine.large_statistics(material, metric, Some(receiver));
        handed.map_err(|error| not_made(material, metric, error))
    }

    fn hand_over_some(
        &self,
        material: Material,
        metric: Metric,
        pawns: &[Placement],
        receiver: &dyn BoardReceiver,
    ) -> Result<Stats, ShelfError> {
        if !self.has_boards(material, metric) {
            return Err(ShelfError::NoBoards { material, metric });
        }
        let handed = self.engine.some_boards(material, metric, pawns, receiver);
        handed.map_err(|error| not_made(material, metric, error))
    }

    fn has_slices(&self, material: Material, metric: Metric) -> bool {
        self.engine.cuts_slices(material, metric)
    }

    fn slices(
        &self,
        material: Material,
        metric: Metric,
        wanted: &[PieceSlice],
    ) -> Result<(Vec<Graded>, Stats), ShelfError> {
        let cut = self.engine.piece_slices(material, metric, wanted);
        cut.map_err(|error| not_made(material, metric, error))
    }

    fn has_values(&self, material: Material, metric: Metric) -> bool {
        self.engine.tells_values(material, metric)
    }

    fn values(
        &self,
        material: Material,
        metric: Metric,
        positions: &[Position],
    ) -> Result<Vec<Value>, ShelfError> {
        let found = self.engine.values_of(material, metric, positions);
        found.map_err(|error| not_made(material, metric, error))
    }
}
