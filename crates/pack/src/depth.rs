//! Depths: what they are coded as, and what is known about them in a batch.
//!
//! A depth is coded as its place among the depths that occur in wins (or in
//! losses) of its side, less the predicted place: the median of the nearest
//! known places with the same sign.

use molien_board::{Bitboard, Square};

use crate::classes::ClassTile;
use crate::question::{DEPTH_ANSWERS, MAX_STEP, NO_STEP, Question};
use crate::source::DepthTile;

/// Symbols of a depth: differences, near ones first, and an escape.
pub(crate) const SYMBOLS: usize = 32;
pub(crate) const ESCAPE: u8 = SYMBOLS as u8 - 1;
/// Classes from this one on are wins; below the draw are losses.
const DRAW: usize = 2;

/// The symbols that learning tells apart.
pub(crate) const BUCKETS: usize = 12;

/// The bucket of a symbol.
pub(crate) fn bucket(symbol: u8) -> u8 {
    match symbol {
        0..=6 => symbol,
        7..=8 => 7,
        9..=12 => 8,
        13..=20 => 9,
        21..ESCAPE => 10,
        _ => 11,
    }
}

/// A place and a sign, 0 for a win: place * 2 + sign; or nothing known.
pub(crate) type Key = u16;
pub(crate) const UNKNOWN: Key = Key::MAX;
pub(crate) type KeyTile = [[Key; 64]; 64];

/// The cells of a row that have a depth.
#[inline]
pub(crate) fn decided(classes: &ClassTile, row: usize) -> u64 {
    classes.known(row) & !classes.exactly(row, DRAW)
}

/// The lost cells of a row.
#[inline]
pub(crate) fn lost(classes: &ClassTile, row: usize) -> u64 {
    classes.at_most[DRAW - 1][row]
}

/// The depths that occur, rising, of wins and of losses.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct Alphabet {
    pub depths: [Vec<u16>; 2],
    /// The place predicted where nothing is known.
    pub start: [u16; 2],
}

impl Alphabet {
    /// From how often each depth occurs.
    pub fn of(counts: &[Vec<u64>; 2]) -> Alphabet {
        let mut alphabet = Alphabet::default();
        for (sign, counts) in counts.iter().enumerate() {
            let all: u64 = counts.iter().sum();
            let mut before = 0;
            for (depth, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
                if 2 * before <= all {
                    alphabet.start[sign] = alphabet.depths[sign].len() as u16;
                }
                before += count;
                alphabet.depths[sign].push(depth as u16);
            }
        }
        alphabet
    }

    /// The places of the depths of a tile.
    pub fn keys(&self, classes: &ClassTile, depths: &DepthTile, rows: &[u8], keys: &mut KeyTile) {
        for row in rows.iter().map(|&row| usize::from(row)) {
            let lost = lost(classes, row);
            for column in Bitboard(decided(classes, row)).into_iter().map(Square::index) {
                let sign = (lost >> column & 1) as usize;
                let place = self.depths[sign].binary_search(&depths[row][column]).unwrap_or(0);
                keys[row][column] = (place << 1 | sign) as Key;
            }
        }
    }
}

/// The symbol of a difference.
#[inline]
pub(crate) fn symbol(difference: i32) -> u8 {
    let zigzag = if difference < 0 { -2 * difference - 1 } else { 2 * difference };
    zigzag.min(i32::from(ESCAPE)) as u8
}

/// The difference of a symbol other than the escape.
#[inline]
pub(crate) fn difference(symbol: u8) -> i32 {
    let half = i32::from(symbol.div_ceil(2));
    if symbol % 2 == 1 { -half } else { half }
}

/// An answer about a step from one depth to another.
#[inline]
pub(crate) fn step_answer(step: i32) -> u8 {
    (step.clamp(-MAX_STEP, MAX_STEP) + MAX_STEP) as u8
}

/// An answer about a depth itself: exact while it is small.
#[inline]
pub(crate) fn depth_answer(depth: i32) -> u8 {
    let rough = if depth < 24 { depth } else { 24 + (depth - 24) / 4 };
    rough.min(DEPTH_ANSWERS as i32 - 1) as u8
}

/// The greatest of the lower half and one more: the median, or the upper one of
/// two.
#[inline]
pub(crate) fn median(values: &mut [i32]) -> i32 {
    // A handful of numbers: insertion is as fast as anything.
    for i in 1..values.len() {
        let mut j = i;
        while j > 0 && values[j - 1] > values[j] {
            values.swap(j - 1, j);
            j -= 1;
        }
    }
    values[values.len() / 2]
}

/// The eight squares around each square; 64 beyond the edge.
static AROUND: [[u8; 64]; 8] = {
    const STEPS: [(i32, i32); 8] =
        [(-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (1, -1), (-1, 1), (1, 1)];
    let mut table = [[64; 64]; 8];
    let mut step = 0;
    while step < 8 {
        let mut square = 0;
        while square < 64 {
            if let Some(to) = Square::new(square).offset(STEPS[step].0, STEPS[step].1) {
                table[step][square] = to.index() as u8;
            }
            square += 1;
        }
        step += 1;
    }
    table
};

/// Neighbours whose depth is looked at: eight steps of the row man, eight of the
/// column man; the first four of each are the nearest.
const NEAR: usize = 16;

/// What is known about the cells of a batch.
pub(crate) struct DepthBatch {
    pub predicted: [u16; 64],
    /// By question: the steps, then the others.
    answers: [[u8; 64]; NEAR + 5],
}

impl DepthBatch {
    pub fn new() -> DepthBatch {
        DepthBatch { predicted: [0; 64], answers: [[0; 64]; NEAR + 5] }
    }

    /// Looks at the neighbours of some cells of a row. Depths in the earlier
    /// metric are in plies.
    pub fn fill(
        &mut self,
        (row, has_row): (usize, bool),
        (columns, lost): (u64, u64),
        known: &KeyTile,
        start: &[u16; 2],
        earlier: Option<&DepthTile>,
    ) {
        for column in Bitboard(columns).into_iter().map(Square::index) {
            let sign = (lost >> column & 1) as Key;
            let mut places = [(0usize, 0usize, -1i32); NEAR];
            for (i, place) in places.iter_mut().enumerate() {
                let (r, c) = match i {
                    0..8 if has_row => (usize::from(AROUND[i][row]), column),
                    0..8 => (64, column),
                    _ => (row, usize::from(AROUND[i - 8][column])),
                };
                if r < 64 && c < 64 {
                    let key = known[r][c];
                    if key != UNKNOWN && key & 1 == sign {
                        *place = (r, c, i32::from(key >> 1));
                    }
                }
            }
            self.set(row, column, &places, i32::from(start[usize::from(sign)]), earlier);
        }
    }

    fn set(
        &mut self,
        row: usize,
        column: usize,
        places: &[(usize, usize, i32); NEAR],
        start: i32,
        earlier: Option<&DepthTile>,
    ) {
        let nearest = || places[..4].iter().chain(&places[8..12]).filter(|place| place.2 >= 0);
        let count = nearest().count();
        let mut used: [(usize, usize, i32); NEAR] = [(0, 0, 0); NEAR];
        let mut len = 0;
        let all = places.iter().filter(|place| place.2 >= 0);
        let chosen: &mut dyn Iterator<Item = &(usize, usize, i32)> =
            if count > 0 { &mut nearest() } else { &mut all.into_iter() };
        for place in chosen {
            used[len] = *place;
            len += 1;
        }
        let mut values = used.map(|place| place.2);
        let predicted = if len == 0 { start } else { median(&mut values[..len]) };
        self.predicted[column] = predicted as u16;
        for (answers, place) in self.answers.iter_mut().zip(places) {
            answers[column] = if place.2 < 0 { NO_STEP } else { step_answer(place.2 - predicted) };
        }
        // The median has sorted the values.
        let spread = if len == 0 { MAX_STEP + 1 } else { values[len - 1] - values[0] };
        self.answers[NEAR][column] = depth_answer(predicted);
        self.answers[NEAR + 1][column] =
            if len == 0 { MAX_STEP as u8 + 1 } else { spread.min(MAX_STEP) as u8 };
        self.answers[NEAR + 2][column] = count as u8;
        if let Some(earlier) = earlier {
            let here = i32::from(earlier[row][column]);
            let mut others = used.map(|(r, c, _)| i32::from(earlier[r][c]));
            let step = (len > 0).then(|| here - median(&mut others[..len]));
            self.answers[NEAR + 3][column] = depth_answer(here);
            self.answers[NEAR + 4][column] = step.map_or(NO_STEP, step_answer);
        }
    }

    /// The answers to a question about depths; `None` if it is not about
    /// them.
    #[inline]
    pub fn answers(&self, question: Question) -> Option<&[u8; 64]> {
        let slot = match question {
            Question::Step(near @ 0..8) => usize::from(near),
            Question::Step(near) => usize::from(near) - 4,
            Question::Predicted => NEAR,
            Question::Spread => NEAR + 1,
            Question::Known => NEAR + 2,
            Question::Earlier => NEAR + 3,
            Question::EarlierStep => NEAR + 4,
            _ => return None,
        };
        self.answers.get(slot)
    }

    /// The columns whose answer is at most the threshold.
    #[inline]
    pub fn at_most(answers: &[u8; 64], threshold: u8) -> u64 {
        let bytes = answers.iter().enumerate();
        bytes.fold(0, |set, (i, &answer)| set | u64::from(answer <= threshold) << i)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_undo_differences() {
        for step in -15..=15 {
            assert_eq!(difference(symbol(step)), step);
        }
        assert_eq!([symbol(-16), symbol(16), symbol(-15)], [ESCAPE, ESCAPE, 29]);
        assert_eq!(symbol(15), 30);
        assert_eq!(bucket(ESCAPE), BUCKETS as u8 - 1);
    }

    #[test]
    fn medians() {
        assert_eq!(median(&mut [3]), 3);
        assert_eq!(median(&mut [9, 1]), 9);
        assert_eq!(median(&mut [5, 1, 3, 9]), 5);
    }

    #[test]
    fn alphabets_start_in_the_middle() {
        let counts = [vec![0, 5, 0, 7, 0, 1], vec![1, 0, 1]];
        let alphabet = Alphabet::of(&counts);
        assert_eq!(alphabet.depths, [vec![1, 3, 5], vec![0, 2]]);
        assert_eq!(alphabet.start, [1, 1]);
    }
}
