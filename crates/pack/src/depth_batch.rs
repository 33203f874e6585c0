//! What is known about the depths around the cells of a batch, all 64 columns at
//! once: loops over columns that a compiler turns into vectors.

use molien_board::Square;

use crate::depth::{KeyTile, MAX_DEPTH, UNKNOWN};
use crate::question::{MAX_STEP, NO_STEP, Question};
use crate::source::DepthTile;

/// A number for each column.
type Lanes = [i16; 64];
/// No place: greater than all places and plies.
const NONE: i16 = i16::MAX;
const _: () = assert!(MAX_DEPTH < NONE as u16);

/// Neighbours whose depth is looked at: eight steps of the row man, eight of the
/// column man; the first four of each are the nearest.
const NEAR: usize = 16;
const STEPS: [(i32, i32); 8] =
    [(-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (1, -1), (-1, 1), (1, 1)];
/// The nearest neighbours, and those further away.
const NEAREST: [usize; 8] = [0, 1, 2, 3, 8, 9, 10, 11];
const FURTHER: [usize; 8] = [4, 5, 6, 7, 12, 13, 14, 15];

/// All bits where a step by -1, 0 or 1 files leaves the board.
static OFF_BOARD: [[u16; 64]; 3] = {
    let mut off = [[0; 64]; 3];
    let mut square = 0;
    while square < 64 {
        if square % 8 == 0 {
            off[0][square] = !0;
        }
        if square % 8 == 7 {
            off[2][square] = !0;
        }
        square += 1;
    }
    off
};

/// Numbers of a row with room for steps beyond its ends.
struct Row([u16; 96]);

impl Row {
    const START: usize = 16;

    fn new(numbers: &[u16; 64]) -> Row {
        let mut row = [UNKNOWN; 96];
        row[Row::START..Row::START + 64].copy_from_slice(numbers);
        Row(row)
    }

    /// The numbers a step away; all bits set beyond the edge.
    #[inline]
    fn step(&self, (files, ranks): (i32, i32)) -> [u16; 64] {
        let start = (Row::START as i32 + files + 8 * ranks) as usize;
        let off = &OFF_BOARD[(files + 1) as usize];
        let mut numbers = [0; 64];
        for (column, number) in numbers.iter_mut().enumerate() {
            *number = self.0[start..start + 64][column] | off[column];
        }
        numbers
    }
}

/// The places of keys with the right sign.
#[inline]
fn places(keys: &[u16; 64], signs: &[u16; 64]) -> Lanes {
    let mut places = [0; 64];
    for (column, place) in places.iter_mut().enumerate() {
        // An unknown key is all ones, which gives none; so does a wrong sign.
        let wrong = ((keys[column] ^ signs[column]) & 1).wrapping_neg();
        *place = ((keys[column] | wrong) >> 1) as i16;
    }
    places
}

/// The middle, the least and the greatest of eight numbers, and how many of them
/// are not none.
struct Middle {
    median: Lanes,
    spread: Lanes,
    count: Lanes,
}

/// Exchanges that sort eight numbers.
const SORT: [(usize, usize); 19] = [
    (0, 2),
    (1, 3),
    (4, 6),
    (5, 7),
    (0, 4),
    (1, 5),
    (2, 6),
    (3, 7),
    (0, 1),
    (2, 3),
    (4, 5),
    (6, 7),
    (2, 4),
    (3, 5),
    (1, 4),
    (3, 6),
    (1, 2),
    (3, 4),
    (5, 6),
];

/// The middle ones of some lanes: number count / 2 of the sorted ones.
#[inline]
fn middle(of: [&Lanes; 8]) -> Middle {
    const WIDTH: usize = 8;
    let mut found = Middle { median: [0; 64], spread: [0; 64], count: [0; 64] };
    for start in (0..64).step_by(WIDTH) {
        let mut sorted = [[0i16; WIDTH]; 8];
        let mut count = [0i16; WIDTH];
        for (sorted, lanes) in sorted.iter_mut().zip(of) {
            sorted.copy_from_slice(&lanes[start..start + WIDTH]);
            for (count, &number) in count.iter_mut().zip(&*sorted) {
                *count += i16::from(number != NONE);
            }
        }
        for (a, b) in SORT {
            for lane in 0..WIDTH {
                let (x, y) = (sorted[a][lane], sorted[b][lane]);
                (sorted[a][lane], sorted[b][lane]) = (x.min(y), x.max(y));
            }
        }
        for lane in 0..WIDTH {
            let (mut median, mut greatest) = (sorted[0][lane], sorted[0][lane]);
            for k in 1..8 {
                let number = sorted[k][lane];
                median = if count[lane] >= 2 * k as i16 { number } else { median };
                greatest = if count[lane] > k as i16 { number } else { greatest };
            }
            found.median[start + lane] = median;
            found.spread[start + lane] = greatest - sorted[0][lane];
            found.count[start + lane] = count[lane];
        }
    }
    found
}

/// The columns whose number is at most the limit of the column.
#[inline]
fn at_most(lanes: &Lanes, limit: impl Fn(usize) -> i16) -> u64 {
    let mut yes = [0u8; 64];
    for (column, yes) in yes.iter_mut().enumerate() {
        *yes = u8::from(lanes[column] <= limit(column));
    }
    // The product gathers the lowest bits of eight bytes in the highest byte.
    let gather =
        |bytes: &[u8; 8]| u64::from_le_bytes(*bytes).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    let (eights, _) = yes.as_chunks::<8>();
    eights.iter().rev().fold(0, |set, bytes| set << 8 | gather(bytes))
}

/// The greatest depth with this answer to a question about depths.
fn deepest_with(answer: u8) -> i16 {
    let answer = i16::from(answer);
    if answer < 24 { answer } else { 24 + 4 * (answer - 24) + 3 }
}

/// What is known about the cells of a batch.
pub(crate) struct DepthBatch {
    /// The predicted place.
    pub predicted: Lanes,
    near: [Lanes; NEAR],
    spread: Lanes,
    count: Lanes,
    earlier: Lanes,
    earlier_step: Lanes,
}

impl DepthBatch {
    pub fn new() -> DepthBatch {
        let none = [0; 64];
        DepthBatch {
            predicted: none,
            near: [none; NEAR],
            spread: none,
            count: none,
            earlier: none,
            earlier_step: none,
        }
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
        let mut signs = [0; 64];
        signs.iter_mut().enumerate().for_each(|(c, sign)| *sign = (lost >> c & 1) as u16);
        let here = Row::new(&known[row]);
        for (i, &step) in STEPS.iter().enumerate() {
            let above = Square::new(row).offset(step.0, step.1).filter(|_| has_row);
            self.near[i] = above.map_or([NONE; 64], |row| places(&known[row.index()], &signs));
            self.near[8 + i] = places(&here.step(step), &signs);
        }
        let nearest = middle(NEAREST.map(|i| &self.near[i]));
        let alone = at_most(&nearest.count, |_| 0) & columns;
        let further = (alone != 0).then(|| middle(FURTHER.map(|i| &self.near[i])));
        for column in 0..64 {
            let used = match &further {
                Some(further) if nearest.count[column] == 0 => further,
                _ => &nearest,
            };
            let some = used.count[column] > 0;
            let start = start[usize::from(signs[column])] as i16;
            self.predicted[column] = if some { used.median[column] } else { start };
            let spread = used.spread[column].min(MAX_STEP as i16);
            self.spread[column] = if some { spread } else { MAX_STEP as i16 + 1 };
        }
        self.count = nearest.count;
        if let Some(earlier) = earlier {
            self.fill_earlier((row, has_row), &nearest, further.as_ref(), earlier);
        }
    }

    /// What the earlier metric says of the cells, and of those the prediction
    /// comes from.
    fn fill_earlier(
        &mut self,
        (row, has_row): (usize, bool),
        nearest: &Middle,
        further: Option<&Middle>,
        plies: &DepthTile,
    ) {
        let here = Row::new(&plies[row]);
        let of = |i: usize| {
            let step = STEPS[i % 8];
            let row = Square::new(row).offset(step.0, step.1).filter(|_| has_row);
            let plies = match i {
                0..8 => row.map_or([UNKNOWN; 64], |row| plies[row.index()]),
                _ => here.step(step),
            };
            let mut known = [NONE; 64];
            for (column, known) in known.iter_mut().enumerate() {
                let none = self.near[i][column] == NONE;
                *known = if none { NONE } else { plies[column] as i16 };
            }
            known
        };
        let middle_of = |places: [usize; 8]| middle(places.map(of).each_ref()).median;
        let near = middle_of(NEAREST);
        let far = further.map(|further| (middle_of(FURTHER), &further.count));
        for column in 0..64 {
            let (median, count) = match &far {
                Some((median, count)) if nearest.count[column] == 0 => (median, *count),
                _ => (&near, &nearest.count),
            };
            let here = plies[row][column] as i16;
            let most = MAX_STEP as i16;
            let step = here.saturating_sub(median[column]).clamp(-most, most) + most;
            self.earlier[column] = here;
            self.earlier_step[column] = if count[column] > 0 { step } else { NO_STEP.into() };
        }
    }

    /// Where the answer to a question about depths is at most this; `None` if the
    /// question is not about them.
    #[inline]
    pub fn at_most(&self, question: Question, threshold: u8) -> Option<u64> {
        let limit = i16::from(threshold);
        Some(match question {
            Question::Step(_) => {
                let near = &self.near[slot(question)?];
                match i32::from(threshold) < 2 * MAX_STEP {
                    true => at_most(near, |c| self.predicted[c] + limit - MAX_STEP as i16),
                    false => at_most(near, |_| NONE - 1),
                }
            }
            Question::Predicted => at_most(&self.predicted, |_| deepest_with(threshold)),
            Question::Spread => at_most(&self.spread, |_| limit),
            Question::Known => at_most(&self.count, |_| limit),
            Question::Earlier => at_most(&self.earlier, |_| deepest_with(threshold)),
            Question::EarlierStep => at_most(&self.earlier_step, |_| limit),
            _ => return None,
        })
    }

    /// The answer of a column to a question about depths; `None` if it is not
    /// about them.
    pub fn answer(&self, question: Question, column: usize) -> Option<u8> {
        use crate::depth::{depth_answer, step_answer};
        Some(match question {
            Question::Step(_) => match self.near[slot(question)?][column] {
                NONE => NO_STEP,
                place => step_answer(i32::from(place) - i32::from(self.predicted[column])),
            },
            Question::Predicted => depth_answer(self.predicted[column].into()),
            Question::Spread => self.spread[column] as u8,
            Question::Known => self.count[column] as u8,
            Question::Earlier => depth_answer(self.earlier[column].into()),
            Question::EarlierStep => self.earlier_step[column] as u8,
            _ => return None,
        })
    }
}

/// Where the neighbour of a question about a step is kept.
#[inline]
fn slot(question: Question) -> Option<usize> {
    match question {
        Question::Step(near @ 0..8) => Some(usize::from(near)),
        Question::Step(near) => Some(usize::from(near) - 4),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picks::Random;
    use crate::question::STEP_NEAR;
    use crate::slow_depth::SlowBatch;

    /// Random places, and depths in another metric, with holes of all sizes.
    fn tiles(random: &mut Random, holes: u64) -> (Box<KeyTile>, Box<DepthTile>) {
        let mut keys: Box<KeyTile> = Box::new([[UNKNOWN; 64]; 64]);
        let mut plies: Box<DepthTile> = Box::new([[0; 64]; 64]);
        for (keys, plies) in keys.as_flattened_mut().iter_mut().zip(plies.as_flattened_mut()) {
            if random.below(holes) == 0 {
                *keys = random.below(120) as u16;
            }
            *plies = random.below(150) as u16;
        }
        (keys, plies)
    }

    #[test]
    fn vectors_are_cells_one_by_one() {
        let mut random = Random::new(3);
        let questions: Vec<Question> = STEP_NEAR
            .map(Question::Step)
            .into_iter()
            .chain([Question::Predicted, Question::Spread, Question::Known])
            .chain([Question::Earlier, Question::EarlierStep])
            .collect();
        for (row, holes) in [(0, 1), (9, 2), (27, 6), (63, 40), (56, 3), (40, 500)] {
            let (keys, plies) = tiles(&mut random, holes);
            let (columns, lost) = (random.next(), random.next());
            for has_row in [true, false] {
                let (mut fast, mut slow) = (DepthBatch::new(), SlowBatch::new());
                let (at, start) = ((row, has_row), [17, 60]);
                fast.fill(at, (columns, lost), &keys, &start, Some(&plies));
                slow.fill(at, (columns, lost), &keys, &start, Some(&plies));
                for column in (0..64).filter(|column| columns >> column & 1 != 0) {
                    assert_eq!(fast.predicted[column], slow.predicted[column] as i16);
                    for &question in &questions {
                        let expected = slow.answers(question).unwrap()[column];
                        assert_eq!(fast.answer(question, column), Some(expected), "{question:?}");
                        for threshold in 0..question.answers() as u8 - 1 {
                            let set = fast.at_most(question, threshold).unwrap();
                            assert_eq!(set >> column & 1 != 0, expected <= threshold);
                        }
                    }
                }
            }
        }
    }
}
