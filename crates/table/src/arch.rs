//! Work compiled once per instruction set, chosen at run time.
#![expect(unsafe_code, reason = "calls functions compiled for a detected instruction set")]

use crate::key::{Key, NONE_KEY, win};

/// Something to do whose inner loops gain by wide vectors. `run` and what it
/// calls must be `#[inline(always)]` to be compiled with each set.
pub(crate) trait Work {
    type Out;
    fn run<R: Rows>(self) -> Self::Out;
}

/// What is done with rows of 64 keys. The methods are the meaning, for any
/// processor.
pub(crate) trait Rows {
    /// The keys of 64 cells of which those of `legal` are positions, those of
    /// `good` won and those of `bad` lost, in `first` plies and those whose
    /// bits are in `depth`.
    #[inline(always)]
    fn keys(
        [legal, good, bad]: [u64; 3],
        first: Key,
        depth: impl Iterator<Item = u64> + Clone,
    ) -> [Key; 64] {
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

    /// Raises keys to those of another row taken in this order.
    #[inline(always)]
    fn raise_turned(row: &mut [Key; 64], other: &[Key; 64], order: &[u16; 64]) {
        for (key, &from) in row.iter_mut().zip(order) {
            *key = (*key).max(other[usize::from(from & 63)]);
        }
    }
}

/// Adds a value to the keys of the bits that are set.
#[inline(always)]
fn add_where(bits: u16, value: Key, keys: &mut [Key; 16]) {
    for (i, key) in keys.iter_mut().enumerate() {
        // All ones or all zeros, without a branch.
        let bit = 1 << i;
        *key += -i16::from(bits & bit == bit) & value;
    }
}

/// Any processor.
pub(crate) struct Plain;

impl Rows for Plain {}

/// A processor with the features that `with_avx512` enables; used nowhere
/// else.
#[cfg(target_arch = "x86_64")]
struct Avx512;

#[cfg(target_arch = "x86_64")]
impl Rows for Avx512 {
    #[inline(always)]
    fn keys(
        [legal, good, bad]: [u64; 3],
        first: Key,
        depth: impl Iterator<Item = u64> + Clone,
    ) -> [Key; 64] {
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
            std::mem::transmute::<[__m512i; 2], [Key; 64]>(halves)
        }
    }

    #[inline(always)]
    fn raise_turned(row: &mut [Key; 64], other: &[Key; 64], order: &[u16; 64]) {
        use std::arch::x86_64::*;
        // SAFETY: as above.
        unsafe {
            let [low, high] = std::mem::transmute::<[Key; 64], [__m512i; 2]>(*other);
            let order = std::mem::transmute::<[u16; 64], [__m512i; 2]>(*order);
            let mut halves = std::mem::transmute::<[Key; 64], [__m512i; 2]>(*row);
            for (half, order) in halves.iter_mut().zip(order) {
                let turned = _mm512_permutex2var_epi16(low, order, high);
                *half = _mm512_max_epi16(*half, turned);
            }
            *row = std::mem::transmute::<[__m512i; 2], [Key; 64]>(halves);
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt")]
fn with_avx512<W: Work>(work: W) -> W::Out {
    work.run::<Avx512>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn with_avx2<W: Work>(work: W) -> W::Out {
    work.run::<Plain>()
}

/// Does it with the widest vectors of this processor.
#[inline]
pub(crate) fn run<W: Work>(work: W) -> W::Out {
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
    work.run::<Plain>()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Both<'a> {
        words: &'a [u64],
        first: Key,
        row: [Key; 64],
        order: [u16; 64],
    }

    impl Work for Both<'_> {
        type Out = ([Key; 64], [Key; 64]);

        #[inline(always)]
        fn run<R: Rows>(self) -> Self::Out {
            let [a, b, c] = [self.words[0], self.words[1], self.words[2]];
            let outcomes = [a | b | c, b, c & !b];
            let keys = R::keys(outcomes, self.first, self.words[3..].iter().copied());
            let mut raised = keys;
            R::raise_turned(&mut raised, &self.row, &self.order);
            (keys, raised)
        }
    }

    /// Every instruction set does what the plain meaning says.
    #[test]
    fn rows_are_the_same_with_any_vectors() {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        for round in 0..200 {
            let words: Vec<u64> = (0..3 + round % 12).map(|_| random()).collect();
            let row = std::array::from_fn(|_| random() as Key);
            let shift = (random() % 64) as u16;
            let order = std::array::from_fn(|i| (i as u16 * 5 + shift) % 64);
            let both = || Both { words: &words, first: (round % 2) as Key, row, order };
            assert_eq!(run(both()), both().run::<Plain>(), "round {round}");
        }
    }
}
