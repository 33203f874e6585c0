//! Rising numbers in few bits (Elias and Fano): the low bits as they are, the
//! rest as a row of ones and zeros.

use crate::error::PackError;

/// Low bits of each of `count` numbers up to `last`.
fn low_bits(count: usize, last: u64) -> u32 {
    (last / (count as u64).max(1)).checked_ilog2().unwrap_or(0)
}

#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    len: usize,
}

impl Bits {
    fn push(&mut self, bit: bool) {
        if self.len.is_multiple_of(8) {
            self.bytes.push(0);
        }
        if let Some(last) = self.bytes.last_mut() {
            *last |= u8::from(bit) << (self.len % 8);
        }
        self.len += 1;
    }
}

/// The bytes of rising numbers; how many there are and the last one have to be
/// known to the reader.
pub(crate) fn write_rising(numbers: &[u64]) -> Vec<u8> {
    let low = low_bits(numbers.len(), numbers.last().copied().unwrap_or(0));
    let mut bits = Bits::default();
    for number in numbers {
        (0..low).for_each(|i| bits.push(number >> i & 1 != 0));
    }
    let mut before = 0;
    for number in numbers {
        (before..number >> low).for_each(|_| bits.push(false));
        bits.push(true);
        before = number >> low;
    }
    bits.bytes
}

/// Reads `count` numbers, of which the last is known, and leaves `bytes` behind
/// them.
///
/// # Errors
/// If the bytes are too few or say something else.
pub(crate) fn read_rising(
    bytes: &mut &[u8],
    count: usize,
    last: u64,
) -> Result<Vec<u64>, PackError> {
    let short = PackError::Short { part: "index" };
    let low = low_bits(count, last);
    // Every number has its low bits and a one, every step a zero.
    let len =
        (count as u64).checked_mul(u64::from(low) + 1).and_then(|n| n.checked_add(last >> low));
    let len = len.map(|bits| bits.div_ceil(8)).filter(|&len| len <= bytes.len() as u64);
    let (own, rest) = bytes.split_at(len.ok_or(short.clone())? as usize);
    *bytes = rest;
    let bit = |at: usize| own.get(at / 8).map(|byte| byte >> (at % 8) & 1);
    let mut numbers = Vec::with_capacity(count);
    let (mut at, mut high) = (count * low as usize, 0u64);
    for i in 0..count {
        while bit(at).ok_or(short.clone())? == 0 {
            high += 1;
            at += 1;
        }
        at += 1;
        let first = i * low as usize;
        let lows = (0..low as usize).map(|j| u64::from(bit(first + j).unwrap_or(0)) << j);
        numbers.push(lows.fold(high << low, |number, bit| number | bit));
    }
    let found = numbers.last().copied().unwrap_or(0);
    if found != last || !numbers.is_sorted() {
        return Err(PackError::Range { what: "the last number of an index", most: last, found });
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_come_back(mut numbers in prop::collection::vec(0u64..100_000, 0..200)) {
            numbers.sort_unstable();
            let bytes = write_rising(&numbers);
            let mut left = &bytes[..];
            let last = numbers.last().copied().unwrap_or(0);
            prop_assert_eq!(read_rising(&mut left, numbers.len(), last), Ok(numbers));
            prop_assert!(left.is_empty());
        }
    }
}
