//! What can be wrong with packed bytes.

use thiserror::Error;

/// Why bytes could not be read.
#[derive(Debug, Error, PartialEq, Eq, Clone)]
#[non_exhaustive]
pub enum PackError {
    /// There are fewer bytes than what they say needs.
    #[error("the bytes end in the {part}")]
    Short {
        /// What was being read.
        part: &'static str,
    },
    /// A number is out of its range.
    #[error("{what}: expected at most {most}, found {found}")]
    Range {
        /// Which number.
        what: &'static str,
        /// The largest allowed.
        most: u64,
        /// What it is.
        found: u64,
    },
    /// The men named are not those of the material.
    #[error("the men are not those of the material, once each")]
    Men,
    /// Bytes are left over where a part ends.
    #[error("{rest} bytes are left over behind the {part}")]
    Left {
        /// What was read.
        part: &'static str,
        /// How many.
        rest: usize,
    },
    /// A tree has more nodes than a tree may have.
    #[error("a tree has more than {most} leaves")]
    Tree {
        /// The most allowed.
        most: usize,
    },
    /// A position has a depth that the source does not count.
    #[error("a depth of {plies} plies, which is not among those that are counted")]
    UncountedDepth {
        /// The depth.
        plies: u16,
    },
    /// The source said that packing is to end.
    #[error("packing was stopped")]
    Stopped,
    /// Frequencies that do not add up.
    #[error("the frequencies of a leaf add up to {found} or more, expected less than {total}")]
    Frequencies {
        /// What they have to stay below.
        total: u32,
        /// What they come to.
        found: u32,
    },
    /// A stream that says more than its tiles hold, or something else.
    #[error("a stream does not end with its tiles: {rest} bytes or a state are left")]
    StreamLeft {
        /// Bytes that were not read.
        rest: usize,
    },
    /// A depth that does not occur.
    #[error("a depth is number {found} of {count}")]
    Depth {
        /// Its number.
        found: i64,
        /// How many there are.
        count: usize,
    },
}
