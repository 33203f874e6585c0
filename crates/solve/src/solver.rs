//! From a material to its table: the DAG of sub-games, kept in memory.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use molien_board::{Color, Material, Position, Role};
use molien_hyper::{Hyperboard, Tile};
use molien_operators::{Backend, SubGame, fastest};
use rayon::prelude::*;
use thiserror::Error;

use crate::board_solve::BoardSolve;
use crate::cache::Cache;
use crate::exits::{Exits, PieceExits};
use crate::pawn_exits::{Parts, PawnExits};
use crate::reach::{Node, reachable};
use crate::record::Keep;
use crate::relayout::swap_colors;
use crate::view::{View, Wanted, of_piece_board};
use crate::watch::Watch;
use crate::{Metric, Placement, Progress, Silent, Stats, Table, Value, WaveLog};

/// Why a material could not be solved.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SolveError {
    /// The tables would not fit.
    #[error(
        "{material} in {metric} needs about {needed_mib} MiB of memory, but the limit is {limit_mib} MiB (raise it with --memory)"
    )]
    Memory {
        /// What was asked.
        material: Material,
        /// In which metric.
        metric: Metric,
        /// The estimate.
        needed_mib: u64,
        /// What is allowed.
        limit_mib: u64,
    },
    /// A position can turn into too many others.
    #[error(
        "this {material} position can turn into more than {limit} placements of pawns and pieces: too many to solve"
    )]
    TooManyPlacements {
        /// Its material.
        material: Material,
        /// How many were looked at.
        limit: usize,
    },
    /// The caller asked to stop.
    #[error("solving {material} was interrupted")]
    Cancelled {
        /// What was being solved.
        material: Material,
    },
    /// The table does not hold the position: it was made for other placements
    /// of the pawns.
    #[error("the table of {material} does not hold this position")]
    NotCovered {
        /// Its material.
        material: Material,
    },
    /// A stored table could not be read.
    #[error("{material}: {reason}")]
    Shelf {
        /// Whose table.
        material: Material,
        /// What is wrong with it.
        reason: String,
    },
    /// A wave could not be logged. What was logged before is kept.
    #[error("{material}: the wave log: {reason}")]
    WaveLog {
        /// What was being solved.
        material: Material,
        /// What is wrong.
        reason: String,
    },
}

/// Tables solved earlier, on disk for instance.
pub trait Shelf: Send + Sync {
    /// Whether the table of a canonical material can be had.
    fn contains(&self, material: Material, metric: Metric) -> bool;

    /// The table, if it is there.
    ///
    /// # Errors
    /// If it is there but cannot be read; the text says what is wrong.
    fn load(&self, material: Material, metric: Metric) -> Result<Option<Table>, String>;
}

/// What solving one position takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Hyperboards to solve: placements of the pawns with their pieces.
    pub placements: u64,
    /// Addresses a side, all together.
    pub positions: u64,
    /// Memory at the peak, roughly.
    pub bytes: u64,
}

/// Solves materials and keeps their tables.
pub struct Solver {
    backend: &'static dyn Backend,
    progress: Arc<dyn Progress>,
    memory_limit_bytes: u64,
    promotions: Vec<Role>,
    /// Asked in this order.
    shelves: Vec<Arc<dyn Shelf>>,
    wave_log: Option<Arc<dyn WaveLog>>,
    tables: Mutex<Cache>,
    /// Sub-games in the orientation a parent needs, where it is not the
    /// table's own.
    swapped: Mutex<HashMap<(Material, Metric), Arc<SubGame>>>,
    /// Hyperboards with pawns, by canonical material and placement.
    parts: Mutex<HashMap<(Material, Metric, Placement), Arc<Part>>>,
    /// What captures of the last pawn lead to, while boards with pawns are
    /// being solved.
    views: Mutex<HashMap<ViewKey, Arc<View>>>,
    /// Values of single positions of tables that keep no depths.
    watched: Mutex<HashMap<(Position, Metric), Value>>,
}

/// Material, metric, side to move, and whether depths are read.
type ViewKey = (Material, Metric, Color, bool);

/// One solved hyperboard with pawns.
struct Part {
    game: Arc<SubGame>,
    stats: Stats,
}

/// The most hyperboards looked at for one position.
const MAX_PLACEMENTS: usize = 2_000_000;

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
        self.check_memory(material, metric, estimate_bytes(material))?;
        for level in dependencies(material) {
            let missing: Vec<Material> =
                level.into_iter().filter(|&m| !self.is_known(m, metric)).collect();
            // Small tables side by side; large ones one after the other, each
            // parallel inside, so that memory holds one at a time.
            if missing.first().is_some_and(|m| m.len() <= 4) {
                missing.par_iter().try_for_each(|&m| self.solve_one(m, metric).map(drop))?;
            } else {
                missing.iter().try_for_each(|&m| self.solve_one(m, metric).map(drop))?;
            }
        }
        self.solve_one(material, metric)
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
        let material = key.0;
        for shelf in &self.shelves {
            let loaded = shelf.load(key.0, key.1);
            if let Some(table) = loaded.map_err(|reason| SolveError::Shelf { material, reason })? {
                let table = Arc::new(table);
                lock(&self.tables).insert(key, table.clone(), true);
                return Ok(Some(table));
            }
        }
        Ok(None)
    }

    fn is_known(&self, material: Material, metric: Metric) -> bool {
        let key = key(material, metric);
        lock(&self.tables).get(&key).is_some()
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

    /// What solving a position takes, if its table is not known.
    ///
    /// # Errors
    /// If it can turn into too many others to count.
    pub fn cost(&self, position: &Position) -> Result<Cost, SolveError> {
        let nodes = self.nodes(position)?;
        let mut cost = Cost { placements: 0, positions: 0, bytes: 0 };
        for node in nodes.iter().filter(|node| !self.is_known(node.material, Metric::Dtm)) {
            let tiles = node.tiles();
            cost.placements += 1;
            cost.positions += tiles * 4096;
            cost.bytes += tiles * size_of::<Tile>() as u64 * (6 + DEPTH_PLANES);
        }
        Ok(cost)
    }

    /// The materials without pawns that a position can turn into, those first
    /// that others depend on.
    ///
    /// # Errors
    /// If it can turn into too many others to count.
    pub fn pieces_needed(&self, position: &Position) -> Result<Vec<Material>, SolveError> {
        let nodes = self.nodes(position)?.into_iter();
        Ok(nodes.filter(|node| node.pawns == Placement::NONE).map(|node| node.material).collect())
    }

    fn nodes(&self, position: &Position) -> Result<Vec<Node>, SolveError> {
        let start = Node::of(position);
        let material = start.material;
        reachable(start, &self.promotions, MAX_PLACEMENTS)
            .ok_or(SolveError::TooManyPlacements { material, limit: MAX_PLACEMENTS })
    }

    /// The value of one position (en passant is ignored). Only what the
    /// position can turn into is solved.
    ///
    /// # Errors
    /// If it needs too much memory or is cancelled.
    pub fn value(&self, position: &Position, metric: Metric) -> Result<Value, SolveError> {
        let node = Node::of(position);
        if node.pawns == Placement::NONE && !keeps_depths(node.material) {
            self.watch(&[*position], metric)?;
            let found = lock(&self.watched).get(&watch_key(position, metric)).copied();
            return found.ok_or(SolveError::NotCovered { material: node.material });
        }
        if node.pawns == Placement::NONE || self.is_known(node.material, metric) {
            return covered(&*self.solve(node.material, metric)?, position);
        }
        let part = self.position_part(position, metric)?;
        let table = Table {
            material: node.material,
            metric,
            parts: vec![part.game.clone()],
            stats: Stats::new(node.material, metric),
        };
        covered(&table, position)
    }

    /// Learns the values of positions that will be asked for. Tables of six
    /// men and more do not keep depths: each call of this solves such a table
    /// once for all its positions not yet known; without it each position
    /// would cost a solve. Other positions are left alone.
    ///
    /// # Errors
    /// If a table needs too much memory or is cancelled.
    pub fn watch(&self, positions: &[Position], metric: Metric) -> Result<(), SolveError> {
        let mut wanted: HashMap<Material, Vec<Position>> = HashMap::new();
        for position in positions {
            let material = position.material();
            let known = lock(&self.watched).contains_key(&watch_key(position, metric));
            if !known && !material.has_pawns() && !keeps_depths(material) {
                let swap = !material.is_canonical();
                let position = position.without_en_passant();
                let position = if swap { position.swap_colors() } else { position };
                wanted.entry(material.canonical()).or_default().push(position);
            }
        }
        for (material, positions) in wanted {
            let metric = metric.without_pawns();
            self.check_memory(material, metric, estimate_bytes(material))?;
            for level in dependencies(material) {
                level.iter().try_for_each(|&m| self.solve(m, metric).map(drop))?;
            }
            let (table, values) = self.solve_pieces(material, metric, &positions)?;
            lock(&self.tables).insert(key(material, metric), Arc::new(table), false);
            let found = positions.iter().map(|p| watch_key(p, metric)).zip(values);
            lock(&self.watched).extend(found);
        }
        Ok(())
    }

    /// Solves the hyperboard of a position with pawns and all it depends on.
    fn position_part(&self, position: &Position, metric: Metric) -> Result<Arc<Part>, SolveError> {
        let node = Node::of(position);
        let key = (node.material, metric, node.pawns);
        if let Some(part) = lock(&self.parts).get(&key) {
            return Ok(part.clone());
        }
        self.check_memory(node.material, metric, self.cost(position)?.bytes)?;
        for node in self.nodes(position)? {
            if self.is_known(node.material, metric) {
                continue;
            }
            if node.pawns == Placement::NONE {
                self.solve(node.material, metric)?;
            } else {
                self.solve_part(node.material, metric, node.pawns)?;
            }
        }
        let part = self.solve_part(node.material, metric, node.pawns);
        lock(&self.views).clear();
        part
    }

    fn solve_one(&self, material: Material, metric: Metric) -> Result<Arc<Table>, SolveError> {
        if let Some(table) = self.get(material, metric)? {
            return Ok(table);
        }
        let key = key(material, metric);
        let metric = key.1;
        let table = match self.without_curses(material, metric)? {
            Some(table) => table,
            None if material.has_pawns() => self.solve_pawns(material, metric)?,
            None => self.solve_pieces(material, metric, &[])?.0,
        };
        let table = Arc::new(table);
        lock(&self.tables).insert(key, table.clone(), false);
        Ok(table)
    }

    /// Where nothing takes more than 100 plies, here or in a sub-game, the
    /// 50-move rule changes nothing and DTZ50 is DTZ.
    fn without_curses(
        &self,
        material: Material,
        metric: Metric,
    ) -> Result<Option<Table>, SolveError> {
        if metric != Metric::Dtz50 {
            return Ok(None);
        }
        for sub in material.successors() {
            if self.solve_one(sub.canonical(), metric)?.stats.deepest() > 100 {
                return Ok(None);
            }
        }
        let plain = self.solve_one(material, Metric::Dtz)?;
        let same = plain.stats.deepest() <= 100;
        let stats = Stats { metric, ..plain.stats.clone() };
        Ok(same.then(|| Table { material, metric, parts: plain.parts.clone(), stats }))
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
    fn solve_pieces(
        &self,
        material: Material,
        metric: Metric,
        watched: &[Position],
    ) -> Result<(Table, Vec<Value>), SolveError> {
        let board = Hyperboard::pieces(material);
        let exits = self.exits(&board, metric)?;
        let keep = if keeps_depths(material) { Keep::Depths } else { Keep::Outcomes };
        self.progress.begin(material, metric, board.tiles() as u64 * 4096);
        let (backend, progress) = (self.backend, &*self.progress);
        let (exits, log) = (&*exits, self.wave_log.as_deref());
        let solve = BoardSolve { backend, progress, board: &board, exits, metric, keep, log };
        let mut watch = Watch::new(&board, watched);
        let (game, stats) = solve.run(&mut watch)?;
        self.progress.end(material, metric);
        let values = watch.values(&board);
        Ok((Table { material, metric, parts: vec![Arc::new(game)], stats }, values))
    }

    /// All placements of the pawns, the furthest advanced first.
    fn solve_pawns(&self, material: Material, metric: Metric) -> Result<Table, SolveError> {
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

    fn solve_part(
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
        let (backend, progress) = (self.backend, &*self.progress);
        let keep = Keep::Depths;
        let (exits, log) = (&*exits, self.wave_log.as_deref());
        let solve = BoardSolve { backend, progress, board: &board, exits, metric, keep, log };
        let (game, stats) = solve.run(&mut Watch::nothing())?;
        let part = Arc::new(Part { game: Arc::new(game), stats });
        lock(&self.parts).insert(key, part.clone());
        Ok(part)
    }

    /// The values of a material without pawns in the given orientation.
    fn sub_game(&self, material: Material, metric: Metric) -> Result<Arc<SubGame>, SolveError> {
        let key = key(material, metric);
        if material != key.0
            && let Some(game) = lock(&self.swapped).get(&key)
        {
            return Ok(game.clone());
        }
        let table = self.solve_one(key.0, metric)?;
        let own = table.parts[0].clone();
        if table.material == material {
            return Ok(own);
        }
        let game = Arc::new(swap_colors(&own));
        lock(&self.swapped).insert(key, game.clone());
        Ok(game)
    }

    fn check_memory(
        &self,
        material: Material,
        metric: Metric,
        needed: u64,
    ) -> Result<(), SolveError> {
        if needed <= self.memory_limit_bytes {
            return Ok(());
        }
        let mib = |bytes: u64| bytes.div_ceil(1 << 20);
        let (needed_mib, limit_mib) = (mib(needed), mib(self.memory_limit_bytes));
        Err(SolveError::Memory { material, metric, needed_mib, limit_mib })
    }
}

/// Whether a table of this material keeps the depth of every position.
fn keeps_depths(material: Material) -> bool {
    material.has_pawns() || material.len() <= 5
}

/// Positions that differ only by colours have one entry.
fn watch_key(position: &Position, metric: Metric) -> (Position, Metric) {
    let position = position.without_en_passant();
    let swap = !position.material().is_canonical();
    (if swap { position.swap_colors() } else { position }, metric.without_pawns())
}

fn covered(table: &Table, position: &Position) -> Result<Value, SolveError> {
    table.get(position).ok_or(SolveError::NotCovered { material: position.material() })
}

/// The key under which a material's table in a metric is kept.
fn key(material: Material, metric: Metric) -> (Material, Metric) {
    let metric = if material.has_pawns() { metric } else { metric.without_pawns() };
    (material.canonical(), metric)
}

/// The sub-games of pawn hyperboards, in one metric.
struct SolverParts<'a> {
    solver: &'a Solver,
    metric: Metric,
}

impl Parts for SolverParts<'_> {
    fn part(&self, material: Material, pawns: Placement) -> Result<Arc<SubGame>, SolveError> {
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

    fn pieces(&self, material: Material) -> Result<Arc<SubGame>, SolveError> {
        self.solver.sub_game(material, self.metric)
    }

    fn piece_view(&self, material: Material, wanted: &Wanted<'_>) -> Result<Arc<View>, SolveError> {
        let key = (material, self.metric, wanted.turn, wanted.depths);
        if let Some(view) = lock(&self.solver.views).get(&key) {
            return Ok(view.clone());
        }
        let view = Arc::new(of_piece_board(&*self.pieces(material)?, wanted));
        lock(&self.solver.views).insert(key, view.clone());
        Ok(view)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // The maps are only ever replaced entry by entry: a panic elsewhere leaves
    // them whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Planes alive at the peak of a solve: legal, won and lost for both sides,
/// open, candidates, two waves of losses, one of wins, two releases.
const WORKING_PLANES: u64 = 13;
/// Planes of depth bits kept, both sides together.
const DEPTH_PLANES: u64 = 2 * 8;

/// Roughly the memory a solve needs at its peak.
fn estimate_bytes(material: Material) -> u64 {
    if material.has_pawns() {
        let placements = Placement::all(&material);
        let Some(first) = placements.first() else { return 0 };
        let plane = Hyperboard::around_pawns(material, first.bitboards()).plane_bytes() as u64;
        return plane * placements.len() as u64 * (6 + DEPTH_PLANES);
    }
    let plane = Hyperboard::pieces(material).plane_bytes() as u64;
    let depth = if keeps_depths(material) { DEPTH_PLANES } else { 0 };
    plane * (WORKING_PLANES + depth)
}

/// Everything the material depends on, itself left out, in levels that depend
/// only on earlier ones.
pub fn dependencies(material: Material) -> Vec<Vec<Material>> {
    let material = material.canonical();
    let mut found: Vec<Material> = Vec::new();
    let mut to_visit = vec![material];
    while let Some(next) = to_visit.pop() {
        for sub in next.successors().into_iter().map(|m| m.canonical()) {
            if sub != material && !found.contains(&sub) {
                found.push(sub);
                to_visit.push(sub);
            }
        }
    }
    // A capture takes a man away, a promotion a pawn.
    let key = |m: &Material| (m.len(), m.pawns());
    found.sort_by_key(|m| (key(m), m.to_string()));
    found.chunk_by(|a, b| key(a) == key(b)).map(<[Material]>::to_vec).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
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
            let (_, values) = solver.solve_pieces(material, Metric::Dtm, &positions).unwrap();
            for (position, value) in positions.iter().zip(values) {
                assert_eq!(table.get(position), Some(value), "{position}");
            }
        }
    }

    #[test]
    fn dependencies_come_in_order() {
        let levels = dependencies("KQPKR".parse().unwrap());
        let flat: Vec<Material> = levels.into_iter().flatten().collect();
        for (i, material) in flat.iter().enumerate() {
            for sub in material.successors() {
                assert!(flat[..i].contains(&sub.canonical()), "{material} needs {sub}");
            }
        }
    }
}
