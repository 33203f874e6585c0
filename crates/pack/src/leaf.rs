//! Frequencies of a leaf's symbols.
//!
//! The likeliest symbol gets what the others leave; the others have one of 32
//! levels, each about three quarters of the one before.

use crate::binary::{Coder, Context, Number};
use crate::error::PackError;
use crate::rans::{Decoder, TOTAL};

/// Frequencies of the levels: 2 to the power of 13 - 13 i / 31, rounded; the last
/// ones in steps of 1.
pub const LEVELS: [u16; 32] = [
    8192, 6126, 4581, 3425, 2561, 1915, 1432, 1071, 801, 599, 448, 335, 250, 187, 140, 105, 78, 59,
    44, 33, 24, 18, 14, 11, 9, 7, 6, 5, 4, 3, 2, 1,
];

/// How a leaf is written: its likeliest symbol, and for every other symbol
/// that occurs its level.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct LeafCode {
    pub likeliest: u8,
    /// Symbols and levels, symbols rising.
    pub others: Vec<(u8, u8)>,
}

/// A leaf that symbols can be coded with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Leaf {
    /// Start of each interval, its size, its symbol; the likeliest first.
    pub intervals: Vec<(u16, u16, u8)>,
}

/// The level nearest to a share of the whole.
fn level(count: u64, all: u64) -> usize {
    let share = (count * u64::from(TOTAL) * 2 / all.max(1)) as i64;
    // Nearest by ratio: compare with the geometric mean of two levels,
    // squared to stay with whole numbers.
    let above = |i: usize| {
        let (here, next) = (i64::from(LEVELS[i]), i64::from(LEVELS[i + 1]));
        share * share >= 4 * here * next
    };
    (0..LEVELS.len() - 1).find(|&i| above(i)).unwrap_or(LEVELS.len() - 1)
}

impl LeafCode {
    /// The code of a leaf in which symbols were counted. A leaf that nothing
    /// fell into gets symbol 0.
    pub fn of(counts: &[u64]) -> LeafCode {
        let all: u64 = counts.iter().sum();
        let likeliest = (0..counts.len()).rev().max_by_key(|&s| counts[s]).unwrap_or(0);
        let others = (0..counts.len()).filter(|&s| s != likeliest && counts[s] > 0);
        let mut others: Vec<(u8, u8)> =
            others.map(|s| (s as u8, level(counts[s], all) as u8)).collect();
        // Rounded levels can leave nothing for the likeliest: lower the
        // highest.
        while others.iter().map(|&(_, l)| u32::from(LEVELS[usize::from(l)])).sum::<u32>() >= TOTAL {
            if let Some((_, level)) = others.iter_mut().min_by_key(|(_, level)| *level) {
                *level += 1;
            }
        }
        LeafCode { likeliest: likeliest as u8, others }
    }

    /// The intervals.
    ///
    /// # Errors
    /// If the others leave nothing for the likeliest.
    pub fn leaf(&self) -> Result<Leaf, PackError> {
        let size = |&(_, level): &(u8, u8)| LEVELS[usize::from(level)];
        let found: u32 = self.others.iter().map(|other| u32::from(size(other))).sum();
        if found >= TOTAL {
            return Err(PackError::Frequencies { total: TOTAL, found });
        }
        let mut start = (TOTAL - found) as u16;
        let mut intervals = vec![(0, start, self.likeliest)];
        // Likely ones first: they are looked for first.
        let mut others = self.others.clone();
        others.sort_by_key(|&(symbol, level)| (level, symbol));
        for other in &others {
            intervals.push((start, size(other), other.0));
            start += size(other);
        }
        Ok(Leaf { intervals })
    }
}

impl Leaf {
    /// The symbol all cells of the leaf have, if they all have the same.
    #[inline]
    pub fn only(&self) -> Option<u8> {
        match self.intervals.as_slice() {
            [(_, _, symbol)] => Some(*symbol),
            _ => None,
        }
    }
}

impl Leaf {
    /// Start and size of a symbol's interval: nothing if the leaf has one symbol
    /// only. Frequencies are counted on the whole table, so every symbol that is
    /// asked for has its interval.
    #[inline]
    pub fn interval(&self, symbol: u8) -> Option<(u16, u16)> {
        let found = self.intervals.iter().find(|interval| interval.2 == symbol);
        found.filter(|_| self.intervals.len() > 1).map(|&(start, size, _)| (start, size))
    }
}

/// Symbols of a leaf that are told apart at once, besides the likeliest.
const NEXT: usize = 8;

/// A leaf for reading: its likelier symbols in half a cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct LikelyLeaf {
    /// Ends of the first intervals, the likeliest symbol's first.
    ends: [u16; 1 + NEXT],
    symbols: [u8; 1 + NEXT],
    /// Where the rest of them begin.
    rest: u32,
}

/// Leaves side by side, for reading: few bytes, and those for likely symbols close to
/// each other.
#[derive(Clone, Debug)]
pub(crate) struct LeafTable {
    leaves: Vec<LikelyLeaf>,
    /// Ends of the other intervals and their symbols, leaf by leaf.
    rest: Vec<(u16, u8)>,
}

impl LeafTable {
    pub fn new(leaves: &[Leaf]) -> LeafTable {
        let mut table = LeafTable { leaves: Vec::new(), rest: Vec::new() };
        for Leaf { intervals } in leaves {
            let rest = table.rest.len() as u32;
            let (ends, symbols) = ([TOTAL as u16; 1 + NEXT], [0; 1 + NEXT]);
            let mut leaf = LikelyLeaf { ends, symbols, rest };
            for (place, &(start, size, symbol)) in intervals.iter().enumerate() {
                match place {
                    0..=NEXT => (leaf.ends[place], leaf.symbols[place]) = (start + size, symbol),
                    _ => table.rest.push((start + size, symbol)),
                }
            }
            table.leaves.push(leaf);
        }
        table
    }

    /// Number of leaves.
    pub fn len(&self) -> usize {
        self.leaves.len()
    }

    /// The symbol of a leaf that has no other.
    #[inline(always)]
    pub fn only(&self, leaf: u16) -> Option<u8> {
        let LikelyLeaf { ends, symbols, .. } = &self.leaves[usize::from(leaf)];
        (u32::from(ends[0]) == TOTAL).then_some(symbols[0])
    }

    /// Reads the next symbol of a leaf, which is nearly always the likeliest.
    #[inline(always)]
    pub fn read_likely(&self, leaf: u16, decoder: &mut Decoder<'_>) -> u8 {
        let LikelyLeaf { ends, symbols, .. } = &self.leaves[usize::from(leaf)];
        if decoder.peek() < u32::from(ends[0]) {
            decoder.advance_likely(ends[0].into());
            return symbols[0];
        }
        self.read(leaf, decoder)
    }

    /// Reads the next symbol of a leaf.
    #[inline(always)]
    pub fn read(&self, leaf: u16, decoder: &mut Decoder<'_>) -> u8 {
        let LikelyLeaf { ends, symbols, rest } = &self.leaves[usize::from(leaf)];
        let at = decoder.peek();
        if at < u32::from(ends[0]) {
            // Where there is no other symbol this changes nothing.
            decoder.advance(0, ends[0].into());
            return symbols[0];
        }
        // Which of the others it is nobody can foresee: no branch for each.
        let mut place = 1;
        for &end in &ends[1..NEXT] {
            place += usize::from(u32::from(end) <= at);
        }
        let (start, end) = (u32::from(ends[place - 1]), u32::from(ends[place]));
        if at < end {
            decoder.advance(start, end - start);
            return symbols[place];
        }
        let (symbol, behind) = self.read_rest(*rest as usize, end, *decoder);
        *decoder = behind;
        symbol
    }

    /// Reads one of the symbols behind the likelier ones, whose intervals start here.
    #[cold]
    fn read_rest<'a>(
        &self,
        rest: usize,
        mut start: u32,
        mut decoder: Decoder<'a>,
    ) -> (u8, Decoder<'a>) {
        let at = decoder.peek();
        for &(end, symbol) in self.rest.get(rest..).unwrap_or_default() {
            let end = u32::from(end);
            if at < end {
                decoder.advance(start, end - start);
                return (symbol, decoder);
            }
            start = end;
        }
        (0, decoder) // intervals cover everything: not reached
    }
}

/// Contexts for leaves over an alphabet.
pub(crate) struct LeafContexts {
    likeliest: Number,
    /// Whether a symbol occurs, by the symbol and whether the one before did.
    occurs: Vec<[Context; 2]>,
    /// Levels, by how many other symbols came before.
    levels: [Number; 3],
}

impl LeafContexts {
    pub fn new(alphabet: usize) -> LeafContexts {
        LeafContexts {
            likeliest: Number::below(alphabet),
            occurs: vec![Default::default(); alphabet],
            levels: std::array::from_fn(|_| Number::new(5)),
        }
    }

    /// Codes a leaf; see [`Coder`].
    ///
    /// # Errors
    /// If what is read is no symbol.
    pub fn code(&mut self, coder: &mut impl Coder, leaf: &LeafCode) -> Result<LeafCode, PackError> {
        let alphabet = self.occurs.len();
        let likeliest = coder.number(&mut self.likeliest, usize::from(leaf.likeliest));
        if likeliest >= alphabet {
            let (most, found) = (alphabet as u64 - 1, likeliest as u64);
            return Err(PackError::Range { what: "a symbol", most, found });
        }
        let mut given = leaf.others.iter().peekable();
        let mut others: Vec<(u8, u8)> = Vec::new();
        let mut before = false;
        for symbol in (0..alphabet).filter(|&symbol| symbol != likeliest) {
            let next = given.next_if(|other| usize::from(other.0) == symbol);
            before = coder.bit(&mut self.occurs[symbol][usize::from(before)], next.is_some());
            if before {
                let number = &mut self.levels[others.len().min(2)];
                let level = coder.number(number, next.map_or(0, |other| usize::from(other.1)));
                others.push((symbol as u8, level as u8));
            }
        }
        Ok(LeafCode { likeliest: likeliest as u8, others })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn intervals_cover_everything(counts in prop::collection::vec(0u64..2_000_000, 1..30)) {
            let leaf = LeafCode::of(&counts).leaf().unwrap();
            let mut end = 0;
            for &(start, size, symbol) in &leaf.intervals {
                prop_assert_eq!(u32::from(start), end);
                prop_assert!(size > 0);
                prop_assert!(counts[usize::from(symbol)] > 0 || leaf.intervals.len() == 1);
                end += u32::from(size);
            }
            prop_assert_eq!(end, TOTAL);
            // Reading finds each symbol where its interval is.
            let table = LeafTable::new(std::slice::from_ref(&leaf));
            for &(start, size, symbol) in &leaf.intervals {
                let last = (u32::from(start) + u32::from(size) - 1).to_be_bytes();
                let (mut decoder, mut likely) = (Decoder::new(&last), Decoder::new(&last));
                prop_assert_eq!(table.read(0, &mut decoder), symbol);
                prop_assert_eq!(table.read_likely(0, &mut likely), symbol);
                prop_assert_eq!(decoder.peek(), likely.peek());
                prop_assert_eq!(table.only(0).is_some(), leaf.only().is_some());
            }
            let occurring = counts.iter().filter(|&&count| count > 0).count();
            prop_assert_eq!(leaf.intervals.len(), occurring.max(1));
        }
    }
}
