//! Values brought into the order of a sub-table.

use std::ops::Range;

use rayon::prelude::*;

use crate::codes::Depth;
use crate::order::{Order, Row};
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
        let stretch = order.stretch();
        let at_once = (CHUNK / stretch).max(1);
        let mut out = vec![U::default(); order.len() as usize];
        let chunks = out.par_chunks_mut((at_once * stretch) as usize).enumerate();
        chunks.for_each(|(chunk, out)| {
            let first = chunk as u64 * at_once;
            let count = out.len() as u64 / stretch;
            self.write(order, &addresses, first..first + count, &byte, out);
        });
        out
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
        stretches: Range<u64>,
        byte: &impl Fn(T) -> U,
        mut out: &mut [U],
    ) {
        let mut found = [0; 64];
        for stretch in stretches {
            order.for_each_row(stretch, |row| {
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
}

/// The next of a sequence of random numbers (splitmix).
pub(crate) fn random(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *seed;
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}
