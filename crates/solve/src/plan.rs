//! The boards one position needs: in which order, and how long each is kept.

use std::collections::HashMap;

use molien_board::Role;

use crate::memory::{kept_bytes, working_bytes};
use crate::reach::Node;
use crate::record::Keep;
use crate::{Cost, Metric, Placement};

/// A board to solve.
pub(crate) struct Step {
    pub node: Node,
    /// After this step no other reads the board; none if it is to stay.
    pub last_reader: Option<usize>,
    tiles: u64,
    bytes: u64,
}

/// Boards in an order in which each comes after all it can turn into.
pub(crate) struct Plan {
    pub steps: Vec<Step>,
}

impl Plan {
    /// Plans for these nodes, the last of which is the start. The start, its
    /// successors and tables without pawns stay: they are asked for next.
    pub fn new(nodes: &[Node], metric: Metric, promotions: &[Role]) -> Plan {
        let step = |node: &Node| {
            let tiles = node.tiles();
            let bytes = kept_bytes(tiles, Keep::for_others(node.material, metric));
            Step { node: *node, last_reader: Some(0), tiles, bytes }
        };
        let mut steps: Vec<Step> = nodes.iter().map(step).collect();
        let places: HashMap<Node, usize> = nodes.iter().copied().zip(0..).collect();
        let start = nodes.len().saturating_sub(1);
        for (reader, node) in nodes.iter().enumerate() {
            node.successors(promotions, |next| {
                if let Some(&place) = places.get(&next) {
                    steps[place].last_reader = (reader != start).then_some(reader);
                }
            });
        }
        for (place, step) in steps.iter_mut().enumerate() {
            if place == start || step.node.pawns == Placement::NONE {
                step.last_reader = None;
            }
        }
        Plan { steps }
    }

    /// What it takes if every board is kept to the end.
    pub fn cost(&self) -> Cost {
        Cost {
            placements: self.steps.len() as u64,
            positions: self.steps.iter().map(|step| step.tiles * 4096).sum(),
            bytes: self.peak(|_| 0),
        }
    }

    /// What it takes if boards are given up once nothing reads them.
    pub fn cost_giving_up(&self) -> Cost {
        let mut freed = vec![0; self.steps.len()];
        for (place, step) in self.steps.iter().enumerate() {
            if let Some(last) = step.last_reader {
                freed[last.max(place)] += step.bytes;
            }
        }
        Cost { bytes: self.peak(|place| freed[place]), ..self.cost() }
    }

    /// The most bytes alive at a time, if so many are given up after a step.
    fn peak(&self, freed: impl Fn(usize) -> u64) -> u64 {
        let (mut alive, mut peak) = (0, 0);
        for (place, step) in self.steps.iter().enumerate() {
            alive += step.bytes;
            peak = peak.max(alive + working_bytes(step.tiles));
            alive -= freed(place);
        }
        peak
    }

    /// The boards that nothing reads after a step.
    pub fn read_last_by(&self, place: usize) -> impl Iterator<Item = Node> {
        let last = move |(i, step): (usize, &Step)| {
            let is_last = step.last_reader.is_some_and(|last| last.max(i) == place);
            is_last.then_some(step.node)
        };
        self.steps[..=place].iter().enumerate().filter_map(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reach::reachable;
    use molien_board::Position;

    /// Every board is still there when one that reads it is solved.
    #[test]
    fn nothing_is_given_up_too_early() {
        let position: Position = "8/2p5/8/8/8/8/1P6/K1k5 w - -".parse().unwrap();
        let nodes = reachable(Node::of(&position), &Role::PROMOTIONS, 100_000).unwrap();
        let plan = Plan::new(&nodes, Metric::Dtm, &Role::PROMOTIONS);
        let mut alive = std::collections::HashSet::new();
        let mut given_up = 0;
        for (place, step) in plan.steps.iter().enumerate() {
            step.node.successors(&Role::PROMOTIONS, |next| {
                assert!(alive.contains(&next), "{:?} needs {next:?}", step.node);
            });
            alive.insert(step.node);
            for node in plan.read_last_by(place) {
                assert!(alive.remove(&node));
                given_up += 1;
            }
        }
        assert!(given_up > 50, "{given_up} boards of {}", nodes.len());
        assert!(plan.cost_giving_up().bytes < plan.cost().bytes);
        assert_eq!(nodes.last(), Some(&Node::of(&position)));
    }
}
