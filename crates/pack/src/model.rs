//! A model: a tree and the frequencies of its leaves.

use crate::binary::{Coder, Reader, Writer};
use crate::error::PackError;
use crate::leaf::{Leaf, LeafCode, LeafContexts};
use crate::question::Question;
use crate::tree::Tree;

/// What a side's values in one metric are coded with.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub questions: Vec<Question>,
    pub tree: Tree,
    pub leaves: Vec<Leaf>,
}

/// What a model is written from.
#[derive(Clone, Debug)]
pub(crate) struct ModelCode {
    pub tree: Tree,
    pub leaves: Vec<LeafCode>,
}

impl ModelCode {
    /// The bytes of the model.
    ///
    /// # Errors
    /// If the tree is too large.
    pub fn bytes(&self, questions: &[Question], alphabet: usize) -> Result<Vec<u8>, PackError> {
        let mut writer = Writer::new();
        self.code(&mut writer, questions, alphabet)?;
        Ok(writer.finish())
    }

    /// Codes a model; see [`Coder`].
    fn code(
        &self,
        coder: &mut impl Coder,
        questions: &[Question],
        alphabet: usize,
    ) -> Result<ModelCode, PackError> {
        let tree = self.tree.code(coder, questions)?;
        let mut contexts = LeafContexts::new(alphabet);
        let empty = LeafCode::default();
        let leaf = |i: usize| contexts.code(coder, self.leaves.get(i).unwrap_or(&empty));
        let leaves = (0..tree.leaves()).map(leaf).collect::<Result<_, _>>()?;
        Ok(ModelCode { tree, leaves })
    }

    /// The model that symbols are coded with.
    ///
    /// # Errors
    /// If frequencies do not add up.
    pub fn model(self, questions: Vec<Question>) -> Result<Model, PackError> {
        let leaves = self.leaves.iter().map(LeafCode::leaf).collect::<Result<_, _>>()?;
        Ok(Model { questions, tree: self.tree, leaves })
    }
}

impl Model {
    /// Reads a model that [`ModelCode::bytes`] wrote.
    ///
    /// # Errors
    /// If the bytes are none.
    pub fn read(
        bytes: &[u8],
        questions: Vec<Question>,
        alphabet: usize,
    ) -> Result<Model, PackError> {
        let empty = ModelCode { tree: Tree::stump(), leaves: Vec::new() };
        empty.code(&mut Reader::new(bytes), &questions, alphabet)?.model(questions)
    }
}
