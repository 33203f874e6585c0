//! A tree for many cells, one after the other, without a branch: answers lie
//! ready as bytes, and a step of the walk is an addition.

use std::sync::Arc;

use crate::depth_batch::AskedDepths;
use crate::men::Men;
use crate::question::{Question, Scope};
use crate::tree::{MAX_LEAVES, Node, Tree};

/// Answers to all questions, by question and lane.
pub(crate) struct Answers(Box<[u8; ANSWERS]>);

/// The most questions: 8 men, depths and an earlier metric have 232.
pub(crate) const MAX_QUESTIONS: usize = 256;
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
    pub batch: AskedDepths,
    /// Whether depths of neighbours further away are among them.
    pub far: bool,
}

impl Asked {
    /// Those of a list that are asked.
    pub fn new(questions: &[Question], men: &Men, is_asked: impl Fn(usize) -> bool) -> Asked {
        let mut asked = Asked::default();
        for (number, &question) in questions.iter().enumerate().filter(|(i, _)| is_asked(*i)) {
            let numbered = (number as u16, question);
            match question.scope(men, true) {
                Scope::Tile => asked.tile.push(numbered),
                Scope::Row => asked.row.push(numbered),
                Scope::Batch => asked.batch.push(numbered),
            }
            asked.far |= matches!(question, Question::Step(4..8 | 16..20));
        }
        asked
    }

    /// Whether a question is among them.
    pub fn has(&self, number: usize) -> bool {
        let mut others = self.tile.iter().chain(&self.row);
        others.any(|asked| usize::from(asked.0) == number) || self.batch.has(number)
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

    /// The same with another place for *yes*.
    fn small(self, yes: usize) -> SmallNode {
        let question = (self.answers / 64) as u8;
        SmallNode { question, threshold: self.threshold, yes: yes as u16 }
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
    /// Tells trees apart.
    token: Arc<()>,
}

/// Cells that walk side by side, so that none waits for another's step.
const ABREAST: usize = 8;
/// The same where there are no more than so many.
const FEW: usize = 4;

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
        let asked = Asked::new(questions, men, |i| is_asked[i]);
        FlatTree { nodes, asked, token: Arc::new(()) }
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

/// A node in 32 bits: the question by its number, the threshold, and the node that *yes*
/// leads to.
#[derive(Clone, Copy, Debug)]
struct SmallNode {
    question: u8,
    threshold: u8,
    yes: u16,
}
const _: () = assert!(MAX_QUESTIONS - 1 <= u8::MAX as usize);

/// So many nodes of a tree are sought out for each tile, those nearest to the root; from
/// there on cells walk through the whole tree, most of whose nodes they never see.
const TOP: usize = 513;
const _: () = assert!(TOP + 2 * MAX_LEAVES < REACH);

/// What is left of a tree in a tile.
pub(crate) struct TileTree {
    /// What is left, then the whole tree. One more than can be named: the place behind
    /// any place is there, too.
    nodes: Box<[SmallNode; REACH + 1]>,
    /// The numbers of the leaves among the nodes.
    leaves: Box<[u16; REACH + 1]>,
    /// Whose nodes these are.
    whole: Option<Arc<()>>,
}

impl TileTree {
    /// A tree of one leaf, which leads to itself.
    pub fn new() -> TileTree {
        let leaf = SmallNode { question: 0, threshold: ALL, yes: 0 };
        let nodes = vec![leaf; REACH + 1].try_into();
        let leaves = vec![0; REACH + 1].try_into();
        TileTree {
            nodes: nodes.unwrap_or_else(|_| unreachable!("the length fits")),
            leaves: leaves.unwrap_or_else(|_| unreachable!("the length fits")),
            whole: None,
        }
    }

    /// Takes over what is left of a tree in a tile, the questions that all its cells
    /// answer alike being answered.
    pub fn set(&mut self, tree: &FlatTree, answers: &Answers) {
        self.take_whole(tree);
        let same = answers.of_lane(0);
        // What stands for a node of the whole tree.
        let mut from = [0; TOP];
        let (mut at, mut end) = (0, 1);
        while at < end {
            let mut node = tree.nodes[usize::from(from[at])];
            while node.is_same {
                node = tree.nodes[node.next(same)];
            }
            self.leaves[at] = node.leaf;
            let mut yes = TOP + usize::from(node.yes);
            if node.threshold == ALL {
                yes = at;
            } else if end + 1 < TOP {
                (from[end], from[end + 1]) = (node.yes, node.yes + 1);
                yes = end;
                end += 2;
            }
            self.nodes[at] = node.small(yes);
            at += 1;
        }
    }

    /// Takes over a whole tree behind what is left of it, if it is not there yet.
    fn take_whole(&mut self, tree: &FlatTree) {
        if self.whole.as_ref().is_some_and(|whole| Arc::ptr_eq(whole, &tree.token)) {
            return;
        }
        self.whole = Some(Arc::clone(&tree.token));
        let own = self.nodes[TOP..].iter_mut().zip(&mut self.leaves[TOP..]);
        for (own, node) in own.zip(&tree.nodes) {
            (*own.0, *own.1) = (node.small(TOP + usize::from(node.yes)), node.leaf);
        }
    }

    /// The leaves of some lanes, in their order.
    #[inline(always)]
    pub fn leaves(&self, answers: &Answers, lanes: &[u8], leaves: &mut [u16; 64]) {
        for (lanes, leaves) in lanes.chunks(ABREAST).zip(leaves.chunks_mut(ABREAST)) {
            match lanes.len() > FEW {
                true => self.leaves_abreast::<ABREAST>(answers, lanes, leaves),
                false => self.leaves_abreast::<FEW>(answers, lanes, leaves),
            }
        }
    }

    /// The same for at most `N` lanes. Where there are fewer, the first one walks again.
    #[inline(always)]
    fn leaves_abreast<const N: usize>(&self, answers: &Answers, lanes: &[u8], leaves: &mut [u16]) {
        let lane = |i: usize| lanes.get(i).copied().unwrap_or(lanes[0]);
        let at = self.walk::<N>(std::array::from_fn(|i| answers.of_lane(lane(i))));
        for (leaf, at) in leaves.iter_mut().zip(at) {
            *leaf = self.leaves[at];
        }
    }

    #[inline(always)]
    fn walk<const N: usize>(&self, answers: [&[u8; REACH]; N]) -> [usize; N] {
        let mut places = [0; N];
        loop {
            // Cells that have arrived stay where they are.
            for _ in 1..STRIDE {
                places = std::array::from_fn(|i| self.step(places[i], answers[i]));
            }
            let before = places;
            places = std::array::from_fn(|i| self.step(places[i], answers[i]));
            let moves = before.iter().zip(&places).fold(0, |any, (a, b)| any | (a ^ b));
            if moves == 0 {
                return places;
            }
        }
    }

    #[inline(always)]
    fn step(&self, place: usize, answers: &[u8; REACH]) -> usize {
        let node = &self.nodes[place];
        let answer = answers[usize::from(node.question) * 64];
        usize::from(node.yes) + usize::from(answer > node.threshold)
    }
}
