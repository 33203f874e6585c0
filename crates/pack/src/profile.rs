//! How much is spent on small files.

use crate::question::Question;
use crate::scan::Segments;

/// Limits of what is learnt and of what is read at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Profile {
    /// The most leaves of a tree for classes.
    pub leaves: usize,
    /// The same for depths.
    pub depth_leaves: usize,
    /// The most questions of a tree, if there is a limit.
    pub questions: Option<usize>,
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
    /// Depths are learnt from so many cells that have one, about, where there are as
    /// many.
    pub depth_sample: usize,
    /// Depths are coded with those of an earlier metric if that saves so many percent:
    /// to read them is to read the others, too.
    pub earlier_percent: u64,
    /// A stream is closed when it has about so many bytes ...
    pub stream_bytes: usize,
    /// ... or holds so many segments.
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
        Profile { leaves: self.depth_leaves, sample, one_in: 1, ..self }
    }

    /// Small files that are read and written fast.
    pub const FAST: Profile = Profile {
        leaves: 8000,
        depth_leaves: 8000,
        questions: Some(48),
        sample: 2_000_000,
        one_in: 4,
        candidates: 8,
        one_column_in: 1,
        depth_sample: 1_000_000,
        earlier_percent: 40,
        stream_bytes: 24,
        stream_segments: 2,
        segments: Segments::Whole,
        ignored: Ignored::NOTHING,
    };
    /// For trials: small trees, from small samples.
    pub const TRIAL: Profile = Profile {
        leaves: 200,
        depth_leaves: 200,
        questions: None,
        sample: 30_000,
        ..Profile::FAST
    };
    /// For trials with depths.
    pub const DEPTH_TRIAL: Profile = Profile { leaves: 200, sample: 15_000, ..Profile::TRIAL };
    /// The smallest files.
    pub const SMALL: Profile = Profile {
        leaves: 16_384,
        depth_leaves: 16_000,
        questions: None,
        sample: 4_000_000,
        one_in: 1,
        candidates: 16,
        one_column_in: 4,
        depth_sample: 4_000_000,
        earlier_percent: 0,
        stream_bytes: 64,
        stream_segments: 4,
        segments: Segments::Whole,
        ignored: Ignored::NOTHING,
    };
}
