//! How much is spent on small files.

use crate::flat::MAX_QUESTIONS;
use crate::learn::kept_bytes;
use crate::pack::{KEPT_CELL_BYTES, KEPT_CELLS};
use crate::question::Question;
use crate::scan::Segments;

/// Limits of what is learnt and of what is read at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Profile {
    /// The most leaves of a tree for classes.
    pub leaves: usize,
    /// The same for depths.
    pub depth_leaves: usize,
    /// The most questions of a tree for classes, if there is a limit: with one less than a
    /// multiple of 16, and the symbol, cells of a sample take no more room than they need.
    pub questions: Option<usize>,
    /// The same for depths.
    pub depth_questions: Option<usize>,
    /// The most cells of each side that a tree is learnt from, about.
    pub sample: usize,
    /// Of large tables about one cell in so many is learnt from.
    pub one_in: usize,
    /// To find cells from which there is much to learn, so many times as many are looked
    /// at.
    pub candidates: usize,
    /// Of the cells of a row, one in so many is looked at then: the work that the cells of a
    /// row have in common is done for the more rows the fewer there are of each.
    pub one_column_in: u64,
    /// A sample comes from so many stretches of tiles at least, where there are as many.
    pub least_stretches: usize,
    /// A sample comes from so many stretches that each gives one of so many of its cells at
    /// most.
    pub one_in_stretch: u64,
    /// A sample comes from so few tiles of each stretch that a tile gives one of so many of its
    /// cells at least.
    pub one_in_tile: u64,
    /// Cells of each side in trials, which orders of men and earlier metrics are chosen by.
    pub trial_sample: usize,
    /// For trials what [`Profile::least_stretches`] is.
    pub trial_stretches: usize,
    /// For trials what [`Profile::one_in_tile`] is. With 256 it matters to the trials of depths
    /// that orders of men are chosen by alone: of large tables those look at one tile in three.
    /// All others have twice as many cells, and look at every tile of their stretches.
    pub trial_one_in_tile: u64,
    /// Depths are learnt from so many cells that have one, about, where there are as
    /// many.
    pub depth_sample: usize,
    /// Depths are coded with those of an earlier metric if that saves so many percent:
    /// to read them is to read the others, too.
    pub earlier_percent: u64,
    /// A stream is closed when it has about so many bytes.
    pub stream_bytes: usize,
    /// A stream is closed when it holds so many segments.
    pub stream_segments: usize,
    /// How tiles are cut.
    pub segments: Segments,
    /// Questions that trees do not ask: for measuring what they are worth.
    pub ignored: Ignored,
}

/// Kinds of questions that are not asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ignored {
    /// Where the men stand and whom they attack.
    pub geometry: bool,
    /// What is known of neighbouring cells.
    pub neighbours: bool,
}

impl Ignored {
    /// All questions are asked.
    pub const NOTHING: Ignored = Ignored { geometry: false, neighbours: false };

    /// Whether a question is not asked.
    pub(crate) fn contains(self, question: Question) -> bool {
        self.geometry && question.is_geometry() || self.neighbours && question.is_neighbour()
    }
}

/// What a sample of so many cells takes that so many questions are asked about: a byte for
/// each answer and for the symbol.
fn sample_bytes(questions: usize, cells: u64) -> u64 {
    cells * (questions as u64 + 1).next_multiple_of(16)
}

/// Leaves of the trees of trials.
const TRIAL_LEAVES: usize = 200;
/// Trials of classes come from so many stretches at least.
const CLASS_TRIAL_STRETCHES: usize = 64;

/// Tables are learnt from so many cells at least, about, where they have them.
const LEAST_SAMPLE: usize = 100_000;

impl Profile {
    /// About how many cells are learnt from where there are so many in all.
    pub(crate) fn sample_of(&self, cells: usize) -> usize {
        self.sample.min((cells / self.one_in.max(1)).max(LEAST_SAMPLE))
    }

    /// The same profile with the limits for depths.
    /// Of the cells so many have a depth; a sample is counted as if all had.
    pub(crate) fn for_depths(self, cells: usize, with_depth: u64) -> Profile {
        let share = self.depth_sample as u128 * cells as u128 / u128::from(with_depth.max(1));
        let sample = share.min(cells as u128) as usize;
        Profile {
            leaves: self.depth_leaves,
            questions: self.depth_questions,
            sample,
            one_in: 1,
            ..self
        }
    }

    /// The limits for trials: small trees, from small samples.
    #[must_use]
    pub fn trial(&self) -> Profile {
        Profile {
            leaves: TRIAL_LEAVES,
            depth_leaves: TRIAL_LEAVES,
            questions: None,
            depth_questions: None,
            sample: self.trial_sample,
            least_stretches: self.trial_stretches,
            one_in_tile: self.trial_one_in_tile,
            ..*self
        }
    }

    /// For trials that orders of men are chosen by where classes are all there is. With as few
    /// cells as other trials have, the order that was chosen for KBBvKN took a third more than
    /// the best.
    pub fn class_trial(&self) -> Profile {
        Profile {
            sample: 2 * self.trial_sample,
            least_stretches: self.trial_stretches.max(CLASS_TRIAL_STRETCHES),
            ..self.trial()
        }
    }

    /// About what learning the classes of both sides to move takes in memory, with so many
    /// cells of each: samples, once more while they are put in order, and what is counted of
    /// leaves.
    pub fn class_learning_bytes(&self, cells: u64) -> u64 {
        let cells = cells.min(self.sample as u64);
        let questions = self.questions.unwrap_or(MAX_QUESTIONS);
        2 * (2 * sample_bytes(questions, cells) + kept_bytes(questions, cells, self.leaves))
    }

    /// The same of the depths of one side to move.
    pub fn depth_learning_bytes(&self, cells: u64) -> u64 {
        let cells = cells.min(self.depth_sample as u64);
        let questions = self.depth_questions.unwrap_or(MAX_QUESTIONS);
        2 * sample_bytes(questions, cells) + kept_bytes(questions, cells, self.depth_leaves)
    }

    /// What is kept of so many cells from counting to coding, if there is room.
    pub fn kept_bytes(cells: u64) -> u64 {
        2 * KEPT_CELL_BYTES * cells.min(KEPT_CELLS)
    }

    /// Small files that are read and written fast.
    pub const FAST: Profile = Profile {
        leaves: 8000,
        depth_leaves: 6000,
        questions: Some(47),
        sample: 2_000_000,
        one_in: 4,
        candidates: 8,
        one_column_in: 1,
        depth_questions: Some(47),
        least_stretches: 64,
        one_in_stretch: 6,
        one_in_tile: u64::MAX,
        trial_sample: 15_000,
        trial_stretches: 24,
        trial_one_in_tile: 256,
        depth_sample: 500_000,
        earlier_percent: 40,
        stream_bytes: 24,
        stream_segments: 2,
        segments: Segments::Whole,
        ignored: Ignored::NOTHING,
    };
    /// The smallest files.
    pub const SMALL: Profile = Profile {
        leaves: 16_384,
        depth_leaves: 16_000,
        questions: None,
        sample: 4_000_000,
        one_in: 1,
        candidates: 16,
        one_column_in: 4,
        depth_questions: None,
        least_stretches: 64,
        one_in_stretch: 16,
        one_in_tile: u64::MAX,
        trial_sample: 30_000,
        trial_stretches: 64,
        trial_one_in_tile: u64::MAX,
        depth_sample: 4_000_000,
        earlier_percent: 0,
        stream_bytes: 64,
        stream_segments: 4,
        segments: Segments::Whole,
        ignored: Ignored::NOTHING,
    };
}
