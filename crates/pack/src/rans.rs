//! The entropy coder: rANS with static frequencies, byte by byte.
//!
//! A stream has no head and no end mark: the state starts at zero in the
//! encoder, and only its significant bytes are kept; a reader that has used up
//! the bytes goes on with what is left of the state. A symbol whose interval
//! starts at zero costs nothing at the end of a stream, so a stream of likely
//! symbols has no bytes at all. Streams here have some tens of bytes: the two to
//! eight bytes that general coders spend on sealing each one would cost more
//! than the rest of this crate gains, and that is why these few lines are our
//! own.

use std::sync::LazyLock;

use crate::error::PackError;

/// Frequencies of a leaf add up to this.
pub const TOTAL: u32 = 1 << TOTAL_BITS;
pub(crate) const TOTAL_BITS: u32 = 14;
/// The state stays above this where bytes are left.
const LOW: u32 = 1 << 23;

/// For each size of an interval what to multiply with to divide by it.
static INVERSES: LazyLock<Vec<u64>> =
    LazyLock::new(|| (0..=u64::from(TOTAL)).map(|size| INVERSE.div_ceil(size.max(1))).collect());
/// Exact for states below 2^31 and sizes up to 2^14: an inverse is too large by less than 1, so
/// the quotient comes out too large by less than 2^31 / 2^45 = 2^-14, which is at most 1 / size;
/// and the true quotient is at least 1 / size below the next whole number.
const INVERSE: u64 = 1 << 45;

/// The state divided by the size whose inverse this is.
#[inline]
fn divide(state: u32, inverse: u64) -> u32 {
    ((u128::from(state) * u128::from(inverse)) >> INVERSE.ilog2()) as u32
}

/// The bytes of some symbols, given by the start and the size of their intervals, which are
/// not all there is. The last one is coded first.
pub(crate) fn encode<'a>(symbols: impl DoubleEndedIterator<Item = &'a (u16, u16)>) -> Vec<u8> {
    let inverses = &INVERSES[..];
    let mut state: u32 = 0;
    let mut bytes = Vec::new();
    // Nothing comes of likely symbols at the end.
    for &(start, size) in symbols.rev().skip_while(|symbol| symbol.0 == 0) {
        let inverse = inverses[usize::from(size)];
        let (start, size) = (u32::from(start), u32::from(size));
        let limit = ((LOW >> TOTAL_BITS) << 8) * size;
        while state >= limit {
            bytes.push(state as u8);
            state >>= 8;
        }
        let whole = divide(state, inverse);
        state = (whole << TOTAL_BITS) + start + state - whole * size;
    }
    while state > 0 {
        bytes.push(state as u8);
        state >>= 8;
    }
    bytes.reverse();
    bytes
}

/// Reads symbols.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decoder<'a> {
    state: u32,
    bytes: &'a [u8],
}

impl<'a> Decoder<'a> {
    pub fn new(bytes: &'a [u8]) -> Decoder<'a> {
        Decoder { state: 0, bytes }.filled_at_end()
    }

    #[inline(always)]
    fn fill(&mut self) {
        let Some((&[first, second], _)) = self.bytes.split_first_chunk() else {
            *self = self.filled_at_end();
            return;
        };
        // At most two bytes are missing; which of them is not worth a branch.
        let missing = usize::from(self.state < LOW) + usize::from(self.state < LOW >> 8);
        let next = u32::from(first) << 8 | u32::from(second);
        self.state = self.state << (8 * missing) | next >> (16 - 8 * missing);
        self.bytes = &self.bytes[missing..];
    }

    /// The same where bytes are running out, or many are missing. By value, as a decoder
    /// that is lent stays in memory and not in registers.
    #[cold]
    fn filled_at_end(mut self) -> Decoder<'a> {
        while self.state < LOW {
            let Some((&byte, rest)) = self.bytes.split_first() else { break };
            self.state = self.state << 8 | u32::from(byte);
            self.bytes = rest;
        }
        self
    }

    /// A number below [`TOTAL`], which lies in the next symbol's interval.
    #[inline(always)]
    pub fn peek(&self) -> u32 {
        self.state & (TOTAL - 1)
    }

    /// Goes on behind the symbol with this interval, which has to contain
    /// [`Decoder::peek`].
    #[inline(always)]
    pub fn advance(&mut self, start: u32, size: u32) {
        self.state = size * (self.state >> TOTAL_BITS) + (self.state & (TOTAL - 1)) - start;
        self.fill();
    }

    /// The same behind a symbol whose interval starts at zero and is nearly all there is: bytes are
    /// hardly ever missing.
    #[inline(always)]
    pub fn advance_likely(&mut self, size: u32) {
        self.state = size * (self.state >> TOTAL_BITS) + (self.state & (TOTAL - 1));
        if self.state < LOW && !self.bytes.is_empty() {
            self.fill();
        }
    }

    /// Whether nothing is left, so that all symbols from here on are the likeliest.
    pub fn is_at_end(&self) -> bool {
        self.bytes.is_empty() && self.state == 0
    }

    /// Checks that nothing is left: true of a stream read to its end.
    ///
    /// # Errors
    /// If something is left.
    pub fn end(&self) -> Result<(), PackError> {
        let rest = self.bytes.len();
        if self.is_at_end() { Ok(()) } else { Err(PackError::StreamLeft { rest }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Intervals of three symbols.
    const INTERVALS: [(u16, u16); 3] = [(0, 16000), (16000, 383), (16383, 1)];

    #[test]
    fn inverses_divide() {
        let mut random = crate::picks::Random::new(5);
        for size in 1..=TOTAL {
            let limit = ((LOW >> TOTAL_BITS) << 8) * size;
            for state in [0, size - 1, size, limit - 1, limit - size, random.next() as u32 % limit]
            {
                let whole = divide(state, INVERSES[size as usize]);
                assert_eq!(whole, state / size, "{state} {size}");
            }
        }
    }

    #[test]
    fn likely_symbols_cost_nothing() {
        assert_eq!(encode([(0, 16383); 1000].iter()), []);
    }

    proptest! {
        #[test]
        fn decoding_gives_the_symbols_back(symbols in prop::collection::vec(0usize..3, 0..400)) {
            let intervals: Vec<(u16, u16)> = symbols.iter().map(|&symbol| INTERVALS[symbol]).collect();
            let bytes = encode(intervals.iter());
            let mut decoder = Decoder::new(&bytes);
            for &symbol in &symbols {
                let (start, size) = INTERVALS[symbol];
                let (start, size) = (u32::from(start), u32::from(size));
                prop_assert!((start..start + size).contains(&decoder.peek()));
                decoder.advance(start, size);
            }
            prop_assert!(decoder.end().is_ok());
        }
    }
}
