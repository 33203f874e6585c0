//! A sequence of values becomes a packed sub-table.

use crate::blocks::{Packed, pack};
use crate::domain::Domain;
use crate::pairs::{Dictionary, MAX_SYMBOLS, Symbol, pair_up};
use crate::parse::{Trie, parse};
use crate::sequence::random;

/// Sub-tables up to this size are packed with more care.
const SMALL: usize = 1 << 22;
/// Values of which the dictionary is made; of larger sub-tables a sample.
const TRAINING: usize = 1 << 24;
/// Pieces of the sample.
const PIECE: usize = 1 << 14;
/// Pairs that occur more rarely become no symbol; in a sample fewer are seen.
const LEAST: i32 = 8;
const LEAST_IN_SAMPLE: i32 = 4;
/// Symbols that occur more rarely are given up, if no other needs them.
const LEAST_USES: u64 = 3;

/// Packs a sequence of codes.
pub(crate) fn compress<D: Domain>(
    codes: &[u8],
    block_bits: std::ops::RangeInclusive<u8>,
) -> Packed {
    let mut training = sample(codes);
    D::fill(&mut training);
    // Every value that occurs has a symbol, whether it is in the sample or not.
    let values = codes.iter().filter(|&&code| !D::is_free(code)).chain(&training).max();
    let values = values.map_or(1, |&most| u16::from(most) + 1);
    let least = if codes.len() <= TRAINING { LEAST } else { LEAST_IN_SAMPLE };
    let paired = |data: &[u8]| paired(data, values, least);
    let (symbols, mut dictionary) = paired(&training);
    let mut costs = costs(&counts(&symbols, &dictionary));
    if codes.len() <= SMALL {
        // What the symbols stand for is easier to compress than the first
        // filling, so a second dictionary is better.
        let symbols = parse::<D>(codes, &Trie::new(&dictionary), &costs);
        let (symbols, better) = paired(&expand(&symbols, &dictionary));
        dictionary = better;
        costs = self::costs(&counts(&symbols, &dictionary));
        let symbols = parse::<D>(codes, &Trie::new(&dictionary), &costs);
        let used = counts(&symbols, &dictionary);
        let kept = without_rare(&dictionary, &used, LEAST_USES);
        (dictionary, costs) = (kept.dictionary, self::costs(&kept.counts));
    }
    let symbols = parse::<D>(codes, &Trie::new(&dictionary), &costs);
    let used = without_rare(&dictionary, &counts(&symbols, &dictionary), 1);
    let symbols: Vec<u16> = symbols.iter().map(|&s| used.numbers[usize::from(s)]).collect();
    pack(&symbols, used.dictionary, codes.len() as u64, block_bits)
}

/// The whole sequence, or pieces of it.
fn sample(codes: &[u8]) -> Vec<u8> {
    if codes.len() <= TRAINING {
        return codes.to_vec();
    }
    let pieces = TRAINING / PIECE;
    // One piece at a random place of each of so many equal stretches.
    let stretch = codes.len() / pieces;
    let mut seed = 1;
    let starts = (0..pieces)
        .map(|i| i * stretch + (random(&mut seed) % (stretch - PIECE + 1) as u64) as usize);
    starts.flat_map(|start| &codes[start..start + PIECE]).copied().collect()
}

/// Data of so many values paired up, and the dictionary of the pairs.
fn paired(data: &[u8], values: u16, least: i32) -> (Vec<u16>, Dictionary) {
    let mut dictionary = Dictionary::of_values(0..values);
    let mut symbols: Vec<u16> = data.iter().map(|&value| u16::from(value)).collect();
    pair_up(&mut symbols, &mut dictionary, MAX_SYMBOLS, least);
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

/// A dictionary of which symbols were given up.
struct Kept {
    dictionary: Dictionary,
    /// New numbers of the old symbols.
    numbers: Vec<u16>,
    counts: Vec<u64>,
}

/// The dictionary without symbols that occur fewer times than that and are no
/// part of others.
fn without_rare(dictionary: &Dictionary, counts: &[u64], least: u64) -> Kept {
    let mut keep: Vec<bool> = counts.iter().map(|&count| count >= least).collect();
    for symbol in (0..dictionary.len()).rev() {
        match dictionary.symbols[symbol] {
            Symbol::Pair(first, second) if keep[symbol] => {
                (keep[usize::from(first)], keep[usize::from(second)]) = (true, true);
            }
            // Without the value there might be no way to cut up the rest.
            Symbol::Value(_) if least > 1 => keep[symbol] = true,
            _ => {}
        }
    }
    let numbers = vec![0; dictionary.len()];
    let mut kept = Kept { dictionary: Dictionary::default(), numbers, counts: Vec::new() };
    for symbol in (0..dictionary.len()).filter(|&symbol| keep[symbol]) {
        kept.numbers[symbol] = kept.dictionary.len() as u16;
        kept.counts.push(counts[symbol]);
        match dictionary.symbols[symbol] {
            Symbol::Value(value) => kept.dictionary.push_value(value),
            Symbol::Pair(first, second) => {
                let number = |symbol: u16| kept.numbers[usize::from(symbol)];
                let (first, second) = (number(first), number(second));
                kept.dictionary.push(first, second);
            }
        }
    }
    kept
}
