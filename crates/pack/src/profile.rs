//! How much is spent on small files.

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
}

impl Profile {
    /// Small files that are read and written fast.
    pub const FAST: Profile = Profile {
        leaves: 4000,
        sample: 1_500_000,
        stream_bytes: 24,
        stream_segments: 2,
        segments: Segments::Whole,
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
    };
}
