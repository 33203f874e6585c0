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

/// What symbols with these counts cost when coded with their own frequencies.
pub(crate) fn cost<T: Copy + Into<u64>>(counts: &[T]) -> u64 {
    let (mut all, mut parts) = (0, 0);
    for &count in counts {
        all += count.into();
        parts += n_log_n(count.into());
    }
    n_log_n(all).saturating_sub(parts)
}

/// Cells that one thread counts at a time.
const SHARE: usize = 1 << 14;

/// How far a tree is grown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub leaves: usize,
    /// How many cells a cell of the sample stands for, in 16ths.
    pub scale16: u64,
}

/// What the cells of a sample cost when coded by a tree.
fn sample_cost(sample: &Sample, tree: &Tree) -> u64 {
    let mut counts = vec![vec![0u64; sample.alphabet]; tree.leaves()];
    for cell in 0..sample.len() {
        let bins = sample.row(cell as u32);
        let answer = |question: u16| {
            let question = usize::from(question);
            (bins[question] - sample.first[question]) as u8
        };
        counts[usize::from(tree.leaf_of(answer))][usize::from(sample.symbols[cell])] += 1;
    }
    counts.iter().map(|counts| cost(counts)).sum()
}

/// About what so many cells take, model and all, by a tree grown from a sample of
/// them.
pub(crate) fn estimate(sample: &Sample, cells: u64, leaves: usize) -> u64 {
    let len = sample.len().max(1) as u64;
    let tree = grow(sample, Limits { leaves, scale16: (cells * 16 / len).max(16) });
    let scaled = u128::from(sample_cost(sample, &tree)) * u128::from(cells) / u128::from(len);
    scaled as u64 + tree.leaves() as u64 * SPLIT_BITS * BIT
}

/// A leaf that can be split.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    gain: u64,
    /// Of equal gains the older leaf comes first.
    node: Reverse<usize>,
    question: usize,
    threshold: u8,
    from: usize,
    to: usize,
}

struct Grower<'a> {
    sample: &'a Sample,
    /// Cells, those of a leaf side by side.
    cells: Vec<u32>,
    /// Counts by bin and symbol of leaves that can be split.
    histograms: Vec<Option<Vec<u32>>>,
    least_gain: u64,
}

impl Grower<'_> {
    /// How often each symbol comes with each bin: all bins of the first symbol,
    /// then those of the next.
    fn histogram(&self, from: usize, to: usize) -> Vec<u32> {
        let sample = self.sample;
        let bins = usize::from(sample.first[sample.questions()]);
        let none = || vec![0u32; bins * sample.alphabet];
        let count = |mut counts: Vec<u32>, cells: &[u32]| {
            for &cell in cells {
                let symbol = usize::from(sample.symbols[cell as usize]);
                let counts = &mut counts[symbol * bins..][..bins];
                for &bin in sample.row(cell) {
                    counts[usize::from(bin)] += 1;
                }
            }
            counts
        };
        let cells = &self.cells[from..to];
        if cells.len() < 2 * SHARE {
            return count(none(), cells);
        }
        let add = |mut a: Vec<u32>, b: Vec<u32>| {
            a.iter_mut().zip(&b).for_each(|(a, b)| *a += b);
            a
        };
        cells.par_chunks(SHARE).fold(none, count).reduce(none, add)
    }

    /// The best split of a leaf, if one is worth it.
    fn best(&self, histogram: &[u32], node: usize, from: usize, to: usize) -> Option<Candidate> {
        let (sample, alphabet) = (self.sample, self.sample.alphabet);
        let width = usize::from(sample.first[sample.questions()]);
        let first_question = |counts: &[u32]| counts[..usize::from(sample.first[1])].iter().sum();
        let all: Vec<u32> = histogram.chunks(width).map(first_question).collect();
        let whole = cost(&all);
        if whole < self.least_gain {
            return None;
        }
        let mut best = (0, 0, 0);
        let (mut yes, mut no) = (vec![0u32; alphabet], vec![0u32; alphabet]);
        for question in (0..sample.questions()).filter(|&question| sample.asked[question]) {
            yes.fill(0);
            no.copy_from_slice(&all);
            let bins = usize::from(sample.first[question])..usize::from(sample.first[question + 1]);
            for (threshold, bin) in bins.clone().enumerate().take(bins.len() - 1) {
                let mut any = 0;
                for (symbol, counts) in histogram.chunks(width).enumerate() {
                    yes[symbol] += counts[bin];
                    no[symbol] -= counts[bin];
                    any |= counts[bin];
                }
                if any == 0 {
                    continue;
                }
                if no.iter().all(|&count| count == 0) {
                    break;
                }
                let gain = whole.saturating_sub(cost(&yes) + cost(&no));
                if gain > best.0 {
                    best = (gain, question, threshold as u8);
                }
            }
        }
        let (gain, question, threshold) = best;
        let candidate = Candidate { gain, node: Reverse(node), question, threshold, from, to };
        (gain >= self.least_gain).then_some(candidate)
    }

    /// Moves the cells that say yes to the front, in order.
    fn partition(&mut self, split: &Candidate) -> usize {
        let (sample, width) = (self.sample, self.sample.questions());
        let limit = sample.first[split.question] + u16::from(split.threshold);
        let cells = &mut self.cells[split.from..split.to];
        let says_yes = |cell: &u32| sample.bins[*cell as usize * width + split.question] <= limit;
        let (yes, no): (Vec<u32>, Vec<u32>) = cells.iter().partition(|cell| says_yes(cell));
        cells[..yes.len()].copy_from_slice(&yes);
        cells[yes.len()..].copy_from_slice(&no);
        split.from + yes.len()
    }

    /// The histograms of both halves: the smaller is counted, the other is
    /// what remains.
    fn halves(&self, whole: Vec<u32>, from: usize, at: usize, to: usize) -> [Vec<u32>; 2] {
        let mut rest = whole;
        let small = if at - from <= to - at { (from, at) } else { (at, to) };
        let counted = self.histogram(small.0, small.1);
        rest.iter_mut().zip(&counted).for_each(|(rest, counted)| *rest -= counted);
        if small.0 == from && small.1 == at { [counted, rest] } else { [rest, counted] }
    }
}

/// A node while the tree grows.
#[derive(Clone, Copy)]
pub(crate) struct Grown {
    pub question: u16,
    pub threshold: u8,
    pub children: Option<[usize; 2]>,
}

/// Grows a tree: always the leaf that gains most is split next.
pub(crate) fn grow(sample: &Sample, limits: Limits) -> Tree {
    grow_with_gains(sample, limits).0
}

/// Grows a tree, and says what each question has gained in it.
pub(crate) fn grow_with_gains(sample: &Sample, limits: Limits) -> (Tree, Vec<u64>) {
    let mut gains = vec![0; sample.questions()];
    if sample.len() == 0 {
        return (Tree::stump(), gains);
    }
    // A split has to pay for itself in the table, and the best of hundreds of
    // splits gains a dozen bits on noise.
    let noise = if limits.scale16 > 16 { 13 } else { 0 };
    let least_gain = (SPLIT_BITS * 16 / limits.scale16.max(1)).max(noise).max(1) * BIT;
    let cells = (0..sample.len() as u32).collect();
    let mut grower = Grower { sample, cells, histograms: vec![None], least_gain };
    let leaf = Grown { question: 0, threshold: 0, children: None };
    let mut nodes = vec![leaf];
    let mut candidates = BinaryHeap::new();
    let whole = grower.histogram(0, sample.len());
    if let Some(candidate) = grower.best(&whole, 0, 0, sample.len()) {
        grower.histograms[0] = Some(whole);
        candidates.push(candidate);
    }
    while nodes.len() < 2 * limits.leaves.min(MAX_LEAVES) - 1 {
        let Some(split) = candidates.pop() else { break };
        let Some(whole) = grower.histograms[split.node.0].take() else { break };
        gains[split.question] += split.gain;
        let at = grower.partition(&split);
        let children = [nodes.len(), nodes.len() + 1];
        let node = &mut nodes[split.node.0];
        (node.question, node.threshold) = (split.question as u16, split.threshold);
        node.children = Some(children);
        nodes.extend([leaf; 2]);
        let halves = grower.halves(whole, split.from, at, split.to);
        let ranges = [(split.from, at), (at, split.to)];
        let best = |half: usize| {
            let (from, to) = ranges[half];
            grower.best(&halves[half], children[half], from, to)
        };
        let (yes, no) = rayon::join(|| best(0), || best(1));
        for (histogram, candidate) in halves.into_iter().zip([yes, no]) {
            grower.histograms.push(candidate.is_some().then_some(histogram));
            candidates.extend(candidate);
        }
    }
    (in_preorder(&nodes), gains)
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
        assert_eq!(grow(&sample, Limits { leaves: 10, scale16: 16 }), Tree::stump());
        sample.ignore(&QUESTIONS, Ignored { geometry: false, neighbours: true });
        assert_eq!(grow(&sample, Limits { leaves: 10, scale16: 16 }).leaves(), 4);
    }

    #[test]
    fn learns_what_can_be_asked() {
        let sample = sample();
        let tree = grow(&sample, Limits { leaves: 10, scale16: 16 });
        assert_eq!(tree.leaves(), 4);
        let leaf = |answers: [u8; 3]| tree.leaf_of(|question| answers[usize::from(question)]);
        assert_eq!(leaf([0, 4, 2]), leaf([5, 0, 0]));
        assert_ne!(leaf([0, 4, 2]), leaf([0, 5, 2]));
    }
}
