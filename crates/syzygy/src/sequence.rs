//! Values brought into the order of a sub-table.

use std::ops::Range;

use rayon::prelude::*;

use crate::order::Order;
use crate::source::{Addresses, Layout};

/// Values of all positions of some hyperboards, and what is not on a board.
pub(crate) struct Source<'a, T> {
    pub layout: &'a Layout,
    pub values: &'a [T],
    /// The value of what is no position.
    pub none: T,
}

/// Indices worked on at a time.
const CHUNK: u64 = 1 << 16;

impl<T: Copy + Sync> Source<'_, T> {
    /// The values of some stretches of an order, each made a byte.
    pub fn sequence(
        &self,
        order: &Order,
        stretches: Range<u64>,
        byte: impl Fn(T) -> u8 + Sync,
    ) -> Vec<u8> {
        let addresses = self.layout.addresses(order);
        let stretch = order.stretch();
        let at_once = (CHUNK / stretch).max(1);
        let mut out = vec![0; ((stretches.end - stretches.start) * stretch) as usize];
        let chunks = out.par_chunks_mut((at_once * stretch) as usize).enumerate();
        chunks.for_each(|(chunk, out)| {
            let first = stretches.start + chunk as u64 * at_once;
            let count = out.len() as u64 / stretch;
            self.write(order, &addresses, first..first + count, &byte, out);
        });
        out
    }

    fn write(
        &self,
        order: &Order,
        addresses: &Addresses,
        stretches: Range<u64>,
        byte: &impl Fn(T) -> u8,
        mut out: &mut [u8],
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
