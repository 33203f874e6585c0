//! Cutting back what the whole table does not pay for.

use crate::learn::{BIT, Grown, cost, in_preorder};
use crate::tree::{Node, Tree};

/// What a leaf costs in a model, roughly.
fn leaf_bits(counts: &[u64]) -> u64 {
    3 + 6 * (counts.iter().filter(|&&count| count > 0).count() as u64).saturating_sub(1)
}

/// What is left of a tree.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Pruned {
    pub tree: Tree,
    /// The counts of its leaves.
    pub counts: Vec<Vec<u64>>,
    /// For each leaf of the tree before, the one that its cells fall into now.
    pub leaf_of: Vec<u16>,
}

/// Takes back splits that the counts of the whole table do not pay for.
pub(crate) fn prune(tree: &Tree, counts: &[Vec<u64>]) -> Pruned {
    // From the back, so that both subtrees of a split are done before it.
    struct Done {
        cost: u64,
        counts: Vec<u64>,
        /// How many leaves there were.
        leaves: usize,
        keep: bool,
    }
    const QUESTION_BITS: u64 = 9;
    let mut done: Vec<Option<Done>> = Vec::new();
    done.resize_with(tree.nodes.len(), || None);
    for at in (0..tree.nodes.len()).rev() {
        let found = match tree.nodes[at] {
            Node::Leaf(leaf) => {
                let counts = counts[usize::from(leaf)].clone();
                let cost = cost(&counts) + leaf_bits(&counts) * BIT;
                Done { cost, counts, leaves: 1, keep: false }
            }
            Node::Split { no, .. } => {
                let (Some(yes), Some(no)) = (&done[at + 1], &done[no as usize]) else { continue };
                let counts: Vec<u64> =
                    yes.counts.iter().zip(&no.counts).map(|(a, b)| a + b).collect();
                let joined = cost(&counts) + leaf_bits(&counts) * BIT;
                let apart = yes.cost + no.cost + QUESTION_BITS * BIT;
                let leaves = yes.leaves + no.leaves;
                Done { cost: joined.min(apart), counts, leaves, keep: apart < joined }
            }
        };
        done[at] = Some(found);
    }
    let mut grown = Vec::new();
    let (mut kept, mut leaf_of) = (Vec::new(), Vec::new());
    let mut open = vec![(0usize, None::<(usize, usize)>)];
    while let Some((at, parent)) = open.pop() {
        let here = grown.len();
        grown.push(Grown { question: 0, threshold: 0, children: None });
        if let Some((parent, which)) = parent {
            grown[parent].children.get_or_insert([0; 2])[which] = here;
        }
        let Some(found) = done[at].take() else { continue };
        match tree.nodes[at] {
            Node::Split { question, threshold, no } if found.keep => {
                (grown[here].question, grown[here].threshold) = (question, threshold);
                open.push((no as usize, Some((here, 1))));
                open.push((at + 1, Some((here, 0))));
            }
            _ => {
                // Leaves are numbered in preorder, before and after.
                leaf_of.extend(std::iter::repeat_n(kept.len() as u16, found.leaves));
                kept.push(found.counts);
            }
        }
    }
    Pruned { tree: in_preorder(&grown), counts: kept, leaf_of }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree of three leaves.
    fn tree() -> Tree {
        let split = |no| Node::Split { question: 0, threshold: 0, no };
        Tree { nodes: vec![split(2), Node::Leaf(0), split(4), Node::Leaf(1), Node::Leaf(2)] }
    }

    #[test]
    fn splits_of_equal_halves_go() {
        let counts = vec![vec![0, 5, 0]; 3];
        let (kept, leaf_of) = (vec![vec![0, 15, 0]], vec![0; 3]);
        let expected = Pruned { tree: Tree::stump(), counts: kept, leaf_of };
        assert_eq!(prune(&tree(), &counts), expected);
    }

    #[test]
    fn splits_that_pay_stay() {
        let counts = vec![vec![1000, 0, 0], vec![0, 500, 0], vec![0, 500, 0]];
        let pruned = prune(&tree(), &counts);
        assert_eq!(pruned.counts, [vec![1000, 0, 0], vec![0, 1000, 0]]);
        assert_eq!((pruned.tree.leaves(), pruned.leaf_of), (2, vec![0, 1, 1]));
    }
}
