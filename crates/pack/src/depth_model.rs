//! The two models of depths: the first tells places near the predicted one apart and
//! says where the place is a far one, the second tells those apart.

use crate::depth::{FAR_SYMBOLS, SYMBOLS};
use crate::error::PackError;
use crate::flat::{Asked, FlatTree};
use crate::intervals::Intervals;
use crate::leaf::{LeafCode, LeafTable};
use crate::men::Men;
use crate::model::{Model, ModelCode};
use crate::prune::{Pruned, prune};
use crate::question::Question;
use crate::read::{take, take_number};
use crate::tree::Tree;

/// Trees made ready for walking.
#[derive(Debug)]
pub(crate) struct DepthTrees {
    pub near: FlatTree,
    pub far: FlatTree,
    /// What either asks.
    pub asked: Asked,
}

impl DepthTrees {
    pub fn new([near, far]: [&Tree; 2], questions: &[Question], men: &Men) -> DepthTrees {
        let [near, far] = [near, far].map(|tree| FlatTree::new(tree, questions, men));
        let is_asked = |number: usize| near.asked.has(number) || far.asked.has(number);
        let asked = Asked::new(questions, men, is_asked);
        DepthTrees { near, far, asked }
    }
}

/// Leaves for reading.
#[derive(Debug)]
pub(crate) struct DepthLeaves {
    pub near: LeafTable,
    pub far: LeafTable,
}

/// Takes both models from the front of the bytes.
///
/// # Errors
/// If the bytes are none.
pub(crate) fn read_models(
    bytes: &mut &[u8],
    questions: &[Question],
    men: &Men,
) -> Result<(DepthTrees, DepthLeaves), PackError> {
    let mut read = |alphabet: usize| {
        let len = take_number(bytes, 4, "models")? as usize;
        Model::read(take(bytes, len, "models")?, questions.to_vec(), alphabet)
    };
    let (near, far) = (read(SYMBOLS)?, read(FAR_SYMBOLS)?);
    let trees = DepthTrees::new([&near.tree, &far.tree], questions, men);
    let leaves =
        DepthLeaves { near: LeafTable::new(&near.leaves), far: LeafTable::new(&far.leaves) };
    Ok((trees, leaves))
}

/// How often each symbol came in each leaf.
pub(crate) struct Counts {
    pub near: Vec<[u64; SYMBOLS]>,
    pub far: Vec<[u64; FAR_SYMBOLS]>,
}

impl Counts {
    pub fn new(trees: &DepthTrees) -> Counts {
        Counts {
            near: vec![[0; SYMBOLS]; trees.near.leaves_len()],
            far: vec![[0; FAR_SYMBOLS]; trees.far.leaves_len()],
        }
    }

    pub fn add(&mut self, other: &Counts) {
        let pairs = self.near.as_flattened_mut().iter_mut().zip(other.near.as_flattened());
        pairs.for_each(|(a, b)| *a += b);
        let pairs = self.far.as_flattened_mut().iter_mut().zip(other.far.as_flattened());
        pairs.for_each(|(a, b)| *a += b);
    }
}

/// Writes a model, less what its counts do not pay for, behind the bytes. What comes back is
/// by leaves of the tree that was counted.
///
/// # Errors
/// If the tree is too large.
pub(crate) fn write_model<const N: usize>(
    tree: &Tree,
    counts: &[[u64; N]],
    questions: &[Question],
    bytes: &mut Vec<u8>,
) -> Result<Intervals, PackError> {
    let counts: Vec<Vec<u64>> = counts.iter().map(|counts| counts.to_vec()).collect();
    let Pruned { tree, counts, leaf_of } = prune(tree, &counts);
    let code = ModelCode { tree, leaves: counts.iter().map(|c| LeafCode::of(c)).collect() };
    let model = code.bytes(questions, N)?;
    bytes.extend((model.len() as u32).to_le_bytes());
    bytes.extend(model);
    let leaves = code.model(questions.to_vec())?.leaves;
    Ok(Intervals::new(&leaves, &leaf_of, N))
}
