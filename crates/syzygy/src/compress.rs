//! A sequence of values becomes a packed sub-table.

use crate::blocks::{Packed, pack};
use crate::domain::Domain;
use crate::pairs::{Dictionary, MAX_SYMBOLS, Symbol, pair_up};
use crate::parse::{BIT, Effort, Symbols, parse};
use crate::runs::{fill, find_runs};
use crate::sequence::random;

/// Values of which the dictionary is made; of larger sub-tables a sample...
const TRAINING: usize = 1 << 22;
/// ... larger than that, if fewer runs are in it, up to so many times.
const TRAINING_RUNS: usize = 1 << 17;
const LARGEST_TRAINING: usize = 4;
/// Pieces of the sample.
const PIECE: usize = 1 << 12;
/// Pairs that occur more rarely become no symbol; in a sample fewer are seen.
const LEAST: i32 = 8;
const LEAST_IN_SAMPLE: i32 = 2;
/// Symbols that occur more rarely are given up, if no other needs them.
const LEAST_USES: u64 = 3;
/// For sub-tables of which all is in the sample, for larger ones of which
/// the usual sample has few runs, and for those of which it has many.
const CAREFUL: Effort = Effort { slack: BIT as i64, ends: 256, short_ends: 16 };
const QUICK: Effort = Effort { slack: -2 * BIT as i64, ends: 4, short_ends: 1 };
const QUICKEST: Effort = Effort { slack: -3 * BIT as i64, ends: 2, short_ends: 1 };

/// Packs a sequence of codes.
pub(crate) fn compress<D: Domain>(
    codes: &[u8],
    block_bits: std::ops::RangeInclusive<u8>,
) -> Packed {
    let coder = if codes.len() <= TRAINING { learn_all::<D>(codes) } else { learn::<D>(codes) };
    let symbols = parse::<D>(codes, &coder.symbols(), coder.effort);
    let used = without_rare(&coder.dictionary, &counts(&symbols, &coder.dictionary), 1);
    let symbols: Vec<u16> = symbols.iter().map(|&s| used.numbers[usize::from(s)]).collect();
    pack(&symbols, used.dictionary, codes.len() as u64, block_bits)
}

/// What codes are cut up with.
struct Coder {
    dictionary: Dictionary,
    costs: Vec<u32>,
    effort: Effort,
}

impl Coder {
    fn symbols(&self) -> Symbols {
        Symbols::new(&self.dictionary, &self.costs)
    }
}

/// A coder made from a sample.
fn learn<D: Domain>(codes: &[u8]) -> Coder {
    let mut runs = Vec::new();
    let count = |piece: &[u8]| {
        find_runs::<D>(piece, &mut runs);
        runs.len() - 1
    };
    let few: usize = sample(codes, TRAINING).chunks(PIECE).map(count).sum();
    let times = (TRAINING_RUNS / few.max(1)).clamp(1, LARGEST_TRAINING);
    let original = sample(codes, (TRAINING * times).min(codes.len()));
    let mut sample = original.clone();
    sample.chunks_mut(PIECE).for_each(|piece| fill::<D>(piece, &mut runs));
    let values = values::<D>(codes);
    let (symbols, dictionary) = paired(&sample, values, LEAST_IN_SAMPLE);
    let costs = costs(&counts(&symbols, &dictionary));
    let effort = if times == 1 { QUICKEST } else { QUICK };
    let mut coder = Coder { dictionary, costs, effort };
    // The cheapest way uses the symbols otherwise than the pairing did.
    let symbols = parse::<D>(&original, &coder.symbols(), effort);
    coder.costs = self::costs(&counts(&symbols, &coder.dictionary));
    coder
}

/// A coder made from all codes, with more care.
fn learn_all<D: Domain>(codes: &[u8]) -> Coder {
    let values = values::<D>(codes);
    let mut filled = codes.to_vec();
    fill::<D>(&mut filled, &mut Vec::new());
    let (mut symbols, mut dictionary) = paired(&filled, values, LEAST);
    let mut costs = costs(&counts(&symbols, &dictionary));
    let parsed = |dictionary: &Dictionary, costs: &[u32]| {
        parse::<D>(codes, &Symbols::new(dictionary, costs), CAREFUL)
    };
    // What the symbols stand for is easier to compress than the first
    // filling, so a second dictionary is better.
    symbols = parsed(&dictionary, &costs);
    (symbols, dictionary) = paired(&expand(&symbols, &dictionary), values, LEAST);
    costs = self::costs(&counts(&symbols, &dictionary));
    symbols = parsed(&dictionary, &costs);
    let kept = without_rare(&dictionary, &counts(&symbols, &dictionary), LEAST_USES);
    let (dictionary, costs) = (kept.dictionary, self::costs(&kept.counts));
    Coder { dictionary, costs, effort: CAREFUL }
}

/// How many values there can be.
fn values<D: Domain>(codes: &[u8]) -> u16 {
    let most = codes.iter().copied().filter(|&code| !D::is_free(code)).max();
    u16::from(most.unwrap_or(0).max(D::COMMON)) + 1
}

/// Pieces of a long sequence, so many values together.
fn sample(codes: &[u8], len: usize) -> Vec<u8> {
    let pieces = len / PIECE;
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
    counts.iter().map(|&count| (f64::from(BIT) * bits(count).max(0.1)) as u32).collect()
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
