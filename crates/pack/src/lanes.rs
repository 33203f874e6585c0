//! The columns of a row in an order in which neighbours lie side by side.
//!
//! The file and the rank of a column are even or odd: four *grids* of 4 x 4
//! columns. A step leads from all columns of a grid to columns of one grid, each
//! the same distance away, so the neighbours of 16 columns are read from one
//! place. The first grid is the first phase, the second the second, the last two
//! are the third: the grids of a batch follow each other.

use crate::arch::{Places, sum_sets};

/// Grids of a row, and columns of a grid.
pub(crate) const GRIDS: usize = 4;
pub(crate) const GRID: usize = 16;

/// The grids of each phase.
#[cfg(test)]
const PHASE_GRIDS: [std::ops::Range<usize>; 3] = [0..1, 1..2, 2..4];

/// The columns of each grid.
pub(crate) const GRID_COLUMNS: [u64; GRIDS] = {
    const EVEN: u64 = 0x0055_0055_0055_0055;
    [EVEN, EVEN << 9, EVEN << 1, EVEN << 8]
};

/// Whether file and rank are odd in each grid.
pub(crate) const ODD: [(usize, usize); GRIDS] = [(0, 0), (1, 1), (1, 0), (0, 1)];

/// The column of each lane.
pub(crate) static COLUMN: [u8; 64] = {
    let mut columns = [0; 64];
    let mut lane = 0;
    while lane < 64 {
        let (file, rank) = ODD[lane / GRID];
        let (i, j) = (lane % 4, lane % GRID / 4);
        columns[lane] = (8 * (2 * j + rank) + 2 * i + file) as u8;
        lane += 1;
    }
    columns
};

/// The lane of each column.
pub(crate) static LANE: [u8; 64] = {
    let mut lanes = [0; 64];
    let mut lane = 0;
    while lane < 64 {
        lanes[COLUMN[lane] as usize] = lane as u8;
        lane += 1;
    }
    lanes
};

/// Lanes between grids that stand for squares beyond the edge: a step goes at
/// most five lanes too far.
const MARGIN: usize = 8;
/// A row with its margins.
pub(crate) const ROOM: usize = MARGIN + GRIDS * (GRID + MARGIN);

/// Where a lane is in a row with margins.
#[inline]
pub(crate) const fn place(lane: usize) -> usize {
    MARGIN + lane + lane / GRID * MARGIN
}

/// How to find the columns a step away from those of a grid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shift {
    /// Where the neighbour of the first column is in a row with margins.
    start: usize,
    /// 0 if the leftmost columns of the grid have no neighbour, 2 if the
    /// rightmost have none.
    edge: usize,
}

/// Lanes of a grid without a neighbour, all bits set.
struct Edges<T>([[T; GRID]; 3]);

macro_rules! edges {
    ($lane:ty) => {{
        let mut off = [[0 as $lane; GRID]; 3];
        let mut lane = 0;
        while lane < GRID {
            if lane % 4 == 0 {
                off[0][lane] = !0;
            }
            if lane % 4 == 3 {
                off[2][lane] = !0;
            }
            lane += 1;
        }
        Edges(off)
    }};
}

static BYTE_EDGES: Edges<u8> = edges!(u8);
static WORD_EDGES: Edges<u16> = edges!(u16);

impl Shift {
    /// The shift of a grid for a step of at most two files and ranks.
    pub const fn new(grid: usize, (files, ranks): (i32, i32)) -> Shift {
        let (file, rank) = (ODD[grid].0 as i32 + files, ODD[grid].1 as i32 + ranks);
        let odd = (file.rem_euclid(2) as usize, rank.rem_euclid(2) as usize);
        let mut to = 0;
        while ODD[to].0 != odd.0 || ODD[to].1 != odd.1 {
            to += 1;
        }
        let (right, up) = (file.div_euclid(2), rank.div_euclid(2));
        let start = place(to * GRID) as i32 + right + 4 * up;
        Shift { start: start as usize, edge: (right + 1) as usize }
    }

    /// The bytes of the neighbours; all bits are set beyond the edge.
    #[inline(always)]
    pub fn bytes(self, row: &[u8; ROOM]) -> [u8; GRID] {
        let from = &row[self.start..self.start + GRID];
        let mut found = [0; GRID];
        for ((found, from), off) in found.iter_mut().zip(from).zip(&BYTE_EDGES.0[self.edge]) {
            *found = from | off;
        }
        found
    }

    /// The same for words.
    #[inline(always)]
    pub fn words(self, row: &[u16; ROOM]) -> [u16; GRID] {
        let from = &row[self.start..self.start + GRID];
        let mut found = [0; GRID];
        for ((found, from), off) in found.iter_mut().zip(from).zip(&WORD_EDGES.0[self.edge]) {
            *found = from | off;
        }
        found
    }
}

/// How the neighbours of each grid are found by some steps.
pub(crate) const fn shifts<const N: usize>(steps: [(i32, i32); N]) -> [[Shift; GRIDS]; N] {
    let mut all = [[Shift { start: 0, edge: 0 }; GRIDS]; N];
    let mut i = 0;
    while i < N {
        let mut grid = 0;
        while grid < GRIDS {
            all[i][grid] = Shift::new(grid, steps[i]);
            grid += 1;
        }
        i += 1;
    }
    all
}

/// The lanes of a grid, as bytes of a row with margins.
#[inline(always)]
pub(crate) fn grid_of<T: Copy>(row: &[T; ROOM], grid: usize) -> [T; GRID] {
    let start = place(grid * GRID);
    let mut found = [row[start]; GRID];
    found.copy_from_slice(&row[start..start + GRID]);
    found
}

/// One of two numbers, without a branch: what a compiler would not make vectors of.
#[inline(always)]
pub(crate) fn select(condition: bool, yes: i16, no: i16) -> i16 {
    no ^ ((no ^ yes) & -i16::from(condition))
}

/// For each lane, the byte of a set that its column is in, and the bit of this byte.
pub(crate) static BYTE_AND_BIT: Places = {
    let mut places = [[0; 64]; 2];
    let mut lane = 0;
    while lane < 64 {
        places[0][lane] = COLUMN[lane] / 8;
        places[1][lane] = 1 << (COLUMN[lane] % 8);
        lane += 1;
    }
    places
};

/// Sums of sets: for each lane, the weights of those in which its column is.
#[inline(always)]
pub(crate) fn sum<const N: usize>(sets: [u64; N], weights: [u8; N]) -> [u8; 64] {
    sum_sets(&BYTE_AND_BIT, sets, weights)
}

/// 1 for the columns of a set.
#[inline(always)]
pub(crate) fn spread(set: u64) -> [u8; 64] {
    sum([set], [1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::{PHASES, phase};
    use molien_board::Square;

    #[test]
    fn phases_are_grids() {
        for (number, grids) in PHASE_GRIDS.into_iter().enumerate() {
            for lane in grids.start * GRID..grids.end * GRID {
                let column = usize::from(COLUMN[lane]);
                assert_eq!(phase(column), number);
                assert!(PHASES[number] >> column & 1 != 0);
                assert_eq!(usize::from(LANE[column]), lane);
                assert!(GRID_COLUMNS[lane / GRID] >> column & 1 != 0);
            }
        }
    }

    #[test]
    fn shifts_find_neighbours() {
        let (mut bytes, mut words) = ([0xff; ROOM], [0xffff; ROOM]);
        for lane in 0..64 {
            bytes[place(lane)] = COLUMN[lane];
            words[place(lane)] = COLUMN[lane].into();
        }
        for (files, ranks) in (-2..=2).flat_map(|f| (-2..=2).map(move |r| (f, r))) {
            for grid in 0..GRIDS {
                let shift = Shift::new(grid, (files, ranks));
                let (byte, word) = (shift.bytes(&bytes), shift.words(&words));
                for lane in 0..GRID {
                    let column = Square::new(COLUMN[grid * GRID + lane].into());
                    let to = column.offset(files, ranks).map(|to| to.index() as u8);
                    assert_eq!(byte[lane], to.unwrap_or(0xff), "{files} {ranks}");
                    assert_eq!(word[lane], to.map_or(0xffff, u16::from));
                }
            }
        }
    }

    #[test]
    fn sums_count_sets() {
        let sets = [0x0123_4567_89ab_cdef, 0xfeed_beef_1234_5678, 1 << 63 | 1];
        let lanes = sum(sets, [1, 2, 4]);
        for (lane, &column) in COLUMN.iter().enumerate() {
            let bit = |i: usize| (sets[i] >> column & 1) as u8;
            assert_eq!(lanes[lane], bit(0) + 2 * bit(1) + 4 * bit(2));
        }
    }
}
