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
    scope: Scope,
}

/// A tree made ready for walking.
#[derive(Clone, Debug)]
pub(crate) struct Compiled {
    splits: Vec<Split>,
    root: u32,
    /// Questions with thresholds, each once.
    tests: Vec<(Question, u8)>,
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
                    splits.push(Split { test: 0, yes: 0, no: 0, scope: Scope::Tile });
                    splits.len() as u32 - 1
                }
            };
        }
        for (at, node) in tree.nodes.iter().enumerate() {
            let Node::Split { question, threshold, no } = *node else { continue };
            let asked = questions[usize::from(question)];
            let test = *numbers.entry((question, threshold)).or_insert_with(|| {
                tests.push((asked, threshold));
                tests.len() as u32 - 1
            });
            let (yes, no) = (number_of[at + 1], number_of[no as usize]);
            splits[number_of[at] as usize] =
                Split { test, yes, no, scope: asked.scope(men, false) };
        }
        Compiled { splits, root: number_of[0], tests }
    }
}

/// Walks a tree, remembering answers for as long as they hold.
pub(crate) struct Walker {
    /// Answers, and when they were found.
    answers: Vec<(u64, u64)>,
    /// When the tile, the row, the batch began.
    began: [u64; 3],
    now: u64,
    /// Sets on their way, on this level of the tree and the next, and sets that
    /// have arrived.
    levels: Box<[[(u32, u64); ITEMS]; 2]>,
    arrived: Box<[(u32, u64); ITEMS]>,
}

/// Sets on their way are not empty and have no column in common: at most 64,
/// and room for what is written before it is known to be needed.
const ITEMS: usize = 128;

impl Walker {
    pub fn new() -> Walker {
        let (levels, arrived) = (Box::new([[(0, 0); ITEMS]; 2]), Box::new([(0, 0); ITEMS]));
        Walker { answers: Vec::new(), began: [0; 3], now: 0, levels, arrived }
    }

    /// Makes room for the answers of a tree. A walker can go from one tree to
    /// another, as long as a tile begins in between.
    pub fn fit(&mut self, compiled: &Compiled) {
        if self.answers.len() < compiled.tests.len() {
            self.answers.resize(compiled.tests.len(), (0, 0));
        }
    }

    /// Something begins: answers that hold only so long are forgotten.
    #[inline]
    pub fn begin(&mut self, scope: Scope) {
        self.now += 1;
        self.began[scope as usize..].fill(self.now);
    }

    /// Takes some columns to their leaves.
    ///
    /// Where a set goes is hard to foresee for a processor, so both ways are
    /// written down and only those taken are counted; and level by level, so that
    /// no step waits for the one before.
    #[inline(always)]
    pub fn walk(
        &mut self,
        compiled: &Compiled,
        columns: u64,
        mut at_most: impl FnMut(Question, u8) -> u64,
        mut found: impl FnMut(u16, u64),
    ) {
        let Walker { answers, began, now, levels, arrived } = self;
        let [mut level, mut next] = levels.each_mut();
        let (mut count, mut done) = (0, 0);
        let mut put =
            |at: u32, columns: u64, level: &mut [(u32, u64); ITEMS], count: &mut usize| {
                let some = usize::from(columns != 0);
                let leaf = (at >> 31) as usize;
                level[*count % ITEMS] = (at, columns);
                *count += some & (leaf ^ 1);
                arrived[done % ITEMS] = (at, columns);
                done += some & leaf;
            };
        put(compiled.root, columns, level, &mut count);
        while count > 0 {
            let mut more = 0;
            for &(at, columns) in &level[..count.min(ITEMS)] {
                let split = compiled.splits[at as usize];
                let answer = &mut answers[split.test as usize];
                if answer.1 < began[split.scope as usize] {
                    let (question, threshold) = compiled.tests[split.test as usize];
                    *answer = (at_most(question, threshold), *now);
                }
                let yes = answer.0;
                put(split.no, columns & !yes, next, &mut more);
                put(split.yes, columns & yes, next, &mut more);
            }
            (level, next, count) = (next, level, more);
        }
        for &(at, columns) in &arrived[..done.min(ITEMS)] {
            found((at & !LEAF) as u16, columns);
        }
    }
}
