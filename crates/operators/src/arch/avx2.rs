//! Eight words in two registers of 256 bits.

use std::arch::x86_64::*;

use molien_board::Symmetry;
use molien_hyper::Tile;

use crate::words::{Sets, Words};

/// Eight words: 0 to 3, then 4 to 7. Named only in `arch`, in functions that
/// run only where the processor was found to have the features of the `Avx2`
/// backend.
#[derive(Clone, Copy)]
pub(super) struct Two256(__m256i, __m256i);

/// One intrinsic, or an expression of several.
macro_rules! vector {
    ($($body:tt)*) => {
        // SAFETY: a `Two256` is used only where the processor has the features
        // (see the type). The intrinsics in use have no other condition.
        unsafe { $($body)* }
    };
}

/// The same constant in every word.
macro_rules! words {
    ($word:expr) => {
        _mm256_set1_epi64x($word as i64)
    };
}

impl Two256 {
    /// The bytes of every word in reverse order.
    #[inline(always)]
    fn flip_vertical(self) -> Two256 {
        vector! {
            let order = _mm256_broadcastsi128_si256(_mm_set_epi8(
                8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7,
            ));
            Two256(_mm256_shuffle_epi8(self.0, order), _mm256_shuffle_epi8(self.1, order))
        }
    }

    /// The bits of every byte in reverse order: each half of it by a table.
    #[inline(always)]
    fn flip_horizontal(self) -> Two256 {
        #[inline(always)]
        fn flip(bytes: __m256i) -> __m256i {
            vector! {
                let reversed = _mm256_broadcastsi128_si256(_mm_set_epi8(
                    15, 7, 11, 3, 13, 5, 9, 1, 14, 6, 10, 2, 12, 4, 8, 0,
                ));
                let half = words!(0x0f0f_0f0f_0f0f_0f0f_u64);
                let low = _mm256_shuffle_epi8(reversed, _mm256_and_si256(bytes, half));
                let high = _mm256_and_si256(_mm256_srli_epi64::<4>(bytes), half);
                _mm256_or_si256(_mm256_slli_epi64::<4>(low), _mm256_shuffle_epi8(reversed, high))
            }
        }
        Two256(flip(self.0), flip(self.1))
    }

    /// Exchanges ranks and files in every word: bits, then squares of two by
    /// two, then of four by four change places across the diagonal.
    #[inline(always)]
    fn flip_diagonal(self) -> Two256 {
        #[inline(always)]
        fn swap<const BY: i32>(word: __m256i, mask: u64) -> __m256i {
            vector! {
                let across = _mm256_xor_si256(word, _mm256_srli_epi64::<BY>(word));
                let moving = _mm256_and_si256(across, words!(mask));
                _mm256_xor_si256(_mm256_xor_si256(word, moving), _mm256_slli_epi64::<BY>(moving))
            }
        }
        #[inline(always)]
        fn flip(word: __m256i) -> __m256i {
            let word = swap::<7>(word, 0x00aa_00aa_00aa_00aa);
            let word = swap::<14>(word, 0x0000_cccc_0000_cccc);
            swap::<28>(word, 0x0000_0000_f0f0_f0f0)
        }
        Two256(flip(self.0), flip(self.1))
    }
}

impl Sets for Two256 {
    #[inline(always)]
    fn splat(word: u64) -> Two256 {
        vector! { Two256(words!(word), words!(word)) }
    }

    #[inline(always)]
    fn and(self, other: Two256) -> Two256 {
        vector! { Two256(_mm256_and_si256(self.0, other.0), _mm256_and_si256(self.1, other.1)) }
    }

    #[inline(always)]
    fn or(self, other: Two256) -> Two256 {
        vector! { Two256(_mm256_or_si256(self.0, other.0), _mm256_or_si256(self.1, other.1)) }
    }

    #[inline(always)]
    fn xor(self, other: Two256) -> Two256 {
        vector! { Two256(_mm256_xor_si256(self.0, other.0), _mm256_xor_si256(self.1, other.1)) }
    }

    #[inline(always)]
    fn minus(self, other: Two256) -> Two256 {
        vector! {
            Two256(_mm256_andnot_si256(other.0, self.0), _mm256_andnot_si256(other.1, self.1))
        }
    }

    #[inline(always)]
    fn is_empty(self) -> bool {
        vector! {
            let any = _mm256_or_si256(self.0, self.1);
            _mm256_testz_si256(any, any) != 0
        }
    }
}

impl Words for Two256 {
    #[inline(always)]
    fn load(words: &[u64; 8]) -> Two256 {
        let (low, high) = words.split_at(4);
        // SAFETY: as in `vector`; both pointers are valid for four words.
        unsafe {
            Two256(
                _mm256_loadu_si256(low.as_ptr().cast()),
                _mm256_loadu_si256(high.as_ptr().cast()),
            )
        }
    }

    #[inline(always)]
    fn store(self) -> [u64; 8] {
        let mut words = [0; 8];
        let (low, high) = words.split_at_mut(4);
        // SAFETY: as in `vector`; both pointers are valid for four words.
        unsafe {
            _mm256_storeu_si256(low.as_mut_ptr().cast(), self.0);
            _mm256_storeu_si256(high.as_mut_ptr().cast(), self.1);
        }
        words
    }

    #[inline(always)]
    fn or_and(self, a: Two256, b: Two256) -> Two256 {
        self.or(a.and(b))
    }

    #[inline(always)]
    fn or_unblocked(self, source: Two256, path: Two256, own: Two256) -> Two256 {
        vector! {
            let zero = _mm256_setzero_si256();
            let free = Two256(
                _mm256_cmpeq_epi64(_mm256_and_si256(path.0, own.0), zero),
                _mm256_cmpeq_epi64(_mm256_and_si256(path.1, own.1), zero),
            );
            self.or(source.minus(path).and(free))
        }
    }

    #[inline(always)]
    fn up<const STEP: u32>(self) -> Two256 {
        vector! {
            let step = _mm_cvtsi32_si128(STEP as i32);
            Two256(_mm256_sll_epi64(self.0, step), _mm256_sll_epi64(self.1, step))
        }
    }

    #[inline(always)]
    fn down<const STEP: u32>(self) -> Two256 {
        vector! {
            let step = _mm_cvtsi32_si128(STEP as i32);
            Two256(_mm256_srl_epi64(self.0, step), _mm256_srl_epi64(self.1, step))
        }
    }

    #[inline(always)]
    fn add_bytes(self, other: Two256) -> Two256 {
        vector! { Two256(_mm256_add_epi8(self.0, other.0), _mm256_add_epi8(self.1, other.1)) }
    }

    #[inline(always)]
    fn right<const N: usize>(self) -> Two256 {
        vector! {
            let zero = _mm256_setzero_si256();
            // Two places: 0 0 | w0 w1 and w2 w3 | w4 w5.
            let low = _mm256_permute2x128_si256::<0x08>(self.0, self.0);
            let high = _mm256_permute2x128_si256::<0x21>(self.0, self.1);
            match N {
                1 => Two256(
                    _mm256_alignr_epi8::<8>(self.0, low),
                    _mm256_alignr_epi8::<8>(self.1, high),
                ),
                2 => Two256(low, high),
                _ => Two256(zero, self.0),
            }
        }
    }

    #[inline(always)]
    fn left<const N: usize>(self) -> Two256 {
        vector! {
            let zero = _mm256_setzero_si256();
            // Two places: w2 w3 | w4 w5 and w6 w7 | 0 0.
            let low = _mm256_permute2x128_si256::<0x21>(self.0, self.1);
            let high = _mm256_permute2x128_si256::<0x81>(self.1, self.1);
            match N {
                1 => Two256(
                    _mm256_alignr_epi8::<8>(low, self.0),
                    _mm256_alignr_epi8::<8>(high, self.1),
                ),
                2 => Two256(low, high),
                _ => Two256(self.1, zero),
            }
        }
    }

    #[inline(always)]
    fn reversed(self) -> Two256 {
        vector! {
            Two256(
                _mm256_permute4x64_epi64::<0b00_01_10_11>(self.1),
                _mm256_permute4x64_epi64::<0b00_01_10_11>(self.0),
            )
        }
    }

    #[inline(always)]
    fn transform(self, symmetry: Symmetry) -> Two256 {
        let mut out = self;
        if symmetry.flips_horizontal() {
            out = out.flip_horizontal();
        }
        if symmetry.flips_vertical() {
            out = out.flip_vertical();
        }
        if symmetry.transposes() {
            out = out.flip_diagonal();
        }
        out
    }

    #[inline(always)]
    fn exchange(ranks: [Two256; 8]) -> [Two256; 8] {
        /// The same for four registers of four words.
        #[inline(always)]
        fn four(a: __m256i, b: __m256i, c: __m256i, d: __m256i) -> [__m256i; 4] {
            vector! {
                let (even_ab, odd_ab) = (_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
                let (even_cd, odd_cd) = (_mm256_unpacklo_epi64(c, d), _mm256_unpackhi_epi64(c, d));
                [
                    _mm256_permute2x128_si256::<0x20>(even_ab, even_cd),
                    _mm256_permute2x128_si256::<0x20>(odd_ab, odd_cd),
                    _mm256_permute2x128_si256::<0x31>(even_ab, even_cd),
                    _mm256_permute2x128_si256::<0x31>(odd_ab, odd_cd),
                ]
            }
        }
        let [a, b, c, d, e, f, g, h] = ranks;
        let (low, low_high) = (four(a.0, b.0, c.0, d.0), four(e.0, f.0, g.0, h.0));
        let (high_low, high) = (four(a.1, b.1, c.1, d.1), four(e.1, f.1, g.1, h.1));
        let pair = |i: usize| Two256(low[i], low_high[i]);
        let upper = |i: usize| Two256(high_low[i], high[i]);
        [pair(0), pair(1), pair(2), pair(3), upper(0), upper(1), upper(2), upper(3)]
    }

    #[inline(always)]
    fn exchange_bytes(self) -> Two256 {
        vector! {
            // Pairs of bytes: of words 0 and 1 | 2 and 3, and 4 and 5 | 6 and 7.
            let pairs = _mm256_broadcastsi128_si256(_mm_set_epi8(
                15, 7, 14, 6, 13, 5, 12, 4, 11, 3, 10, 2, 9, 1, 8, 0,
            ));
            let low = _mm256_shuffle_epi8(self.0, pairs);
            let high = _mm256_shuffle_epi8(self.1, pairs);
            // Fours: of words 0 to 3 | 4 to 7, bytes 0 to 3 and 4 to 7.
            let first = _mm256_permute2x128_si256::<0x20>(low, high);
            let second = _mm256_permute2x128_si256::<0x31>(low, high);
            let order = _mm256_set_epi32(7, 3, 6, 2, 5, 1, 4, 0);
            Two256(
                _mm256_permutevar8x32_epi32(_mm256_unpacklo_epi16(first, second), order),
                _mm256_permutevar8x32_epi32(_mm256_unpackhi_epi16(first, second), order),
            )
        }
    }

    #[inline(always)]
    fn spread(self, bit: Two256) -> Two256 {
        vector! {
            let zero = _mm256_setzero_si256();
            let common = self.and(bit);
            let none =
                Two256(_mm256_cmpeq_epi64(common.0, zero), _mm256_cmpeq_epi64(common.1, zero));
            Two256::splat(!0).minus(none)
        }
    }

    #[inline(always)]
    fn prefetch(tile: &Tile) {
        for rank in &tile.0 {
            // SAFETY: prefetching has no effect but on time.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(rank.as_ptr().cast()) };
        }
    }
}
