//! A tree for many cells, one after the other, without a branch: answers lie
//! ready as bytes, and a step of the walk is an addition.

use crate::men::Men;
use crate::question::{Question, Scope};
use crate::tree::{MAX_LEAVES, Node, Tree};

/// Answers to all questions, by question and lane.
pub(crate) struct Answers(Box<[u8; ANSWERS]>);

/// The most questions: 8 men, depths and an earlier metric have 232.
const MAX_QUESTIONS: usize = 256;
const ANSWERS: usize = MAX_QUESTIONS * 64;
const _: () = assert!(MAX_LEAVES <= ANSWERS);

impl Answers {
    pub fn new() -> Answers {
        Answers(vec![0; ANSWERS].try_into().unwrap_or_else(|_| unreachable!("the length fits")))
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
        self.0[(usize::from(question) * 64 + lane) % ANSWERS]
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
}

/// A node: in the lowest 16 bits where answers to its question begin, then 8
/// bits of threshold, then a bit that says whether all cells of a tile have the same
/// answer; in the upper half the node that *yes* leads to, *no*
/// leading to the one behind it. A leaf has its number for a beginning, a threshold
/// that all answers meet, and leads to itself.
#[derive(Clone, Copy, Debug)]
struct FlatNode(u64);

impl FlatNode {
    fn split(question: u16, threshold: u8, is_same: bool, yes: usize) -> FlatNode {
        let lower = (u64::from(question) * 64) | (u64::from(threshold) << 16);
        FlatNode(lower | (u64::from(is_same) << 24) | ((yes as u64) << 32))
    }

    fn is_same(self) -> bool {
        self.0 >> 24 & 1 != 0
    }

    fn is_leaf(self) -> bool {
        self.0 >> 16 & 0xff == 0xff
    }

    /// The same node with another place for what it leads to.
    fn leading_to(self, to: usize) -> FlatNode {
        FlatNode((self.0 & 0xffff_ffff) | ((to as u64) << 32))
    }

    fn leaf(number: u16, own: usize) -> FlatNode {
        FlatNode(u64::from(number) | (0xff << 16) | ((own as u64) << 32))
    }

    #[inline(always)]
    fn next(self, answers: &[u8; ANSWERS], lane: u8) -> u32 {
        let at = usize::from(self.0 as u16) + usize::from(lane);
        let is_more = answers[at % ANSWERS] > (self.0 >> 16) as u8;
        (self.0 >> 32) as u32 + u32::from(is_more)
    }
}

/// A tree made ready for walking.
#[derive(Clone, Debug)]
pub(crate) struct FlatTree {
    nodes: Vec<FlatNode>,
    pub asked: Asked,
}

/// Cells that walk side by side, so that none waits for another's step.
const ABREAST: usize = 4;

/// Steps between two looks at who has arrived.
const STRIDE: usize = 2;

impl FlatTree {
    pub fn new(tree: &Tree, questions: &[Question], men: &Men) -> FlatTree {
        let mut is_asked = vec![false; questions.len()];
        let mut nodes = vec![FlatNode(0)];
        // Level by level: the nodes that many cells come through lie together.
        let mut from = vec![0usize];
        let mut at = 0;
        while at < from.len() {
            nodes[at] = match tree.nodes[from[at]] {
                Node::Leaf(leaf) => FlatNode::leaf(leaf, at),
                Node::Split { question, threshold, no } => {
                    is_asked[usize::from(question)] = true;
                    let yes = nodes.len();
                    from.extend([from[at] + 1, no as usize]);
                    nodes.extend([FlatNode(0); 2]);
                    let is_same = questions[usize::from(question)].is_same_in_tile(men);
                    FlatNode::split(question, threshold, is_same, yes)
                }
            };
            at += 1;
        }
        FlatTree { nodes, asked: Asked::new(questions, men, |i| is_asked[i]) }
    }

    /// Number of leaves.
    pub fn leaves_len(&self) -> usize {
        self.nodes.len().div_ceil(2)
    }

    /// What is left of the tree in a tile, the questions that all its cells answer
    /// alike being answered.
    pub fn in_tile(&self, answers: &Answers) -> TileTree {
        let mut nodes = Vec::with_capacity(256);
        let mut from = vec![0u32];
        let mut at = 0;
        while at < from.len() {
            let mut node = self.nodes[from[at] as usize];
            while node.is_same() {
                node = self.nodes[node.next(&answers.0, 0) as usize];
            }
            if node.is_leaf() {
                nodes.push(node.leading_to(at));
            } else {
                let yes = (node.0 >> 32) as u32;
                nodes.push(node.leading_to(from.len()));
                from.extend([yes, yes + 1]);
            }
            at += 1;
        }
        TileTree { nodes }
    }
}

/// What is left of a tree in a tile.
#[derive(Clone, Debug, Default)]
pub(crate) struct TileTree {
    nodes: Vec<FlatNode>,
}

impl TileTree {
    /// The leaves of some lanes, in their order.
    #[inline(always)]
    pub fn leaves(&self, answers: &Answers, lanes: &[u8], leaves: &mut [u16; 64]) {
        for (lanes, leaves) in lanes.chunks(ABREAST).zip(leaves.chunks_mut(ABREAST)) {
            let mut some = [lanes[0]; ABREAST];
            some[..lanes.len()].copy_from_slice(lanes);
            let at = self.walk(&answers.0, some);
            for (leaf, at) in leaves.iter_mut().zip(at) {
                *leaf = self.nodes[at as usize].0 as u16;
            }
        }
    }

    #[inline(always)]
    fn walk(&self, answers: &[u8; ANSWERS], lanes: [u8; ABREAST]) -> [u32; ABREAST] {
        let mut at = [0u32; ABREAST];
        loop {
            let before = at;
            // Cells that have arrived stay where they are.
            for _ in 0..STRIDE {
                for (at, lane) in at.iter_mut().zip(lanes) {
                    *at = self.nodes[*at as usize].next(answers, lane);
                }
            }
            if at == before {
                return at;
            }
        }
    }
}
