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
    /// The columns whose answer is not known when a row begins.
    later: u64,
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
                    splits.push(Split { test: 0, yes: 0, no: 0, scope: Scope::Tile, later: 0 });
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
            let (scope, later) = (asked.scope(men, false), asked.later_columns());
            splits[number_of[at] as usize] = Split { test, yes, no, scope, later };
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
    sets: Box<Sets>,
}

/// A place in a tree, and the columns that have come there.
type Placed = (u32, u64);

/// Sets of columns on their way, on this level of the tree and the next; sets that have
/// arrived; and sets that wait for their batch.
struct Sets {
    levels: [[Placed; ITEMS]; 2],
    arrived: [Placed; ITEMS],
    waiting: [Placed; ITEMS],
    /// How many of them wait.
    wait: usize,
}

/// Sets on their way are not empty and have no column in common: at most 64,
/// and room for what is written before it is known to be needed.
const ITEMS: usize = 128;

impl Walker {
    pub fn new() -> Walker {
        let none = [(0, 0); ITEMS];
        let sets = Sets { levels: [none; 2], arrived: none, waiting: none, wait: 0 };
        Walker { answers: Vec::new(), began: [0; 3], now: 0, sets: Box::new(sets) }
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

    /// Takes the columns of a row to their leaves. Some wait where they are asked
    /// about earlier batches.
    #[inline(always)]
    pub fn walk_row(
        &mut self,
        compiled: &Compiled,
        columns: u64,
        at_most: impl FnMut(Question, u8) -> u64,
        mut found: impl FnMut(u16, u64),
    ) {
        self.sets.wait = 0;
        if compiled.root & LEAF != 0 {
            return found((compiled.root & !LEAF) as u16, columns);
        }
        self.sets.levels[0][0] = (compiled.root, columns);
        self.walk::<true>(compiled, 1, at_most, found);
    }

    /// Takes the columns of a batch that wait to their leaves.
    #[inline(always)]
    pub fn walk_on(
        &mut self,
        compiled: &Compiled,
        columns: u64,
        at_most: impl FnMut(Question, u8) -> u64,
        found: impl FnMut(u16, u64),
    ) {
        let Sets { levels, waiting, wait, .. } = &mut *self.sets;
        let mut count = 0;
        for &(at, waiting) in &waiting[..(*wait).min(ITEMS)] {
            levels[0][count % ITEMS] = (at, waiting & columns);
            count += usize::from(waiting & columns != 0);
        }
        if count > 0 {
            self.walk::<false>(compiled, count, at_most, found);
        }
    }

    /// Takes the sets of the first level to their leaves.
    ///
    /// Where a set goes is hard to foresee for a processor, so both ways are
    /// written down and only those taken are counted; and level by level, so that
    /// no step waits for the one before.
    #[inline(always)]
    fn walk<const ROW: bool>(
        &mut self,
        compiled: &Compiled,
        mut count: usize,
        mut at_most: impl FnMut(Question, u8) -> u64,
        mut found: impl FnMut(u16, u64),
    ) {
        let Walker { answers, began, now, sets } = self;
        let Sets { levels, arrived, waiting, wait } = &mut **sets;
        let [mut level, mut next] = levels.each_mut();
        let mut done = 0;
        let mut put = |at: u32, columns: u64, level: &mut [Placed; ITEMS], count: &mut usize| {
            let some = usize::from(columns != 0);
            let is_leaf = at & LEAF != 0;
            let (own, next) = (&mut level[*count % ITEMS], &mut arrived[done % ITEMS]);
            *(if is_leaf { next } else { own }) = (at, columns);
            *count += some & usize::from(!is_leaf);
            done += some & usize::from(is_leaf);
        };
        while count > 0 {
            let mut more = 0;
            for &(at, mut columns) in &level[..count.min(ITEMS)] {
                let split = &compiled.splits[at as usize];
                if ROW && split.later != 0 {
                    waiting[*wait % ITEMS] = (at, columns & split.later);
                    *wait += usize::from(columns & split.later != 0);
                    columns &= !split.later;
                }
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
