//! Recursive pairing: the most frequent pair of neighbours becomes a new
//! symbol, again and again.

/// The most symbols a sub-table may have: their numbers have 12 bits, and the
/// last one marks those that are single values.
pub(crate) const MAX_SYMBOLS: usize = 4095;
/// The most values a symbol may stand for.
pub(crate) const MAX_LEN: usize = 256;
/// The deepest nesting of pairs that readers follow.
pub(crate) const MAX_HEIGHT: u8 = 16;
/// New symbols of one pass at most.
const BATCH: usize = 256;

/// A symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Symbol {
    /// One value.
    Value(u16),
    /// Two symbols, one after the other.
    Pair(u16, u16),
}

/// The symbols of a sub-table; those of a pair come before it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dictionary {
    pub symbols: Vec<Symbol>,
    /// How many values each stands for.
    pub lens: Vec<u16>,
    heights: Vec<u8>,
}

impl Dictionary {
    /// A dictionary of single values.
    pub fn of_values(values: impl Iterator<Item = u16>) -> Dictionary {
        let mut dictionary = Dictionary::default();
        values.for_each(|value| dictionary.push_value(value));
        dictionary
    }

    /// Adds a value.
    pub fn push_value(&mut self, value: u16) {
        self.symbols.push(Symbol::Value(value));
        self.lens.push(1);
        self.heights.push(0);
    }

    /// How many symbols there are.
    pub fn len(&self) -> usize {
        self.symbols.len()
    }

    fn can_pair(&self, first: usize, second: usize) -> bool {
        let height = self.heights[first].max(self.heights[second]);
        usize::from(self.lens[first]) + usize::from(self.lens[second]) <= MAX_LEN
            && height < MAX_HEIGHT
    }

    /// Adds a pair.
    pub fn push(&mut self, first: u16, second: u16) {
        let (a, b) = (usize::from(first), usize::from(second));
        self.lens.push(self.lens[a] + self.lens[b]);
        self.heights.push(1 + self.heights[a].max(self.heights[b]));
        self.symbols.push(Symbol::Pair(first, second));
    }

    /// Appends the values that a symbol stands for.
    pub fn expand(&self, symbol: u16, out: &mut Vec<u16>) {
        match self.symbols[usize::from(symbol)] {
            Symbol::Value(value) => out.push(value),
            Symbol::Pair(a, b) => {
                self.expand(a, out);
                self.expand(b, out);
            }
        }
    }
}

/// Counts of neighbours, and which of them are frequent.
struct Counts {
    stride: usize,
    counts: Vec<i32>,
    /// Pairs that have been frequent at some time.
    frequent: Vec<u32>,
    least: i32,
}

impl Counts {
    fn new(stride: usize, least: i32) -> Counts {
        Counts { stride, counts: vec![0; stride * stride], frequent: Vec::new(), least }
    }

    fn more(&mut self, first: u16, second: u16) {
        let pair = usize::from(first) * self.stride + usize::from(second);
        self.counts[pair] += 1;
        if self.counts[pair] == self.least {
            self.frequent.push(pair as u32);
        }
    }

    fn less(&mut self, first: u16, second: u16) {
        self.counts[usize::from(first) * self.stride + usize::from(second)] -= 1;
    }

    /// How often a pair could be replaced.
    fn uses(&self, pair: u32) -> i32 {
        let count = self.counts[pair as usize];
        let (first, second) = (pair as usize / self.stride, pair as usize % self.stride);
        // In a run of one symbol every other pair is in the way.
        if first == second { (count + 1) / 2 } else { count }
    }

    /// The most frequent pairs of a pass: none takes a symbol that another
    /// ends or begins with, and none is much rarer than the first.
    fn batch(&mut self, dictionary: &Dictionary, room: usize) -> Vec<(u16, u16)> {
        let mut frequent = std::mem::take(&mut self.frequent);
        frequent.sort_unstable();
        frequent.dedup();
        frequent.retain(|&pair| self.counts[pair as usize] >= self.least);
        let split = |pair: u32| (pair as usize / self.stride, pair as usize % self.stride);
        let mut found: Vec<(i32, u32)> = frequent
            .iter()
            .map(|&pair| (self.uses(pair), pair))
            .filter(|&(uses, pair)| {
                let (first, second) = split(pair);
                uses >= self.least && dictionary.can_pair(first, second)
            })
            .collect();
        self.frequent = frequent;
        found.sort_unstable_by_key(|&(uses, pair)| (std::cmp::Reverse(uses), pair));
        let most = found.first().map_or(0, |&(uses, _)| uses);
        let (mut begins, mut ends) = (vec![false; self.stride], vec![false; self.stride]);
        let mut batch = Vec::new();
        for &(_, pair) in found.iter().take_while(|&&(uses, _)| uses > most / 2) {
            let (first, second) = split(pair);
            if !ends[first] && !begins[second] && batch.len() < room.min(BATCH) {
                batch.push((first as u16, second as u16));
            }
            begins[first] = true;
            ends[second] = true;
        }
        batch
    }
}

/// Pairs up the symbols of `data` until the dictionary has `most` symbols or
/// no pair occurs `least` times.
pub(crate) fn pair_up(data: &mut Vec<u16>, dictionary: &mut Dictionary, most: usize, least: i32) {
    let mut counts = Counts::new(most.max(dictionary.len()), least.max(2));
    for pair in data.windows(2) {
        counts.more(pair[0], pair[1]);
    }
    while dictionary.len() < most {
        let batch = counts.batch(dictionary, most - dictionary.len());
        if batch.is_empty() {
            break;
        }
        replace(data, dictionary, &batch, &mut counts);
    }
}

/// Replaces the pairs of a batch by new symbols, keeping the counts.
fn replace(
    data: &mut Vec<u16>,
    dictionary: &mut Dictionary,
    batch: &[(u16, u16)],
    counts: &mut Counts,
) {
    // Rows of new symbols by the second of the pair, for those that are first.
    let stride = counts.stride;
    let mut row_of = vec![u16::MAX; stride];
    let mut rows: Vec<u16> = Vec::new();
    for &(first, second) in batch {
        let row = &mut row_of[usize::from(first)];
        if *row == u16::MAX {
            *row = (rows.len() / stride) as u16;
            rows.resize(rows.len() + stride, u16::MAX);
        }
        rows[usize::from(*row) * stride + usize::from(second)] = dictionary.len() as u16;
        dictionary.push(first, second);
    }
    let (mut read, mut write) = (0, 0);
    // The last symbol written, and the last of the old symbols it stands for.
    let mut last: Option<(u16, u16)> = None;
    while read < data.len() {
        let symbol = data[read];
        let mut new = symbol;
        let mut tail = symbol;
        let row = row_of[usize::from(symbol)];
        if row != u16::MAX && read + 1 < data.len() {
            let next = data[read + 1];
            let found = rows[usize::from(row) * stride + usize::from(next)];
            if found != u16::MAX {
                (new, tail) = (found, next);
                counts.less(symbol, next);
                read += 1;
            }
        }
        read += 1;
        if let Some((before, end)) = last
            && (before != end || new != symbol)
        {
            counts.less(end, symbol);
            counts.more(before, new);
        }
        data[write] = new;
        write += 1;
        last = Some((new, tail));
    }
    data.truncate(write);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(dictionary: &Dictionary, data: &[u16]) -> Vec<u16> {
        let mut out = Vec::new();
        data.iter().for_each(|&symbol| dictionary.expand(symbol, &mut out));
        out
    }

    fn random(len: usize) -> Vec<u16> {
        let mut seed = 11u64;
        (0..len)
            .map(|i| {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                if i % 97 < 60 { 2 } else { (seed >> 60) as u16 % 5 }
            })
            .collect()
    }

    #[test]
    fn pairing_keeps_the_values_and_the_counts() {
        let values = random(20_000);
        let mut dictionary = Dictionary::of_values(0..5);
        let mut data = values.clone();
        let mut counts = Counts::new(300, 4);
        data.windows(2).for_each(|pair| counts.more(pair[0], pair[1]));
        for _ in 0..8 {
            let room = 300 - dictionary.len();
            let batch = counts.batch(&dictionary, room);
            replace(&mut data, &mut dictionary, &batch, &mut counts);
            let mut fresh = Counts::new(300, 4);
            data.windows(2).for_each(|pair| fresh.more(pair[0], pair[1]));
            assert!(fresh.counts == counts.counts);
            assert_eq!(expanded(&dictionary, &data), values);
        }
        assert!(data.len() < values.len() / 2);
    }

    #[test]
    fn symbols_stay_within_the_limits() {
        let mut data = vec![0; 100_000];
        let mut dictionary = Dictionary::of_values(0..1);
        pair_up(&mut data, &mut dictionary, MAX_SYMBOLS, 2);
        assert!(dictionary.lens.iter().all(|&len| usize::from(len) <= MAX_LEN));
        assert!(dictionary.heights.iter().all(|&height| height <= MAX_HEIGHT));
        assert_eq!(expanded(&dictionary, &data).len(), 100_000);
    }
}
