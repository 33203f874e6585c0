//! Eight words in one register of 512 bits.

use std::arch::x86_64::*;

use molien_board::Symmetry;
use molien_hyper::Tile;

use crate::words::{Sets, Words};

/// Eight words. Named only in `arch`, in functions that run only where the
/// processor was found to have the features of the `Avx512` backend.
#[derive(Clone, Copy)]
pub(super) struct One512(__m512i);

/// One intrinsic, or an expression of several.
macro_rules! vector {
    ($($body:tt)*) => {
        // SAFETY: a `One512` is used only where the processor has the features
        // (see the type). The intrinsics in use have no other condition.
        unsafe { $($body)* }
    };
}

/// Bytes of an 8 x 8 bit matrix, in the order the affine instruction wants:
/// as the matrix it reverses the bits of every byte; as the operand it
/// selects column j for byte j.
const REVERSE: i64 = 0x8040_2010_0804_0201_u64 as i64;
/// As the operand it selects column 7 - j for byte j.
const REVERSED_COLUMNS: i64 = 0x0102_0408_1020_4080;

impl One512 {
    #[inline(always)]
    fn flip_vertical(self) -> One512 {
        vector! {
            let bytes = _mm512_set4_epi32(0x0809_0a0b, 0x0c0d_0e0f, 0x0001_0203, 0x0405_0607);
            One512(_mm512_shuffle_epi8(self.0, bytes))
        }
    }

    #[inline(always)]
    fn flip_horizontal(self) -> One512 {
        vector! { One512(_mm512_gf2p8affine_epi64_epi8::<0>(self.0, _mm512_set1_epi64(REVERSE))) }
    }

    /// Words 0, 2, 4, 6 of two ranks alternating, then words 1, 3, 5, 7.
    #[inline(always)]
    fn zip(self, other: One512) -> [One512; 2] {
        vector! {
            [
                One512(_mm512_unpacklo_epi64(self.0, other.0)),
                One512(_mm512_unpackhi_epi64(self.0, other.0)),
            ]
        }
    }

    /// The even pairs of words of both, then the odd pairs.
    #[inline(always)]
    fn halves(self, other: One512) -> [One512; 2] {
        vector! {
            [
                One512(_mm512_shuffle_i64x2::<0b10_00_10_00>(self.0, other.0)),
                One512(_mm512_shuffle_i64x2::<0b11_01_11_01>(self.0, other.0)),
            ]
        }
    }

    /// With the words as matrices the instruction gives bit i of byte j =
    /// bit c(j) of byte 7 - i, where c is what `columns` selects.
    #[inline(always)]
    fn turn(self, columns: i64) -> One512 {
        vector! { One512(_mm512_gf2p8affine_epi64_epi8::<0>(_mm512_set1_epi64(columns), self.0)) }
    }
}

impl Sets for One512 {
    #[inline(always)]
    fn splat(word: u64) -> One512 {
        vector! { One512(_mm512_set1_epi64(word as i64)) }
    }

    #[inline(always)]
    fn and(self, other: One512) -> One512 {
        vector! { One512(_mm512_and_si512(self.0, other.0)) }
    }

    #[inline(always)]
    fn or(self, other: One512) -> One512 {
        vector! { One512(_mm512_or_si512(self.0, other.0)) }
    }

    #[inline(always)]
    fn xor(self, other: One512) -> One512 {
        vector! { One512(_mm512_xor_si512(self.0, other.0)) }
    }

    #[inline(always)]
    fn minus(self, other: One512) -> One512 {
        vector! { One512(_mm512_andnot_si512(other.0, self.0)) }
    }

    #[inline(always)]
    fn is_empty(self) -> bool {
        vector! { _mm512_test_epi64_mask(self.0, self.0) == 0 }
    }
}

impl Words for One512 {
    #[inline(always)]
    fn load(words: &[u64; 8]) -> One512 {
        // SAFETY: as in `vector`; the pointer is valid for eight words.
        unsafe { One512(_mm512_loadu_si512(words.as_ptr().cast())) }
    }

    #[inline(always)]
    fn store(self) -> [u64; 8] {
        let mut words = [0; 8];
        // SAFETY: as in `vector`; the pointer is valid for eight words.
        unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), self.0) };
        words
    }

    #[inline(always)]
    fn or_and(self, a: One512, b: One512) -> One512 {
        // The constant is the truth table of a | b & c.
        vector! { One512(_mm512_ternarylogic_epi64::<0b1111_1000>(self.0, a.0, b.0)) }
    }

    #[inline(always)]
    fn or_unblocked(self, source: One512, path: One512, own: One512) -> One512 {
        // The constant is the truth table of a | b & !c.
        vector! {
            let free = _mm512_testn_epi64_mask(path.0, own.0);
            One512(_mm512_mask_ternarylogic_epi64::<0b1111_0100>(self.0, free, source.0, path.0))
        }
    }

    #[inline(always)]
    fn up<const STEP: u32>(self) -> One512 {
        vector! { One512(_mm512_slli_epi64::<STEP>(self.0)) }
    }

    #[inline(always)]
    fn down<const STEP: u32>(self) -> One512 {
        vector! { One512(_mm512_srli_epi64::<STEP>(self.0)) }
    }

    #[inline(always)]
    fn add_bytes(self, other: One512) -> One512 {
        vector! { One512(_mm512_add_epi8(self.0, other.0)) }
    }

    #[inline(always)]
    fn right<const N: usize>(self) -> One512 {
        vector! {
            let zero = _mm512_setzero_si512();
            One512(match N {
                1 => _mm512_alignr_epi64::<7>(self.0, zero),
                2 => _mm512_alignr_epi64::<6>(self.0, zero),
                _ => _mm512_alignr_epi64::<4>(self.0, zero),
            })
        }
    }

    #[inline(always)]
    fn left<const N: usize>(self) -> One512 {
        vector! {
            let zero = _mm512_setzero_si512();
            One512(match N {
                1 => _mm512_alignr_epi64::<1>(zero, self.0),
                2 => _mm512_alignr_epi64::<2>(zero, self.0),
                _ => _mm512_alignr_epi64::<4>(zero, self.0),
            })
        }
    }

    #[inline(always)]
    fn reversed(self) -> One512 {
        vector! {
            let order = _mm512_set_epi64(0, 1, 2, 3, 4, 5, 6, 7);
            One512(_mm512_permutexvar_epi64(order, self.0))
        }
    }

    #[inline(always)]
    fn transform(self, symmetry: Symmetry) -> One512 {
        let (horizontal, vertical) = (symmetry.flips_horizontal(), symmetry.flips_vertical());
        if symmetry.transposes() {
            // Byte j, bit i of the result is byte i, bit j of the flipped
            // board; `turn` reads the bytes from the top.
            let upright = if vertical { self } else { self.flip_vertical() };
            return upright.turn(if horizontal { REVERSED_COLUMNS } else { REVERSE });
        }
        let word = if vertical { self.flip_vertical() } else { self };
        if horizontal { word.flip_horizontal() } else { word }
    }

    #[inline(always)]
    fn exchange(ranks: [One512; 8]) -> [One512; 8] {
        let [a, b, c, d, e, f, g, h] = ranks;
        // Words 0 and 4, 1 and 5, 2 and 6, 3 and 7 of the lower and of the
        // upper four ranks.
        let ([a, b], [c, d], [e, f], [g, h]) = (a.zip(b), c.zip(d), e.zip(f), g.zip(h));
        let ([a, c], [b, d]) = (a.halves(c), b.halves(d));
        let ([e, g], [f, h]) = (e.halves(g), f.halves(h));
        // Both halves of each word's column.
        let ([a, e], [b, f]) = (a.halves(e), b.halves(f));
        let ([c, g], [d, h]) = (c.halves(g), d.halves(h));
        [a, b, c, d, e, f, g, h]
    }

    #[inline(always)]
    fn prefetch(tile: &Tile) {
        for rank in &tile.0 {
            // SAFETY: prefetching has no effect but on time.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(rank.as_ptr().cast()) };
        }
    }

    #[inline(always)]
    fn exchange_bytes(self) -> One512 {
        const ORDER: [u8; 64] = {
            let mut order = [0; 64];
            let mut i = 0;
            while i < 64 {
                order[i] = (i % 8 * 8 + i / 8) as u8;
                i += 1;
            }
            order
        };
        // SAFETY: as in `vector`; the pointer is valid for 64 bytes.
        unsafe {
            let order = _mm512_loadu_si512(ORDER.as_ptr().cast());
            One512(_mm512_permutexvar_epi8(order, self.0))
        }
    }

    #[inline(always)]
    fn spread(self, bit: One512) -> One512 {
        vector! { One512(_mm512_movm_epi64(_mm512_test_epi64_mask(self.0, bit.0))) }
    }
}
