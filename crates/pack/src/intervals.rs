//! The intervals with which symbols are written, by leaf and symbol.

use crate::leaf::Leaf;

/// Start and size of each interval.
pub(crate) struct Intervals {
    alphabet: usize,
    /// All symbols of the first leaf, then those of the next. Sizes are 0 where nothing is
    /// written, since the leaf has one symbol only.
    intervals: Vec<(u16, u16)>,
    is_sure: Vec<bool>,
}

impl Intervals {
    /// Those of the leaves that some others have become.
    pub fn new(leaves: &[Leaf], leaf_of: &[u16], alphabet: usize) -> Intervals {
        let written = || leaf_of.iter().map(|&leaf| &leaves[usize::from(leaf)]);
        let is_sure: Vec<bool> = written().map(|leaf| leaf.only().is_some()).collect();
        let mut intervals = vec![(0, 0); alphabet * is_sure.len()];
        for (leaf, intervals) in written().zip(intervals.chunks_mut(alphabet)) {
            for (symbol, interval) in (0..).zip(intervals) {
                // Frequencies are counted on the whole table, so every symbol that is
                // asked for has its interval.
                *interval = leaf.interval(symbol).unwrap_or((0, 0));
            }
        }
        Intervals { alphabet, intervals, is_sure }
    }

    /// Whether nothing is written in a leaf.
    #[inline]
    pub fn is_sure(&self, leaf: u16) -> bool {
        self.is_sure[usize::from(leaf)]
    }

    /// Adds what is written for a symbol.
    #[inline]
    pub fn write(&self, leaf: u16, symbol: u8, symbols: &mut Vec<(u16, u16)>) {
        let interval = self.intervals[usize::from(leaf) * self.alphabet + usize::from(symbol)];
        if interval.1 > 0 {
            symbols.push(interval);
        }
    }
}
