//! Where a proof seems cheapest: proof and disproof numbers on the graph.
//!
//! For the question "does White get at least this much?" every node carries
//! an estimate of how many positions must still be opened to prove it and to
//! refute it. Following the cheapest way down from the root opens the position
//! that decides most. The numbers only guide: they prove nothing themselves.

use molien_board::{Color, Position};

use super::prover::Prover;

/// More work than any proof takes.
const NEVER: u32 = 1 << 28;

/// Estimated work to prove and to refute the question at a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Effort {
    prove: u32,
    refute: u32,
}

impl Effort {
    /// For a position not yet opened: about its number of moves for the side
    /// that has to try them all.
    pub fn guess(position: &Position) -> Effort {
        let us = position.turn();
        let pieces = position.side(us).len() - 1 - position.pawns(us).len();
        let moves = if position.in_check(us) { 3 } else { 6 + 12 * pieces as u32 };
        match us {
            Color::White => Effort { prove: 1, refute: moves },
            Color::Black => Effort { prove: moves, refute: 1 },
        }
    }
}

impl Prover<'_> {
    /// The least White must get for the question to be answered yes.
    fn question(&self, toggle: bool) -> i8 {
        let root = self.nodes[0].bounds;
        match (root.low, root.high) {
            (0, _) => 1,
            (_, 0) => 0,
            _ => i8::from(toggle),
        }
    }

    /// Opens the most telling position again and again until the graph has
    /// `goal` nodes.
    pub(super) fn follow_cheapest(&mut self, goal: usize, stop: &mut impl FnMut() -> bool) {
        let mut toggle = false;
        let mut question = self.question(toggle);
        self.estimate_all(question);
        let (mut idle, mut turns) = (0, 0);
        while self.nodes.len() < goal && !self.decided() && turns < 4 && !stop() {
            if self.question(toggle) != question || idle > 20 {
                toggle = !toggle;
                question = self.question(toggle);
                self.estimate_all(question);
                turns += 1;
                idle = 0;
            }
            let (path, leaf) = self.descend(question);
            if let Some(leaf) = leaf {
                self.open(leaf);
                self.propagate();
            } else {
                idle += 1;
            }
            for &node in path.iter().rev() {
                self.estimate(node, question);
            }
            if leaf.is_none() {
                self.discourage(&path);
            }
        }
    }

    /// Estimates of all nodes, the youngest first: a node is mostly younger
    /// than its predecessors.
    fn estimate_all(&mut self, question: i8) {
        for node in (0..self.nodes.len() as u32).rev() {
            if self.nodes[node as usize].opened {
                self.estimate(node, question);
            } else {
                self.nodes[node as usize].effort =
                    Effort::guess(&self.nodes[node as usize].position);
            }
        }
    }

    /// What a node says about the question: its effort, or the answer.
    fn effort_of(&self, node: u32, question: i8) -> Effort {
        let entry = &self.nodes[node as usize];
        if entry.bounds.low >= question {
            Effort { prove: 0, refute: NEVER }
        } else if entry.bounds.high < question {
            Effort { prove: NEVER, refute: 0 }
        } else {
            entry.effort
        }
    }

    fn estimate(&mut self, node: u32, question: i8) {
        if !self.nodes[node as usize].opened {
            return;
        }
        let white = self.nodes[node as usize].position.turn() == Color::White;
        let (mut least_prove, mut least_refute) = (NEVER, NEVER);
        let (mut sum_prove, mut sum_refute) = (0u32, 0u32);
        for &child in self.children_of(node) {
            let effort = self.effort_of(child, question);
            least_prove = least_prove.min(effort.prove);
            least_refute = least_refute.min(effort.refute);
            sum_prove = (sum_prove + effort.prove).min(NEVER);
            sum_refute = (sum_refute + effort.refute).min(NEVER);
        }
        self.nodes[node as usize].effort = if white {
            Effort { prove: least_prove, refute: sum_refute }
        } else {
            Effort { prove: sum_prove, refute: least_refute }
        };
    }

    /// The way down along the cheapest successors, never through a position
    /// twice; the unopened node at its end, if there is one.
    fn descend(&self, question: i8) -> (Vec<u32>, Option<u32>) {
        let mut path = vec![0u32];
        let mut at = 0u32;
        while self.nodes[at as usize].opened {
            let white = self.nodes[at as usize].position.turn() == Color::White;
            let next = self
                .children_of(at)
                .iter()
                .copied()
                .filter(|child| !self.is_answered(*child, question) && !path.contains(child))
                .min_by_key(|&child| {
                    let effort = self.effort_of(child, question);
                    if white { effort.prove } else { effort.refute }
                });
            match next {
                Some(child) => at = child,
                None => return (path, None),
            }
            path.push(at);
        }
        path.pop();
        (path, Some(at))
    }

    fn is_answered(&self, node: u32, question: i8) -> bool {
        let bounds = self.nodes[node as usize].bounds;
        bounds.low >= question || bounds.high < question
    }

    /// A way that only leads round in circles is made to look expensive.
    fn discourage(&mut self, path: &[u32]) {
        for &node in path.iter().rev().take(4) {
            let effort = &mut self.nodes[node as usize].effort;
            effort.prove = (effort.prove * 2 + 1).min(NEVER);
            effort.refute = (effort.refute * 2 + 1).min(NEVER);
        }
    }
}
