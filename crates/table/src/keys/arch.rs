//! Work compiled once per instruction set, chosen at run time.
#![expect(unsafe_code, reason = "calls functions compiled for a detected instruction set")]

use crate::keys::key::{DRAW_KEY, NONE_KEY, ValueKey, win};

/// Something to do whose inner loops gain by wide vectors. `run` and what it
/// calls must be `#[inline(always)]` to be compiled with each set.
pub(crate) trait Vectored {
    type Out;
    fn run<R: RowKernels>(self) -> Self::Out;
}

/// What is done with rows of 64 keys. The methods are the meaning, for any
/// processor.
pub(crate) trait RowKernels {
    /// The keys of 64 cells of which those of `legal` are positions, those of
    /// `good` won and those of `bad` lost, in `first` plies and those whose
    /// bits are in `depth`.
    #[inline(always)]
    fn keys(
        [legal, good, bad]: [u64; 3],
        first: ValueKey,
        depth: impl Iterator<Item = u64> + Clone,
    ) -> [ValueKey; 64] {
        let mut keys = [0; 64];
        for (quarter, out) in keys.as_chunks_mut::<16>().0.iter_mut().enumerate() {
            let part = |word: u64| (word >> (16 * quarter)) as u16;
            let mut plies = [first; 16];
            if part(good | bad) != 0 {
                for (bit, word) in depth.clone().enumerate() {
                    add_where(part(word), 1 << bit, &mut plies);
                }
            }
            let (mut wins, mut losses, mut illegal) = ([0; 16], [0; 16], [0; 16]);
            add_where(part(good), !0, &mut wins);
            add_where(part(bad), !0, &mut losses);
            add_where(part(!legal), NONE_KEY, &mut illegal);
            for i in 0..16 {
                let win = win(0) - plies[i];
                out[i] = (wins[i] & win) | (losses[i] & -win) | illegal[i];
            }
        }
        keys
    }

    /// Undoes [`RowKernels::keys`], but for what is legal: the cells that are good and
    /// bad. `depth` is given `bits` bits of their plies beyond `first`, a
    /// word for each bit.
    #[inline(always)]
    fn bits(
        keys: &[ValueKey; 64],
        first: ValueKey,
        bits: usize,
        mut depth: impl FnMut(usize, u64),
    ) -> [u64; 2] {
        let good = pack_bits(keys.map(|key| u8::from(key > DRAW_KEY)));
        let bad = pack_bits(keys.map(|key| u8::from(key < DRAW_KEY) & u8::from(key != NONE_KEY)));
        let decided = good | bad;
        let plies = keys.map(|key| (win(0) - first).wrapping_sub(key.wrapping_abs()));
        for bit in 0..bits {
            let word = || pack_bits(plies.map(|plies| (plies >> bit & 1) as u8)) & decided;
            depth(bit, if decided == 0 { 0 } else { word() });
        }
        [good, bad]
    }

    /// The cells that have other keys here than there.
    #[inline(always)]
    fn unequal(a: &[ValueKey; 64], b: &[ValueKey; 64]) -> u64 {
        pack_bits(std::array::from_fn(|i| u8::from(a[i] != b[i])))
    }

    /// Raises keys to those of another row taken in this order.
    #[inline(always)]
    fn raise_turned(row: &mut [ValueKey; 64], other: &[ValueKey; 64], order: &[u16; 64]) {
        for (key, &from) in row.iter_mut().zip(order) {
            *key = (*key).max(other[usize::from(from & 63)]);
        }
    }
}

/// Adds a value to the keys of the bits that are set.
#[inline(always)]
pub(crate) fn add_where(bits: u16, value: ValueKey, keys: &mut [ValueKey; 16]) {
    for (i, key) in keys.iter_mut().enumerate() {
        // All ones or all zeros, without a branch.
        let bit = 1 << i;
        *key += -i16::from(bits & bit == bit) & value;
    }
}

/// The bits of 64 bytes that are 0 or 1.
#[inline(always)]
fn pack_bits(bytes: [u8; 64]) -> u64 {
    // Eight bytes at a time: the factor brings bit i of the product's top
    // byte from byte i, and no two terms meet.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let mut word = 0;
    for (i, eight) in bytes.as_chunks::<8>().0.iter().enumerate() {
        word |= (u64::from_le_bytes(*eight).wrapping_mul(GATHER) >> 56) << (8 * i);
    }
    word
}

/// Any processor.
pub(crate) struct AnyProcessor;

impl RowKernels for AnyProcessor {}

/// A processor with the features that `with_avx512` enables; used nowhere
/// else.
#[cfg(target_arch = "x86_64")]
struct Avx512;

#[cfg(target_arch = "x86_64")]
impl RowKernels for Avx512 {
    #[inline(always)]
    fn keys(
        [legal, good, bad]: [u64; 3],
        first: ValueKey,
        depth: impl Iterator<Item = u64> + Clone,
    ) -> [ValueKey; 64] {
        use std::arch::x86_64::*;
        // SAFETY: only `with_avx512` uses this type, and it enables the
        // features of these intrinsics, none of which touches memory; both
        // types of the transmutation are 128 bytes of plain data.
        unsafe {
            let mut halves = [_mm512_set1_epi16(win(0) - first); 2];
            for (bit, word) in depth.enumerate() {
                let weight = _mm512_set1_epi16(1 << bit);
                for (i, half) in halves.iter_mut().enumerate() {
                    *half = _mm512_mask_sub_epi16(*half, (word >> (32 * i)) as u32, *half, weight);
                }
            }
            let (zero, none) = (_mm512_setzero_si512(), _mm512_set1_epi16(NONE_KEY));
            for (i, half) in halves.iter_mut().enumerate() {
                let part = |word: u64| (word >> (32 * i)) as u32;
                let won = _mm512_maskz_mov_epi16(part(good), *half);
                let decided = _mm512_mask_sub_epi16(won, part(bad), zero, *half);
                *half = _mm512_mask_mov_epi16(decided, part(!legal), none);
            }
            std::mem::transmute::<[__m512i; 2], [ValueKey; 64]>(halves)
        }
    }

    #[inline(always)]
    fn bits(
        keys: &[ValueKey; 64],
        first: ValueKey,
        bits: usize,
        mut depth: impl FnMut(usize, u64),
    ) -> [u64; 2] {
        use std::arch::x86_64::*;
        let join = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        // SAFETY: as above.
        unsafe {
            let [low, high] = std::mem::transmute::<[ValueKey; 64], [__m512i; 2]>(*keys);
            let (zero, none) = (_mm512_setzero_si512(), _mm512_set1_epi16(NONE_KEY));
            let good =
                join(_mm512_cmpgt_epi16_mask(low, zero), _mm512_cmpgt_epi16_mask(high, zero));
            let bad = [low, high].map(|half| {
                _mm512_mask_cmplt_epi16_mask(_mm512_cmpneq_epi16_mask(half, none), half, zero)
            });
            let bad = join(bad[0], bad[1]);
            let most = _mm512_set1_epi16(win(0) - first);
            let [low, high] =
                [low, high].map(|half| _mm512_sub_epi16(most, _mm512_abs_epi16(half)));
            for bit in 0..bits {
                let weight = _mm512_set1_epi16(1 << bit);
                let words = [low, high].map(|half| _mm512_test_epi16_mask(half, weight));
                depth(bit, join(words[0], words[1]) & (good | bad));
            }
            [good, bad]
        }
    }

    #[inline(always)]
    fn unequal(a: &[ValueKey; 64], b: &[ValueKey; 64]) -> u64 {
        use std::arch::x86_64::*;
        // SAFETY: as above.
        unsafe {
            let [a0, a1] = std::mem::transmute::<[ValueKey; 64], [__m512i; 2]>(*a);
            let [b0, b1] = std::mem::transmute::<[ValueKey; 64], [__m512i; 2]>(*b);
            let high = u64::from(_mm512_cmpneq_epi16_mask(a1, b1));
            u64::from(_mm512_cmpneq_epi16_mask(a0, b0)) | high << 32
        }
    }

    #[inline(always)]
    fn raise_turned(row: &mut [ValueKey; 64], other: &[ValueKey; 64], order: &[u16; 64]) {
        use std::arch::x86_64::*;
        // SAFETY: as above.
        unsafe {
            let [low, high] = std::mem::transmute::<[ValueKey; 64], [__m512i; 2]>(*other);
            let order = std::mem::transmute::<[u16; 64], [__m512i; 2]>(*order);
            let mut halves = std::mem::transmute::<[ValueKey; 64], [__m512i; 2]>(*row);
            for (half, order) in halves.iter_mut().zip(order) {
                let turned = _mm512_permutex2var_epi16(low, order, high);
                *half = _mm512_max_epi16(*half, turned);
            }
            *row = std::mem::transmute::<[__m512i; 2], [ValueKey; 64]>(halves);
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt")]
fn with_avx512<W: Vectored>(work: W) -> W::Out {
    work.run::<Avx512>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn with_avx2<W: Vectored>(work: W) -> W::Out {
    work.run::<AnyProcessor>()
}

/// Does it with the widest vectors of this processor.
#[inline]
pub(crate) fn run<W: Vectored>(work: W) -> W::Out {
    #[cfg(target_arch = "x86_64")]
    {
        let narrow = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        let wide = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        if narrow && wide {
            // SAFETY: the processor has every feature the function enables.
            return unsafe { with_avx512(work) };
        }
        if narrow {
            // SAFETY: the processor has every feature the function enables.
            return unsafe { with_avx2(work) };
        }
    }
    work.run::<AnyProcessor>()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Both<'a> {
        words: &'a [u64],
        first: ValueKey,
        row: [ValueKey; 64],
        order: [u16; 64],
    }

    impl Vectored for Both<'_> {
        type Out = ([ValueKey; 64], [ValueKey; 64], Vec<u64>, u64);

        #[inline(always)]
        fn run<R: RowKernels>(self) -> Self::Out {
            let [a, b, c] = [self.words[0], self.words[1], self.words[2]];
            let outcomes = [a | b | c, b, c & !b];
            let keys = R::keys(outcomes, self.first, self.words[3..].iter().copied());
            let mut raised = keys;
            R::raise_turned(&mut raised, &self.row, &self.order);
            let mut bits = Vec::new();
            let found = R::bits(&keys, self.first, self.words.len() - 3, |_, word| bits.push(word));
            assert_eq!(found, outcomes[1..]);
            for (word, found) in self.words[3..].iter().zip(&bits) {
                assert_eq!(word & (b | c), *found);
            }
            let unequal = R::unequal(&keys, &raised);
            for i in 0..64 {
                assert_eq!(unequal >> i & 1 != 0, keys[i] != raised[i]);
            }
            (keys, raised, bits, unequal)
        }
    }

    /// Every instruction set does what the plain meaning says.
    #[test]
    fn rows_are_the_same_with_any_vectors() {
        let mut random = molien_testing::Random::new(2);
        for round in 0..200 {
            let words: Vec<u64> = (0..3 + round % 12).map(|_| random.number()).collect();
            let row = std::array::from_fn(|_| random.number() as ValueKey);
            let shift = random.below(64) as u16;
            let order = std::array::from_fn(|i| (i as u16 * 5 + shift) % 64);
            let both = || Both { words: &words, first: (round % 2) as ValueKey, row, order };
            assert_eq!(run(both()), both().run::<AnyProcessor>(), "round {round}");
        }
    }
}
