//! Eight words at a time: one rank of row squares, one vector register.

use molien_board::{Bitboard, Square, Symmetry};
use molien_hyper::Tile;

/// The eight words of one rank of row squares, in the registers of some
/// instruction set. Every method is a few instructions and must be inlined
/// into a function compiled for that set.
pub(crate) trait Words: Copy {
    fn load(words: &[u64; 8]) -> Self;
    fn store(self) -> [u64; 8];
    /// The same word eight times.
    fn splat(word: u64) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    /// `self` without `other`.
    fn minus(self, other: Self) -> Self;
    /// `self | a & b`.
    fn or_and(self, a: Self, b: Self) -> Self;
    /// `self | source & !path`, in those words only that have no bit in
    /// common with `path`'s word in `own`.
    fn or_unblocked(self, source: Self, path: Self, own: Self) -> Self;
    /// Bits move to higher squares.
    fn up<const STEP: u32>(self) -> Self;
    /// Bits move to lower squares.
    fn down<const STEP: u32>(self) -> Self;
    /// Word i takes word i - `N`; words from beyond the edge are empty. `N`
    /// is 1, 2 or 4.
    fn from_left<const N: usize>(self) -> Self;
    /// Word i takes word i + `N`.
    fn from_right<const N: usize>(self) -> Self;
    /// The words in reverse order.
    fn reversed(self) -> Self;
    /// The bits of every word moved by a symmetry of the board.
    fn transform(self, symmetry: Symmetry) -> Self;
    /// Word j of the i-th becomes word i of the j-th.
    fn exchange(ranks: [Self; 8]) -> [Self; 8];
    fn is_empty(self) -> bool;
}

/// Plain words, which the compiler may or may not turn into vectors.
#[derive(Clone, Copy)]
pub(crate) struct Plain([u64; 8]);

impl Plain {
    #[inline(always)]
    fn each(self, f: impl Fn(u64) -> u64) -> Plain {
        let a = self.0;
        Plain([f(a[0]), f(a[1]), f(a[2]), f(a[3]), f(a[4]), f(a[5]), f(a[6]), f(a[7])])
    }

    #[inline(always)]
    fn zip(self, other: Plain, f: impl Fn(u64, u64) -> u64) -> Plain {
        Plain(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }
}

impl Words for Plain {
    #[inline(always)]
    fn load(words: &[u64; 8]) -> Plain {
        Plain(*words)
    }

    #[inline(always)]
    fn store(self) -> [u64; 8] {
        self.0
    }

    #[inline(always)]
    fn splat(word: u64) -> Plain {
        Plain([word; 8])
    }

    #[inline(always)]
    fn and(self, other: Plain) -> Plain {
        self.zip(other, |a, b| a & b)
    }

    #[inline(always)]
    fn or(self, other: Plain) -> Plain {
        self.zip(other, |a, b| a | b)
    }

    #[inline(always)]
    fn minus(self, other: Plain) -> Plain {
        self.zip(other, |a, b| a & !b)
    }

    #[inline(always)]
    fn or_and(self, a: Plain, b: Plain) -> Plain {
        self.or(a.and(b))
    }

    #[inline(always)]
    fn or_unblocked(self, source: Plain, path: Plain, own: Plain) -> Plain {
        let free = path.and(own).each(|blocked| if blocked == 0 { !0 } else { 0 });
        self.or(source.minus(path).and(free))
    }

    #[inline(always)]
    fn up<const STEP: u32>(self) -> Plain {
        self.each(|word| word << STEP)
    }

    #[inline(always)]
    fn down<const STEP: u32>(self) -> Plain {
        self.each(|word| word >> STEP)
    }

    #[inline(always)]
    fn from_left<const N: usize>(self) -> Plain {
        Plain(std::array::from_fn(|i| if i >= N { self.0[i - N] } else { 0 }))
    }

    #[inline(always)]
    fn from_right<const N: usize>(self) -> Plain {
        Plain(std::array::from_fn(|i| if i + N < 8 { self.0[i + N] } else { 0 }))
    }

    #[inline(always)]
    fn reversed(self) -> Plain {
        Plain(std::array::from_fn(|i| self.0[7 - i]))
    }

    #[inline(always)]
    fn transform(self, symmetry: Symmetry) -> Plain {
        self.each(|word| symmetry.bitboard(Bitboard(word)).0)
    }

    #[inline(always)]
    fn exchange(ranks: [Plain; 8]) -> [Plain; 8] {
        std::array::from_fn(|i| Plain(std::array::from_fn(|j| ranks[j].0[i])))
    }

    #[inline(always)]
    fn is_empty(self) -> bool {
        self.0.iter().fold(0, |any, word| any | word) == 0
    }
}

/// A tile in registers.
#[derive(Clone, Copy)]
pub(crate) struct Wide<W>(pub [W; 8]);

/// For each row square its own bit.
static OWN: Tile = {
    let mut tile = Tile::EMPTY;
    let mut i = 0;
    while i < 64 {
        *tile.row_mut(Square::new(i)) = 1 << i;
        i += 1;
    }
    tile
};

// Loops rather than closures: a closure that is not inlined would be compiled
// without the instruction set.
impl<W: Words> Wide<W> {
    #[inline(always)]
    pub fn load(tile: &Tile) -> Wide<W> {
        let mut out = Wide::splat(0);
        for rank in 0..8 {
            out.0[rank] = W::load(&tile.0[rank]);
        }
        out
    }

    #[inline(always)]
    pub fn store(self) -> Tile {
        let mut tile = Tile::EMPTY;
        for rank in 0..8 {
            tile.0[rank] = self.0[rank].store();
        }
        tile
    }

    #[inline(always)]
    pub fn splat(word: u64) -> Wide<W> {
        Wide([W::splat(word); 8])
    }

    /// For each row square its own bit.
    #[inline(always)]
    pub fn own() -> Wide<W> {
        Wide::load(&OWN)
    }

    #[inline(always)]
    pub fn and(mut self, other: Wide<W>) -> Wide<W> {
        for rank in 0..8 {
            self.0[rank] = self.0[rank].and(other.0[rank]);
        }
        self
    }

    #[inline(always)]
    pub fn add(&mut self, other: Wide<W>) {
        for rank in 0..8 {
            self.0[rank] = self.0[rank].or(other.0[rank]);
        }
    }

    /// Whether every position of `within` is in the set.
    #[inline(always)]
    pub fn covers(&self, within: &Tile) -> bool {
        let mut left = W::splat(0);
        for rank in 0..8 {
            left = left.or(W::load(&within.0[rank]).minus(self.0[rank]));
        }
        left.is_empty()
    }

    /// The tile in the frame before the symmetry was applied to its rows and
    /// columns. An axis without a man stays as it is.
    #[inline(always)]
    pub fn back_through(mut self, symmetry: Symmetry, rows: bool, columns: bool) -> Wide<W> {
        if rows && symmetry.transposes() {
            // The new row is the old symmetry(row): exchange first, then flip.
            self.0 = W::exchange(self.0);
        }
        if rows && symmetry.flips_vertical() {
            let [a, b, c, d, e, f, g, h] = self.0;
            self.0 = [h, g, f, e, d, c, b, a];
        }
        for rank in 0..8 {
            if rows && symmetry.flips_horizontal() {
                self.0[rank] = self.0[rank].reversed();
            }
            if columns {
                self.0[rank] = self.0[rank].transform(symmetry.inverse());
            }
        }
        self
    }
}
