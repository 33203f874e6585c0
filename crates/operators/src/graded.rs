//! Plies of whole tiles, bit-sliced, and rows of values.

use molien_board::{Bitboard, Square, Symmetry};
use molien_hyper::Tile;
use molien_values::{Graded, MAX_BITS};

use crate::Backend;
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
    pub fn merge_row<const MINIMUM: bool>(
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

    /// Its plies.
    #[inline(always)]
    pub fn plies(&self) -> Plies<'_> {
        Plies { some: &self.some, bits: &self.bits }
    }

    /// The ply of a position, if it has one.
    pub fn ply_at(&self, row: Square, column: Square) -> Option<u16> {
        self.plies().ply_at(row, column)
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
    pub(crate) fn transpose(&self, backend: &dyn Backend) -> Release {
        let bits = self.bits.iter().map(|plane| backend.transpose(plane)).collect();
        Release { some: backend.transpose(&self.some), bits }
    }

    /// Every ply sooner by so many, but none before 1.
    pub fn sooner(&self, plies: u16) -> Release {
        if self.bits.is_empty() {
            return self.clone(); // every ply is 1
        }
        let mut borrow = Tile::EMPTY;
        let subtract = |(b, ply): (usize, &Tile)| {
            let taken = if plies >> b & 1 != 0 { !0 } else { 0 };
            let difference = ply.zip(&borrow, |ply, borrow| ply ^ taken ^ borrow);
            borrow = ply.zip(&borrow, |ply, borrow| (!ply & (taken | borrow)) | (taken & borrow));
            difference
        };
        let mut bits: Vec<Tile> = self.bits.iter().enumerate().map(subtract).collect();
        let some = bits.iter().fold(Tile::EMPTY, |some, bit| some.or(bit));
        let none = Tile::FULL.minus(&some);
        let more_bits_than_any = u32::from(plies) >> bits.len() != 0;
        let first = if more_bits_than_any { Tile::FULL } else { none.or(&borrow) };
        for (b, bit) in bits.iter_mut().enumerate() {
            *bit = if b == 0 { bit.or(&first) } else { bit.minus(&first) };
        }
        let mut release = Release { some: self.some, bits };
        release.trim();
        release
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
    }
}

/// The plies of a [`Release`], wherever they are kept.
#[derive(Clone, Copy, Debug)]
pub struct Plies<'a> {
    /// Positions that have a ply.
    pub some: &'a Tile,
    /// Bit b of the ply. Empty if every ply is 1 by the rules of the metric.
    pub bits: &'a [Tile],
}

impl Plies<'_> {
    /// The ply of a position, if it has one.
    pub fn ply_at(self, row: Square, column: Square) -> Option<u16> {
        let bit = |plane: &Tile| u16::from(plane.contains(row, column));
        let ply = || self.bits.iter().enumerate().map(|(b, plane)| bit(plane) << b).sum();
        let some = self.some.contains(row, column);
        some.then(|| if self.bits.is_empty() { 1 } else { ply() })
    }
}
