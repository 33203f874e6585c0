//! A tree for 64 columns at once: a set of columns starts at the root, every
//! question cuts it in two, and what arrives at a leaf is a set again.

use std::collections::HashMap;

use crate::men::Men;
use crate::question::{Question, Scope};
use crate::tree::{Node, Tree};

/// Marks a leaf among the children of a node.
const LEAF: u32 = 1 << 31;

#[derive(Clone, Copy, Debug)]
struct Split {
    test: u32,
    yes: u32,
    no: u32,
}

/// A tree made ready for walking.
#[derive(Clone, Debug)]
pub(crate) struct Compiled {
    splits: Vec<Split>,
    root: u32,
    /// Questions with thresholds, each once.
    tests: Vec<(Question, u8, Scope)>,
}

impl Compiled {
    pub fn new(tree: &Tree, questions: &[Question], men: &Men) -> Compiled {
        let mut tests = Vec::new();
        let mut numbers: HashMap<(u16, u8), u32> = HashMap::new();
        let mut splits = Vec::new();
        // For each node, what leads to it.
        let mut number_of = vec![0u32; tree.nodes.len()];
        for (at, node) in tree.nodes.iter().enumerate() {
            number_of[at] = match node {
                Node::Leaf(leaf) => LEAF | u32::from(*leaf),
                Node::Split { .. } => {
                    splits.push(Split { test: 0, yes: 0, no: 0 });
                    splits.len() as u32 - 1
                }
            };
        }
        for (at, node) in tree.nodes.iter().enumerate() {
            let Node::Split { question, threshold, no } = *node else { continue };
            let asked = questions[usize::from(question)];
            let test = *numbers.entry((question, threshold)).or_insert_with(|| {
                tests.push((asked, threshold, asked.scope(men)));
                tests.len() as u32 - 1
            });
            let (yes, no) = (number_of[at + 1], number_of[no as usize]);
            splits[number_of[at] as usize] = Split { test, yes, no };
        }
        Compiled { splits, root: number_of[0], tests }
    }
}

/// Walks a tree, remembering answers for as long as they hold.
pub(crate) struct Walker<'a> {
    compiled: &'a Compiled,
    /// Answers, and when they were found.
    answers: Vec<(u64, u64)>,
    /// When the tile, the row, the batch began.
    began: [u64; 3],
    now: u64,
    stack: Vec<(u32, u64)>,
}

impl<'a> Walker<'a> {
    pub fn new(compiled: &'a Compiled) -> Walker<'a> {
        let answers = vec![(0, 0); compiled.tests.len()];
        Walker { compiled, answers, began: [0; 3], now: 0, stack: Vec::new() }
    }

    /// Something begins: answers that hold only so long are forgotten.
    #[inline]
    pub fn begin(&mut self, scope: Scope) {
        self.now += 1;
        self.began[scope as usize..].fill(self.now);
    }

    /// Takes some columns to their leaves.
    #[inline]
    pub fn walk(
        &mut self,
        columns: u64,
        mut at_most: impl FnMut(Question, u8) -> u64,
        mut found: impl FnMut(u16, u64),
    ) {
        self.stack.push((self.compiled.root, columns));
        while let Some((mut at, mut columns)) = self.stack.pop() {
            while at & LEAF == 0 {
                let split = self.compiled.splits[at as usize];
                let answer = &mut self.answers[split.test as usize];
                let (question, threshold, scope) = self.compiled.tests[split.test as usize];
                if answer.1 < self.began[scope as usize] {
                    *answer = (at_most(question, threshold), self.now);
                }
                let (yes, no) = (columns & answer.0, columns & !answer.0);
                if yes != 0 && no != 0 {
                    self.stack.push((split.no, no));
                    (at, columns) = (split.yes, yes);
                } else {
                    at = if yes != 0 { split.yes } else { split.no };
                }
            }
            found((at & !LEAF) as u16, columns);
        }
    }
}
