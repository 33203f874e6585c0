//! Depths: what they are coded as, and what is known about them in a batch.
//!
//! A depth is coded as its place among the depths that occur in wins (or in
//! losses) of its side, less the predicted place: the median of the nearest
//! known places with the same sign.

use molien_board::{Bitboard, Square};

use crate::arch::{COLUMN_BY_COLUMN, Vectored, fastest, sum_sets};
use crate::classes::ClassTile;
use crate::depth_batch::WordLanes;
use crate::error::PackError;
use crate::lanes::{COLUMN, LANE, spread};
use crate::source::DepthTile;

/// The greatest depth, in plies.
pub(crate) const MAX_DEPTH: u16 = 32_766;
/// Symbols of a depth: differences, near ones first, and an escape.
pub(crate) const SYMBOLS: usize = 32;
pub(crate) const ESCAPE: u8 = SYMBOLS as u8 - 1;
/// Symbols of a place that is far from the predicted one: its high bits.
pub(crate) const FAR_SYMBOLS: usize = 1 << FAR_BITS;
const FAR_BITS: u32 = 6;
/// The most low bits of such a place, written as they are.
pub(crate) const MAX_LOW_BITS: u32 = 8;
/// Classes from this one on are wins; below the draw are losses.
const DRAW: usize = 2;

/// The symbols that learning tells apart.
pub(crate) const BUCKETS: usize = 12;

/// The bucket of a symbol.
pub(crate) fn bucket(symbol: u8) -> u8 {
    match symbol {
        0..=6 => symbol,
        7..=8 => 7,
        9..=12 => 8,
        13..=20 => 9,
        21..ESCAPE => 10,
        _ => 11,
    }
}

/// What the symbols of each bucket take to be told apart, about, in bits: for trials.
pub(crate) const BUCKET_BITS: [u64; BUCKETS] = [0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 3, 5];

/// The far symbols that learning tells apart.
pub(crate) const FAR_BUCKETS: usize = FAR_SYMBOLS / 4;

/// The bucket of a far symbol.
pub(crate) fn far_bucket(symbol: u8) -> u8 {
    symbol / 4
}

/// A far place: the symbol, and the low bits with their number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Far {
    pub symbol: u8,
    pub low: u8,
    pub bits: u8,
}

impl Far {
    #[inline]
    pub fn new(place: u16, bits: u32) -> Far {
        let low = place & ((1 << bits) - 1);
        Far { symbol: (place >> bits) as u8, low: low as u8, bits: bits as u8 }
    }
}

/// A place and a sign, 0 for a win: place * 2 + sign; or nothing known.
pub(crate) type Key = u16;
pub(crate) const UNKNOWN: Key = Key::MAX;

/// The cells of a row that have a depth.
#[inline]
pub(crate) fn decided(classes: &ClassTile, row: usize) -> u64 {
    classes.known(row) & !classes.exactly(row, DRAW)
}

/// Whether a cell has a depth.
pub(crate) fn has_depth(classes: &ClassTile, row: usize, column: usize) -> bool {
    decided(classes, row) >> column & 1 != 0
}

/// The lost cells of a row.
#[inline]
pub(crate) fn lost(classes: &ClassTile, row: usize) -> u64 {
    classes.at_most[DRAW - 1][row]
}

/// The depths that occur, rising, of wins and of losses.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct Alphabet {
    pub depths: [Vec<u16>; 2],
    /// The place predicted where nothing is known.
    pub start: [u16; 2],
    /// How many cells have a depth, where that is known.
    pub cells: u64,
}

impl Alphabet {
    /// From how often each depth occurs.
    pub fn of(counts: &[Vec<u64>; 2]) -> Alphabet {
        let mut alphabet = Alphabet::default();
        for (sign, counts) in counts.iter().enumerate() {
            let all: u64 = counts.iter().sum();
            alphabet.cells += all;
            let mut before = 0;
            for (depth, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
                if 2 * before <= all {
                    alphabet.start[sign] = alphabet.depths[sign].len() as u16;
                }
                before += count;
                alphabet.depths[sign].push(depth as u16);
            }
        }
        alphabet
    }

    /// For wins and losses, how many low bits a far place has.
    pub fn low_bits(&self) -> [u32; 2] {
        [0, 1].map(|sign| {
            let last = self.depths[sign].len().saturating_sub(1);
            (usize::BITS - last.leading_zeros()).saturating_sub(FAR_BITS).min(MAX_LOW_BITS)
        })
    }

    /// The key of each depth.
    pub fn keys(&self) -> DepthKeys {
        let keys = vec![UNKNOWN; KEYS].try_into();
        let mut keys: Box<[Key; KEYS]> = keys.unwrap_or_else(|_| unreachable!("the length fits"));
        for (sign, depths) in self.depths.iter().enumerate() {
            let allowed = depths.iter().zip(0..).filter(|(depth, _)| **depth <= MAX_DEPTH);
            for (&depth, place) in allowed {
                keys[2 * usize::from(depth) + sign] = place << 1 | sign as Key;
            }
        }
        DepthKeys(keys)
    }
}

/// Twice a depth, and 1 for a loss.
const KEYS: usize = 1 << 16;
const _: () = assert!(2 * (MAX_DEPTH as usize + 1) + 1 < KEYS);

/// The keys of the depths that occur, by twice the depth and 1 for a loss; of others they are
/// not known.
pub(crate) struct DepthKeys(Box<[Key; KEYS]>);

/// The keys of some rows, to be found, or the first row with a depth that does not occur.
struct Finding<'a> {
    of: &'a DepthKeys,
    classes: &'a ClassTile,
    depths: &'a DepthTile,
    rows: &'a [u8],
    keys: &'a mut WordLanes,
}

impl Vectored for Finding<'_> {
    type Out = Option<usize>;

    #[inline(always)]
    fn run(self) -> Option<usize> {
        for row in self.rows.iter().map(|&row| usize::from(row)) {
            let decided = decided(self.classes, row);
            if decided == 0 {
                continue;
            }
            let mut found = self.of.of_row(lost(self.classes, row), &self.depths[row]);
            let mut missed = false;
            for (key, decided) in found.iter_mut().zip(spread(decided)) {
                let undecided = Key::from(decided).wrapping_sub(1);
                missed |= (*key == UNKNOWN) & (undecided == 0);
                *key |= undecided;
            }
            if missed {
                return Some(row);
            }
            self.keys.set_row(row, &found);
        }
        None
    }
}

impl DepthKeys {
    /// The keys of the decided cells of some rows of a tile; those of others are not known.
    ///
    /// # Errors
    /// If one has a depth that does not occur.
    pub fn of_rows(
        &self,
        classes: &ClassTile,
        depths: &DepthTile,
        rows: &[u8],
        keys: &mut WordLanes,
    ) -> Result<(), PackError> {
        let Some(row) = fastest(Finding { of: self, classes, depths, rows, keys }) else {
            return Ok(());
        };
        let (lost, depths) = (lost(classes, row), &depths[row]);
        let found = self.of_row(lost, depths);
        let missed = |column: &usize| found[usize::from(LANE[*column])] == UNKNOWN;
        let decided = Bitboard(decided(classes, row)).into_iter().map(Square::index);
        let plies = decided.filter(missed).map(|column| depths[column]).next();
        Err(PackError::UncountedDepth { plies: plies.unwrap_or(0) })
    }

    /// The keys of a row by lane, whether its cells are decided or not.
    #[inline(always)]
    fn of_row(&self, lost: u64, depths: &[u16; 64]) -> [Key; 64] {
        let mut places = sum_sets(&COLUMN_BY_COLUMN, [lost], [1]).map(u16::from);
        for (place, &depth) in places.iter_mut().zip(depths) {
            *place |= depth.min(MAX_DEPTH + 1) << 1;
        }
        // A loop that nothing else is part of: it cannot become vectors.
        let mut keys = [0; 64];
        for (key, &column) in keys.iter_mut().zip(&COLUMN) {
            *key = self.0[usize::from(places[usize::from(column) % 64])];
        }
        keys
    }
}

/// The symbol of a difference.
#[inline]
pub(crate) fn symbol(difference: i32) -> u8 {
    let zigzag = if difference < 0 { -2 * difference - 1 } else { 2 * difference };
    zigzag.min(i32::from(ESCAPE)) as u8
}

/// The difference of a symbol other than the escape.
#[inline]
pub(crate) fn difference(symbol: u8) -> i32 {
    let half = i32::from(symbol.div_ceil(2));
    if symbol % 2 == 1 { -half } else { half }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_undo_differences() {
        for step in -15..=15 {
            assert_eq!(difference(symbol(step)), step);
        }
        assert_eq!([symbol(-16), symbol(16), symbol(-15)], [ESCAPE, ESCAPE, 29]);
        assert_eq!(symbol(15), 30);
        assert_eq!(bucket(ESCAPE), BUCKETS as u8 - 1);
        assert_eq!(usize::from(far_bucket(FAR_SYMBOLS as u8 - 1)), FAR_BUCKETS - 1);
    }

    #[test]
    fn far_places_have_few_symbols() {
        for (count, bits) in [(0, 0), (1, 0), (64, 0), (65, 1), (129, 2), (16_384, 8)] {
            let depths = [(0..count).collect(), Vec::new()];
            let alphabet = Alphabet { depths, ..Alphabet::default() };
            assert_eq!(alphabet.low_bits(), [bits, 0]);
            for place in [0, count / 3, count.saturating_sub(1)] {
                let far = Far::new(place, bits);
                assert!(usize::from(far.symbol) < FAR_SYMBOLS);
                assert_eq!(u16::from(far.symbol) << bits | u16::from(far.low), place);
            }
        }
    }

    #[test]
    fn alphabets_start_in_the_middle() {
        let counts = [vec![0, 5, 0, 7, 0, 1], vec![1, 0, 1]];
        let alphabet = Alphabet::of(&counts);
        assert_eq!(alphabet.depths, [vec![1, 3, 5], vec![0, 2]]);
        assert_eq!(alphabet.start, [1, 1]);
    }
}
