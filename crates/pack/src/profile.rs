//! How much is spent on small files.

use crate::question::Question;
use crate::scan::Segments;

/// Limits of what is learnt and of what is read at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Profile {
    /// The most leaves of a tree.
    pub leaves: usize,
    /// About how many cells of each side a tree is learnt from.
    pub sample: usize,
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

impl Profile {
    /// Small files that are read and written fast.
    pub const FAST: Profile = Profile {
        leaves: 4000,
        sample: 1_500_000,
        stream_bytes: 24,
        stream_segments: 2,
        segments: Segments::Whole,
        ignored: Ignored::NOTHING,
    };
    /// For trials: small trees, from small samples.
    pub const TRIAL: Profile = Profile { leaves: 400, sample: 60_000, ..Profile::FAST };
    /// The smallest files.
    pub const SMALL: Profile = Profile {
        leaves: 8000,
        sample: 4_000_000,
        stream_bytes: 64,
        stream_segments: 4,
        segments: Segments::Whole,
        ignored: Ignored::NOTHING,
    };
}
