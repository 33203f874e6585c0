//! One position: only what it can turn into is solved.

use std::collections::HashMap;
use std::sync::Arc;

use molien_board::{Material, Position};

use crate::plan::Plan;
use crate::reach::{Node, reachable};
use crate::record::Keep;
use crate::solver::{Part, key, lock};
use crate::{Metric, Placement, SolveError, Solver, Stats, Table, Value};

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
    /// What solving a position takes in a metric, if its table is not known.
    ///
    /// # Errors
    /// If it can turn into too many others to count.
    pub fn cost(&self, position: &Position, metric: Metric) -> Result<Cost, SolveError> {
        Ok(self.plan(position, metric)?.cost())
    }

    fn plan(&self, position: &Position, metric: Metric) -> Result<Plan, SolveError> {
        let mut nodes = self.nodes(position)?;
        let keep = |node: &Node| Keep::for_others(node.material, metric);
        nodes.retain(|node| !self.is_known(node.material, metric, keep(node)));
        Ok(Plan::new(&nodes, metric, &self.promotions))
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
        let plan = self.plan(position, metric)?;
        // Later questions are likely to be about positions that follow from
        // this one: boards are given up only where memory is short.
        if self.parts_bytes().saturating_add(plan.cost().bytes) > self.memory_limit_bytes {
            lock(&self.parts).clear(); // boards of earlier positions
        }
        let gives_up = plan.cost().bytes > self.memory_limit_bytes;
        let cost = if gives_up { plan.cost_giving_up() } else { plan.cost() };
        self.check_memory(node.material, metric, cost.bytes)?;
        self.progress.plan(node.material, metric, &cost);
        for (place, step) in plan.steps.iter().enumerate() {
            let Node { material, pawns } = step.node;
            if pawns == Placement::NONE {
                self.solve_for_others(material, metric)?;
            } else {
                self.solve_part(material, metric, pawns)?;
            }
            for node in plan.read_last_by(place).filter(|_| gives_up) {
                lock(&self.parts).remove(&(node.material, metric, node.pawns));
            }
        }
        let part = self.solve_part(node.material, metric, node.pawns);
        lock(&self.views).clear();
        part
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

    /// With little memory boards are given up on the way: the values are the
    /// same.
    #[test]
    fn giving_boards_up_changes_no_value() {
        let position: Position = "8/2p5/8/8/8/4k3/1P6/K7 w - -".parse().unwrap();
        let plan = Solver::new().plan(&position, Metric::Dtm).unwrap();
        let (least, most) = (plan.cost_giving_up().bytes, plan.cost().bytes);
        assert!(least < most);
        let solver = Solver::new().with_memory_limit(least);
        let roomy = Solver::new();
        let value = solver.value(&position, Metric::Dtm).unwrap();
        assert_eq!(value, roomy.value(&position, Metric::Dtm).unwrap());
        assert!(lock(&solver.parts).len() < lock(&roomy.parts).len());
        let short = Solver::new().with_memory_limit(least / 2);
        assert!(matches!(short.value(&position, Metric::Dtm), Err(SolveError::Memory { .. })));
    }
}
