//! Which order of men makes a sub-table smallest.
//!
//! All orders are measured by how well a value is told by the one before it: the
//! conditional entropy of neighbours, on a small sample, and that of the better ones on a
//! larger one. The best of them then show how far pairing shortens a still larger one.

use molien_board::{Man, Material};

use crate::domain::Domain;
use crate::order::{Choice, Order, kinds, leading_pawns};
use crate::pairs::{Dictionary, pair_up};
use crate::runs::fill;
use crate::sequence::{Contents, Draw};

/// What is drawn to find the better orders, the best of these, and the very best.
const FIRST: Draw = Draw { pieces: 1 << 6, rows: 4 };
const SECOND: Draw = Draw { pieces: 1 << 8, rows: 8 };
const LAST: Draw = Draw { pieces: 1 << 9, rows: 16 };
/// How many go on: one in so many, but not fewer than that, and then so many.
const ONE_IN: usize = 6;
const SEMIFINALISTS: usize = 16;
const FINALISTS: usize = 8;
/// Symbols that these are paired up to, of pairs that occur so often.
const SYMBOLS: usize = 1 << 10;
const LEAST: i32 = 6;

/// An order and about how many bits its values take, for each value.
pub(crate) struct Best {
    pub order: Order,
    pub bits: f64,
}

/// The best order for the values of a source.
pub(crate) fn best_order<D: Domain, T: Copy + Sync>(
    material: &Material,
    file: u8,
    source: &Contents<'_, T>,
    byte: impl Fn(T) -> u8 + Sync,
) -> Best {
    let by_neighbours = |order: Order, draw: Draw| {
        let mut neighbours = Neighbours::new();
        let mut runs = Vec::new();
        source.sample(&order, draw, &byte, |piece| {
            fill::<D>(piece, &mut runs);
            neighbours.count(piece);
        });
        Best { bits: neighbours.bits(), order }
    };
    let by_pairs = |order: Order| {
        let (mut values, mut runs) = (Vec::new(), Vec::new());
        source.sample(&order, LAST, &byte, |piece| {
            fill::<D>(piece, &mut runs);
            values.extend(piece.iter().map(|&value| u16::from(value)));
        });
        Best { bits: paired_bits(values), order }
    };
    let by_bits = |a: &Best, b: &Best| a.bits.total_cmp(&b.bits);
    let orders = choices(material).into_iter().map(|choice| Order::new(material, &choice, file));
    let mut found: Vec<Best> = orders.map(|order| by_neighbours(order, FIRST)).collect();
    found.sort_by(by_bits);
    found.truncate((found.len() / ONE_IN).max(SEMIFINALISTS));
    found = found.into_iter().map(|best| by_neighbours(best.order, SECOND)).collect();
    found.sort_by(by_bits);
    found.truncate(FINALISTS);
    let best = found.into_iter().map(|best| by_pairs(best.order)).min_by(by_bits);
    // There is always an order.
    best.unwrap_or_else(|| Best { order: any_order(material, file), bits: 0.0 })
}

/// Bits that a value takes if values are paired up.
fn paired_bits(mut values: Vec<u16>) -> f64 {
    let len = values.len();
    let most = values.iter().copied().max().unwrap_or(0);
    let mut dictionary = Dictionary::of_values(0..most + 1);
    pair_up(&mut values, &mut dictionary, SYMBOLS, LEAST);
    let mut counts = vec![0u32; dictionary.len()];
    values.iter().for_each(|&symbol| counts[usize::from(symbol)] += 1);
    entropy(&counts) / len.max(1) as f64
}

/// Bits that symbols which occur so often take together.
fn entropy(counts: &[u32]) -> f64 {
    let sum: f64 = counts.iter().map(|&count| f64::from(count)).sum();
    let cost = |&count: &u32| f64::from(count) * (sum / f64::from(count)).log2();
    counts.iter().filter(|&&count| count > 0).map(cost).sum()
}

/// Some order, where it does not matter.
pub(crate) fn any_order(material: &Material, file: u8) -> Order {
    Order::new(material, &choices(material)[0], file)
}

/// Counts of neighbouring values.
struct Neighbours {
    counts: Vec<u32>,
    /// One more than the largest value seen.
    values: usize,
}

impl Neighbours {
    fn new() -> Neighbours {
        Neighbours { counts: vec![0; 1 << 16], values: 0 }
    }

    fn count(&mut self, row: &[u8]) {
        for pair in row.windows(2) {
            let (first, second) = (usize::from(pair[0]), usize::from(pair[1]));
            self.counts[first << 8 | second] += 1;
            self.values = self.values.max(first + 1).max(second + 1);
        }
    }

    /// Bits that a value takes, given the one before it.
    fn bits(&self) -> f64 {
        let (mut bits, mut total) = (0.0, 0.0);
        for first in 0..self.values {
            let counts = &self.counts[first << 8..][..self.values];
            bits += entropy(counts);
            total += counts.iter().map(|&count| f64::from(count)).sum::<f64>();
        }
        bits / f64::max(total, 1.0)
    }
}

/// All orders that the format allows.
fn choices(material: &Material) -> Vec<Choice> {
    match leading_pawns(material) {
        Some((lead, rest)) => pawn_choices(material, lead, rest),
        None => piece_choices(material),
    }
}

fn pawn_choices(material: &Material, lead: Man, rest: Option<Man>) -> Vec<Choice> {
    let others = kinds(material).into_iter().filter(|&man| man != lead && Some(man) != rest);
    let others: Vec<Man> = others.collect();
    let mut found = Vec::new();
    for others in arrangements(&others, others.len()) {
        let last = others.len() + usize::from(rest.is_some());
        for lead_place in 0..=last {
            let places = (0..=last).filter(|&place| place != lead_place).map(Some);
            let places: Vec<_> = if rest.is_some() { places.collect() } else { vec![None] };
            found.extend(places.into_iter().map(|pawns_place| {
                let others = others.clone();
                Choice { lead: vec![lead], others, lead_place, pawns_place }
            }));
        }
    }
    found
}

fn piece_choices(material: &Material) -> Vec<Choice> {
    let kinds = kinds(material);
    let single = kinds.iter().copied().filter(|&man| material.count(man) <= 1);
    let single: Vec<Man> = single.collect();
    let mut found = Vec::new();
    for lead in arrangements(&single, single.len().min(3)) {
        let others: Vec<Man> = kinds.iter().copied().filter(|man| !lead.contains(man)).collect();
        for others in arrangements(&others, others.len()) {
            found.extend((0..=others.len()).map(|lead_place| {
                let (lead, others) = (lead.clone(), others.clone());
                Choice { lead, others, lead_place, pawns_place: None }
            }));
        }
    }
    found
}

/// All ways to choose so many men in order.
fn arrangements(men: &[Man], len: usize) -> Vec<Vec<Man>> {
    if len == 0 {
        return vec![Vec::new()];
    }
    let mut found = Vec::new();
    for (i, &man) in men.iter().enumerate() {
        let mut rest = men.to_vec();
        rest.remove(i);
        for mut tail in arrangements(&rest, len - 1) {
            tail.insert(0, man);
            found.push(tail);
        }
    }
    found
}
