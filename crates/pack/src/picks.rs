//! Which cells are learnt from.

use crate::chunk::chunks;
use crate::layout::Layout;

/// How a sample is spread over a table.
pub(crate) struct Spread {
    /// The stretches of tiles that are read.
    pub chunks: Vec<(usize, usize)>,
    /// How many stretches there are for each of them.
    pub every: u64,
    /// How many cells of a stretch there are for each picked.
    pub step: u64,
}

impl Spread {
    /// A sample of about so many cells, as if all cells were stored.
    pub fn new(layout: &Layout, sample: usize) -> Spread {
        let all = chunks(layout);
        let cells = layout.tiles() as u64 * 64 * layout.rows() as u64;
        let step = (cells / sample as u64).max(1);
        // Each stretch that is read gives every 16th cell at most.
        let every = (step / 16).max(1).min(all.len().div_ceil(64) as u64);
        let chunks = all.iter().copied().step_by(every as usize).collect();
        Spread { chunks, every, step: (step / every).max(1) }
    }
}

/// Picks about one cell in so many. Rows are picked first, as the cells of a row
/// have much of their work in common, then up to every fourth cell of them.
pub(crate) struct Picks {
    random: Random,
    /// Rows from one to the next, on average, and rows still to skip.
    rows: u64,
    skip: u64,
    /// Of the cells of a row about one in so many is picked.
    columns: u64,
}

impl Picks {
    pub fn new(seed: usize, step: u64) -> Picks {
        Picks::of_rows(seed, step, 4)
    }

    /// Picks up to one in so many cells of a row, of fewer or more rows.
    pub fn of_rows(seed: usize, step: u64, columns: u64) -> Picks {
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
