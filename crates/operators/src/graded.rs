//! Plies of whole tiles, bit-sliced, and rows of values.

use molien_board::{Bitboard, Square, Symmetry};
use molien_hyper::Tile;
use molien_values::{Graded, MAX_BITS};

use crate::arch::kernels::{self, transpose};
use crate::merge::replaced;

/// One row of a [`Graded`] tile: 64 values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GradedWord {
    pub legal: u64,
    pub won: u64,
    pub lost: u64,
    pub depth: [u64; MAX_BITS],
    /// How many entries of `depth` are in use.
    pub bits: usize,
}

impl GradedWord {
    /// The row of values of one row square.
    #[inline]
    pub fn of(values: &Graded, tile: usize, row: Square) -> GradedWord {
        let mut depth = [0; MAX_BITS];
        for (bit, plane) in depth.iter_mut().zip(&values.depth) {
            *bit = plane[tile].row(row);
        }
        GradedWord {
            legal: values.legal[tile].row(row),
            won: values.won[tile].row(row),
            lost: values.lost[tile].row(row),
            depth,
            bits: values.depth.len(),
        }
    }

    /// Applies a function to every component.
    #[inline]
    pub fn map(self, f: impl Fn(u64) -> u64) -> GradedWord {
        let mut depth = self.depth;
        depth[..self.bits].iter_mut().for_each(|bit| *bit = f(*bit));
        GradedWord { legal: f(self.legal), won: f(self.won), lost: f(self.lost), depth, ..self }
    }

    /// Moves every value by a symmetry of the board.
    #[inline]
    pub fn transform(self, symmetry: Symmetry) -> GradedWord {
        if symmetry == Symmetry::IDENTITY {
            return self;
        }
        self.map(|word| symmetry.bitboard(Bitboard(word)).0)
    }

    /// The value at one square, on every square.
    #[inline]
    pub fn splat(self, square: Square) -> GradedWord {
        self.map(|word| (word >> square.index() & 1).wrapping_neg())
    }
}

/// For every position of a tile, the ply at which something happens: the
/// least or the greatest of several plies, bit-sliced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Release {
    /// Positions that have a ply.
    pub some: Tile,
    /// Bit b of the ply. Empty if every ply is 1 by the rules of the metric.
    pub bits: Vec<Tile>,
}

impl Release {
    /// No position has a ply yet; plies will have this many bits.
    pub fn new(bits: usize) -> Release {
        Release { some: Tile::EMPTY, bits: vec![Tile::EMPTY; bits] }
    }

    /// Takes in plies for the positions of one row in `mask`, keeping the
    /// lesser (`MINIMUM`) or the greater of old and new.
    #[inline]
    pub(crate) fn merge_row<const MINIMUM: bool>(
        &mut self,
        row: Square,
        mask: u64,
        plies: &[u64; MAX_BITS],
    ) {
        if mask == 0 {
            return;
        }
        let some = self.some.row_mut(row);
        let old_some = *some;
        *some |= mask;
        let mut old = [0; MAX_BITS];
        for (old, plane) in old.iter_mut().zip(&self.bits) {
            *old = plane.row(row);
        }
        let take = replaced::<u64, MINIMUM>(old_some, &old[..self.bits.len()], mask, plies);
        for (b, plane) in self.bits.iter_mut().enumerate() {
            let word = plane.row_mut(row);
            *word = (*word & !take) | (plies[b] & take);
        }
    }

    /// Takes in another release, keeping the lesser ply of each position.
    pub fn merge_least(&mut self, other: &Release) {
        kernels::merge_least(self, other);
    }

    /// Takes in another release, keeping the greater ply of each position.
    pub fn merge_greatest(&mut self, other: &Release) {
        kernels::merge_greatest(self, other);
    }

    /// Its planes.
    #[inline(always)]
    pub(crate) fn planes(&self) -> [&Tile; MAX_BITS] {
        let mut planes = [&Tile::EMPTY; MAX_BITS];
        for (plane, bit) in planes.iter_mut().zip(&self.bits) {
            *plane = bit;
        }
        planes
    }

    /// Rows become columns.
    pub(crate) fn transpose(&self) -> Release {
        Release { some: transpose(&self.some), bits: self.bits.iter().map(transpose).collect() }
    }

    /// Gives back the planes of high bits that no ply needs. (The last plane
    /// stays: without planes every ply is 1.)
    pub fn trim(&mut self) {
        if self.some.is_empty() {
            self.bits = Vec::new();
        }
        while self.bits.len() > 1 && self.bits.last().is_some_and(|top| self.some.disjoint(top)) {
            self.bits.pop();
        }
        self.bits.shrink_to_fit();
    }

    /// Asks for the planes, which will be read soon.
    pub fn prefetch(&self) {
        kernels::release_prefetch(self);
    }

    /// The positions whose ply is exactly this one.
    pub fn at(&self, ply: u16) -> Tile {
        kernels::release_at(self, ply)
    }

    /// The least ply of the positions among these.
    pub fn least(&self, among: &Tile) -> Option<u16> {
        kernels::release_least(self, among)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plies_of(value: u16) -> [u64; MAX_BITS] {
        std::array::from_fn(|b| if value >> b & 1 != 0 { !0 } else { 0 })
    }

    #[test]
    fn keeps_the_least_or_the_greatest() {
        let row = Square::new(9);
        let mut least = Release::new(8);
        let mut greatest = Release::new(8);
        for value in [7u16, 200, 3, 90] {
            least.merge_row::<true>(row, 0b11, &plies_of(value));
            greatest.merge_row::<false>(row, 0b110, &plies_of(value));
        }
        assert_eq!(least.least(&Tile::FULL), Some(3));
        assert_eq!(greatest.least(&Tile::FULL), Some(200));
        assert_eq!(least.least(&Tile::EMPTY), None);
        least.trim();
        assert_eq!(least.bits.len(), 2);
        assert_eq!(least.at(3).row(row), 0b11);
        assert_eq!(least.at(3).row(row), 0b11);
        assert_eq!(greatest.at(200).row(row), 0b110);
        assert!(least.at(7).is_empty());
    }
}
