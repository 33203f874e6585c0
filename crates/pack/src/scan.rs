//! In which order the cells of a tile are coded, and what a cell knows.
//!
//! Squares fall into three *phases*: even file and even rank, both odd, the
//! others. A tile is cut into *segments* of 16 or 64 rows, which know nothing of
//! each other. The rows of a segment come phase by phase, in a phase by number; in
//! a row the columns come phase by phase. The cells of one row and phase are a
//! *batch*: no cell of a batch knows another of it, so the questions of a whole batch
//! are answered at once, and many cells have known neighbours on every side.

use crate::layout::Layout;

/// How tiles are cut into segments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Segments {
    /// Of 16 rows, two ranks of the row man: little has to be read for one cell.
    Quarters,
    /// A tile is one segment.
    Whole,
}

impl Segments {
    /// How many segments a tile has.
    pub fn per_tile(self, layout: &Layout) -> usize {
        match self {
            Segments::Quarters if layout.rows() > 1 => 4,
            _ => 1,
        }
    }

    /// The rows of a segment in the order they are coded.
    pub(crate) fn rows(self, layout: &Layout, segment: usize) -> &'static [u8] {
        match self {
            _ if layout.rows() == 1 => &[0],
            Segments::Whole => &ROW_ORDER,
            Segments::Quarters => &QUARTERS[segment % 4],
        }
    }

    /// The segment of a row.
    pub(crate) fn of_row(self, layout: &Layout, row: usize) -> usize {
        row * self.per_tile(layout) / layout.rows()
    }
}

/// The squares of each phase.
pub const PHASES: [u64; 3] = [EVEN_EVEN, EVEN_EVEN << 9, !(EVEN_EVEN | EVEN_EVEN << 9)];

/// Rows in the order they are coded, up to the one given or all of them.
pub(crate) fn upto(rows: &'static [u8], last_row: Option<usize>) -> &'static [u8] {
    let last = last_row.and_then(|last| rows.iter().position(|&row| usize::from(row) == last));
    &rows[..last.map_or(rows.len(), |last| last + 1)]
}

/// Files a, c, e, g of ranks 1, 3, 5, 7.
const EVEN_EVEN: u64 = 0x0055_0055_0055_0055;

/// The phase of a square.
#[inline]
pub const fn phase(square: usize) -> usize {
    match (square & 1, square >> 3 & 1) {
        (0, 0) => 0,
        (1, 1) => 1,
        _ => 2,
    }
}

/// The rows of a full tile in the order they are coded.
pub const ROW_ORDER: [u8; 64] = {
    let mut order = [0; 64];
    let (mut at, mut p) = (0, 0);
    while p < 3 {
        let mut square = 0;
        while square < 64 {
            if phase(square) == p {
                order[at] = square as u8;
                at += 1;
            }
            square += 1;
        }
        p += 1;
    }
    order
};

/// The rows of a quarter of a tile in the order they are coded.
const QUARTERS: [[u8; 16]; 4] = {
    let mut quarters = [[0; 16]; 4];
    let (mut at, mut i) = ([0; 4], 0);
    while i < 64 {
        let quarter = (ROW_ORDER[i] / 16) as usize;
        quarters[quarter][at[quarter]] = ROW_ORDER[i];
        at[quarter] += 1;
        i += 1;
    }
    quarters
};

/// Whether a cell (row, column) is coded before another one of its segment and
/// not in the same batch.
#[inline]
pub const fn is_known(cell: (usize, usize), at: (usize, usize)) -> bool {
    let row = (phase(cell.0), cell.0);
    let here = (phase(at.0), at.0);
    if row.0 != here.0 {
        return row.0 < here.0;
    }
    if row.1 != here.1 {
        return row.1 < here.1;
    }
    phase(cell.1) < phase(at.1)
}

/// The same for depths, where a batch is a quarter of a row: files and ranks are
/// both even, both odd, odd and even, even and odd.
#[cfg(test)]
pub(crate) fn is_known_depth(cell: (usize, usize), at: (usize, usize)) -> bool {
    let batch = |square: usize| match (square & 1, square >> 3 & 1) {
        (0, 0) => 0,
        (1, 1) => 1,
        (1, 0) => 2,
        _ => 3,
    };
    let is_earlier_row = (phase(cell.0), cell.0) < (phase(at.0), at.0);
    is_earlier_row || cell.0 == at.0 && batch(cell.1) < batch(at.1)
}

/// A step of the men of the tile: files and ranks of the row man, files and
/// ranks of the column man.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// How far the row man goes.
    pub row: (i32, i32),
    /// How far the column man goes.
    pub column: (i32, i32),
}

const fn step(row: (i32, i32), column: (i32, i32)) -> Step {
    Step { row, column }
}

/// Steps of one square, then of two.
const STEPS: [(i32, i32); 12] = [
    (-1, 0),
    (0, -1),
    (1, 0),
    (0, 1),
    (-1, -1),
    (1, -1),
    (-1, 1),
    (1, 1),
    (-2, 0),
    (0, -2),
    (2, 0),
    (0, 2),
];

/// How many neighbours a question can ask for.
pub const NEAR: usize = 32;

/// The neighbours: the row man steps, the column man steps, both step alike,
/// both step opposite ways.
pub const NEIGHBOURS: [Step; NEAR] = {
    let mut all = [step((0, 0), (0, 0)); NEAR];
    let mut i = 0;
    while i < 12 {
        all[i] = step(STEPS[i], (0, 0));
        all[12 + i] = step((0, 0), STEPS[i]);
        i += 1;
    }
    i = 0;
    while i < 4 {
        all[24 + i] = step(STEPS[i], STEPS[i]);
        all[28 + i] = step(STEPS[i], STEPS[(i + 2) % 4]);
        i += 1;
    }
    all
};

/// The eight nearest of [`NEIGHBOURS`]: one man steps one square along a rank
/// or file.
pub const NEAREST: [usize; 8] = [0, 1, 2, 3, 12, 13, 14, 15];

/// The columns c for which the word has bit c + step; none beyond the edge.
#[inline]
pub const fn shifted(word: u64, step: (i32, i32)) -> u64 {
    const FILE_A: u64 = 0x0101_0101_0101_0101;
    let (files, ranks) = step;
    let inside = match files {
        -2 => !(FILE_A | FILE_A << 1),
        -1 => !FILE_A,
        1 => !(FILE_A << 7),
        2 => !(FILE_A << 7 | FILE_A << 6),
        _ => !0,
    };
    let by = files + 8 * ranks;
    (if by >= 0 { word >> by } else { word << -by }) & inside
}

#[cfg(test)]
mod tests {
    use super::*;
    use molien_board::Square;

    #[test]
    fn phases_cut_the_board() {
        assert_eq!(PHASES[0] | PHASES[1] | PHASES[2], !0);
        for square in 0..64 {
            assert_eq!(PHASES[phase(square)] >> square & 1, 1);
        }
        let mut rows = ROW_ORDER;
        rows.sort_unstable();
        assert!(rows.iter().enumerate().all(|(i, &row)| i == usize::from(row)));
    }

    #[test]
    fn known_cells_come_earlier() {
        for (i, &row) in ROW_ORDER.iter().enumerate() {
            for (j, &other) in ROW_ORDER.iter().enumerate() {
                let known = is_known((usize::from(other), 5), (usize::from(row), 5));
                assert_eq!(known, j < i);
            }
        }
        assert!(is_known((3, 0), (3, 9)) && is_known((3, 9), (3, 1)) && !is_known((3, 1), (3, 8)));
    }

    #[test]
    fn shifting_is_stepping() {
        let word = 0x8123_4567_89ab_cdef;
        for step in NEIGHBOURS.iter().map(|step| step.column) {
            for column in Square::all() {
                let to = column.offset(step.0, step.1);
                let expected = to.is_some_and(|to| word >> to.index() & 1 != 0);
                assert_eq!(shifted(word, step) >> column.index() & 1 != 0, expected);
            }
        }
    }
}
