//! Values brought into the order of a sub-table.

use rayon::prelude::*;

use crate::codes::Depth;
use crate::order::{Order, Piece, Row, Steps};
use crate::source::{Addresses, Layout};

/// Values of all positions of some hyperboards, and what is not on a board.
pub(crate) struct Contents<'a, T> {
    pub layout: &'a Layout,
    pub values: &'a [T],
    /// The value of what is no position.
    pub none: T,
}

/// Indices worked on at a time.
const CHUNK: u64 = 1 << 16;

/// Places worked on together: some stretches of each lane.
struct Part<'a, U> {
    /// The first stretch of the first lane.
    first: u64,
    /// Stretches from one lane to the next.
    apart: u64,
    lanes: Vec<&'a mut [U]>,
}

/// What to draw from an order: so many pieces of so many rows that follow each
/// other.
#[derive(Clone, Copy)]
pub(crate) struct Draw {
    pub pieces: u64,
    pub rows: u64,
}

impl Contents<'_, Depth> {
    /// All depths in an order.
    pub fn depths(&self, order: &Order) -> Vec<Depth> {
        self.mapped(order, |depth| depth)
    }
}

impl<T: Copy + Sync> Contents<'_, T> {
    /// All values in an order, each made a byte.
    pub fn sequence(&self, order: &Order, byte: impl Fn(T) -> u8 + Sync) -> Vec<u8> {
        self.mapped(order, byte)
    }

    fn mapped<U: Copy + Default + Send>(
        &self,
        order: &Order,
        byte: impl Fn(T) -> U + Sync,
    ) -> Vec<U> {
        let addresses = self.layout.addresses(order);
        let mut out = vec![U::default(); order.len() as usize];
        self.parts(order, &mut out).into_par_iter().for_each(|mut part| {
            let stretch = order.stretch() as usize;
            let pieces = order.pieces(part.lanes.len() > 1);
            for at in 0..part.lanes[0].len() / stretch {
                for piece in &pieces {
                    let places = at * stretch + piece.places.start..at * stretch + piece.places.end;
                    for (lane, out) in part.lanes.iter_mut().enumerate() {
                        // The last lane may be shorter than the others.
                        let Some(out) = out.get_mut(places.clone()) else { break };
                        let number = part.first + lane as u64 * part.apart + at as u64;
                        self.write(order, &addresses, (number, piece), &byte, out);
                    }
                }
            }
        });
        out
    }

    /// Cuts the places of an order into parts in which the man whose squares are
    /// neighbours in memory goes from square to square, if he does not do so
    /// anyway: so what was brought into the cache for one of his squares serves the others.
    fn parts<'o, U>(&self, order: &Order, out: &'o mut [U]) -> Vec<Part<'o, U>> {
        let stretch = order.stretch();
        let whole = Steps { count: 1, apart: order.len() };
        let steps = self.layout.column().and_then(|man| order.steps_of(man));
        let Steps { count, apart } = steps.filter(|s| s.apart > stretch).unwrap_or(whole);
        let at_once = (CHUNK / count / stretch).max(1) * stretch;
        let mut parts = Vec::new();
        for (number, out) in out.chunks_mut((count * apart) as usize).enumerate() {
            let first = number as u64 * count * apart;
            let lanes = out.chunks_mut(apart as usize);
            let mut lanes: Vec<_> = lanes.map(|lane| lane.chunks_mut(at_once as usize)).collect();
            for start in (0..apart).step_by(at_once as usize) {
                let lanes = lanes.iter_mut().filter_map(Iterator::next).collect();
                let first = (first + start) / stretch;
                parts.push(Part { first, apart: apart / stretch, lanes });
            }
        }
        parts
    }

    /// The values of some pieces of an order, drawn at random; `f` takes them piece
    /// by piece.
    pub fn sample(
        &self,
        order: &Order,
        draw: Draw,
        byte: impl Fn(T) -> u8,
        mut f: impl FnMut(&mut [u8]),
    ) {
        let addresses = self.layout.addresses(order);
        let in_stretch = order.rows() as u64;
        let rows = order.stretches() * in_stretch;
        let total = rows.div_ceil(draw.rows);
        let pieces = draw.pieces.min(total);
        // One at a random place of each of so many equal stretches.
        let mut seed = 1u64;
        let drawn = (0..pieces).map(|i| {
            let (first, end) = (i * total / pieces, (i + 1) * total / pieces);
            first + random(&mut seed) % (end - first)
        });
        let mut piece = Vec::new();
        for first in drawn.map(|number| number * draw.rows) {
            piece.clear();
            let mut numbers: Vec<u64> = (first..rows.min(first + draw.rows)).collect();
            for group in numbers.chunk_by_mut(|a, b| *a / in_stretch == *b / in_stretch) {
                let stretch = group[0] / in_stretch;
                group.iter_mut().for_each(|row| *row %= in_stretch);
                order.for_each_row_of(stretch, Some(group), |row| {
                    self.push(row, &addresses, &byte, &mut piece);
                });
            }
            f(&mut piece);
        }
    }

    fn push<U>(&self, row: &Row, addresses: &Addresses, byte: &impl Fn(T) -> U, out: &mut Vec<U>) {
        let mut found = [0; 64];
        addresses.find(row, &mut found);
        let value = |&address: &usize| self.values.get(address).copied().unwrap_or(self.none);
        out.extend(found[..row.moving.len()].iter().map(|address| byte(value(address))));
    }

    fn write<U>(
        &self,
        order: &Order,
        addresses: &Addresses,
        (stretch, piece): (u64, &Piece),
        byte: &impl Fn(T) -> U,
        mut out: &mut [U],
    ) {
        let mut found = [0; 64];
        order.for_each_row_of(stretch, piece.rows.as_deref(), |row| {
            addresses.find(row, &mut found);
            let (places, rest) = std::mem::take(&mut out).split_at_mut(row.moving.len());
            for (out, &address) in places.iter_mut().zip(&found) {
                let value = self.values.get(address).copied().unwrap_or(self.none);
                *out = byte(value);
            }
            out = rest;
        });
    }
}

/// The next of a sequence of random numbers (splitmix).
pub(crate) fn random(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *seed;
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}
