//! Eight words at a time: one rank of row squares, one vector register.

use molien_board::{Bitboard, Symmetry};
use molien_hyper::Tile;

/// One word or several, as sets.
pub(crate) trait Sets: Copy {
    /// The same word everywhere.
    fn splat(word: u64) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    /// `self` without `other`.
    fn minus(self, other: Self) -> Self;
    fn is_empty(self) -> bool;
}

/// The eight words of one rank of row squares, in the registers of some
/// instruction set. Every method is a few instructions and must be inlined
/// into a function compiled for that set.
pub(crate) trait Words: Sets {
    fn load(words: &[u64; 8]) -> Self;
    fn store(self) -> [u64; 8];
    /// `self | a & b`.
    fn or_and(self, a: Self, b: Self) -> Self;
    /// `self | source & !path`, in those words only that have no bit in
    /// common with `path`'s word in `own`.
    fn or_unblocked(self, source: Self, path: Self, own: Self) -> Self;
    /// Bits move to higher squares.
    fn up<const STEP: u32>(self) -> Self;
    /// Bits move to lower squares.
    fn down<const STEP: u32>(self) -> Self;
    /// Every byte added to its counterpart, without a carry to the next.
    fn add_bytes(self, other: Self) -> Self;
    /// Words move `N` places (1, 2 or 4) to higher numbers; those from beyond the
    /// edge are empty.
    fn right<const N: usize>(self) -> Self;
    /// Words move `N` places to lower numbers.
    fn left<const N: usize>(self) -> Self;
    /// The words in reverse order.
    fn reversed(self) -> Self;
    /// The bits of every word moved by a symmetry of the board.
    fn transform(self, symmetry: Symmetry) -> Self;
    /// Word j of the i-th becomes word i of the j-th.
    fn exchange(ranks: [Self; 8]) -> [Self; 8];
    /// Byte j of word i becomes byte i of word j.
    fn exchange_bytes(self) -> Self;
    /// Words with a bit in common with `bit` become full, the others empty.
    fn spread(self, bit: Self) -> Self;
    /// Asks for a tile that will be loaded soon.
    fn prefetch(tile: &Tile);
}

/// Plain words, which the compiler may or may not turn into vectors.
#[derive(Clone, Copy)]
pub(crate) struct U64x8([u64; 8]);

impl U64x8 {
    #[inline(always)]
    fn each(self, f: impl Fn(u64) -> u64) -> U64x8 {
        let a = self.0;
        U64x8([f(a[0]), f(a[1]), f(a[2]), f(a[3]), f(a[4]), f(a[5]), f(a[6]), f(a[7])])
    }

    #[inline(always)]
    fn zip(self, other: U64x8, f: impl Fn(u64, u64) -> u64) -> U64x8 {
        U64x8(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }
}

impl Sets for u64 {
    #[inline(always)]
    fn splat(word: u64) -> u64 {
        word
    }

    #[inline(always)]
    fn and(self, other: u64) -> u64 {
        self & other
    }

    #[inline(always)]
    fn or(self, other: u64) -> u64 {
        self | other
    }

    #[inline(always)]
    fn xor(self, other: u64) -> u64 {
        self ^ other
    }

    #[inline(always)]
    fn minus(self, other: u64) -> u64 {
        self & !other
    }

    #[inline(always)]
    fn is_empty(self) -> bool {
        self == 0
    }
}

impl Sets for U64x8 {
    #[inline(always)]
    fn splat(word: u64) -> U64x8 {
        U64x8([word; 8])
    }

    #[inline(always)]
    fn and(self, other: U64x8) -> U64x8 {
        self.zip(other, |a, b| a & b)
    }

    #[inline(always)]
    fn or(self, other: U64x8) -> U64x8 {
        self.zip(other, |a, b| a | b)
    }

    #[inline(always)]
    fn xor(self, other: U64x8) -> U64x8 {
        self.zip(other, |a, b| a ^ b)
    }

    #[inline(always)]
    fn minus(self, other: U64x8) -> U64x8 {
        self.zip(other, |a, b| a & !b)
    }

    #[inline(always)]
    fn is_empty(self) -> bool {
        self.0.iter().fold(0, |any, word| any | word) == 0
    }
}

impl Words for U64x8 {
    #[inline(always)]
    fn load(words: &[u64; 8]) -> U64x8 {
        U64x8(*words)
    }

    #[inline(always)]
    fn store(self) -> [u64; 8] {
        self.0
    }

    #[inline(always)]
    fn or_and(self, a: U64x8, b: U64x8) -> U64x8 {
        self.or(a.and(b))
    }

    #[inline(always)]
    fn or_unblocked(self, source: U64x8, path: U64x8, own: U64x8) -> U64x8 {
        let free = path.and(own).each(|blocked| if blocked == 0 { !0 } else { 0 });
        self.or(source.minus(path).and(free))
    }

    #[inline(always)]
    fn up<const STEP: u32>(self) -> U64x8 {
        self.each(|word| word << STEP)
    }

    #[inline(always)]
    fn down<const STEP: u32>(self) -> U64x8 {
        self.each(|word| word >> STEP)
    }

    #[inline(always)]
    fn add_bytes(self, other: U64x8) -> U64x8 {
        const TOP: u64 = 0x8080_8080_8080_8080;
        self.zip(other, |a, b| ((a & !TOP) + (b & !TOP)) ^ (a ^ b) & TOP)
    }

    #[inline(always)]
    fn right<const N: usize>(self) -> U64x8 {
        U64x8(std::array::from_fn(|i| if i >= N { self.0[i - N] } else { 0 }))
    }

    #[inline(always)]
    fn left<const N: usize>(self) -> U64x8 {
        U64x8(std::array::from_fn(|i| if i + N < 8 { self.0[i + N] } else { 0 }))
    }

    #[inline(always)]
    fn reversed(self) -> U64x8 {
        U64x8(std::array::from_fn(|i| self.0[7 - i]))
    }

    #[inline(always)]
    fn transform(self, symmetry: Symmetry) -> U64x8 {
        // A constant symmetry in each loop, so that it can become vectors.
        let mut out = self;
        if symmetry.flips_horizontal() {
            out = out.each(|word| Symmetry::MIRROR.bitboard(Bitboard(word)).0);
        }
        if symmetry.flips_vertical() {
            out = out.each(|word| Symmetry::FLIP.bitboard(Bitboard(word)).0);
        }
        if symmetry.transposes() {
            out = out.each(|word| Symmetry::DIAGONAL.bitboard(Bitboard(word)).0);
        }
        out
    }

    #[inline(always)]
    fn exchange(ranks: [U64x8; 8]) -> [U64x8; 8] {
        std::array::from_fn(|i| U64x8(std::array::from_fn(|j| ranks[j].0[i])))
    }

    #[inline(always)]
    fn exchange_bytes(self) -> U64x8 {
        let bytes = self.each(u64::to_le).0.map(u64::to_ne_bytes);
        U64x8(std::array::from_fn(|i| u64::from_le_bytes(std::array::from_fn(|j| bytes[j][i]))))
    }

    #[inline(always)]
    fn spread(self, bit: U64x8) -> U64x8 {
        self.zip(bit, |a, b| if a & b == 0 { 0 } else { !0 })
    }

    #[inline(always)]
    fn prefetch(_tile: &Tile) {}
}
