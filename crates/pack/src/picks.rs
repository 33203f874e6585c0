//! Which cells are learnt from.

use crate::chunk::chunks;
use crate::layout::Layout;
use crate::profile::Profile;

/// How a sample is spread over a table.
pub(crate) struct Spread {
    /// The stretches of tiles that are read.
    pub chunks: Vec<(usize, usize)>,
    /// How many stretches there are for each of them.
    pub every: u64,
    /// Of the tiles of a stretch one in so many is looked at.
    pub tiles: u64,
    /// How many cells of a tile there are for each picked.
    pub step: u64,
}

impl Spread {
    /// A sample of about so many cells, as if all cells were stored.
    pub fn new(layout: &Layout, sample: usize, profile: &Profile) -> Spread {
        let all = chunks(layout);
        let cells = layout.tiles() as u64 * 64 * layout.rows() as u64;
        let step = (cells / sample as u64).max(1);
        // Many stretches are read, each of which gives few cells, and many tiles of each.
        let most = (all.len() / profile.least_stretches).max(1) as u64;
        let every = (step / profile.one_in_stretch).max(1).min(most);
        let tiles = (step / every / profile.one_in_tile).max(1);
        let chunks = one_of_each(&all, every as usize);
        Spread { chunks, every, tiles, step: (step / every / tiles).max(1) }
    }

    /// Whether a tile is looked at.
    pub fn has_tile(&self, tile: usize) -> bool {
        draw(tile as u64).is_multiple_of(self.tiles)
    }
}

/// Of every so many stretches one, drawn by lot: were they evenly spaced, a man whose squares
/// recur at that distance would stand on few squares in all of them. Each is as likely as any
/// other, so where the last group is short, there may be none of it.
fn one_of_each(all: &[(usize, usize)], every: usize) -> Vec<(usize, usize)> {
    let one = |number: usize| number * every + draw(number as u64) as usize % every;
    (0..all.len().div_ceil(every)).filter_map(|number| all.get(one(number)).copied()).collect()
}

/// Picks about one cell in so many. Rows are picked first, as the cells of a row
/// have much of their work in common, then some cells of them.
pub(crate) struct Picks {
    random: Random,
    /// Rows from one to the next, on average, and rows still to skip.
    rows: u64,
    skip: u64,
    /// Of the cells of a row about one in so many is picked.
    columns: u64,
}

impl Picks {
    /// Picks up to one in so many cells of a row, of fewer or more rows.
    pub fn new(seed: usize, step: u64, columns: u64) -> Picks {
        let (rows, columns) = ((step / columns).max(1), columns.min(step));
        let mut random = Random::new(seed as u64);
        let skip = random.below(rows);
        Picks { random, rows, skip, columns }
    }

    /// The columns of the next row that are picked.
    pub fn next_row(&mut self) -> u64 {
        if self.skip > 0 {
            self.skip -= 1;
            return 0;
        }
        self.skip = self.random.below(2 * self.rows - 1);
        match self.columns {
            1 => !0,
            2 | 3 => self.random.next(),
            _ => self.random.next() & self.random.next(),
        }
    }
}

/// A number below 65536 for each cell of a table, by its place: as good as drawn by lot,
/// and the same in whatever order cells come.
#[inline]
pub(crate) fn draw(place: u64) -> u64 {
    let word = (place + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb) >> 48
}

/// A generator of numbers that is the same everywhere.
pub(crate) struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random((seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        (self.next() >> 16) % limit.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::layout;
    use std::collections::HashSet;

    /// With four placed men a stretch of tiles has the first of them on one square. However few
    /// stretches a sample has, it is not always the same square, nor the same pawn's.
    #[test]
    fn samples_are_spread_over_squares() {
        let layout = layout("KRPKR", "");
        let per_part = layout.tiles_per_part();
        for profile in [Profile::FAST, Profile::SMALL].map(|all| [all, all.trial()]).as_flattened()
        {
            for sample in [15_000, 500_000, 2_000_000, 16_000_000] {
                let spread = Spread::new(&layout, sample, profile);
                let firsts = || spread.chunks.iter().map(|(first, _)| first);
                let squares: HashSet<usize> = firsts().map(|first| first % per_part / 64).collect();
                let pawns: HashSet<usize> = firsts().map(|first| first / per_part).collect();
                let most = spread.chunks.len();
                assert!(squares.len() * 2 >= most.min(64), "{sample} {}", squares.len());
                assert!(pawns.len() * 2 >= most.min(24), "{sample} {}", pawns.len());
                assert!(most * 4 >= profile.least_stretches * 3, "{sample} {most}");
            }
        }
    }
}
