//! Tiles of 64 x 64 bits and planes of tiles.

use bytemuck::{Pod, Zeroable};
use molien_board::{Bitboard, Square, Symmetry};

/// A set of (row square, column square) pairs.
///
/// The words are grouped by the rank of the row man, `[rank][file]`: one rank
/// is eight words, a vector register of 512 bits. Bit c of a word is the
/// column man on square c.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Pod, Zeroable)]
#[repr(C, align(64))]
pub struct Tile(pub [[u64; 8]; 8]);

impl Tile {
    /// No pair.
    pub const EMPTY: Tile = Tile([[0; 8]; 8]);
    /// Every pair.
    pub const FULL: Tile = Tile([[!0; 8]; 8]);

    /// The word of one row square: the column squares paired with it.
    #[inline(always)]
    pub const fn row(&self, row: Square) -> u64 {
        self.0[row.index() >> 3][row.index() & 7]
    }

    /// The word of one row square, to be changed.
    #[inline(always)]
    pub const fn row_mut(&mut self, row: Square) -> &mut u64 {
        &mut self.0[row.index() >> 3][row.index() & 7]
    }

    /// A tile from a function of the row square.
    #[inline(always)]
    pub fn from_rows(mut word: impl FnMut(Square) -> u64) -> Tile {
        let mut tile = Tile::EMPTY;
        for i in 0..64 {
            tile.0[i >> 3][i & 7] = word(Square::new(i));
        }
        tile
    }

    /// Whether the pair is in the set.
    #[inline]
    pub const fn contains(&self, row: Square, column: Square) -> bool {
        self.row(row) >> column.index() & 1 != 0
    }

    /// Puts a pair into the set.
    #[inline]
    pub const fn insert(&mut self, row: Square, column: Square) {
        *self.row_mut(row) |= 1 << column.index();
    }

    /// Whether the set is empty.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.0.as_flattened().iter().fold(0, |any, word| any | word) == 0
    }

    /// Whether two sets have no pair in common.
    #[inline(always)]
    pub fn disjoint(&self, other: &Tile) -> bool {
        let words = self.0.as_flattened().iter().zip(other.0.as_flattened());
        words.fold(0, |any, (a, b)| any | (a & b)) == 0
    }

    /// How many pairs the set has.
    #[inline(always)]
    pub fn len(&self) -> u64 {
        self.0.iter().flatten().map(|w| u64::from(w.count_ones())).sum()
    }

    /// Combines two tiles word by word.
    #[inline(always)]
    pub fn zip(&self, other: &Tile, f: impl Fn(u64, u64) -> u64) -> Tile {
        let mut out = Tile::EMPTY;
        for rank in 0..8 {
            for file in 0..8 {
                out.0[rank][file] = f(self.0[rank][file], other.0[rank][file]);
            }
        }
        out
    }

    /// Union.
    #[inline(always)]
    pub fn or(&self, other: &Tile) -> Tile {
        self.zip(other, |a, b| a | b)
    }

    /// Intersection.
    #[inline(always)]
    pub fn and(&self, other: &Tile) -> Tile {
        self.zip(other, |a, b| a & b)
    }

    /// Difference.
    #[inline(always)]
    pub fn minus(&self, other: &Tile) -> Tile {
        self.zip(other, |a, b| a & !b)
    }

    /// Adds the pairs of another tile.
    #[inline(always)]
    pub fn add(&mut self, other: &Tile) {
        *self = self.or(other);
    }

    /// The pairs, rows first.
    pub fn pairs(&self) -> impl Iterator<Item = (Square, Square)> + '_ {
        Square::all()
            .flat_map(|row| Bitboard(self.row(row)).into_iter().map(move |column| (row, column)))
    }

    /// Rows become columns.
    pub fn transpose(&self) -> Tile {
        let mut words = [0u64; 64];
        words.copy_from_slice(self.0.as_flattened());
        transpose64(&mut words);
        Tile::from_rows(|row| words[row.index()])
    }

    /// The tile with rows and columns moved by a symmetry. An axis without a
    /// man stays as it is.
    pub fn transform(&self, symmetry: Symmetry, move_rows: bool, move_columns: bool) -> Tile {
        let back = symmetry.inverse();
        Tile::from_rows(|row| {
            let word = self.row(if move_rows { back.square(row) } else { row });
            if move_columns { symmetry.bitboard(Bitboard(word)).0 } else { word }
        })
    }
}

/// Transposes a 64 x 64 bit matrix in place, by swapping blocks of 32, 16, ...
fn transpose64(words: &mut [u64; 64]) {
    let mut width = 32;
    let mut mask = 0x0000_0000_ffff_ffffu64;
    while width > 0 {
        let mut base = 0;
        while base < 64 {
            for i in base..base + width {
                let t = (words[i] >> width ^ words[i + width]) & mask;
                words[i] ^= t << width;
                words[i + width] ^= t;
            }
            base += 2 * width;
        }
        width >>= 1;
        mask ^= mask << width;
    }
}

/// A set of positions of a hyperboard: one tile per outer coordinate.
///
/// A tile t with `live[t]` false counts as empty, whatever it holds: readers
/// skip it.
#[derive(Clone, Debug, Default)]
pub struct Plane {
    /// The tiles.
    pub tiles: Vec<Tile>,
    /// Which tiles count.
    pub live: Vec<bool>,
}

impl Plane {
    /// The empty set.
    pub fn empty(tiles: usize) -> Plane {
        Plane { tiles: vec![Tile::EMPTY; tiles], live: vec![false; tiles] }
    }

    /// A set from its tiles.
    pub fn from_tiles(tiles: Vec<Tile>) -> Plane {
        let live = tiles.iter().map(|tile| !tile.is_empty()).collect();
        Plane { tiles, live }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Tile {
        let mut seed = 7u64;
        Tile::from_rows(|_| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed
        })
    }

    #[test]
    fn transposing_exchanges_rows_and_columns() {
        let (tile, transposed) = (sample(), sample().transpose());
        for row in Square::all() {
            for column in Square::all() {
                assert_eq!(tile.contains(row, column), transposed.contains(column, row));
            }
        }
    }

    #[test]
    fn transforming_moves_both_axes() {
        let tile = sample();
        for symmetry in Symmetry::ALL {
            let moved = tile.transform(symmetry, true, true);
            for (row, column) in tile.pairs() {
                assert!(moved.contains(symmetry.square(row), symmetry.square(column)));
            }
            assert_eq!(moved.len(), tile.len());
        }
    }
}
