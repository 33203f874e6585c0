//! A sequence of values becomes a packed sub-table.

use crate::blocks::{Packed, pack};
use crate::domain::Domain;
use crate::pairs::{Dictionary, MAX_SYMBOLS, Symbol, pair_up};
use crate::parse::{Trie, parse};

/// Values of which the dictionary is made; of larger sub-tables a sample.
const TRAINING: usize = 1 << 22;
/// Pieces of the sample.
const PIECE: usize = 1 << 14;
/// Pairs that occur more rarely become no symbol.
const LEAST: i32 = 8;
/// Symbols that occur more rarely are given up, if no other needs them.
const LEAST_USES: u64 = 3;

/// Packs a sequence of codes.
pub(crate) fn compress<D: Domain>(codes: &[u8], block_bits: std::ops::RangeInclusive<u8>) -> Packed {
    let mut training = sample(codes);
    D::fill(&mut training);
    let (symbols, mut dictionary) = paired(&training);
    let mut costs = costs(&counts(&symbols, &dictionary));
    if codes.len() <= TRAINING {
        // What the symbols stand for is easier to compress than the first
        // filling, so a second dictionary is better.
        let symbols = parse::<D>(codes, &Trie::new(&dictionary), &costs);
        let values = expand(&symbols, &dictionary);
        let (symbols, better) = paired(&values);
        dictionary = better;
        costs = self::costs(&counts(&symbols, &dictionary));
        let symbols = parse::<D>(codes, &Trie::new(&dictionary), &costs);
        let used = counts(&symbols, &dictionary);
        (dictionary, costs) = without_rare(&dictionary, &used);
    }
    let symbols = parse::<D>(codes, &Trie::new(&dictionary), &costs);
    pack(&symbols, dictionary, codes.len() as u64, block_bits)
}

/// The whole sequence, or pieces of it.
fn sample(codes: &[u8]) -> Vec<u8> {
    if codes.len() <= TRAINING {
        return codes.to_vec();
    }
    let pieces = TRAINING / PIECE;
    let step = (codes.len() - PIECE) / (pieces - 1);
    (0..pieces).flat_map(|i| &codes[i * step..][..PIECE]).copied().collect()
}

/// Values paired up, and the dictionary of the pairs. All values that may occur
/// have symbols.
fn paired(values: &[u8]) -> (Vec<u16>, Dictionary) {
    let most = values.iter().copied().max().map_or(1, |most| u16::from(most) + 1);
    let mut dictionary = Dictionary::of_values(0..most);
    let mut symbols: Vec<u16> = values.iter().map(|&value| u16::from(value)).collect();
    pair_up(&mut symbols, &mut dictionary, MAX_SYMBOLS, LEAST);
    (symbols, dictionary)
}

fn counts(symbols: &[u16], dictionary: &Dictionary) -> Vec<u64> {
    let mut counts = vec![0u64; dictionary.len()];
    symbols.iter().for_each(|&symbol| counts[usize::from(symbol)] += 1);
    counts
}

/// What symbols that occur so often cost: bits, in parts of 256.
fn costs(counts: &[u64]) -> Vec<u32> {
    let total: u64 = counts.iter().sum();
    let bits = |count: u64| (total.max(1) as f64 / (count as f64).max(0.5)).log2();
    counts.iter().map(|&count| (256.0 * bits(count).max(0.1)) as u32).collect()
}

fn expand(symbols: &[u16], dictionary: &Dictionary) -> Vec<u8> {
    let mut values = Vec::new();
    symbols.iter().for_each(|&symbol| dictionary.expand(symbol, &mut values));
    values.into_iter().map(|value| value as u8).collect()
}

/// The dictionary without symbols that are rare and no part of others, and
/// what the rest cost.
fn without_rare(dictionary: &Dictionary, counts: &[u64]) -> (Dictionary, Vec<u32>) {
    let mut keep: Vec<bool> = counts.iter().map(|&count| count >= LEAST_USES).collect();
    for symbol in (0..dictionary.len()).rev() {
        match dictionary.symbols[symbol] {
            Symbol::Value(_) => keep[symbol] = true,
            Symbol::Pair(first, second) if keep[symbol] => {
                (keep[usize::from(first)], keep[usize::from(second)]) = (true, true);
            }
            Symbol::Pair(..) => {}
        }
    }
    let mut numbers = vec![0; dictionary.len()];
    let mut kept = Dictionary::default();
    let mut kept_counts = Vec::new();
    for symbol in (0..dictionary.len()).filter(|&symbol| keep[symbol]) {
        numbers[symbol] = kept.len() as u16;
        match dictionary.symbols[symbol] {
            Symbol::Value(value) => kept.push_value(value),
            Symbol::Pair(first, second) => {
                kept.push(numbers[usize::from(first)], numbers[usize::from(second)]);
            }
        }
        kept_counts.push(counts[symbol]);
    }
    (kept, costs(&kept_counts))
}
