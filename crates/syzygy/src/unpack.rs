//! The packed values of a sub-table, decoded with every number checked.

use crate::pairs::{MAX_LEN, MAX_SYMBOLS};
use crate::raw::{Damage, nonsense};

/// A packed sub-table as it lies in a file.
pub(crate) struct RawPacked<'a> {
    pub block_bits: u8,
    pub span_bits: u8,
    pub blocks: usize,
    /// Entries of the lengths, those beyond the blocks included.
    pub lengths_len: usize,
    pub shortest: u8,
    pub lowest: Vec<u16>,
    /// The values of each symbol.
    pub symbols: Vec<Vec<u16>>,
    pub index: &'a [u8],
    pub lengths: &'a [u8],
    pub data: &'a [u8],
}

/// The values of each symbol.
pub(crate) fn expand_symbols(bytes: &[u8]) -> Result<Vec<Vec<u16>>, Damage> {
    let parts: Vec<(u16, u16)> = (bytes.chunks_exact(3))
        .map(|three| {
            let number = u32::from_le_bytes([three[0], three[1], three[2], 0]);
            ((number & 0xfff) as u16, (number >> 12) as u16)
        })
        .collect();
    if parts.len() > MAX_SYMBOLS + 1 {
        return Err(nonsense("it has too many symbols"));
    }
    let mut symbols: Vec<Option<Vec<u16>>> = vec![None; parts.len()];
    // Each round makes the symbols whose parts are known; nesting is bounded, and
    // symbols that contain themselves are never made.
    for _ in 0..=MAX_LEN {
        let mut open = false;
        for symbol in 0..parts.len() {
            if symbols[symbol].is_some() {
                continue;
            }
            let (left, right) = parts[symbol];
            if usize::from(right) == MAX_SYMBOLS {
                symbols[symbol] = Some(vec![left]);
                continue;
            }
            let halves = (symbols.get(usize::from(left)), symbols.get(usize::from(right)));
            let (Some(left), Some(right)) = halves else {
                return Err(nonsense("a symbol refers to one that does not exist"));
            };
            let (Some(left), Some(right)) = (left, right) else {
                open = true;
                continue;
            };
            if left.len() + right.len() > MAX_LEN {
                return Err(nonsense("a symbol stands for too many values"));
            }
            symbols[symbol] = Some([left.as_slice(), right].concat());
        }
        if !open {
            break;
        }
    }
    let all: Option<Vec<_>> = symbols.into_iter().collect();
    all.ok_or(nonsense("a symbol contains itself"))
}

impl RawPacked<'_> {
    fn length(&self, block: usize) -> Option<usize> {
        let bytes = self.lengths.get(2 * block..2 * block + 2)?;
        Some(usize::from(u16::from_le_bytes([bytes[0], bytes[1]])) + 1)
    }

    /// Whether the sparse index points where the block lengths say.
    pub fn check_index(&self, len: u64) -> Result<(), Damage> {
        let (mut block, mut first) = (0usize, 0u64);
        for (span, entry) in self.index.chunks_exact(6).enumerate() {
            let middle = ((span as u64) << self.span_bits) + (1 << (self.span_bits - 1));
            let wrong = nonsense("the sparse index points to a wrong place");
            while middle >= first + self.length(block).ok_or(wrong.clone())? as u64 {
                first += self.length(block).ok_or(wrong.clone())? as u64;
                block += 1;
            }
            let found = u32::from_le_bytes([entry[0], entry[1], entry[2], entry[3]]);
            let offset = u16::from_le_bytes([entry[4], entry[5]]);
            if middle < len && (found as usize != block || u64::from(offset) != middle - first) {
                return Err(wrong);
            }
        }
        Ok(())
    }

    pub fn values(&self, len: usize) -> Result<Vec<u16>, Damage> {
        let bases = self.bases()?;
        let mut values = Vec::with_capacity(len);
        for block in 0..self.blocks {
            let count = self.length(block).ok_or(Damage::Ends { part: "block lengths" })?;
            let data = &self.data[block << self.block_bits..(block + 1) << self.block_bits];
            self.decode(data, &bases, count, &mut values)?;
            if values.len() > len {
                return Err(nonsense("the blocks have more values than there are positions"));
            }
        }
        if values.len() < len {
            return Err(nonsense("the blocks have fewer values than there are positions"));
        }
        Ok(values)
    }

    /// The first code of each length, at the top of a word.
    fn bases(&self) -> Result<Vec<u64>, Damage> {
        let mut bases = vec![0u64; self.lowest.len()];
        for i in (0..self.lowest.len() - 1).rev() {
            let longer = u64::from(self.lowest[i]).checked_sub(u64::from(self.lowest[i + 1]));
            let longer = longer.ok_or(nonsense("the codes are not in order"))?;
            bases[i] = (bases[i + 1] + longer) / 2;
        }
        for (base, len) in bases.iter_mut().zip(u32::from(self.shortest)..) {
            if len < 64 && *base >> len != 0 {
                return Err(nonsense("there are more codes than fit their length"));
            }
            *base <<= 64 - len;
        }
        Ok(bases)
    }

    fn decode(
        &self,
        data: &[u8],
        bases: &[u64],
        count: usize,
        values: &mut Vec<u16>,
    ) -> Result<(), Damage> {
        let wanted = values.len() + count;
        let mut bit = 0usize;
        while values.len() < wanted {
            if bit >= 8 * data.len() {
                return Err(nonsense("a block has fewer values than its length says"));
            }
            let window = window(data, bit);
            let len = bases.iter().position(|&base| window >= base);
            let len = len.ok_or(nonsense("a block has a code that there is not"))?;
            let bits = usize::from(self.shortest) + len;
            let number = (window - bases[len]) >> (64 - bits);
            let symbol = u64::from(self.lowest[len]) + number;
            let symbol = usize::try_from(symbol).ok().and_then(|symbol| self.symbols.get(symbol));
            let symbol = symbol.ok_or(nonsense("a code has no symbol"))?;
            let left = wanted - values.len();
            values.extend_from_slice(&symbol[..symbol.len().min(left)]);
            bit += bits;
        }
        Ok(())
    }
}

/// The 32 bits and more from a bit on, at the top of a word.
fn window(data: &[u8], bit: usize) -> u64 {
    let mut bytes = [0; 8];
    let rest = &data[bit / 8..];
    let len = rest.len().min(8);
    bytes[..len].copy_from_slice(&rest[..len]);
    u64::from_be_bytes(bytes) << (bit % 8)
}
