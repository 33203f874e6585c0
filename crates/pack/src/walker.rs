//! A tree for 64 columns at once: a set of columns starts at the root, every
//! question cuts it in two, and what arrives at a leaf is a set again.

use std::collections::HashMap;

use crate::men::Men;
use crate::question::{LATER, Question, Scope};
use crate::tree::{Node, Tree};

/// Marks a leaf among the children of a node.
const LEAF: u32 = 1 << 31;

#[derive(Clone, Copy, Debug)]
struct Split {
    /// Where *no* and *yes* lead.
    to: [u32; 2],
    test: u16,
    /// For how long an answer is kept: to the end of the tile if it is asked for all rows at once.
    kept: Scope,
    /// Which of [`LATER`] are the columns whose answer is not known when a row begins.
    later: u8,
    /// Whether all cells of a row have the same answer.
    is_same: bool,
}

/// A question with a threshold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Test {
    pub question: Question,
    pub threshold: u8,
    /// Whether all cells of a row have the same answer: then those of all rows are wanted at
    /// once.
    pub is_same: bool,
}

/// A tree made ready for walking.
#[derive(Clone, Debug)]
pub(crate) struct Compiled {
    splits: Vec<Split>,
    root: u32,
    /// Questions with thresholds, each once.
    tests: Vec<Test>,
}

/// The most tests there can be: 232 questions with up to 48 answers.
const _: () = assert!(232 * 48 <= u16::MAX as usize);

impl Compiled {
    pub fn new(tree: &Tree, questions: &[Question], men: &Men) -> Compiled {
        let mut tests = Vec::new();
        let mut numbers: HashMap<(u16, u8), u16> = HashMap::new();
        let mut splits = Vec::new();
        // For each node, what leads to it.
        let mut number_of = vec![0u32; tree.nodes.len()];
        let mut next = 0;
        for (at, node) in tree.nodes.iter().enumerate() {
            number_of[at] = match node {
                Node::Leaf(leaf) => LEAF | u32::from(*leaf),
                Node::Split { .. } => {
                    next += 1;
                    next - 1
                }
            };
        }
        for (at, node) in tree.nodes.iter().enumerate() {
            let Node::Split { question, threshold, no } = *node else { continue };
            let asked = questions[usize::from(question)];
            let is_same = asked.is_same_in_row(men);
            let test = *numbers.entry((question, threshold)).or_insert_with(|| {
                tests.push(Test { question: asked, threshold, is_same });
                tests.len() as u16 - 1
            });
            let to = [number_of[no as usize], number_of[at + 1]];
            // What is the same in a row is asked for all rows at once.
            let kept = if is_same { Scope::Tile } else { asked.scope(men, false) };
            splits.push(Split { to, test, kept, later: asked.later(), is_same });
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

/// Sets of columns that were put aside on the way, and sets that wait for their batch.
struct Sets {
    aside: [Placed; ITEMS],
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
        let sets = Sets { aside: none, waiting: none, wait: 0 };
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
        (row, columns): (usize, u64),
        answer: impl FnMut(&Test) -> u64,
        found: impl FnMut(u16, u64),
    ) {
        self.sets.wait = 0;
        self.sets.aside[0] = (compiled.root, columns);
        self.walk::<true>(compiled, row, 1, answer, found);
    }

    /// Takes the columns of a batch that wait to their leaves.
    #[inline(always)]
    pub fn walk_on(
        &mut self,
        compiled: &Compiled,
        (row, columns): (usize, u64),
        answer: impl FnMut(&Test) -> u64,
        found: impl FnMut(u16, u64),
    ) {
        let Sets { aside, waiting, wait } = &mut *self.sets;
        let mut count = 0;
        for &(at, waiting) in &waiting[..(*wait).min(ITEMS)] {
            aside[count % ITEMS] = (at, waiting & columns);
            count += usize::from(waiting & columns != 0);
        }
        if count > 0 {
            self.walk::<false>(compiled, row, count, answer, found);
        }
    }

    /// Takes so many sets to their leaves, one after the other: mostly all columns go the
    /// same way, and what leaves them is put aside.
    #[inline(always)]
    fn walk<const ROW: bool>(
        &mut self,
        compiled: &Compiled,
        row: usize,
        mut count: usize,
        mut find: impl FnMut(&Test) -> u64,
        mut found: impl FnMut(u16, u64),
    ) {
        let Walker { answers, began, now, sets } = self;
        let Sets { aside, waiting, wait } = &mut **sets;
        'sets: while count > 0 {
            count -= 1;
            let (mut at, mut columns) = aside[count % ITEMS];
            while at & LEAF == 0 {
                let split = &compiled.splits[at as usize];
                let answer = &mut answers[usize::from(split.test)];
                if answer.1 < began[split.kept as usize] {
                    *answer = (find(&compiled.tests[usize::from(split.test)]), *now);
                }
                if split.is_same {
                    at = split.to[(answer.0 >> (row % 64)) as usize & 1];
                    continue;
                }
                if ROW && split.later != 0 {
                    let later = columns & LATER[usize::from(split.later) % LATER.len()];
                    waiting[*wait % ITEMS] = (at, later);
                    *wait += usize::from(later != 0);
                    columns ^= later;
                    if columns == 0 {
                        continue 'sets;
                    }
                }
                // Mostly all go the same way, and the same way as those of the row before: what
                // comes next need not wait for the answer.
                let yes = columns & answer.0;
                if yes == columns {
                    at = split.to[1];
                } else {
                    at = split.to[0];
                    columns ^= yes;
                    if yes != 0 {
                        aside[count % ITEMS] = (split.to[1], yes);
                        count += 1;
                    }
                }
            }
            found((at & !LEAF) as u16, columns);
        }
    }
}
