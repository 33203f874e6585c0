//! Which order of men makes a sub-table smallest.
//!
//! The measure is how well a value is told by the one before it: the
//! conditional entropy of neighbours. On tables compressed in every order it
//! named the best one, and a sample is enough.

use molien_board::{Man, Material};

use crate::domain::Domain;
use crate::order::{Choice, Order, kinds, leading_pawns};
use crate::runs::fill;
use crate::sequence::Contents;

/// Pieces drawn to find the better orders, and to find the best of these.
const FIRST_PIECES: u64 = 1 << 8;
const LAST_PIECES: u64 = 1 << 11;
/// How many are looked at closely.
const FINALISTS: usize = 8;

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
    let measure = |order: Order, pieces: u64| {
        let mut neighbours = Neighbours::new();
        let mut runs = Vec::new();
        source.sample(&order, pieces, &byte, |piece| {
            fill::<D>(piece, &mut runs);
            neighbours.count(piece);
        });
        Best { bits: neighbours.bits(), order }
    };
    let by_bits = |a: &Best, b: &Best| a.bits.total_cmp(&b.bits);
    let orders = choices(material).into_iter().map(|choice| Order::new(material, &choice, file));
    let mut found: Vec<Best> = orders.map(|order| measure(order, FIRST_PIECES)).collect();
    found.sort_by(by_bits);
    found.truncate(FINALISTS);
    let finalists = found.into_iter().map(|best| measure(best.order, LAST_PIECES));
    // There is always an order.
    finalists
        .min_by(by_bits)
        .unwrap_or_else(|| Best { order: any_order(material, file), bits: 0.0 })
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
            let sum: f64 = counts.iter().map(|&count| f64::from(count)).sum();
            let cost = |&count: &u32| f64::from(count) * (sum / f64::from(count)).log2();
            bits += counts.iter().filter(|&&count| count > 0).map(cost).sum::<f64>();
            total += sum;
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
