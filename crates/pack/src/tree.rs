//! Decision trees.

use crate::binary::{Coder, Context, Number};
use crate::error::PackError;
use crate::question::Question;

/// The most leaves a tree may have.
pub(crate) const MAX_LEAVES: usize = 1 << 14;

/// A node, in preorder: the node behind a split is where "yes" leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Node {
    /// Is the answer to a question at most the threshold? Questions are
    /// numbered; `no` is where that leads.
    Split { question: u16, threshold: u8, no: u32 },
    /// Number of the leaf, counted from the front.
    Leaf(u16),
}

/// A decision tree over a list of questions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Tree {
    pub nodes: Vec<Node>,
}

impl Tree {
    /// A single leaf.
    pub fn stump() -> Tree {
        Tree { nodes: vec![Node::Leaf(0)] }
    }

    /// Number of leaves.
    pub fn leaves(&self) -> usize {
        self.nodes.len().div_ceil(2)
    }

    /// The leaf a cell falls into.
    pub fn leaf_of(&self, mut answer: impl FnMut(u16) -> u8) -> u16 {
        let mut at = 0;
        loop {
            match self.nodes[at] {
                Node::Leaf(leaf) => return leaf,
                Node::Split { question, threshold, no } => {
                    at = if answer(question) <= threshold { at + 1 } else { no as usize };
                }
            }
        }
    }

    /// Codes a tree; see [`Coder`]. What is read is a tree whatever the bytes:
    /// a list of nodes in preorder has no room for cycles.
    ///
    /// # Errors
    /// If what is read has too many leaves or asks what cannot be asked.
    pub fn code(&self, coder: &mut impl Coder, questions: &[Question]) -> Result<Tree, PackError> {
        let mut contexts = TreeContexts::new(questions);
        let mut nodes: Vec<Node> = Vec::new();
        // Depths of the nodes still to come, and the split whose `no` each is.
        let mut open: Vec<(usize, Option<usize>)> = vec![(0, None)];
        let mut leaves = 0;
        while let Some((depth, no_of)) = open.pop() {
            let at = nodes.len();
            if let Some(Node::Split { no, .. }) = no_of.map(|split| &mut nodes[split]) {
                *no = at as u32;
            }
            if leaves + open.len() >= MAX_LEAVES {
                return Err(PackError::Tree { most: MAX_LEAVES });
            }
            let given = self.nodes.get(at).copied().unwrap_or(Node::Leaf(0));
            let node = contexts.code(coder, depth, given, questions)?;
            match node {
                Node::Leaf(_) => {
                    nodes.push(Node::Leaf(leaves as u16));
                    leaves += 1;
                }
                Node::Split { .. } => {
                    nodes.push(node);
                    open.push((depth + 1, Some(at)));
                    open.push((depth + 1, None));
                }
            }
        }
        Ok(Tree { nodes })
    }
}

struct TreeContexts {
    /// Whether a node is a split, by its depth.
    split: [Context; 32],
    /// Which question, near the root and further down.
    question: [Number; 2],
    /// The threshold, by how many answers there are.
    thresholds: Vec<Number>,
}

impl TreeContexts {
    fn new(questions: &[Question]) -> TreeContexts {
        let most = questions.iter().map(|question| question.answers()).max().unwrap_or(1);
        TreeContexts {
            split: Default::default(),
            question: std::array::from_fn(|_| Number::below(questions.len())),
            thresholds: (0..=most)
                .map(|answers| Number::below(answers.saturating_sub(1)))
                .collect(),
        }
    }

    fn code(
        &mut self,
        coder: &mut impl Coder,
        depth: usize,
        node: Node,
        questions: &[Question],
    ) -> Result<Node, PackError> {
        let (is_split, question, threshold) = match node {
            Node::Leaf(_) => (false, 0, 0),
            Node::Split { question, threshold, .. } => (true, question, threshold),
        };
        if !coder.bit(&mut self.split[depth.min(31)], is_split) {
            return Ok(Node::Leaf(0));
        }
        let number = coder.number(&mut self.question[usize::from(depth > 5)], question.into());
        let Some(asked) = questions.get(number) else {
            let (most, found) = (questions.len() as u64 - 1, number as u64);
            return Err(PackError::Range { what: "a question", most, found });
        };
        let answers = asked.answers();
        let threshold = coder.number(&mut self.thresholds[answers], threshold.into());
        if threshold + 1 >= answers {
            let (most, found) = (answers as u64 - 2, threshold as u64);
            return Err(PackError::Range { what: "a threshold", most, found });
        }
        Ok(Node::Split { question: number as u16, threshold: threshold as u8, no: 0 })
    }
}
