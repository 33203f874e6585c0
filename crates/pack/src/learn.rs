//! Growing a tree from a sample.
//!
//! All arithmetic is in whole numbers: the same sample gives the same tree on
//! any machine.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::LazyLock;

use rayon::prelude::*;

use crate::sample::Sample;
use crate::tree::{MAX_LEAVES, Node, Tree};

/// Costs are in 65536ths of a bit.
pub(crate) const BIT: u64 = 1 << 16;

/// About what a split adds to a model: the question, a second leaf.
const SPLIT_BITS: u64 = 18;

/// The logarithm to base 2 of numbers below 65536, in 65536ths.
static LOGARITHMS: LazyLock<Vec<u32>> = LazyLock::new(|| {
    let logarithm = |number: u32| {
        let Some(whole) = number.checked_ilog2() else { return 0 };
        // Repeated squaring of the mantissa gives one binary digit each time.
        let mut mantissa = u64::from(number) << (31 - whole);
        let mut digits = whole;
        for _ in 0..16 {
            mantissa = (mantissa * mantissa) >> 31;
            let digit = mantissa >> 32;
            mantissa >>= digit;
            digits = digits << 1 | digit as u32;
        }
        digits
    };
    (0..1 << 16).map(logarithm).collect()
});

/// n log2 n, in 65536ths of a bit.
#[inline]
fn n_log_n(n: u64) -> u64 {
    let shift = (64 - n.leading_zeros()).saturating_sub(16);
    n * (u64::from(LOGARITHMS[(n >> shift) as usize]) + u64::from(shift) * BIT)
}

/// The same of small numbers, which most counts are.
static SMALL: LazyLock<Vec<u64>> = LazyLock::new(|| (0..1 << 12).map(n_log_n).collect());

/// What symbols with these counts cost when coded with their own frequencies.
pub(crate) fn cost<T: Copy + Into<u64>>(counts: &[T]) -> u64 {
    let (mut all, mut parts) = (0, 0);
    for &count in counts {
        all += count.into();
        parts += n_log_n(count.into());
    }
    n_log_n(all).saturating_sub(parts)
}

/// Counts that grow or shrink, and what they cost.
#[derive(Clone, Copy)]
struct Counted<'a> {
    counts: [u32; SYMBOLS],
    all: u64,
    /// n log n of the counts, and their sum.
    terms: [u64; SYMBOLS],
    parts: u64,
    small: &'a [u64],
}

impl<'a> Counted<'a> {
    fn none(small: &'a [u64]) -> Counted<'a> {
        Counted { counts: [0; SYMBOLS], all: 0, terms: [0; SYMBOLS], parts: 0, small }
    }

    fn new(counts: [u32; SYMBOLS], small: &'a [u64]) -> Counted<'a> {
        let mut counted = Counted::none(small);
        (0..SYMBOLS).for_each(|symbol| counted.set(symbol, counts[symbol]));
        counted
    }

    #[inline]
    fn n_log_n(&self, n: u64) -> u64 {
        self.small.get(n as usize).copied().unwrap_or_else(|| n_log_n(n))
    }

    #[inline(always)]
    fn set(&mut self, symbol: usize, count: u32) {
        let before = std::mem::replace(&mut self.counts[symbol], count);
        self.all = self.all + u64::from(count) - u64::from(before);
        let term = self.n_log_n(count.into());
        let before = std::mem::replace(&mut self.terms[symbol], term);
        self.parts = self.parts + term - before;
    }

    /// As [`cost`].
    #[inline]
    fn cost(&self) -> u64 {
        self.n_log_n(self.all).saturating_sub(self.parts)
    }
}

/// Cells that one thread counts at a time.
const SHARE: usize = 1 << 14;

/// The most symbols that are learnt.
const SYMBOLS: usize = 16;

/// Leaves of fewer cells are counted anew when they are split: what is kept of a leaf
/// takes as long to go through as some hundred cells.
const KEPT: usize = 512;

/// Cells of a sample that lie side by side and stand for equally many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stratum {
    pub from: usize,
    pub to: usize,
    /// How many cells each stands for, in 16ths.
    pub scale16: u64,
}

impl Stratum {
    /// All cells of a sample, which stand for so many.
    pub fn whole(sample: &Sample, cells: u64) -> Stratum {
        let len = sample.len();
        Stratum { from: 0, to: len, scale16: (cells * 16 / len.max(1) as u64).max(16) }
    }

    /// The least gain that a split has to have: it has to pay for itself in the table, and
    /// the best of hundreds of splits gains a dozen bits on noise.
    fn least_gain(&self) -> u64 {
        let noise = if self.scale16 > 16 { 13 } else { 0 };
        (SPLIT_BITS * 16 / self.scale16.max(1)).max(noise).max(1) * BIT
    }
}

/// How often each symbol comes in each leaf of a tree.
pub(crate) fn leaf_counts(sample: &Sample, tree: &Tree) -> Vec<Vec<u64>> {
    let mut counts = vec![vec![0u64; sample.alphabet]; tree.leaves()];
    for row in sample.rows(0, sample.len()).chunks(sample.row_len()) {
        let leaf = tree.leaf_of(|question| row[usize::from(question)]);
        counts[usize::from(leaf)][usize::from(row[row.len() - 1])] += 1;
    }
    counts
}

/// What the cells of a sample cost when coded by a tree.
fn sample_cost(sample: &Sample, tree: &Tree) -> u64 {
    leaf_counts(sample, tree).iter().map(|counts| cost(counts)).sum()
}

/// About what so many cells take, model and all, by a tree grown from a sample of
/// them.
pub(crate) fn estimate(sample: &mut Sample, cells: u64, leaves: usize) -> u64 {
    let len = sample.len().max(1) as u64;
    let tree = grow(sample, cells, leaves);
    let scaled = u128::from(sample_cost(sample, &tree)) * u128::from(cells) / u128::from(len);
    scaled as u64 + tree.leaves() as u64 * SPLIT_BITS * BIT
}

/// A leaf that can be split.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    /// What is gained in the whole table, in 16ths.
    gain: u64,
    /// Of equal gains the older leaf comes first.
    node: Reverse<usize>,
    question: usize,
    threshold: u8,
    from: usize,
    to: usize,
    scale16: u64,
}

/// How often each symbol comes with each bin: all symbols of the first bin, then those of
/// the next.
type Histogram = Vec<[u32; SYMBOLS]>;

/// What the histograms of leaves take that are kept at a time while a tree of so many leaves
/// grows from so many cells, about.
pub(crate) fn kept_bytes(questions: usize, cells: u64, leaves: usize) -> u64 {
    let each = questions * MEAN_ANSWERS * size_of::<[u32; SYMBOLS]>();
    (cells / KEPT as u64).min(leaves as u64) * each as u64
}

/// Answers of a question, on average: most are about files, ranks, distances and steps.
const MEAN_ANSWERS: usize = 12;

struct Grower<'a> {
    /// The cells of a leaf lie side by side.
    sample: &'a mut Sample,
    /// What was counted of leaves that can be split, if they are large.
    kept: Vec<Option<Histogram>>,
}

impl Grower<'_> {
    fn histogram(&self, from: usize, to: usize) -> Histogram {
        let sample = &*self.sample;
        let (bins, len) = (usize::from(sample.first[sample.questions()]), sample.row_len());
        let none = || vec![[0u32; SYMBOLS]; bins];
        let count = |mut counts: Histogram, rows: &[u8]| {
            for row in rows.chunks_exact(len) {
                let symbol = usize::from(row[len - 1]) % SYMBOLS;
                for (&answer, &first) in row.iter().zip(&sample.first[..sample.questions()]) {
                    counts[usize::from(first) + usize::from(answer)][symbol] += 1;
                }
            }
            counts
        };
        let rows = sample.rows(from, to);
        if to - from < 2 * SHARE {
            return count(none(), rows);
        }
        let add = |mut a: Histogram, b: Histogram| {
            let pairs = a.as_flattened_mut().iter_mut().zip(b.as_flattened());
            pairs.for_each(|(a, b)| *a += b);
            a
        };
        rows.par_chunks(SHARE * len).fold(none, count).reduce(none, add)
    }

    /// The best split of a leaf, if one is worth it.
    fn best(&self, histogram: &[[u32; SYMBOLS]], node: usize, of: Stratum) -> Option<Candidate> {
        let least_gain = of.least_gain();
        let first = |question: usize| usize::from(self.sample.first[question]);
        let mut all = [0; SYMBOLS];
        for bin in &histogram[..first(1)] {
            all.iter_mut().zip(bin).for_each(|(all, count)| *all += count);
        }
        let small = &SMALL[..];
        let whole = Counted::new(all, small);
        let cost = whole.cost();
        if cost < least_gain {
            return None;
        }
        let alphabet = self.sample.alphabet.min(SYMBOLS);
        let mut best = (0, 0, 0);
        for question in (0..self.sample.questions()).filter(|&i| self.sample.asked[i]) {
            let (mut yes, mut no) = (Counted::none(small), whole);
            let bins = &histogram[first(question)..first(question + 1) - 1];
            let is_met = |bin: &[u32; SYMBOLS]| bin.iter().fold(0, |any, count| any | count) > 0;
            for (threshold, bin) in bins.iter().enumerate().filter(|(_, bin)| is_met(bin)) {
                let met = bin[..alphabet].iter().enumerate().filter(|(_, count)| **count > 0);
                for (symbol, &count) in met {
                    yes.set(symbol, yes.counts[symbol] + count);
                    no.set(symbol, no.counts[symbol] - count);
                }
                if no.all == 0 {
                    break;
                }
                let gain = cost.saturating_sub(yes.cost() + no.cost());
                if gain > best.0 {
                    best = (gain, question, threshold as u8);
                }
            }
        }
        let (gain, question, threshold) = best;
        let Stratum { from, to, scale16 } = of;
        let (is_enough, gain) = (gain >= least_gain, gain * scale16);
        is_enough.then_some(Candidate {
            gain,
            node: Reverse(node),
            question,
            threshold,
            from,
            to,
            scale16,
        })
    }

    /// The histograms of both halves: the smaller is counted, the other is what remains,
    /// if the whole was kept.
    fn halves(&self, whole: Option<Histogram>, ranges: [Stratum; 2]) -> [Histogram; 2] {
        let len = |half: usize| ranges[half].to - ranges[half].from;
        let count = |half: usize| self.histogram(ranges[half].from, ranges[half].to);
        let Some(mut rest) = whole else { return [count(0), count(1)] };
        let small = usize::from(len(1) < len(0));
        let counted = count(small);
        let pairs = rest.as_flattened_mut().iter_mut().zip(counted.as_flattened());
        pairs.for_each(|(rest, counted)| *rest -= counted);
        if small == 0 { [counted, rest] } else { [rest, counted] }
    }

    /// The best splits of both halves of a leaf, whose nodes have these numbers, found.
    fn split(
        &mut self,
        whole: Option<Histogram>,
        children: [usize; 2],
        ranges: [Stratum; 2],
    ) -> [Option<Candidate>; 2] {
        let halves = self.halves(whole, ranges);
        let best = |half: usize| self.best(&halves[half], children[half], ranges[half]);
        let large = ranges[1].to - ranges[0].from >= 2 * SHARE;
        let found = if large { rayon::join(|| best(0), || best(1)) } else { (best(0), best(1)) };
        let found: [Option<Candidate>; 2] = found.into();
        for ((histogram, candidate), range) in halves.into_iter().zip(&found).zip(ranges) {
            let is_kept = candidate.is_some() && range.to - range.from >= KEPT;
            self.kept.push(is_kept.then_some(histogram));
        }
        found
    }
}

/// A node while the tree grows.
#[derive(Clone, Copy)]
pub(crate) struct Grown {
    pub question: u16,
    pub threshold: u8,
    pub children: Option<[usize; 2]>,
}

impl Grown {
    const LEAF: Grown = Grown { question: 0, threshold: 0, children: None };

    /// A node of a tree, with its place there.
    fn of((at, node): (usize, &Node)) -> Grown {
        match *node {
            Node::Leaf(_) => Grown::LEAF,
            Node::Split { question, threshold, no } => {
                Grown { question, threshold, children: Some([at + 1, no as usize]) }
            }
        }
    }
}

/// A tree that has grown.
pub(crate) struct Growth {
    /// Its nodes in the order they came, the halves of a leaf side by side.
    nodes: Vec<Grown>,
    /// What each question has gained in it.
    pub gains: Vec<u64>,
}

impl Growth {
    /// The tree.
    pub fn tree(&self) -> Tree {
        in_preorder(&self.nodes)
    }

    /// The tree as it was when it had so many leaves, without the splits by other questions
    /// than those of a list that rises.
    pub fn early(&self, leaves: usize, numbers: &[u16]) -> Tree {
        let mut nodes = self.nodes.clone();
        nodes.truncate(2 * leaves.max(1) - 1);
        let end = nodes.len();
        for node in &mut nodes {
            let is_asked = numbers.binary_search(&node.question).is_ok();
            node.children = node.children.filter(|children| is_asked && children[1] < end);
        }
        in_preorder(&nodes)
    }
}

/// Grows a tree from a sample of so many cells: always the leaf that gains most is split
/// next. Cells of the sample change places.
pub(crate) fn grow(sample: &mut Sample, cells: u64, leaves: usize) -> Tree {
    let whole = Stratum::whole(sample, cells);
    grow_from(sample, &Tree::stump(), &[whole], leaves).tree()
}

/// Grows a tree on, up to so many leaves. The cells in each of its leaves are a stratum of
/// the sample.
pub(crate) fn grow_from(
    sample: &mut Sample,
    tree: &Tree,
    strata: &[Stratum],
    leaves: usize,
) -> Growth {
    let mut gains = vec![0; sample.questions()];
    let mut nodes: Vec<Grown> = tree.nodes.iter().enumerate().map(Grown::of).collect();
    let mut grower = Grower { sample, kept: Vec::new() };
    grower.kept.resize_with(nodes.len(), || None);
    let mut candidates = BinaryHeap::new();
    for (at, node) in tree.nodes.iter().enumerate() {
        let &Node::Leaf(leaf) = node else { continue };
        let stratum = strata[usize::from(leaf)];
        if stratum.from < stratum.to {
            let whole = grower.histogram(stratum.from, stratum.to);
            let found = grower.best(&whole, at, stratum);
            let is_kept = found.is_some() && stratum.to - stratum.from >= KEPT;
            grower.kept[at] = is_kept.then_some(whole);
            candidates.extend(found);
        }
    }
    let (leaf, mut room) = (Grown::LEAF, Vec::new());
    while nodes.len() < 2 * leaves.min(MAX_LEAVES) - 1 {
        let Some(split) = candidates.pop() else { break };
        gains[split.question] += split.gain;
        let Candidate { question, threshold, from, to, scale16, .. } = split;
        let at = grower.sample.partition((from, to), question, threshold, &mut room);
        let children = [nodes.len(), nodes.len() + 1];
        let node = &mut nodes[split.node.0];
        (node.question, node.threshold) = (question as u16, threshold);
        node.children = Some(children);
        nodes.extend([leaf; 2]);
        let whole = grower.kept[split.node.0].take();
        let halves = [(from, at), (at, to)].map(|(from, to)| Stratum { from, to, scale16 });
        candidates.extend(grower.split(whole, children, halves).into_iter().flatten());
    }
    Growth { nodes, gains }
}

/// The tree of some nodes, the first of which is the root.
pub(crate) fn in_preorder(grown: &[Grown]) -> Tree {
    let mut nodes: Vec<Node> = Vec::with_capacity(grown.len());
    let mut leaves = 0;
    let mut open = vec![(0, None)];
    while let Some((at, no_of)) = open.pop() {
        let here = nodes.len();
        if let Some(Node::Split { no, .. }) = no_of.map(|split: usize| &mut nodes[split]) {
            *no = here as u32;
        }
        let Grown { question, threshold, children } = grown[at];
        match children {
            None => {
                nodes.push(Node::Leaf(leaves));
                leaves += 1;
            }
            Some([yes, no]) => {
                nodes.push(Node::Split { question, threshold, no: 0 });
                open.push((no, Some(here)));
                open.push((yes, None));
            }
        }
    }
    Tree { nodes }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Ignored;
    use crate::question::Question;

    #[test]
    fn logarithms() {
        for n in [1u64, 2, 3, 10, 65_535, 65_536, 1_000_000, 123_456_789] {
            let exact = n as f64 * (n as f64).log2();
            let found = n_log_n(n) as f64 / BIT as f64;
            assert!(
                (found - exact).abs() <= exact * 1e-4 + n as f64 * 2e-5,
                "{n}: {found} {exact}"
            );
        }
    }

    const QUESTIONS: [Question; 3] = [Question::Other, Question::File(0), Question::Rank(0)];

    /// Symbols that depend on file and rank.
    fn sample() -> Sample {
        let mut sample = Sample::new(&QUESTIONS, 3);
        for i in 0..6000u32 {
            let answers = [(i % 6) as u8, (i / 6 % 8) as u8, (i / 48 % 8) as u8];
            sample.push(u8::from(answers[1] > 4) + u8::from(answers[2] > 2));
            for (question, answer) in answers.into_iter().enumerate() {
                sample.set(i as usize, question, answer);
            }
        }
        sample
    }

    #[test]
    fn what_is_ignored_is_not_asked() {
        let mut sample = sample();
        sample.ignore(&QUESTIONS, Ignored { geometry: true, neighbours: false });
        assert_eq!(grow(&mut sample, 6000, 10), Tree::stump());
        sample.ignore(&QUESTIONS, Ignored { geometry: false, neighbours: true });
        assert_eq!(grow(&mut sample, 6000, 10).leaves(), 4);
    }

    #[test]
    fn learns_what_can_be_asked() {
        let mut sample = sample();
        let tree = grow(&mut sample, 6000, 10);
        assert_eq!(tree.leaves(), 4);
        let leaf = |answers: [u8; 3]| tree.leaf_of(|question| answers[usize::from(question)]);
        assert_eq!(leaf([0, 4, 2]), leaf([5, 0, 0]));
        assert_ne!(leaf([0, 4, 2]), leaf([0, 5, 2]));
    }
}
