//! From a material to its table: the DAG of sub-games, kept in memory.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use molien_board::{Material, Role};
use molien_hyper::Hyperboard;
use molien_operators::{Backend, SubGame, fastest};
use rayon::prelude::*;
use thiserror::Error;

use crate::board_solve::BoardSolve;
use crate::exits::PieceExits;
use crate::pawn_exits::{Parts, PawnExits};
use crate::record::Keep;
use crate::relayout::swap_colors;
use crate::{Metric, Placement, Progress, Silent, Stats, Table};

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
    /// The caller asked to stop.
    #[error("solving {material} was interrupted")]
    Cancelled {
        /// What was being solved.
        material: Material,
    },
}

/// Solves materials and keeps their tables.
pub struct Solver {
    backend: &'static dyn Backend,
    progress: Arc<dyn Progress>,
    memory_limit_bytes: u64,
    tables: Mutex<HashMap<(Material, Metric), Arc<Table>>>,
    /// Sub-games in the orientation a parent needs, where it is not the
    /// table's own.
    swapped: Mutex<HashMap<(Material, Metric), Arc<SubGame>>>,
    /// Hyperboards with pawns, by canonical material and placement.
    parts: Mutex<HashMap<(Material, Metric, Placement), Arc<Part>>>,
    promotions: Vec<Role>,
}

/// One solved hyperboard with pawns.
struct Part {
    game: Arc<SubGame>,
    stats: Stats,
}

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
            tables: Mutex::default(),
            swapped: Mutex::default(),
            parts: Mutex::default(),
            promotions: Role::PROMOTIONS.to_vec(),
        }
    }

    /// Lets pawns promote to these roles only. Tables solved so are not those
    /// of chess; Thompson's KQPKQ of 1986 has queens only.
    pub fn with_promotions(mut self, roles: &[Role]) -> Solver {
        self.promotions = roles.to_vec();
        self
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

    /// Refuses to solve what needs more memory than this.
    pub fn with_memory_limit(mut self, bytes: u64) -> Solver {
        self.memory_limit_bytes = bytes;
        self
    }

    /// The table of a material (in canonical orientation), solved if need be
    /// with everything it depends on.
    ///
    /// # Errors
    /// If it needs too much memory or is cancelled.
    pub fn solve(&self, material: Material, metric: Metric) -> Result<Arc<Table>, SolveError> {
        let material = material.canonical();
        let metric = if material.has_pawns() { metric } else { metric.without_pawns() };
        self.check_memory(material, metric)?;
        for level in dependencies(material) {
            let solve = |&material: &Material| {
                let pawnless = !material.has_pawns();
                self.solve_one(material, if pawnless { metric.without_pawns() } else { metric })
            };
            // Small tables side by side; large ones one after the other, each
            // parallel inside, so that memory holds one at a time.
            if level.first().is_some_and(|m| m.len() <= 4) {
                level.par_iter().try_for_each(|m| solve(m).map(drop))?;
            } else {
                level.iter().try_for_each(|m| solve(m).map(drop))?;
            }
        }
        self.solve_one(material, metric)
    }

    /// A table solved earlier.
    pub fn get(&self, material: Material, metric: Metric) -> Option<Arc<Table>> {
        let metric = if material.has_pawns() { metric } else { metric.without_pawns() };
        lock(&self.tables).get(&(material.canonical(), metric)).cloned()
    }

    /// Forgets a table.
    pub fn forget(&self, material: Material, metric: Metric) {
        let key = (material.canonical(), metric);
        lock(&self.tables).remove(&key);
        lock(&self.swapped).remove(&key);
    }

    fn solve_one(&self, material: Material, metric: Metric) -> Result<Arc<Table>, SolveError> {
        if let Some(table) = self.get(material, metric) {
            return Ok(table);
        }
        let table = if material.has_pawns() {
            self.solve_pawns(material, metric)?
        } else {
            self.solve_pieces(material, metric)?
        };
        let table = Arc::new(table);
        lock(&self.tables).insert((material, metric), table.clone());
        Ok(table)
    }

    fn solve_pieces(&self, material: Material, metric: Metric) -> Result<Table, SolveError> {
        let board = Hyperboard::pieces(material);
        let sub = |man| material.without(man).map(|less| self.sub_game(less, metric)).transpose();
        let subs = board.pieces_in_order().into_iter().map(sub).collect::<Result<_, _>>()?;
        let exits = PieceExits::new(board.clone(), subs, metric);
        let keep = if material.len() <= 5 { Keep::Depths } else { Keep::Outcomes };
        self.progress.begin(material, metric, board.tiles() as u64 * 4096);
        let (backend, progress) = (self.backend, &*self.progress);
        let solve = BoardSolve { backend, progress, board: &board, exits: &exits, metric, keep };
        let (game, stats) = solve.run()?;
        self.progress.end(material, metric);
        Ok(Table { material, metric, parts: vec![Arc::new(game)], stats })
    }

    /// All placements of the pawns, the furthest advanced first.
    fn solve_pawns(&self, material: Material, metric: Metric) -> Result<Table, SolveError> {
        let mut placements = Placement::all(&material);
        placements.sort_by_key(|placement| std::cmp::Reverse(placement.advancement()));
        self.progress.begin(material, metric, placements.len() as u64 * 4096);
        for level in placements.chunk_by(|a, b| a.advancement() == b.advancement()) {
            level
                .par_iter()
                .try_for_each(|&pawns| self.solve_part(material, metric, pawns).map(drop))?;
        }
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
        let parts = SolverParts { solver: self, metric };
        let exits = PawnExits::new(&board, metric, &self.promotions, &parts)?;
        let (backend, progress) = (self.backend, &*self.progress);
        let keep = Keep::Depths;
        let solve = BoardSolve { backend, progress, board: &board, exits: &exits, metric, keep };
        let (game, stats) = solve.run()?;
        let part = Arc::new(Part { game: Arc::new(game), stats });
        lock(&self.parts).insert(key, part.clone());
        Ok(part)
    }

    /// The values of a material in the given orientation.
    fn sub_game(&self, material: Material, metric: Metric) -> Result<Arc<SubGame>, SolveError> {
        let table = self.solve_one(material.canonical(), metric)?;
        let own = table.parts[0].clone();
        if table.material == material {
            return Ok(own);
        }
        let key = (material.canonical(), metric);
        if let Some(game) = lock(&self.swapped).get(&key) {
            return Ok(game.clone());
        }
        let game = Arc::new(swap_colors(&own));
        lock(&self.swapped).insert(key, game.clone());
        Ok(game)
    }

    fn check_memory(&self, material: Material, metric: Metric) -> Result<(), SolveError> {
        let needed = estimate_bytes(material);
        if needed <= self.memory_limit_bytes {
            return Ok(());
        }
        let mib = |bytes: u64| bytes.div_ceil(1 << 20);
        let (needed_mib, limit_mib) = (mib(needed), mib(self.memory_limit_bytes));
        Err(SolveError::Memory { material, metric, needed_mib, limit_mib })
    }
}

/// The sub-games of pawn hyperboards, in one metric.
struct SolverParts<'a> {
    solver: &'a Solver,
    metric: Metric,
}

impl Parts for SolverParts<'_> {
    fn part(&self, material: Material, pawns: Placement) -> Result<Arc<SubGame>, SolveError> {
        if let Some(table) = self.solver.get(material, self.metric)
            && let Some(game) = table.part(pawns)
        {
            return Ok(game.clone());
        }
        Ok(self.solver.solve_part(material, self.metric, pawns)?.game.clone())
    }

    fn pieces(&self, material: Material) -> Result<Arc<SubGame>, SolveError> {
        self.solver.sub_game(material, self.metric.without_pawns())
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
/// Planes of depth bits kept per side.
const DEPTH_PLANES: u64 = 2 * 9;

/// Roughly the memory a solve needs at its peak.
fn estimate_bytes(material: Material) -> u64 {
    if material.has_pawns() {
        let placements = Placement::all(&material);
        let Some(first) = placements.first() else { return 0 };
        let plane = Hyperboard::around_pawns(material, first.bitboards()).plane_bytes() as u64;
        return plane * placements.len() as u64 * (6 + DEPTH_PLANES);
    }
    let plane = Hyperboard::pieces(material).plane_bytes() as u64;
    let depth = if material.len() <= 5 { DEPTH_PLANES } else { 0 };
    plane * (WORKING_PLANES + depth)
}

/// Everything the material depends on, itself left out, in levels that depend
/// only on earlier ones.
pub(crate) fn dependencies(material: Material) -> Vec<Vec<Material>> {
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
