//! What is known about the depths around a cell, one after the other: short,
//! slow, obvious. `depth_batch.rs` is compared with it.

use molien_board::{Bitboard, Color, Role, Square};

use crate::depth::{Key, UNKNOWN};
use crate::men::Men;
use crate::question::{DEPTH_ANSWERS, MAX_STEP, NO_STEP, Question};
use crate::source::DepthTile;

/// The keys of a tile.
pub(crate) type KeyTile = [[Key; 64]; 64];

/// An answer about a step from one depth to another.
fn step_answer(step: i32) -> u8 {
    (step.clamp(-MAX_STEP, MAX_STEP) + MAX_STEP) as u8
}

/// An answer about a depth itself: exact while it is small.
fn depth_answer(depth: i32) -> u8 {
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
pub(crate) struct SlowBatch {
    pub predicted: [u16; 64],
    /// By question: the steps, then the others.
    answers: [[u8; 64]; NEAR + 10],
}

impl SlowBatch {
    pub fn new() -> SlowBatch {
        SlowBatch { predicted: [0; 64], answers: [[0; 64]; NEAR + 10] }
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
        lines: Option<&SlowLines<'_>>,
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
            let along = lines.map_or([None; 2], |lines| lines.look((row, column), sign, known));
            // Steps in an earlier metric are from the median.
            let from_lines = lines.filter(|_| earlier.is_none());
            let from_lines = from_lines.and_then(|lines| lines.predicted(&along, sign));
            let start = i32::from(start[usize::from(sign)]);
            self.set(row, column, &places, (start, from_lines), earlier);
            self.set_lines(column, &along);
        }
    }

    fn set(
        &mut self,
        row: usize,
        column: usize,
        places: &[(usize, usize, i32); NEAR],
        (start, from_lines): (i32, Option<i32>),
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
        let middle = if len == 0 { start } else { median(&mut values[..len]) };
        let predicted = from_lines.unwrap_or(middle);
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
        self.answers[NEAR + 9][column] = step_answer(middle - predicted);
        if let Some(earlier) = earlier {
            let here = i32::from(earlier[row][column]);
            let mut others = used.map(|(r, c, _)| i32::from(earlier[r][c]));
            let step = (len > 0).then(|| here - median(&mut others[..len]));
            self.answers[NEAR + 3][column] = depth_answer(here);
            self.answers[NEAR + 4][column] = step.map_or(NO_STEP, step_answer);
        }
    }

    /// What is known along lines, the predicted place being found.
    fn set_lines(&mut self, column: usize, along: &[Option<(i32, i32)>; 2]) {
        let step = |place: i32| step_answer(place - i32::from(self.predicted[column]));
        let answers = along.map(|found| found.map(|(best, worst)| [step(best), step(worst)]));
        for (man, found) in answers.into_iter().enumerate() {
            let [best, worst] = found.unwrap_or([NO_STEP; 2]);
            self.answers[NEAR + 5 + 2 * man][column] = best;
            self.answers[NEAR + 6 + 2 * man][column] = worst;
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
            Question::Line(man) => NEAR + 5 + 2 * usize::from(man),
            Question::WorstLine(man) => NEAR + 6 + 2 * usize::from(man),
            Question::Middle => NEAR + 9,
            _ => return None,
        };
        self.answers.get(slot)
    }
}

/// The lines of a tile, walked square by square. What is known includes the images
/// of known cells where the tile's men are alike.
pub(crate) struct SlowLines<'a> {
    pub men: &'a Men,
    pub fixed: Bitboard,
    pub turn: Color,
}

impl SlowLines<'_> {
    /// The place in questions of the row man, of the column man.
    fn place(&self, man: usize) -> Option<usize> {
        if man == 0 { self.men.row() } else { Some(self.men.column()) }
    }

    /// Whether a man is the winner's.
    fn wins(&self, place: usize, sign: Key) -> bool {
        (self.men.get(place).color == self.turn) == (sign == 0)
    }

    /// For each man the places along his best and his worst line, if any is known.
    fn look(&self, at: (usize, usize), sign: Key, known: &KeyTile) -> [Option<(i32, i32)>; 2] {
        std::array::from_fn(|man| {
            let place = self.place(man)?;
            let wins = self.wins(place, sign);
            let own = Square::new(if man == 0 { at.0 } else { at.1 });
            let mut lines = Vec::new();
            let role = self.men.get(place).role;
            for &(files, ranks) in role.directions().iter().filter(|_| role != Role::King) {
                // Each line once: from its direction to the right, or straight up.
                if !role.is_slider() || (files, ranks) < (0, 1) {
                    continue;
                }
                let mut places = Vec::new();
                for (files, ranks) in [(files, ranks), (-files, -ranks)] {
                    let mut square = own;
                    while let Some(to) = square.offset(files, ranks) {
                        square = to;
                        if self.fixed.contains(to) {
                            break;
                        }
                        let to = to.index();
                        let key = if man == 0 { known[to][at.1] } else { known[at.0][to] };
                        if key != UNKNOWN && key & 1 == sign {
                            places.push(i32::from(key >> 1));
                        }
                    }
                }
                lines.extend(if wins { places.iter().max() } else { places.iter().min() });
            }
            let (least, most) = (*lines.iter().min()?, *lines.iter().max()?);
            Some(if wins { (least, most) } else { (most, least) })
        })
    }

    /// The place that lines predict.
    fn predicted(&self, along: &[Option<(i32, i32)>; 2], sign: Key) -> Option<i32> {
        let best = |wanted: bool| -> Vec<i32> {
            let men = (0..2).filter(|&man| {
                self.place(man).is_some_and(|place| self.wins(place, sign) == wanted)
            });
            men.filter_map(|man| along[man].map(|found| found.0)).collect()
        };
        best(true).into_iter().min().or(best(false).into_iter().max())
    }
}

#[test]
fn medians() {
    assert_eq!(median(&mut [3]), 3);
    assert_eq!(median(&mut [9, 1]), 9);
    assert_eq!(median(&mut [5, 1, 3, 9]), 5);
}
