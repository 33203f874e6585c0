//! Proofs on the graph of reachable positions.
//!
//! Positions are nodes, each held once, with bounds that are *proved*: by the
//! rules of chess, by the evaluation functions, or from the successors. The
//! graph is grown in waves from the root, following only what can still
//! matter. Two ways lead to new bounds:
//!
//! - a node's bounds follow from its successors' (propagated to its
//!   predecessors at once);
//! - *closing*: suppose every node not yet opened were a win for White.
//!   If White still cannot force a way there from some node, Black can play
//!   on for ever inside what is left, which is a draw at least. The same for
//!   the other side.
//!
//! The second is how fortresses and locked positions are proved drawn without
//! any path-dependent repetition score, so nothing here depends on the order
//! of search.

use std::collections::HashMap;

use molien_board::{Color, Man, Move, Position, Role};

use super::effort::Effort;
use super::hash::{Hashed, PositionHasher};
use crate::knowledge::{Functions, known};
use crate::value::Bounds;

/// Something outside that may know a position's value for the side to move.
pub trait Oracle: Send + Sync {
    /// The value, if known. It must be right: proofs are built on it.
    fn value(&self, position: &Position) -> Option<crate::Value>;
}

/// What the prover needs to judge a position it meets.
#[derive(Clone, Copy)]
pub(super) struct Judge<'a> {
    pub functions: Functions,
    pub oracle: Option<&'a dyn Oracle>,
}

impl Judge<'_> {
    /// Proved bounds for the side to move.
    pub fn bounds(&self, position: &Position) -> Bounds {
        let bounds = known(position, self.functions);
        if bounds.is_exact() {
            return bounds; // the rules are quicker than any table
        }
        match self.oracle.and_then(|oracle| oracle.value(position)) {
            Some(value) => Bounds::exactly(value.sign()),
            None => bounds,
        }
    }
}

const NO_EDGE: u32 = u32::MAX;
/// Up to so many pawns the waves get half of the work, else a quarter.
const FEW_PAWNS: usize = 4;
/// Nodes the first rounds add.
const FIRST_ROUND: usize = 2_000;

/// One position.
pub(super) struct Node {
    pub position: Position,
    /// Proved, from White's side.
    pub bounds: Bounds,
    /// The best of the successors that are not kept, from White's side.
    folded: Option<Bounds>,
    /// First entry of `children`, and how many; none before it is opened.
    first: u32,
    count: u16,
    pub opened: bool,
    /// Plies from the root, quiet piece moves counting more.
    cost: u16,
    /// Head of the list of predecessors.
    parents: u32,
    /// How many propagation steps after the start its value was found: a win
    /// found earlier is nearer to the leaves.
    stamp: u32,
    /// Estimated work to prove and to refute the question asked.
    pub effort: Effort,
}

/// One edge seen from below.
struct ParentLink {
    parent: u32,
    next: u32,
}

/// The growing graph.
pub(super) struct Prover<'a> {
    judge: Judge<'a>,
    root_moves: &'a [Move],
    pub(super) nodes: Vec<Node>,
    index: HashMap<Hashed, u32, PositionHasher>,
    children: Vec<u32>,
    links: Vec<ParentLink>,
    pending: Vec<u32>,
    limit: u16,
    closed_at: usize,
    stamp: u32,
    judged: u64,
}

/// What one wave did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Progress {
    /// The root's value is proved.
    Decided,
    /// There is more to open.
    Open,
    /// Nothing is left to open, or the node limit is reached.
    Exhausted,
}

impl<'a> Prover<'a> {
    /// A graph with only the root, where one of these moves is to be made.
    pub fn new(root: &Position, root_moves: &'a [Move], judge: Judge<'a>) -> Prover<'a> {
        let mut prover = Prover {
            judge,
            root_moves,
            nodes: Vec::new(),
            index: HashMap::default(),
            children: Vec::new(),
            links: Vec::new(),
            pending: Vec::new(),
            limit: 0,
            closed_at: 0,
            stamp: 0,
            judged: 0,
        };
        if root_moves.len() == root.legal_moves().len() {
            let bounds = prover.judge(root);
            prover.add(Hashed::new(root), bounds, 0);
        } else {
            // What is known of the position need not hold for some of its
            // moves, nor the other way round: should the position come up
            // again, it gets a node of its own.
            prover.push(*root, Bounds::OPEN, 0);
        }
        // The root is opened even if a function knows its value: the caller
        // wants a move.
        prover.open(0);
        prover.propagate();
        prover
    }

    /// Number of positions looked at.
    pub fn judged(&self) -> u64 {
        self.judged
    }

    /// The cost limit of the last wave.
    pub fn depth(&self) -> u32 {
        u32::from(self.limit) + 1
    }

    /// The root's bounds, from the side to move.
    pub fn root_bounds(&self) -> Bounds {
        self.for_mover(0)
    }

    fn for_mover(&self, node: u32) -> Bounds {
        let node = &self.nodes[node as usize];
        match node.position.turn() {
            Color::White => node.bounds,
            Color::Black => -node.bounds,
        }
    }

    /// The value is proved and a root move that keeps it is known.
    pub(super) fn decided(&self) -> bool {
        self.root_bounds().is_exact() && self.best().is_some()
    }

    /// A root move that provably keeps the root's value; of several wins the
    /// one found first, of several losses the one found last.
    pub fn best(&self) -> Option<Move> {
        let child = self.best_child(0)?;
        let root = &self.nodes[0].position;
        let reached = &self.nodes[child as usize].position;
        root.legal_moves().into_iter().find(|m| root.play(m) == *reached)
    }

    /// The successor to go to from a node whose value is proved.
    fn best_child(&self, node: u32) -> Option<u32> {
        let value = self.for_mover(node).value()?.sign();
        let stamp = |child: &u32| self.nodes[*child as usize].stamp;
        let keeping = self.children_of(node).iter().copied().filter(|&child| {
            // What the successor leaves the mover is at least the value.
            -self.for_mover(child).high >= value
        });
        if value < 0 { keeping.max_by_key(stamp) } else { keeping.min_by_key(stamp) }
    }

    /// A line of moves that keep the value on both sides, as far as the graph
    /// goes.
    pub fn line(&self) -> Vec<Move> {
        let mut line = Vec::new();
        let mut seen = vec![0u32];
        let mut at = 0u32;
        while let Some(child) = self.best_child(at).filter(|child| !seen.contains(child)) {
            let here = &self.nodes[at as usize].position;
            let there = &self.nodes[child as usize].position;
            match here.legal_moves().into_iter().find(|m| here.play(m) == *there) {
                Some(m) => line.push(m),
                None => break,
            }
            seen.push(child);
            at = child;
        }
        line
    }

    pub(super) fn children_of(&self, node: u32) -> &[u32] {
        let node = &self.nodes[node as usize];
        &self.children[node.first as usize..node.first as usize + node.count as usize]
    }

    /// One round: a wave over what is near the root, then more positions
    /// where the proof seems cheapest, then all conclusions.
    pub fn round(&mut self, max_nodes: usize, stop: &mut impl FnMut() -> bool) -> Progress {
        if self.decided() {
            return Progress::Decided;
        }
        let share = FIRST_ROUND.max(self.nodes.len() / 4);
        // Breadth finds short proofs; where there are many pawns the graph is
        // too large for it.
        let root = &self.nodes[0].position;
        let pawns = root.pawns(Color::White).len() + root.pawns(Color::Black).len();
        let breadth = if pawns <= FEW_PAWNS { share } else { share / 3 };
        let goal = (self.nodes.len() + breadth).min(max_nodes);
        let anything_left = self.wave(goal, stop);
        if anything_left && !self.decided() {
            let goal = (self.nodes.len() + share).min(max_nodes);
            self.follow_cheapest(goal, stop);
        }
        // Closing goes over the whole graph: not when the time is up.
        let exhausted = !anything_left || self.nodes.len() >= max_nodes;
        let grown = self.nodes.len() > self.closed_at + self.closed_at / 4;
        if (exhausted || grown) && !self.decided() && !stop() {
            self.close();
        }
        match (self.decided(), exhausted) {
            (true, _) => Progress::Decided,
            (false, true) => Progress::Exhausted,
            (false, false) => Progress::Open,
        }
    }

    /// Opens relevant positions, those near the root first, until the graph
    /// has `goal` nodes. `false` if there was nothing left to open.
    fn wave(&mut self, goal: usize, stop: &mut impl FnMut() -> bool) -> bool {
        let frontier = self.frontier();
        let any = !frontier.is_empty();
        for node in frontier {
            if self.nodes.len() >= goal || stop() || self.decided() {
                break;
            }
            if !self.is_settled(node) {
                self.limit = self.limit.max(self.nodes[node as usize].cost);
                self.open(node);
                self.propagate();
            }
        }
        any
    }

    pub(super) fn is_settled(&self, node: u32) -> bool {
        self.nodes[node as usize].bounds.is_exact()
    }

    /// Unopened positions that can still change the root's value.
    fn frontier(&self) -> Vec<u32> {
        let mut seen = vec![false; self.nodes.len()];
        let mut stack = vec![0u32];
        let mut found = Vec::new();
        seen[0] = true;
        while let Some(at) = stack.pop() {
            if !self.nodes[at as usize].opened {
                found.push(at);
                continue;
            }
            let mine = self.for_mover(at);
            for &child in self.children_of(at) {
                let theirs = -self.for_mover(child);
                let matters = !theirs.is_exact() && theirs.high > mine.low;
                if matters && !seen[child as usize] {
                    seen[child as usize] = true;
                    stack.push(child);
                }
            }
        }
        found.sort_by_key(|&n| self.nodes[n as usize].cost);
        found
    }

    /// Proved bounds of a position, from White's side.
    fn judge(&mut self, position: &Position) -> Bounds {
        self.judged += 1;
        let bounds = self.judge.bounds(position);
        if position.turn() == Color::White { bounds } else { -bounds }
    }

    fn add(&mut self, key: Hashed, bounds: Bounds, cost: u16) -> u32 {
        let node = self.push(*key.position(), bounds, cost);
        self.index.insert(key, node);
        node
    }

    fn push(&mut self, position: Position, bounds: Bounds, cost: u16) -> u32 {
        let node = self.nodes.len() as u32;
        self.nodes.push(Node {
            position,
            bounds,
            folded: None,
            first: 0,
            count: 0,
            opened: false,
            cost,
            parents: NO_EDGE,
            stamp: self.stamp,
            effort: Effort::guess(&position),
        });
        node
    }

    /// Generates the successors of a node. Those that are settled, or that the
    /// mover cannot want, are folded into one pair of bounds and not kept; the
    /// root keeps all, because a move is asked for.
    pub(super) fn open(&mut self, node: u32) {
        let Node { position, cost, .. } = self.nodes[node as usize];
        let mine = self.for_mover(node);
        let white = position.turn() == Color::White;
        let mut moves = position.legal_moves();
        if node == 0 {
            moves.retain(|m| self.root_moves.contains(m));
        } else {
            moves.retain(|m| !is_dominated(&position, m));
        }
        let first = self.children.len() as u32;
        let mut folded: Option<Bounds> = None;
        for m in &moves {
            let after = position.play(m);
            let key = Hashed::new(&after);
            let known = self.index.get(&key).copied();
            let child = match known {
                Some(child) => child,
                None => {
                    let bounds = self.judge(&after);
                    let theirs = if white { bounds } else { -bounds };
                    if node != 0 && (theirs.is_exact() || theirs.high <= mine.low) {
                        folded = Some(folded.map_or(bounds, |f| best_of(white, f, bounds)));
                        continue;
                    }
                    let cost = cost.saturating_add(move_cost(&position, m, &after));
                    self.add(key, bounds, cost)
                }
            };
            self.children.push(child);
            let next = self.nodes[child as usize].parents;
            self.nodes[child as usize].parents = self.links.len() as u32;
            self.links.push(ParentLink { parent: node, next });
        }
        let count = self.children.len() as u32 - first;
        let entry = &mut self.nodes[node as usize];
        entry.opened = true;
        entry.first = first;
        entry.count = count as u16;
        entry.folded = folded;
        if moves.is_empty() {
            let lost = if white { -1 } else { 1 };
            entry.bounds =
                Bounds::exactly(if position.in_check(position.turn()) { lost } else { 0 });
            self.push_parents(node);
        }
        self.pending.push(node);
    }

    fn push_parents(&mut self, node: u32) {
        let mut link = self.nodes[node as usize].parents;
        while link != NO_EDGE {
            let ParentLink { parent, next } = self.links[link as usize];
            self.pending.push(parent);
            link = next;
        }
    }

    /// Draws the conclusions of everything pending.
    pub(super) fn propagate(&mut self) {
        while let Some(node) = self.pending.pop() {
            let entry = &self.nodes[node as usize];
            if !entry.opened || entry.bounds.is_exact() {
                continue;
            }
            let white = entry.position.turn() == Color::White;
            let old = entry.bounds;
            let below = self
                .children_of(node)
                .iter()
                .map(|&child| self.nodes[child as usize].bounds)
                .chain(entry.folded)
                .reduce(|a, b| best_of(white, a, b));
            let new = below.map_or(old, |below| old.meet(below));
            if new != old {
                self.set_bounds(node, new);
            }
        }
    }

    fn set_bounds(&mut self, node: u32, bounds: Bounds) {
        self.stamp += 1;
        let entry = &mut self.nodes[node as usize];
        entry.bounds = bounds;
        entry.stamp = self.stamp;
        self.push_parents(node);
    }

    /// Draws by never letting the other side through (see the module's text).
    fn close(&mut self) {
        self.closed_at = self.nodes.len();
        for winner in Color::BOTH {
            let reachable = self.hopeful(winner);
            for node in 0..self.nodes.len() as u32 {
                let bounds = self.nodes[node as usize].bounds;
                if reachable[node as usize] {
                    continue;
                }
                match winner {
                    Color::White if bounds.high == 1 => {
                        self.set_bounds(node, Bounds { high: 0, ..bounds });
                    }
                    Color::Black if bounds.low == -1 => {
                        self.set_bounds(node, Bounds { low: 0, ..bounds });
                    }
                    _ => {}
                }
            }
            self.propagate();
        }
    }

    /// The nodes from which `winner` can force a win, every unopened node that
    /// is not known otherwise counting as one.
    fn hopeful(&self, winner: Color) -> Vec<bool> {
        let may_win = |bounds: Bounds| match winner {
            Color::White => bounds.high == 1,
            Color::Black => bounds.low == -1,
        };
        let mut hopeful = vec![false; self.nodes.len()];
        let mut escapes: Vec<u16> = self.nodes.iter().map(|node| node.count).collect();
        let mut stack = Vec::new();
        for (i, node) in self.nodes.iter().enumerate() {
            let leaf = !node.opened || node.bounds.is_exact();
            if leaf && may_win(node.bounds) {
                hopeful[i] = true;
                stack.push(i as u32);
            }
        }
        while let Some(at) = stack.pop() {
            let mut link = self.nodes[at as usize].parents;
            while link != NO_EDGE {
                let ParentLink { parent, next } = self.links[link as usize];
                link = next;
                let above = &self.nodes[parent as usize];
                if hopeful[parent as usize] || !may_win(above.bounds) {
                    continue;
                }
                escapes[parent as usize] -= 1;
                if above.position.turn() == winner || escapes[parent as usize] == 0 {
                    hopeful[parent as usize] = true;
                    stack.push(parent);
                }
            }
        }
        hopeful
    }
}

/// The better of two for the side to move.
fn best_of(white: bool, a: Bounds, b: Bounds) -> Bounds {
    if white {
        Bounds { low: a.low.max(b.low), high: a.high.max(b.high) }
    } else {
        Bounds { low: a.low.min(b.low), high: a.high.min(b.high) }
    }
}

/// Quiet moves among pieces are looked at later than forcing ones.
fn move_cost(before: &Position, m: &Move, after: &Position) -> u16 {
    let pawns = before.pawns(Color::White).len() + before.pawns(Color::Black).len();
    let pieces = before.occupied().len() > pawns + 2;
    let forcing = m.captured.is_some() || m.role == Role::Pawn || after.in_check(after.turn());
    match (pieces, forcing || before.in_check(before.turn())) {
        (false, _) | (true, true) => match m.promotion {
            None => 1,
            Some(Role::Queen) => 6,
            Some(_) => 9,
        },
        (true, false) if m.role == Role::King => 2,
        (true, false) => 4,
    }
}

/// With four men, a promotion that can be left out because the queen does at
/// least as well: a bishop always, a knight unless it gives check, a rook
/// unless the queen would stalemate or the enemy king is in a corner. (Checked
/// for every position of pawn against pawn and pawn against queen.)
pub(crate) fn is_dominated(position: &Position, m: &Move) -> bool {
    let us = position.turn();
    let queens = position.of(Man::new(!us, Role::Queen)).len();
    let duel = position.side(us).len() == 2
        && position.pawns(us).len() == 1
        && position.side(!us).len() == 2
        && position.pawns(!us).len() + queens == 1;
    duel && match m.promotion {
        None | Some(Role::Queen) => false,
        Some(Role::Rook) => {
            let king = position.king(!us);
            let corner = matches!(king.file(), 0 | 7) && matches!(king.rank(), 0 | 7);
            !corner && !position.play(&Move { promotion: Some(Role::Queen), ..*m }).is_stalemate()
        }
        Some(Role::Knight) => !position.play(m).in_check(!us),
        Some(_) => true,
    }
}
