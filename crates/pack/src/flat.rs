//! A tree for many cells, one after the other, without a branch: answers lie
//! ready as bytes, and a step of the walk is an addition.

use crate::men::Men;
use crate::question::{Question, Scope};
use crate::tree::{MAX_LEAVES, Node, Tree};

/// Answers to all questions, by question and lane.
pub(crate) struct Answers(Box<[u8; ANSWERS]>);

/// The most questions: 8 men, depths and an earlier metric have 232.
const MAX_QUESTIONS: usize = 256;
/// Places that 16 bits can name, more than there are answers of a lane: then no step of
/// a walk has to be checked.
const REACH: usize = 1 << 16;
const _: () = assert!(MAX_QUESTIONS * 64 <= REACH);
const ANSWERS: usize = REACH + 64;

impl Answers {
    pub fn new() -> Answers {
        Answers(vec![0; ANSWERS].try_into().unwrap_or_else(|_| unreachable!("the length fits")))
    }

    /// All answers from those of a lane on: the lane's own are 64 apart.
    #[inline(always)]
    fn of_lane(&self, lane: u8) -> &[u8; REACH] {
        let lane = usize::from(lane % 64);
        let answers = self.0[lane..lane + REACH].first_chunk();
        answers.unwrap_or_else(|| unreachable!("the length fits"))
    }

    /// The answers to a question, by lane.
    #[inline]
    pub fn of(&mut self, question: u16) -> &mut [u8; 64] {
        let (all, _) = self.0.as_chunks_mut::<64>();
        &mut all[usize::from(question) % MAX_QUESTIONS]
    }

    /// One answer.
    #[inline]
    pub fn get(&self, question: u16, lane: usize) -> u8 {
        self.0[(usize::from(question) * 64 + lane) % REACH]
    }
}

/// Questions and their numbers.
pub(crate) type Numbered = Vec<(u16, Question)>;

/// The questions somebody asks, by how long their answers hold.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    pub tile: Numbered,
    pub row: Numbered,
    pub batch: Numbered,
    /// Whether depths of neighbours further away are among them.
    pub far: bool,
}

impl Asked {
    /// Those of a list that are asked.
    pub fn new(questions: &[Question], men: &Men, is_asked: impl Fn(usize) -> bool) -> Asked {
        let mut asked = Asked::default();
        for (number, &question) in questions.iter().enumerate().filter(|(i, _)| is_asked(*i)) {
            let list = match question.scope(men, true) {
                Scope::Tile => &mut asked.tile,
                Scope::Row => &mut asked.row,
                Scope::Batch => &mut asked.batch,
            };
            list.push((number as u16, question));
            asked.far |= matches!(question, Question::Step(4..8 | 16..20));
        }
        asked
    }

    /// Whether a question is among them.
    pub fn has(&self, number: usize) -> bool {
        let lists = [&self.tile, &self.row, &self.batch];
        lists.into_iter().flatten().any(|asked| usize::from(asked.0) == number)
    }
}

/// A node: where answers to its question begin, the threshold, and the node that *yes*
/// leads to, *no* leading to the one behind it. A leaf has a threshold that all answers
/// meet, and leads to itself.
#[derive(Clone, Copy, Debug, Default)]
struct FlatNode {
    answers: u16,
    yes: u16,
    threshold: u8,
    /// Whether all cells of a tile have the same answer.
    is_same: bool,
    /// The number of a leaf.
    leaf: u16,
}

/// The threshold of leaves.
const ALL: u8 = u8::MAX;
/// Trees have fewer nodes than 16 bits can name.
const _: () = assert!(2 * MAX_LEAVES < REACH);

impl FlatNode {
    fn leaf(leaf: u16, own: usize) -> FlatNode {
        FlatNode { yes: own as u16, threshold: ALL, leaf, ..FlatNode::default() }
    }

    #[inline(always)]
    fn next(self, answers: &[u8; REACH]) -> usize {
        let is_more = answers[usize::from(self.answers)] > self.threshold;
        usize::from(self.yes) + usize::from(is_more)
    }
}

/// A tree made ready for walking.
#[derive(Clone, Debug)]
pub(crate) struct FlatTree {
    nodes: Vec<FlatNode>,
    pub asked: Asked,
}

/// Cells that walk side by side, so that none waits for another's step.
const ABREAST: usize = 8;

/// Steps between two looks at who has arrived.
const STRIDE: usize = 2;

impl FlatTree {
    pub fn new(tree: &Tree, questions: &[Question], men: &Men) -> FlatTree {
        let mut is_asked = vec![false; questions.len()];
        let mut nodes = vec![FlatNode::default()];
        // Level by level: the nodes that many cells come through lie together.
        let mut from = vec![0usize];
        let mut at = 0;
        while at < from.len() {
            nodes[at] = match tree.nodes[from[at]] {
                Node::Leaf(leaf) => FlatNode::leaf(leaf, at),
                Node::Split { question, threshold, no } => {
                    is_asked[usize::from(question)] = true;
                    let yes = nodes.len() as u16;
                    from.extend([from[at] + 1, no as usize]);
                    nodes.extend([FlatNode::default(); 2]);
                    let is_same = questions[usize::from(question)].is_same_in_tile(men);
                    FlatNode { answers: question * 64, yes, threshold, is_same, leaf: 0 }
                }
            };
            at += 1;
        }
        FlatTree { nodes, asked: Asked::new(questions, men, |i| is_asked[i]) }
    }

    /// The leaf of one lane.
    #[inline]
    pub fn leaf(&self, answers: &Answers, lane: u8) -> u16 {
        let (own, mut node) = (answers.of_lane(lane), self.nodes[0]);
        while node.threshold != ALL {
            node = self.nodes[node.next(own)];
        }
        node.leaf
    }

    /// Number of leaves.
    pub fn leaves_len(&self) -> usize {
        self.nodes.len().div_ceil(2)
    }
}

/// What is left of a tree in a tile.
pub(crate) struct TileTree {
    /// One more than can be named: the place behind any place is there, too.
    nodes: Box<[FlatNode; REACH + 1]>,
}

impl TileTree {
    /// A tree of one leaf.
    pub fn new() -> TileTree {
        let nodes = vec![FlatNode::leaf(0, 0); REACH + 1].try_into();
        TileTree { nodes: nodes.unwrap_or_else(|_| unreachable!("the length fits")) }
    }

    /// Takes over what is left of a tree in a tile, the questions that all its cells
    /// answer alike being answered.
    pub fn set(&mut self, tree: &FlatTree, answers: &Answers) {
        let same = answers.of_lane(0);
        // Nodes that are not placed yet stand for those of the whole tree.
        self.nodes[0].yes = 0;
        let (mut at, mut end) = (0, 1);
        while at < end {
            let mut node = tree.nodes[usize::from(self.nodes[at].yes)];
            while node.is_same {
                node = tree.nodes[node.next(same)];
            }
            if node.threshold == ALL {
                node.yes = at as u16;
            } else {
                self.nodes[end].yes = node.yes;
                self.nodes[end + 1].yes = node.yes + 1;
                node.yes = end as u16;
                end += 2;
            }
            self.nodes[at] = node;
            at += 1;
        }
    }

    /// The leaves of some lanes, in their order.
    #[inline(always)]
    pub fn leaves(&self, answers: &Answers, lanes: &[u8], leaves: &mut [u16; 64]) {
        for (lanes, leaves) in lanes.chunks(ABREAST).zip(leaves.chunks_mut(ABREAST)) {
            let lane = |i: usize| lanes.get(i).copied().unwrap_or(lanes[0]);
            let own: [&[u8; REACH]; ABREAST] = std::array::from_fn(|i| answers.of_lane(lane(i)));
            let at = self.walk(own);
            for (leaf, at) in leaves.iter_mut().zip(at) {
                *leaf = self.nodes[at].leaf;
            }
        }
    }

    #[inline(always)]
    fn walk(&self, own: [&[u8; REACH]; ABREAST]) -> [usize; ABREAST] {
        let mut at = [0; ABREAST];
        loop {
            // Cells that have arrived stay where they are.
            for _ in 0..STRIDE {
                for (at, own) in at.iter_mut().zip(own) {
                    *at = self.nodes[*at].next(own);
                }
            }
            // Leaves have the threshold whose bits are all set.
            if at.iter().fold(ALL, |all, &at| all & self.nodes[at].threshold) == ALL {
                return at;
            }
        }
    }
}
