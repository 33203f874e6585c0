//! Canonical Huffman codes as the format wants them: the longest codes come
//! first, and symbols are numbered by falling length.

/// The longest code that readers take.
const MAX_BITS: u8 = 32;

/// Lengths of the codes of symbols that occur so often; 0 for those that do
/// not occur.
pub(crate) fn code_lengths(counts: &[u64]) -> Vec<u8> {
    let mut scaled = counts.to_vec();
    loop {
        let lengths = unlimited(&scaled);
        if lengths.iter().all(|&len| len <= MAX_BITS) {
            return lengths;
        }
        // Rare symbols are made less rare until the longest code fits.
        scaled.iter_mut().for_each(|count| *count = count.div_ceil(2));
    }
}

/// Huffman's algorithm with two queues: symbols by rising count, and sums as
/// they are made, which rise by themselves.
fn unlimited(counts: &[u64]) -> Vec<u8> {
    let mut leaves: Vec<usize> = (0..counts.len()).filter(|&i| counts[i] > 0).collect();
    let mut lengths = vec![0; counts.len()];
    if let [only] = leaves[..] {
        lengths[only] = 1;
    }
    leaves.sort_by_key(|&i| counts[i]);
    // Nodes: the leaves in order, then the sums.
    let mut weights: Vec<u64> = leaves.iter().map(|&i| counts[i]).collect();
    let mut parents = vec![usize::MAX; 2 * leaves.len()];
    let (mut leaf, mut sum) = (0, leaves.len());
    for _ in 1..leaves.len() {
        let mut take = || {
            let from_leaves =
                leaf < leaves.len() && (sum >= weights.len() || weights[leaf] <= weights[sum]);
            let next = if from_leaves { &mut leaf } else { &mut sum };
            *next += 1;
            *next - 1
        };
        let (a, b) = (take(), take());
        (parents[a], parents[b]) = (weights.len(), weights.len());
        weights.push(weights[a] + weights[b]);
    }
    let mut depths = vec![0u8; weights.len()];
    for node in (0..weights.len()).rev() {
        if parents[node] != usize::MAX {
            depths[node] = depths[parents[node]].saturating_add(1);
        }
        if node < leaves.len() && leaves.len() > 1 {
            lengths[leaves[node]] = depths[node];
        }
    }
    lengths
}

/// The codes of the symbols of a sub-table.
#[derive(Clone, Debug)]
pub(crate) struct Codes {
    /// Symbols in the order of their numbers in the file.
    pub order: Vec<u16>,
    /// Their numbers.
    pub numbers: Vec<u16>,
    /// Lengths of their codes, by symbol.
    pub lengths: Vec<u8>,
    /// Lengths of the shortest and the longest code.
    pub range: (u8, u8),
    /// The lowest number of each length, the shortest length first.
    pub lowest: Vec<u16>,
    /// The code of the lowest number of each length.
    bases: Vec<u64>,
}

impl Codes {
    /// The codes for symbols that occur so often.
    pub fn new(counts: &[u64]) -> Codes {
        let lengths = code_lengths(counts);
        let mut order: Vec<u16> = (0..counts.len() as u16).collect();
        let key = |&symbol: &u16| {
            let symbol = usize::from(symbol);
            (std::cmp::Reverse(lengths[symbol]), counts[symbol], symbol)
        };
        order.sort_by_key(key);
        let mut numbers = vec![0; counts.len()];
        for (number, &symbol) in order.iter().enumerate() {
            numbers[usize::from(symbol)] = number as u16;
        }
        let longest = lengths.iter().copied().max().unwrap_or(0);
        let shortest = lengths.iter().copied().filter(|&len| len > 0).min().unwrap_or(0);
        let at_least = |len: u8| lengths.iter().filter(|&&other| other > len).count();
        let lowest: Vec<u16> = (shortest..=longest).map(|len| at_least(len) as u16).collect();
        let mut bases = vec![0; lowest.len()];
        for i in (0..lowest.len().saturating_sub(1)).rev() {
            let longer = u64::from(lowest[i]) - u64::from(lowest[i + 1]);
            bases[i] = (bases[i + 1] + longer) / 2;
        }
        Codes { order, numbers, lengths, range: (shortest, longest), lowest, bases }
    }

    /// The code of a symbol, and its length in bits.
    pub fn code(&self, symbol: u16) -> (u64, u32) {
        let len = self.lengths[usize::from(symbol)];
        let i = usize::from(len - self.range.0);
        let number = self.numbers[usize::from(symbol)];
        (self.bases[i] + u64::from(number - self.lowest[i]), u32::from(len))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_free_of_prefixes_and_fill_the_space() {
        let counts: Vec<u64> =
            (0..500u64).map(|i| if i % 7 == 3 { 0 } else { i * i % 1009 }).collect();
        let codes = Codes::new(&counts);
        let used: Vec<u16> = (0..500).filter(|&i| counts[usize::from(i)] > 0).collect();
        let total: f64 = used.iter().map(|&s| 0.5f64.powi(codes.code(s).1 as i32)).sum();
        assert_eq!(total, 1.0);
        let mut padded: Vec<(u64, u32)> =
            used.iter().map(|&s| codes.code(s)).map(|(c, l)| (c << (32 - l), l)).collect();
        padded.sort_unstable();
        for pair in padded.windows(2) {
            assert_eq!(pair[0].0 + (1 << (32 - pair[0].1)), pair[1].0);
        }
    }

    #[test]
    fn codes_are_never_too_long() {
        let mut counts = vec![1u64, 1];
        while counts.len() < 60 {
            counts.push(counts[counts.len() - 1] + counts[counts.len() - 2]);
        }
        assert!(unlimited(&counts).iter().any(|&len| len > MAX_BITS));
        assert!(code_lengths(&counts).iter().all(|&len| len <= MAX_BITS));
        assert_eq!(code_lengths(&[0, 7, 0]), [0, 1, 0]);
    }
}
