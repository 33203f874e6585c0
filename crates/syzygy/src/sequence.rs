//! Values brought into the order of a sub-table.

use std::ops::Range;

use rayon::prelude::*;

use crate::codes::Depth;
use crate::order::Order;
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

    /// The values of some rows of an order, drawn at random; `f` takes them
    /// row by row.
    pub fn sample(
        &self,
        order: &Order,
        rows: u64,
        byte: impl Fn(T) -> u8,
        mut f: impl FnMut(&mut [u8]),
    ) {
        let addresses = self.layout.addresses(order);
        let in_stretch = order.rows() as u64;
        let total = order.stretches() * in_stretch;
        let mut drawn: Vec<u64> = if rows >= total {
            (0..total).collect()
        } else {
            let mut seed = 1u64;
            (0..rows).map(|_| random(&mut seed) % total).collect()
        };
        drawn.sort_unstable();
        drawn.dedup();
        let mut found = [0; 64];
        for group in drawn.chunk_by_mut(|a, b| *a / in_stretch == *b / in_stretch) {
            let stretch = group[0] / in_stretch;
            group.iter_mut().for_each(|row| *row %= in_stretch);
            order.for_each_row_of(stretch, Some(group), |lanes| {
                addresses.find(lanes, &mut found);
                let mut row = [0; 64];
                for (out, &address) in row.iter_mut().zip(&found[..lanes.len]) {
                    *out = byte(self.values.get(address).copied().unwrap_or(self.none));
                }
                f(&mut row[..lanes.len]);
            });
        }
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
            order.for_each_row(stretch, |lanes| {
                addresses.find(lanes, &mut found);
                let (row, rest) = std::mem::take(&mut out).split_at_mut(lanes.len);
                for (out, &address) in row.iter_mut().zip(&found) {
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
