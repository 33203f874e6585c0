//! Symbols packed into blocks of equal size, and the index that finds the block
//! of a value.

use crate::huffman::Codes;
use crate::pairs::{Dictionary, Symbol};

/// The most values of a block: its length less one is stored in 16 bits.
const MAX_VALUES: u64 = 1 << 16;

/// A packed sub-table.
#[derive(Clone, Debug)]
pub(crate) struct Packed {
    /// The size of a block is 2 to this power, in bytes.
    pub block_bits: u8,
    /// There is an entry of the sparse index for 2 to this power values.
    pub span_bits: u8,
    pub dictionary: Dictionary,
    pub codes: Codes,
    /// How many blocks there are.
    pub blocks: u32,
    /// Values of each block, less one; entries beyond the last block serve
    /// the sparse index.
    pub lengths: Vec<u16>,
    /// For the middle of each span: its block and its place there.
    pub index: Vec<(u32, u16)>,
    pub data: Vec<u8>,
}

/// Packs symbols, with the block size up to the largest one that makes the
/// result smallest.
pub(crate) fn pack(
    symbols: &[u16],
    dictionary: Dictionary,
    values: u64,
    block_bits: std::ops::RangeInclusive<u8>,
) -> Packed {
    let mut counts = vec![0u64; dictionary.len()];
    symbols.iter().for_each(|&symbol| counts[usize::from(symbol)] += 1);
    let codes = Codes::new(&counts);
    let stand_ins = stand_ins(&dictionary, &codes);
    let size = |&bits: &u8| {
        let mut filler = Filler::new(&dictionary, &codes, &stand_ins, bits, false);
        filler.fill(symbols);
        let blocks = filler.lengths.len() as u64;
        (blocks << bits) + 2 * blocks + 6 * values.div_ceil(1 << span_bits(values, blocks))
    };
    // Of equal sizes the largest block, which comes first.
    let best = block_bits.clone().rev().min_by_key(size).unwrap_or(*block_bits.end());
    let mut filler = Filler::new(&dictionary, &codes, &stand_ins, best, true);
    filler.fill(symbols);
    let (mut lengths, data) = (filler.lengths, filler.data);
    let blocks = lengths.len() as u32;
    let span_bits = span_bits(values, u64::from(blocks));
    let index = sparse_index(values, span_bits, &mut lengths);
    Packed { block_bits: best, span_bits, dictionary, codes, blocks, lengths, index, data }
}

/// Spans are some sixteen to thirty-two blocks long.
fn span_bits(values: u64, blocks: u64) -> u8 {
    let per_block = values / blocks.max(1);
    let mut bits = (64 - per_block.leading_zeros()) as u8 + 4;
    while bits > 1 && 1u64 << (bits - 1) > values {
        bits -= 1;
    }
    bits
}

/// The entries of the sparse index. The middle of the last span may lie beyond
/// the last value: then lengths are added for blocks that do not exist.
fn sparse_index(values: u64, span_bits: u8, lengths: &mut Vec<u16>) -> Vec<(u32, u16)> {
    let spans = values.div_ceil(1 << span_bits);
    let (mut block, mut first) = (0usize, 0u64);
    (0..spans)
        .map(|span| {
            let middle = (span << span_bits) + (1 << (span_bits - 1));
            loop {
                if block == lengths.len() {
                    lengths.push(u16::MAX);
                }
                let end = first + u64::from(lengths[block]) + 1;
                if middle < end {
                    return (block as u32, (middle - first) as u16);
                }
                first = end;
                block += 1;
            }
        })
        .collect()
}

/// For each symbol, the one with the shortest code among itself and those
/// that begin with it. At the end of a block it will do: what it stands for
/// beyond the block's values is not read.
fn stand_ins(dictionary: &Dictionary, codes: &Codes) -> Vec<u16> {
    let coded = |symbol: u16| codes.lengths[usize::from(symbol)];
    let mut best: Vec<u16> = (0..dictionary.len() as u16).collect();
    for symbol in (0..dictionary.len() as u16).filter(|&symbol| coded(symbol) > 0) {
        let mut head = symbol;
        while let Symbol::Pair(first, _) = dictionary.symbols[usize::from(head)] {
            let old = &mut best[usize::from(first)];
            if coded(*old) == 0 || coded(symbol) < coded(*old) {
                *old = symbol;
            }
            head = first;
        }
    }
    best
}

/// Fills blocks with symbols.
struct Filler<'a> {
    dictionary: &'a Dictionary,
    codes: &'a Codes,
    stand_ins: &'a [u16],
    block_bits: u8,
    /// Write data, not only count blocks.
    write: bool,
    lengths: Vec<u16>,
    data: Vec<u8>,
    /// Of the block being filled: bits and values so far.
    bits: u64,
    values: u64,
    buffer: u64,
    buffered: u32,
}

impl<'a> Filler<'a> {
    fn new(
        dictionary: &'a Dictionary,
        codes: &'a Codes,
        stand_ins: &'a [u16],
        block_bits: u8,
        write: bool,
    ) -> Filler<'a> {
        Filler {
            dictionary,
            codes,
            stand_ins,
            block_bits,
            write,
            lengths: Vec::new(),
            data: Vec::new(),
            bits: 0,
            values: 0,
            buffer: 0,
            buffered: 0,
        }
    }

    fn fill(&mut self, symbols: &[u16]) {
        symbols.iter().for_each(|&symbol| self.add(symbol));
        if self.values > 0 {
            self.end_block();
        }
    }

    fn len(&self, symbol: u16) -> u64 {
        u64::from(self.dictionary.lens[usize::from(symbol)])
    }

    fn code_len(&self, symbol: u16) -> u64 {
        u64::from(self.codes.lengths[usize::from(symbol)])
    }

    fn fits(&self, symbol: u16) -> bool {
        let len = self.code_len(symbol);
        len > 0 && self.bits + len <= 8 << self.block_bits
    }

    fn add(&mut self, symbol: u16) {
        let len = self.len(symbol);
        if self.values + len > MAX_VALUES {
            self.end_block();
        }
        if self.fits(symbol) {
            return self.put(symbol, len);
        }
        let stand_in = self.stand_ins[usize::from(symbol)];
        if self.fits(stand_in) {
            self.put(stand_in, len);
            return self.end_block();
        }
        if let Symbol::Pair(first, second) = self.dictionary.symbols[usize::from(symbol)]
            && self.split(first, second)
        {
            return;
        }
        self.end_block();
        self.put(symbol, len);
    }

    /// Puts the first half of a pair, or what stands in for it, at the end of
    /// the block, and the second after it or into the next block, if that is no
    /// longer.
    fn split(&mut self, first: u16, second: u16) -> bool {
        let end = self.stand_ins[usize::from(second)];
        let (first_len, second_len) = (self.len(first), self.len(second));
        if self.fits(first) && self.code_len(end) > 0 {
            let both = self.bits + self.code_len(first) + self.code_len(end);
            if both <= 8 << self.block_bits {
                self.put(first, first_len);
                self.put(end, second_len);
                self.end_block();
                return true;
            }
        }
        let end = if self.fits(first) { first } else { self.stand_ins[usize::from(first)] };
        if !self.fits(end) || self.code_len(second) == 0 {
            return false;
        }
        self.put(end, first_len);
        self.end_block();
        self.put(second, second_len);
        true
    }

    /// Puts a symbol, of which so many values are meant.
    fn put(&mut self, symbol: u16, values: u64) {
        let (code, len) = self.codes.code(symbol);
        self.bits += u64::from(len);
        self.values += values;
        if !self.write {
            return;
        }
        self.buffered += len;
        self.buffer |= code << (64 - self.buffered);
        while self.buffered >= 8 {
            self.data.push((self.buffer >> 56) as u8);
            self.buffer <<= 8;
            self.buffered -= 8;
        }
    }

    fn end_block(&mut self) {
        self.lengths.push((self.values - 1) as u16);
        (self.bits, self.values) = (0, 0);
        if self.write {
            if self.buffered > 0 {
                self.data.push((self.buffer >> 56) as u8);
            }
            (self.buffer, self.buffered) = (0, 0);
            self.data.resize(self.lengths.len() << self.block_bits, 0);
        }
    }
}
