//! Eight words in four registers of 128 bits.

use std::arch::aarch64::*;

use molien_board::Symmetry;
use molien_hyper::Tile;

use crate::words::{Sets, Words};

/// Eight words, two by two. Every 64-bit ARM processor that runs this program
/// has the instructions; even so the type is named only in `arch`, in
/// functions that run only where they were found.
#[derive(Clone, Copy)]
pub(super) struct Four128([uint64x2_t; 4]);

/// One intrinsic, or an expression of several.
macro_rules! vector {
    ($($body:tt)*) => {
        // SAFETY: a `Four128` is used only where the processor has the
        // instructions (see the type). The intrinsics in use have no other
        // condition.
        unsafe { $($body)* }
    };
}

impl Four128 {
    #[inline(always)]
    fn each(self, f: impl Fn(uint64x2_t) -> uint64x2_t) -> Four128 {
        let [a, b, c, d] = self.0;
        Four128([f(a), f(b), f(c), f(d)])
    }

    #[inline(always)]
    fn zip(self, other: Four128, f: impl Fn(uint64x2_t, uint64x2_t) -> uint64x2_t) -> Four128 {
        let ([a, b, c, d], [e, g, h, i]) = (self.0, other.0);
        Four128([f(a, e), f(b, g), f(c, h), f(d, i)])
    }

    /// The bits of every word moved up, or down if negative. (The compiler
    /// turns the constant into an immediate operand.)
    #[inline(always)]
    fn shifted(self, by: i64) -> Four128 {
        self.each(|word| vector! { vshlq_u64(word, vdupq_n_s64(by)) })
    }

    /// Exchanges ranks and files in every word: bits, then squares of two by
    /// two, then of four by four change places across the diagonal.
    #[inline(always)]
    fn flip_diagonal(self) -> Four128 {
        let swap = |word: Four128, by: i64, mask: u64| {
            let moving = word.xor(word.shifted(-by)).and(Four128::splat(mask));
            word.xor(moving).xor(moving.shifted(by))
        };
        let word = swap(self, 7, 0x00aa_00aa_00aa_00aa);
        let word = swap(word, 14, 0x0000_cccc_0000_cccc);
        swap(word, 28, 0x0000_0000_f0f0_f0f0)
    }
}

impl Sets for Four128 {
    #[inline(always)]
    fn splat(word: u64) -> Four128 {
        vector! { Four128([vdupq_n_u64(word); 4]) }
    }

    #[inline(always)]
    fn and(self, other: Four128) -> Four128 {
        self.zip(other, |a, b| vector! { vandq_u64(a, b) })
    }

    #[inline(always)]
    fn or(self, other: Four128) -> Four128 {
        self.zip(other, |a, b| vector! { vorrq_u64(a, b) })
    }

    #[inline(always)]
    fn xor(self, other: Four128) -> Four128 {
        self.zip(other, |a, b| vector! { veorq_u64(a, b) })
    }

    #[inline(always)]
    fn minus(self, other: Four128) -> Four128 {
        self.zip(other, |a, b| vector! { vbicq_u64(a, b) })
    }

    #[inline(always)]
    fn is_empty(self) -> bool {
        let [a, b, c, d] = self.0;
        vector! {
            let any = vorrq_u64(vorrq_u64(a, b), vorrq_u64(c, d));
            vmaxvq_u32(vreinterpretq_u32_u64(any)) == 0
        }
    }
}

impl Words for Four128 {
    #[inline(always)]
    fn load(words: &[u64; 8]) -> Four128 {
        let pair = |i: usize| {
            let pair: &[u64; 2] = &[words[i], words[i + 1]];
            // SAFETY: as in `vector`; the pointer is valid for two words.
            unsafe { vld1q_u64(pair.as_ptr()) }
        };
        Four128([pair(0), pair(2), pair(4), pair(6)])
    }

    #[inline(always)]
    fn store(self) -> [u64; 8] {
        let mut words = [0; 8];
        for (pair, register) in words.chunks_exact_mut(2).zip(self.0) {
            // SAFETY: as in `vector`; the pointer is valid for two words.
            unsafe { vst1q_u64(pair.as_mut_ptr(), register) };
        }
        words
    }

    #[inline(always)]
    fn or_and(self, a: Four128, b: Four128) -> Four128 {
        self.or(a.and(b))
    }

    #[inline(always)]
    fn or_unblocked(self, source: Four128, path: Four128, own: Four128) -> Four128 {
        let blocked = path.zip(own, |path, own| vector! { vtstq_u64(path, own) });
        self.or(source.minus(path).minus(blocked))
    }

    #[inline(always)]
    fn up<const STEP: u32>(self) -> Four128 {
        self.shifted(i64::from(STEP))
    }

    #[inline(always)]
    fn down<const STEP: u32>(self) -> Four128 {
        self.shifted(-i64::from(STEP))
    }

    #[inline(always)]
    fn add_bytes(self, other: Four128) -> Four128 {
        self.zip(other, |a, b| {
            vector! {
                vreinterpretq_u64_u8(vaddq_u8(vreinterpretq_u8_u64(a), vreinterpretq_u8_u64(b)))
            }
        })
    }

    #[inline(always)]
    fn right<const N: usize>(self) -> Four128 {
        let [a, b, c, d] = self.0;
        vector! {
            let zero = vdupq_n_u64(0);
            Four128(match N {
                1 => [
                    vextq_u64::<1>(zero, a),
                    vextq_u64::<1>(a, b),
                    vextq_u64::<1>(b, c),
                    vextq_u64::<1>(c, d),
                ],
                2 => [zero, a, b, c],
                _ => [zero, zero, a, b],
            })
        }
    }

    #[inline(always)]
    fn left<const N: usize>(self) -> Four128 {
        let [a, b, c, d] = self.0;
        vector! {
            let zero = vdupq_n_u64(0);
            Four128(match N {
                1 => [
                    vextq_u64::<1>(a, b),
                    vextq_u64::<1>(b, c),
                    vextq_u64::<1>(c, d),
                    vextq_u64::<1>(d, zero),
                ],
                2 => [b, c, d, zero],
                _ => [c, d, zero, zero],
            })
        }
    }

    #[inline(always)]
    fn reversed(self) -> Four128 {
        let [a, b, c, d] = self.0;
        Four128([d, c, b, a]).each(|pair| vector! { vextq_u64::<1>(pair, pair) })
    }

    #[inline(always)]
    fn transform(self, symmetry: Symmetry) -> Four128 {
        let bytes = |word| vector! { vreinterpretq_u8_u64(word) };
        let words = |bytes| vector! { vreinterpretq_u64_u8(bytes) };
        let mut out = self;
        if symmetry.flips_horizontal() {
            out = out.each(|word| vector! { words(vrbitq_u8(bytes(word))) });
        }
        if symmetry.flips_vertical() {
            out = out.each(|word| vector! { words(vrev64q_u8(bytes(word))) });
        }
        if symmetry.transposes() {
            out = out.flip_diagonal();
        }
        out
    }

    #[inline(always)]
    fn exchange(ranks: [Four128; 8]) -> [Four128; 8] {
        // Words 2i and 2i + 1 of all ranks, two ranks at a time.
        let column = |i: usize, odd: bool| {
            let pair = |j: usize| {
                let (a, b) = (ranks[j].0[i], ranks[j + 1].0[i]);
                vector! { if odd { vtrn2q_u64(a, b) } else { vtrn1q_u64(a, b) } }
            };
            Four128([pair(0), pair(2), pair(4), pair(6)])
        };
        [
            column(0, false),
            column(0, true),
            column(1, false),
            column(1, true),
            column(2, false),
            column(2, true),
            column(3, false),
            column(3, true),
        ]
    }

    #[inline(always)]
    fn exchange_bytes(self) -> Four128 {
        let [a, b, c, d] = self.0;
        vector! {
            let bytes = uint8x16x4_t(
                vreinterpretq_u8_u64(a),
                vreinterpretq_u8_u64(b),
                vreinterpretq_u8_u64(c),
                vreinterpretq_u8_u64(d),
            );
            // Bytes 0 and 1 of all words, in the order of the words.
            let first = vcombine_u8(
                vcreate_u8(0x3830_2820_1810_0800),
                vcreate_u8(0x3931_2921_1911_0901),
            );
            let gather = |byte: u8| {
                vreinterpretq_u64_u8(vqtbl4q_u8(bytes, vaddq_u8(first, vdupq_n_u8(byte))))
            };
            Four128([gather(0), gather(2), gather(4), gather(6)])
        }
    }

    #[inline(always)]
    fn spread(self, bit: Four128) -> Four128 {
        self.zip(bit, |word, bit| vector! { vtstq_u64(word, bit) })
    }

    #[inline(always)]
    fn prefetch(_tile: &Tile) {}
}
