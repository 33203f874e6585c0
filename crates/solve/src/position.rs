//! One position: only what it can turn into is solved.

use std::collections::HashMap;
use std::sync::Arc;

use molien_board::{Material, Position};
use rayon::prelude::*;

use crate::memory::boards_at_once;
use crate::parts::SolverParts;
use crate::pawn_solve::Part;
use crate::plan::{Plan, Schedule};
use crate::reach::{Node, reachable};
use crate::record::Keep;
use crate::solver::{key, lock};
use crate::{SolveError, Solver};
use molien_values::{Metric, Placement, Stats, Table, Value};

/// The most hyperboards looked at for one position.
const MAX_PLACEMENTS: usize = 2_000_000;

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

impl Solver {
    /// What solving a position takes in a metric, if its table is not known,
    /// within the memory limit if that can be.
    ///
    /// # Errors
    /// If it can turn into too many others to count.
    pub fn cost(&self, position: &Position, metric: Metric) -> Result<Cost, SolveError> {
        let (plan, limit) = (self.plan(position, metric)?, self.memory_limit_bytes);
        let together = plan.side_by_side(boards_at_once()).cost;
        Ok(if together.bytes <= limit { together } else { plan.schedule(limit).cost })
    }

    fn plan(&self, position: &Position, metric: Metric) -> Result<Plan, SolveError> {
        let known = |&Node { material, pawns }: &Node| {
            self.is_known(material, metric, Keep::for_others(material, metric))
                || lock(&self.parts).contains_key(&(material, metric, pawns))
        };
        let nodes = self.nodes(position, known)?;
        Ok(Plan::new(&nodes, metric, &self.promotions, self.sliced_tiles))
    }

    /// The materials without pawns that a position can turn into, those first
    /// that others depend on.
    ///
    /// # Errors
    /// If it can turn into too many others to count.
    pub fn pieces_needed(&self, position: &Position) -> Result<Vec<Material>, SolveError> {
        let nodes = self.nodes(position, |_| false)?.into_iter();
        Ok(nodes.filter(|node| node.pawns == Placement::NONE).map(|node| node.material).collect())
    }

    fn nodes(
        &self,
        position: &Position,
        known: impl Fn(&Node) -> bool,
    ) -> Result<Vec<Node>, SolveError> {
        let start = Node::of(position);
        let material = start.material;
        reachable(start, &self.promotions, known, MAX_PLACEMENTS)
            .ok_or(SolveError::TooManyPlacements { material, limit: MAX_PLACEMENTS })
    }

    /// The value of one position (en passant is ignored). Only what the
    /// position can turn into is solved.
    ///
    /// # Errors
    /// If it needs too much memory or is cancelled.
    pub fn value(&self, position: &Position, metric: Metric) -> Result<Value, SolveError> {
        let node = Node::of(position);
        if node.pawns == Placement::NONE && Keep::alone(node.material) == Keep::Outcomes {
            self.watch(&[*position], metric)?;
            let found = lock(&self.watched).get(&watch_key(position, metric)).copied();
            return found.ok_or(SolveError::NotCovered { material: node.material });
        }
        if node.pawns == Placement::NONE || self.is_known(node.material, metric, Keep::Depths) {
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
            if !known && Keep::alone(material) == Keep::Outcomes {
                let swap = !material.is_canonical();
                let position = position.without_en_passant();
                let position = if swap { position.swap_colors() } else { position };
                wanted.entry(material.canonical()).or_default().push(position);
            }
        }
        for (material, positions) in wanted {
            let metric = metric.without_pawns();
            self.solve_below(material, metric)?;
            let keep = Keep::alone(material);
            let (table, values) = self.solve_pieces(material, metric, keep, &positions)?;
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
        // Later questions are likely to be about positions that follow from
        // this one: boards are given up only where memory is short, those of
        // earlier positions first.
        let limit = self.memory_limit_bytes;
        let mut plan = self.plan(position, metric)?;
        let needed = plan.schedule(u64::MAX).cost.bytes;
        if self.parts_bytes().saturating_add(needed) > limit {
            lock(&self.parts).clear();
            plan = self.plan(position, metric)?;
        }
        let check = |schedule: Schedule| {
            self.check_memory(node.material, metric, schedule.cost.bytes).map(|()| schedule)
        };
        let together = check(plan.side_by_side(boards_at_once()));
        let schedule = together.or_else(|_| check(plan.schedule(limit)))?;
        self.progress.plan(node.material, metric, &schedule.cost);
        let solved = match schedule.side_by_side {
            true => plan.groups().iter().try_for_each(|group| self.solve_group(group, metric)),
            false => self.follow(&plan, &schedule, metric),
        };
        lock(&self.views).clear();
        solved?;
        self.solve_part(node.material, metric, node.pawns)
    }

    /// Solves boards of which none reads another.
    fn solve_group(&self, group: &[Node], metric: Metric) -> Result<(), SolveError> {
        let solve = |node: &Node| self.solve_node(node, metric);
        // Large tables are parallel inside; one at a time is enough to hold.
        let large = |node: &Node| node.pawns == Placement::NONE && node.material.len() > 4;
        if group.iter().any(large) {
            group.iter().try_for_each(solve)
        } else {
            group.par_iter().try_for_each(solve)
        }
    }

    fn solve_node(&self, node: &Node, metric: Metric) -> Result<(), SolveError> {
        let &Node { material, pawns } = node;
        if pawns == Placement::NONE {
            self.solve_one(material, metric, Keep::for_others(material, metric)).map(drop)
        } else {
            self.solve_part(material, metric, pawns).map(drop)
        }
    }

    /// Solves the boards of a plan, and gives up what nothing reads any more.
    fn follow(&self, plan: &Plan, schedule: &Schedule, metric: Metric) -> Result<(), SolveError> {
        let parts = SolverParts { solver: self, metric };
        for (place, step) in plan.steps.iter().enumerate() {
            self.solve_node(&step.node, metric)?;
            for wanted in plan.kept_after(schedule, place) {
                parts.keep(wanted.clone())?;
            }
            for Node { material, pawns } in plan.given_up_after(schedule, place) {
                if pawns == Placement::NONE {
                    self.forget(material, metric);
                } else {
                    lock(&self.parts).remove(&(material, metric, pawns));
                }
            }
            for wanted in plan.read_last_by(schedule, place) {
                lock(&self.views).remove(&(metric, wanted.clone()));
            }
        }
        Ok(())
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use molien_board::{Color, Square};
    use molien_hyper::{Hyperboard, Index};

    /// A solver that gives up whatever it can, on the way to this position.
    fn short_of_memory(position: &Position, metric: Metric) -> Solver {
        let mut solver = Solver::new();
        solver.sliced_tiles = 1;
        let least = solver.plan(position, metric).unwrap().schedule(0).cost.bytes;
        solver.with_memory_limit(least)
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let position: Position = "8/2p5/8/8/8/4k3/1P6/K7 w - -".parse().unwrap();
        let roomy = Solver::new();
        let plan = roomy.plan(&position, Metric::Dtm).unwrap();
        let (least, most) = (plan.schedule(0).cost.bytes, plan.schedule(u64::MAX).cost.bytes);
        assert!(least < most);
        let solver = Solver::new().with_memory_limit(least);
        assert_eq!(solver.cost(&position, Metric::Dtm).unwrap().bytes, least);
        let value = solver.value(&position, Metric::Dtm).unwrap();
        assert_eq!(value, roomy.value(&position, Metric::Dtm).unwrap());
        assert!(lock(&solver.parts).len() < lock(&roomy.parts).len());
        let short = Solver::new().with_memory_limit(least / 2);
        assert!(matches!(short.value(&position, Metric::Dtm), Err(SolveError::Memory { .. })));
    }

    /// Numbers that look random.
    struct Random(u64);

    impl Random {
        fn below(&mut self, limit: usize) -> usize {
            self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            ((self.0 >> 33) as usize) % limit
        }

        /// A legal position of a material with pawns.
        fn position(&mut self, material: Material) -> Position {
            let placements = Placement::all(&material);
            loop {
                let pawns = placements[self.below(placements.len())];
                let board = Hyperboard::around_pawns(material, pawns.bitboards());
                let index = Index {
                    tile: self.below(board.tiles()),
                    row: Square::new(self.below(64)),
                    column: Square::new(self.below(64)),
                };
                if let Some(position) = board.decode(index, Color::BOTH[self.below(2)]) {
                    return position;
                }
            }
        }
    }

    /// Neither slices in place of boards nor boards solved side by side change a
    /// value: the whole board of a position equals that of the complete
    /// table, in plies too.
    fn compare_with_tables(name: &str, metrics: &[Metric], count: usize) {
        let material: Material = name.parse().unwrap();
        let whole = Solver::new();
        let mut random = Random(name.len() as u64);
        for &metric in metrics {
            let table = whole.solve(material, metric).unwrap();
            for _ in 0..count {
                let position = random.position(material);
                let expected = table.part(Node::of(&position).pawns).unwrap();
                for solver in [short_of_memory(&position, metric), Solver::new()] {
                    let part = solver.position_part(&position, metric).unwrap();
                    assert!(part.game.values == expected.values, "{position} {metric}");
                    let value = solver.value(&position, metric).unwrap();
                    assert_eq!(Some(value), table.get(&position), "{position} {metric}");
                }
            }
        }
    }

    #[test]
    fn slices_equal_tables_of_four_men() {
        for name in ["KPKP", "KPPK", "KQPK", "KPKN"] {
            compare_with_tables(name, &[Metric::Dtm, Metric::Dtc, Metric::Dtz50], 4);
        }
    }

    #[test]
    fn slices_equal_tables_of_five_men() {
        compare_with_tables("KRPKR", &[Metric::Dtm], 2);
    }

    /// With colours exchanged too, what is read is where it was kept.
    #[test]
    fn nothing_is_solved_twice() {
        for fen in ["8/2p5/8/8/8/4k3/1P6/K7 w - -", "8/8/8/8/3r4/4k3/2p5/K7 b - -"] {
            let position: Position = fen.parse().unwrap();
            for solver in [short_of_memory(&position, Metric::Dtm), Solver::new()] {
                let counts = Arc::new(Solves::default());
                let solver = solver.with_progress(counts.clone());
                solver.value(&position, Metric::Dtm).unwrap();
                let counts = counts.0.lock().unwrap();
                assert!(counts.values().all(|&count| count == 1), "{fen}: {counts:?}");
            }
        }
    }

    /// How often each table without pawns is solved.
    #[derive(Default)]
    struct Solves(std::sync::Mutex<HashMap<Material, usize>>);

    impl crate::Progress for Solves {
        fn begin(&self, material: Material, _metric: Metric, _positions: u64) {
            *self.0.lock().unwrap().entry(material).or_default() += 1;
        }
    }
}
