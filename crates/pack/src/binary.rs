//! An adaptive coder of bits for models: small numbers that are alike.
//!
//! A range coder in the manner of LZMA's: each bit has a context, a probability
//! that learns from the bits it has seen.

/// Probabilities are in 4096ths.
const ONE: u16 = 1 << 12;
/// How fast they learn.
const RATE: u16 = 4;

/// The probability that a bit is 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context(u16);

impl Default for Context {
    fn default() -> Context {
        Context(ONE / 2)
    }
}

impl Context {
    #[inline]
    fn learn(&mut self, bit: bool) {
        if bit {
            self.0 -= self.0 >> RATE;
        } else {
            self.0 += (ONE - self.0) >> RATE;
        }
    }
}

/// Contexts for a number of so many bits, highest first.
#[derive(Clone, Debug)]
pub(crate) struct Number {
    bits: u32,
    contexts: Vec<Context>,
}

impl Number {
    pub fn new(bits: u32) -> Number {
        Number { bits, contexts: vec![Context::default(); 1 << bits] }
    }

    /// Enough for numbers below a limit.
    pub fn below(limit: usize) -> Number {
        Number::new(usize::BITS - limit.saturating_sub(1).leading_zeros())
    }
}

/// Either writes bits or reads them: what is coded is said once for both.
pub(crate) trait Coder {
    /// Codes a bit: writes the one given, or reads one and ignores it.
    fn bit(&mut self, context: &mut Context, bit: bool) -> bool;

    /// Codes a number.
    fn number(&mut self, number: &mut Number, value: usize) -> usize {
        let mut node = 1;
        for i in (0..number.bits).rev() {
            let bit = self.bit(&mut number.contexts[node], value >> i & 1 != 0);
            node = node << 1 | usize::from(bit);
        }
        node - (1 << number.bits)
    }
}

/// Writes.
pub(crate) struct Writer {
    low: u64,
    range: u32,
    /// The byte that waits for a carry, and how many wait: it and 0xff bytes
    /// behind it.
    cache: u8,
    waiting: u64,
    bytes: Vec<u8>,
}

impl Writer {
    pub fn new() -> Writer {
        Writer { low: 0, range: !0, cache: 0, waiting: 1, bytes: Vec::new() }
    }

    fn shift(&mut self) {
        if self.low < 0xff00_0000 || self.low > 0xffff_ffff {
            let carry = (self.low >> 32) as u8;
            self.bytes.push(self.cache.wrapping_add(carry));
            for _ in 1..self.waiting {
                self.bytes.push(0xffu8.wrapping_add(carry));
            }
            self.waiting = 0;
            self.cache = (self.low >> 24) as u8;
        }
        self.waiting += 1;
        self.low = (self.low & 0x00ff_ffff) << 8;
    }

    /// The bytes. The first one, always 0, and zeros at the end are left out.
    pub fn finish(mut self) -> Vec<u8> {
        for _ in 0..5 {
            self.shift();
        }
        let mut bytes = self.bytes.split_off(1);
        while bytes.last() == Some(&0) {
            bytes.pop();
        }
        bytes
    }
}

impl Coder for Writer {
    fn bit(&mut self, context: &mut Context, bit: bool) -> bool {
        let bound = (self.range >> 12) * u32::from(context.0);
        if bit {
            self.low += u64::from(bound);
            self.range -= bound;
        } else {
            self.range = bound;
        }
        context.learn(bit);
        while self.range < 1 << 24 {
            self.range <<= 8;
            self.shift();
        }
        bit
    }
}

/// Reads; behind the last byte there are zeros without end.
pub(crate) struct Reader<'a> {
    code: u32,
    range: u32,
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        let mut reader = Reader { code: 0, range: !0, bytes };
        for _ in 0..4 {
            reader.shift();
        }
        reader
    }

    fn shift(&mut self) {
        let (byte, rest) = self.bytes.split_first().map_or((0, self.bytes), |(b, r)| (*b, r));
        self.bytes = rest;
        self.code = self.code << 8 | u32::from(byte);
    }
}

impl Coder for Reader<'_> {
    fn bit(&mut self, context: &mut Context, _: bool) -> bool {
        let bound = (self.range >> 12) * u32::from(context.0);
        let bit = self.code >= bound;
        if bit {
            self.code -= bound;
            self.range -= bound;
        } else {
            self.range = bound;
        }
        context.learn(bit);
        while self.range < 1 << 24 {
            self.range <<= 8;
            self.shift();
        }
        bit
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn reading_gives_the_numbers_back(values in prop::collection::vec(0usize..200, 0..600)) {
            let mut contexts = Number::new(8);
            let mut writer = Writer::new();
            for &value in &values {
                writer.number(&mut contexts, value);
            }
            let bytes = writer.finish();
            let mut contexts = Number::new(8);
            let mut reader = Reader::new(&bytes);
            for &value in &values {
                prop_assert_eq!(reader.number(&mut contexts, 0), value);
            }
        }
    }
}
