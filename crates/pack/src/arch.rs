//! Work compiled once per instruction set, chosen at run time.
#![expect(unsafe_code, reason = "calls a function compiled for a detected instruction set")]

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m256i, _mm256_add_epi8, _mm256_and_si256, _mm256_cmpeq_epi8, _mm256_set1_epi8,
    _mm256_set1_epi64x, _mm256_setzero_si256, _mm256_shuffle_epi8,
};

/// For each of 64 numbers the byte of a set in which its bit is, and the bit of this byte.
pub(crate) type Places = [[u8; 64]; 2];

/// The numbers of columns, in their order.
pub(crate) static COLUMN_BY_COLUMN: Places = {
    let mut places = [[0; 64]; 2];
    let mut column = 0;
    while column < 64 {
        places[0][column] = column as u8 / 8;
        places[1][column] = 1 << (column % 8);
        column += 1;
    }
    places
};

/// Something to do whose loops gain by wide vectors. `run` and what it calls must be
/// `#[inline(always)]` to be compiled with each set.
pub(crate) trait Vectored {
    type Out;
    fn run(self) -> Self::Out;
}

/// Does some work with the widest vectors there are.
#[inline]
pub(crate) fn fastest<W: Vectored>(work: W) -> W::Out {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
    {
        // SAFETY: the processor has all that the function is compiled for.
        return unsafe { with_avx2(work) };
    }
    work.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn with_avx2<W: Vectored>(work: W) -> W::Out {
    work.run()
}

/// For each of 64 numbers, the weights of the sets in which its bit is.
#[inline(always)]
pub(crate) fn sum_sets<const N: usize>(
    places: &Places,
    sets: [u64; N],
    weights: [u8; N],
) -> [u8; 64] {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has what the function is compiled for.
        return unsafe { sum_sets_avx2(places, sets, weights) };
    }
    sum_sets_lane_by_lane(places, sets, weights)
}

fn sum_sets_lane_by_lane<const N: usize>(
    places: &Places,
    sets: [u64; N],
    weights: [u8; N],
) -> [u8; 64] {
    let [bytes, bits] = places;
    std::array::from_fn(|lane| {
        let weight = |(set, weight): (&u64, &u8)| {
            let byte = set.to_le_bytes()[usize::from(bytes[lane] % 8)];
            if byte & bits[lane] != 0 { *weight } else { 0 }
        };
        sets.iter().zip(&weights).map(weight).sum()
    })
}

/// The same, 32 lanes at once: each gets the byte of its column, and keeps a bit of it.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
fn sum_sets_avx2<const N: usize>(places: &Places, sets: [u64; N], weights: [u8; N]) -> [u8; 64] {
    // SAFETY: both are 64 bytes, any of which may have any value.
    let [bytes, bits] =
        places.map(|places| unsafe { std::mem::transmute::<[u8; 64], [__m256i; 2]>(places) });
    let mut sums = [_mm256_setzero_si256(); 2];
    for (set, weight) in sets.into_iter().zip(weights) {
        let (set, weight) = (_mm256_set1_epi64x(set as i64), _mm256_set1_epi8(weight as i8));
        for half in 0..2 {
            let own = _mm256_and_si256(_mm256_shuffle_epi8(set, bytes[half]), bits[half]);
            let is_in = _mm256_cmpeq_epi8(own, bits[half]);
            sums[half] = _mm256_add_epi8(sums[half], _mm256_and_si256(is_in, weight));
        }
    }
    // SAFETY: as above.
    unsafe { std::mem::transmute::<[__m256i; 2], [u8; 64]>(sums) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::BYTE_AND_BIT;

    #[test]
    fn sums_are_those_lane_by_lane() {
        let sets = [0x0123_4567_89ab_cdef, 0xfeed_beef_1234_5678, 1 << 63 | 1, !0];
        let weights = [1, 2, 4, 8];
        for places in [&COLUMN_BY_COLUMN, &BYTE_AND_BIT] {
            let alone = sum_sets_lane_by_lane(places, sets, weights);
            assert_eq!(sum_sets(places, sets, weights), alone);
        }
    }
}
