//! From a material to its table: the DAG of sub-games, kept in memory.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use molien_board::{Material, Position, Role};
use molien_hyper::Hyperboard;
use molien_operators::{Backend, fastest};
use molien_values::{BoardValues, Metric, Placement, Shelf, Stats, Table, Value, WaveLog};
use rayon::prelude::*;

use crate::board_solve::BoardSolve;
use crate::cache::{Cache, Key};
use crate::dependencies::below;
use crate::exits::{Exits, PieceExits};
use crate::memory::peak_bytes;
use crate::parts::SolverParts;
use crate::pawn_exits::PawnExits;
use crate::pawn_solve::Part;
use crate::plan::SLICED_TILES;
use crate::record::Keep;
use crate::view::{View, Wanted};
use crate::watch::Watch;
use crate::{Progress, Silent, SolveError};
use molien_operators::swap_colors;

/// Solves materials and keeps their tables.
pub struct Solver {
    backend: &'static dyn Backend,
    pub(crate) progress: Arc<dyn Progress>,
    pub(crate) memory_limit_bytes: u64,
    pub(crate) promotions: Vec<Role>,
    /// Asked in this order.
    shelves: Vec<Arc<dyn Shelf>>,
    wave_log: Option<Arc<dyn WaveLog>>,
    pub(crate) tables: Mutex<Cache>,
    /// Sub-games in the orientation a parent needs, where it is not the
    /// table's own.
    pub(crate) swapped: Mutex<Swapped>,
    /// Hyperboards with pawns, by canonical material and placement.
    pub(crate) parts: Mutex<HashMap<(Material, Metric, Placement), Arc<Part>>>,
    /// What captures of the last pawn lead to, while boards with pawns are
    /// being solved.
    pub(crate) views: Mutex<HashMap<ViewKey, Arc<View>>>,
    /// For single positions: of boards of so many tiles slices are kept.
    pub(crate) sliced_tiles: u64,
    /// Values of single positions of tables that keep no depths.
    pub(crate) watched: Mutex<HashMap<(Position, Metric), Value>>,
}

pub(crate) type Swapped = HashMap<Key, Arc<BoardValues>>;

/// What is read, in which metric.
pub(crate) type ViewKey = (Metric, Wanted);

impl Default for Solver {
    fn default() -> Solver {
        Solver::new()
    }
}

impl Solver {
    /// A solver with the fastest operators for this processor, silent, without
    /// a memory limit.
    pub fn new() -> Solver {
        Solver {
            backend: fastest(),
            progress: Arc::new(Silent),
            memory_limit_bytes: u64::MAX,
            promotions: Role::PROMOTIONS.to_vec(),
            shelves: Vec::new(),
            wave_log: None,
            tables: Mutex::new(Cache::new()),
            swapped: Mutex::default(),
            parts: Mutex::default(),
            views: Mutex::default(),
            sliced_tiles: SLICED_TILES,
            watched: Mutex::default(),
        }
    }

    /// Reports progress to `progress`.
    pub fn with_progress(mut self, progress: Arc<dyn Progress>) -> Solver {
        self.progress = progress;
        self
    }

    /// Uses these operators.
    pub fn with_backend(mut self, backend: &'static dyn Backend) -> Solver {
        self.backend = backend;
        self
    }

    /// Refuses to solve what needs more memory than this. Tables that are on
    /// the shelf are kept in memory up to half of it.
    pub fn with_memory_limit(mut self, bytes: u64) -> Solver {
        self.memory_limit_bytes = bytes;
        lock(&self.tables).set_limit(bytes / 2);
        self
    }

    /// Takes tables from a shelf rather than solving them. Of several shelves
    /// the one given last is asked first.
    pub fn with_shelf(mut self, shelf: Arc<dyn Shelf>) -> Solver {
        self.shelves.insert(0, shelf);
        self
    }

    /// Keeps the waves of long solves in a log, and goes on from what is in
    /// it. A log must not be shared by solvers with other promotions.
    pub fn with_wave_log(mut self, log: Arc<dyn WaveLog>) -> Solver {
        self.wave_log = Some(log);
        self
    }

    /// Lets pawns promote to these roles only. Tables solved so are not those
    /// of chess (Thompson's KQPKQ of 1986 has queens only), so shelves
    /// given before are not used.
    pub fn with_promotions(mut self, roles: &[Role]) -> Solver {
        if roles != Role::PROMOTIONS {
            self.shelves.clear();
        }
        self.promotions = roles.to_vec();
        self
    }

    /// The table of a material (in canonical orientation), solved if need be
    /// with everything it depends on.
    ///
    /// # Errors
    /// If it needs too much memory or is cancelled.
    pub fn solve(&self, material: Material, metric: Metric) -> Result<Arc<Table>, SolveError> {
        let material = material.canonical();
        if let Some(table) = self.get(material, metric)? {
            return Ok(table);
        }
        self.solve_below(material, metric)?;
        self.solve_one(material, metric, Keep::alone(material))
    }

    /// Solves all that a material depends on.
    pub(crate) fn solve_below(&self, material: Material, metric: Metric) -> Result<(), SolveError> {
        let goal = material;
        let needed = peak_bytes(material, metric, Keep::alone(material));
        self.check_memory(material, metric, needed)?;
        let keep = |material| Keep::for_others(material, metric);
        for level in self.to_read(material, metric) {
            let solve = |&m: &Material| self.solve_one(m, metric, keep(m)).map(drop);
            let missing: Vec<Material> =
                level.into_iter().filter(|&m| !self.is_known(m, metric, keep(m))).collect();
            // Small tables side by side; large ones one after the other, each
            // parallel inside, so that memory holds one at a time.
            if missing.first().is_some_and(|m| m.len() <= 4) {
                missing.par_iter().try_for_each(solve)?;
            } else {
                for material in missing {
                    let needed = peak_bytes(material, metric, keep(material));
                    self.check_memory_for(goal, material, metric, needed)?;
                    solve(&material)?;
                }
            }
        }
        self.check_memory(material, metric, needed)
    }

    /// What a solve reads, and what it takes to solve those that are missing.
    pub(crate) fn to_read(&self, material: Material, metric: Metric) -> Vec<Vec<Material>> {
        below(material, |sub| !self.is_known(sub, metric, Keep::for_others(sub, metric)))
    }

    /// A table solved earlier or on the shelf.
    ///
    /// # Errors
    /// If it is on the shelf but cannot be read.
    pub fn get(
        &self,
        material: Material,
        metric: Metric,
    ) -> Result<Option<Arc<Table>>, SolveError> {
        let key = key(material, metric);
        if let Some(table) = lock(&self.tables).get(&key) {
            return Ok(Some(table));
        }
        for shelf in &self.shelves {
            if let Some(table) = shelf.load(key.0, key.1)? {
                let table = Arc::new(table);
                lock(&self.tables).insert(key, table.clone(), true);
                return Ok(Some(table));
            }
        }
        Ok(None)
    }

    /// Whether a table is at hand that keeps at least this much.
    pub(crate) fn is_known(&self, material: Material, metric: Metric, keep: Keep) -> bool {
        let key = key(material, metric);
        lock(&self.tables).get(&key).is_some_and(|table| keeps(&table, keep))
            || self.shelves.iter().any(|shelf| shelf.contains(key.0, key.1))
    }

    /// Says that a table is on the shelf now, so that memory need not keep it.
    pub fn mark_stored(&self, material: Material, metric: Metric) {
        lock(&self.tables).mark_stored(&key(material, metric));
    }

    /// Forgets a table.
    pub fn forget(&self, material: Material, metric: Metric) {
        let key = key(material, metric);
        lock(&self.tables).remove(&key);
        lock(&self.swapped).remove(&key);
    }

    pub(crate) fn solve_one(
        &self,
        material: Material,
        metric: Metric,
        keep: Keep,
    ) -> Result<Arc<Table>, SolveError> {
        if let Some(table) = self.get(material, metric)?
            && keeps(&table, keep)
        {
            return Ok(table);
        }
        let key = key(material, metric);
        let metric = key.1;
        let table = match self.without_curses(material, metric, keep)? {
            Some(table) => table,
            None if material.has_pawns() => self.solve_pawns(material, metric)?,
            None => self.solve_pieces(material, metric, keep, &[])?.0,
        };
        let table = Arc::new(table);
        lock(&self.tables).insert(key, table.clone(), false);
        Ok(table)
    }

    /// Where the 50-move rule spoils nothing that a move leads to, DTZ50 is DTZ:
    /// the same boards serve, if they are at hand.
    fn without_curses(
        &self,
        material: Material,
        metric: Metric,
        keep: Keep,
    ) -> Result<Option<Table>, SolveError> {
        if metric != Metric::Dtz50 {
            return Ok(None);
        }
        let plain = lock(&self.tables).get(&key(material, Metric::Dtz));
        let Some(plain) = plain.filter(|plain| keeps(plain, keep)) else { return Ok(None) };
        // Only a pawn's push starts the count anew among the same men.
        if material.has_pawns() && plain.stats.is_cursed() {
            return Ok(None);
        }
        for sub in material.successors() {
            let sub = sub.canonical();
            let below = Keep::for_others(sub, metric);
            if self.solve_one(sub, metric, below)?.stats.is_cursed() {
                return Ok(None);
            }
        }
        let stats = Stats { metric, ..plain.stats.clone() };
        Ok(Some(Table { material, metric, parts: plain.parts.clone(), stats }))
    }

    /// The moves out of a hyperboard; what they lead to is solved if need be.
    pub(crate) fn exits(
        &self,
        board: &Hyperboard,
        metric: Metric,
    ) -> Result<Box<dyn Exits>, SolveError> {
        let material = board.material();
        if material.has_pawns() {
            let parts = SolverParts { solver: self, metric };
            return Ok(Box::new(PawnExits::new(board, metric, &self.promotions, &parts)?));
        }
        let sub = |man| material.without(man).map(|less| self.sub_game(less, metric)).transpose();
        let subs = board.pieces_in_order().into_iter().map(sub).collect::<Result<_, _>>()?;
        Ok(Box::new(PieceExits::new(board.clone(), subs, metric)))
    }

    /// Also returns the values of some positions, in their order: their depths
    /// are known even where the table does not keep depths.
    pub(crate) fn solve_pieces(
        &self,
        material: Material,
        metric: Metric,
        keep: Keep,
        watched: &[Position],
    ) -> Result<(Table, Vec<Value>), SolveError> {
        let board = Hyperboard::pieces(material);
        let exits = self.exits(&board, metric)?;
        self.progress.begin(material, metric, board.tiles() as u64 * 4096);
        let solve = self.board_solve(&board, &*exits, metric, keep);
        let mut watch = Watch::new(&board, watched);
        let (game, stats) = solve.run(&mut watch)?;
        self.progress.end(material, metric);
        let values = watch.values(&board);
        Ok((Table { material, metric, parts: vec![Arc::new(game)], stats }, values))
    }

    pub(crate) fn board_solve<'a>(
        &'a self,
        board: &'a Hyperboard,
        exits: &'a dyn Exits,
        metric: Metric,
        keep: Keep,
    ) -> BoardSolve<'a> {
        let (backend, progress) = (self.backend, &*self.progress);
        let log = self.wave_log.as_deref();
        BoardSolve { backend, progress, board, exits, metric, keep, log, bishops: None }
    }

    /// The values of a material without pawns in the given orientation.
    fn sub_game(&self, material: Material, metric: Metric) -> Result<Arc<BoardValues>, SolveError> {
        let key = key(material, metric);
        if material != key.0
            && let Some(game) = lock(&self.swapped).get(&key)
        {
            return Ok(game.clone());
        }
        let table = self.solve_one(key.0, metric, Keep::for_others(key.0, metric))?;
        let own = table.parts[0].clone();
        if table.material == material {
            return Ok(own);
        }
        let game = Arc::new(swap_colors(&own));
        lock(&self.swapped).insert(key, game.clone());
        Ok(game)
    }
}

/// Whether a table keeps at least this much.
fn keeps(table: &Table, keep: Keep) -> bool {
    keep == Keep::Outcomes || table.has_depths()
}

/// The key under which a material's table in a metric is kept.
pub(crate) fn key(material: Material, metric: Metric) -> Key {
    let metric = if material.has_pawns() { metric } else { metric.without_pawns() };
    (material.canonical(), metric)
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // The maps are only ever replaced entry by entry: a panic elsewhere leaves
    // them whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use molien_board::Color;
    use molien_hyper::Index;

    /// Watched positions get the depths that the table keeps.
    #[test]
    fn watching_equals_keeping() {
        for name in ["KQKR", "KQKQ"] {
            let solver = Solver::new();
            let material: Material = name.parse().unwrap();
            let table = solver.solve(material, Metric::Dtm).unwrap();
            let board = &table.parts[0].board;
            let square = |n: usize| molien_board::Square::new(n);
            let index = |n: usize| Index {
                tile: n % board.tiles(),
                row: square(n / 7),
                column: square(n / 3),
            };
            let decode = |n: usize| board.decode(index(n * 977), Color::BOTH[n % 2]);
            let positions: Vec<Position> = (0..20_000).filter_map(decode).collect();
            assert!(positions.len() > 1000);
            let (_, values) =
                solver.solve_pieces(material, Metric::Dtm, Keep::Depths, &positions).unwrap();
            for (position, value) in positions.iter().zip(values) {
                assert_eq!(table.get(position), Some(value), "{position}");
            }
        }
    }

    /// A table that only knows who wins is not good enough for plies to mate.
    #[test]
    fn depths_are_there_for_those_who_read_them() {
        let solver = Solver::new();
        let material: Material = "KQKR".parse().unwrap();
        solver.solve_below(material, Metric::Dtm).unwrap();
        let (table, _) = solver.solve_pieces(material, Metric::Dtm, Keep::Outcomes, &[]).unwrap();
        assert!(!table.has_depths());
        lock(&solver.tables).insert(key(material, Metric::Dtm), Arc::new(table), false);
        assert!(solver.is_known(material, Metric::Dtm, Keep::Outcomes));
        assert!(!solver.is_known(material, Metric::Dtm, Keep::Depths));
        assert!(solver.solve_one(material, Metric::Dtm, Keep::Depths).unwrap().has_depths());
        let six: Material = "KQQKQQ".parse().unwrap();
        assert_eq!(Keep::for_others(six, Metric::Dtm), Keep::Depths);
        assert_eq!(Keep::for_others(six, Metric::Dtc), Keep::Outcomes);
    }

    /// Many tables one after the other stay within the limit: what the next
    /// one does not read is given up.
    #[test]
    fn old_tables_make_room() {
        let limit = peak_bytes("KQKR".parse().unwrap(), Metric::Dtm, Keep::Depths) * 6;
        let solver = Solver::new().with_memory_limit(limit);
        for name in ["KQKR", "KQKB", "KRKN", "KBNK", "KQRK"] {
            for metric in Metric::ALL {
                solver.solve(name.parse().unwrap(), metric).unwrap();
                assert!(lock(&solver.tables).bytes() <= limit, "{name} {metric}");
            }
        }
        assert!(solver.is_known("KQRK".parse().unwrap(), Metric::Dtm, Keep::Depths));
        assert!(!solver.is_known("KQKR".parse().unwrap(), Metric::Dtm, Keep::Depths));
    }
}
