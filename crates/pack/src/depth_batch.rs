//! What is known about the depths around the cells of a grid of columns, 16 at
//! once: loops that a compiler turns into vectors.

use molien_board::Square;

use crate::depth::{MAX_DEPTH, UNKNOWN};
use crate::flat::{Answers, Numbered};
use crate::lanes::{COLUMN, GRID, GRIDS, ROOM, Shift, grid_of, place, select, shifts};
use crate::lines::{Lines, LinesOf, NO_PLACE, predicted};
use crate::question::{DEPTH_ANSWERS, MAX_STEP, NO_STEP, Question};
use crate::scan::phase;
use crate::source::DepthTile;

/// A number for each column of a grid.
type Lanes = [i16; GRID];
/// No place: greater than all places and plies.
const NONE: i16 = NO_PLACE;
const _: () = assert!(MAX_DEPTH < NONE as u16);
/// Greater steps are all the same.
const MOST: i16 = MAX_STEP as i16;

/// Neighbours whose depth is looked at: eight steps of the row man, eight of the
/// column man; the first four of each are the nearest.
const NEAR: usize = 16;
const STEPS: [(i32, i32); 8] =
    [(-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (1, -1), (-1, 1), (1, 1)];
static SHIFTS: [[Shift; GRIDS]; 8] = shifts(STEPS);

/// Beyond the edge of the board nothing is known.
static NOWHERE: [u16; ROOM] = [UNKNOWN; ROOM];

/// The rows a step away; 64 beyond the edge.
static ROWS: [[u8; 8]; 64] = {
    let mut rows = [[64; 8]; 64];
    let mut row = 0;
    while row < 64 {
        let mut i = 0;
        while i < 8 {
            if let Some(to) = Square::new(row).offset(STEPS[i].0, STEPS[i].1) {
                rows[row][i] = to.index() as u8;
            }
            i += 1;
        }
        row += 1;
    }
    rows
};

/// Numbers of a tile by lane, with margins; all bits are set where there is
/// none.
pub(crate) struct WordLanes(Box<[[u16; ROOM]; 64]>);

impl WordLanes {
    pub fn new() -> WordLanes {
        WordLanes(Box::new([[UNKNOWN; ROOM]; 64]))
    }

    /// Nothing is known any more.
    pub fn clear(&mut self) {
        self.0.fill([UNKNOWN; ROOM]);
    }

    /// Takes over a tile.
    pub fn fill(&mut self, tile: &DepthTile) {
        for (to, from) in self.0.iter_mut().zip(tile) {
            for (lane, &column) in COLUMN.iter().enumerate() {
                to[place(lane)] = from[usize::from(column) % 64];
            }
        }
    }

    #[inline(always)]
    pub fn get(&self, row: usize, lane: usize) -> u16 {
        self.0[row][place(lane)]
    }

    #[inline(always)]
    pub fn set(&mut self, row: usize, lane: usize, number: u16) {
        self.0[row][place(lane)] = number;
    }

    /// Sets the numbers of a row, by lane.
    #[inline(always)]
    pub fn set_row(&mut self, row: usize, numbers: &[u16; 64]) {
        for (grid, numbers) in numbers.as_chunks::<GRID>().0.iter().enumerate() {
            self.0[row][place(grid * GRID)..][..GRID].copy_from_slice(numbers);
        }
    }

    /// The numbers of a grid.
    #[inline(always)]
    pub fn grid(&self, row: usize, grid: usize) -> [u16; GRID] {
        grid_of(&self.0[row], grid)
    }

    /// The numbers of a neighbour.
    #[inline(always)]
    fn near(&self, (row, has_row): (usize, bool), grid: usize, neighbour: usize) -> [u16; GRID] {
        if neighbour >= 8 {
            return SHIFTS[neighbour - 8][grid].words(&self.0[row]);
        }
        let row = if has_row { ROWS[row][neighbour] } else { 64 };
        grid_of(self.0.get(usize::from(row)).unwrap_or(&NOWHERE), grid)
    }
}

/// The places of keys with the right sign.
#[inline(always)]
fn places(keys: &[u16; GRID], signs: &[u16; GRID]) -> Lanes {
    let mut places = [0; GRID];
    for (lane, place) in places.iter_mut().enumerate() {
        // An unknown key is all ones, which gives none; so does a wrong sign.
        let wrong = ((keys[lane] ^ signs[lane]) & 1).wrapping_neg();
        *place = ((keys[lane] | wrong) >> 1) as i16;
    }
    places
}

/// The middle of some numbers, the greatest less the least, and how many of them are
/// not none.
#[derive(Clone, Copy)]
struct Middle {
    median: Lanes,
    spread: Lanes,
    count: Lanes,
}

impl Middle {
    /// There are no numbers.
    const NONE: Middle = Middle { median: [NONE; GRID], spread: [0; GRID], count: [0; GRID] };
}

/// Exchanges that sort four numbers, and eight.
const SORT_4: [(usize, usize); 5] = [(0, 2), (1, 3), (0, 1), (2, 3), (1, 2)];
const SORT_8: [(usize, usize); 19] = [
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
#[inline(always)]
fn middle<const N: usize>(mut sorted: [Lanes; N], exchanges: &[(usize, usize)]) -> Middle {
    let mut count = [0; GRID];
    for lanes in &sorted {
        for (count, &number) in count.iter_mut().zip(lanes) {
            *count += i16::from(number != NONE);
        }
    }
    for &(a, b) in exchanges {
        for lane in 0..GRID {
            let (x, y) = (sorted[a][lane], sorted[b][lane]);
            (sorted[a][lane], sorted[b][lane]) = (x.min(y), x.max(y));
        }
    }
    let (mut median, mut greatest) = (sorted[0], sorted[0]);
    for (k, numbers) in sorted.iter().enumerate().skip(1) {
        for lane in 0..GRID {
            let (number, count) = (numbers[lane], count[lane]);
            median[lane] = if count >= 2 * k as i16 { number } else { median[lane] };
            greatest[lane] = if count > k as i16 { number } else { greatest[lane] };
        }
    }
    let mut spread = greatest;
    spread.iter_mut().zip(&sorted[0]).for_each(|(spread, least)| *spread -= least);
    Middle { median, spread, count }
}

/// The middle of one or two groups of neighbours, those that can be known at all.
#[inline(always)]
fn middle_of(near: &[Lanes; NEAR], groups: [usize; 2], open: &[bool; 4]) -> Middle {
    let four = |group: usize| std::array::from_fn(|i| near[4 * group + i]);
    match groups.map(|group| open[group]) {
        [false, false] => Middle::NONE,
        [true, false] => middle::<4>(four(groups[0]), &SORT_4),
        [false, true] => middle::<4>(four(groups[1]), &SORT_4),
        [true, true] => {
            middle::<8>(std::array::from_fn(|i| near[4 * groups[i / 4] + i % 4]), &SORT_8)
        }
    }
}

/// Groups of four neighbours: nearest and further ones by a step of the row man, the
/// same by a step of the column man.
const NEAREST: [usize; 2] = [0, 2];
const FURTHER: [usize; 2] = [1, 3];

/// The groups that can be known at all, as cells come phase by phase: a step along a
/// file or rank leads from the last phase to the others and back, a diagonal one from
/// the first to the second and back, or stays in the last, whose two grids of columns
/// know each other so. Where the men of the tile are alike, anything can be known.
#[inline(always)]
fn open_groups(at: GridAt) -> [bool; 4] {
    let (row, has_row) = at.row;
    if at.alike {
        return [true; 4];
    }
    let rows = if has_row { phase(row) } else { 0 };
    [rows == 2, rows > 0, at.grid >= 2, at.grid % 2 == 1]
}

/// Where lines and the median of the neighbours are kept, behind the neighbours.
const LINES: usize = NEAR;
const MIDDLE: usize = LINES + 4;
const PLACES: usize = MIDDLE + 1;
/// The groups of neighbours, and what is not one of them.
const GROUPS: usize = NEAR / 4;

/// Questions about depths.
#[derive(Clone, Debug, Default)]
pub(crate) struct AskedDepths {
    /// How far a place is from the predicted one, by groups of neighbours, which may not be
    /// known at all: numbers, and where the places are kept.
    steps: [Vec<(u16, u8)>; GROUPS + 1],
    others: Numbered,
}

impl AskedDepths {
    /// Adds a question with its number.
    pub fn push(&mut self, (number, question): (u16, Question)) {
        let place = match question {
            Question::Step(near @ 0..8) => near,
            Question::Step(near) => near - 4,
            Question::Line(man) => LINES as u8 + 2 * man,
            Question::WorstLine(man) => LINES as u8 + 2 * man + 1,
            Question::Middle => MIDDLE as u8,
            _ => return self.others.push((number, question)),
        };
        self.steps[usize::from(place / 4).min(GROUPS)].push((number, place));
    }

    /// Whether a question is among them.
    pub fn has(&self, number: usize) -> bool {
        let steps = self.steps.iter().flatten().map(|asked| asked.0);
        let mut all = steps.chain(self.others.iter().map(|asked| asked.0));
        all.any(|asked| usize::from(asked) == number)
    }
}

/// What is known about the cells of a grid.
pub(crate) struct DepthBatch {
    /// The predicted place.
    pub predicted: Lanes,
    /// Places of the neighbours; along the lines of row and column man, the best and the worst;
    /// the median of the neighbours, or the first place.
    places: [Lanes; PLACES],
    /// The groups of neighbours that can be known.
    open: [bool; GROUPS],
    /// For each grid, the groups of which the answers say already that nothing is known.
    told: [[bool; GROUPS]; GRIDS],
    spread: Lanes,
    count: Lanes,
    earlier: Lanes,
    earlier_step: Lanes,
}

/// The cells of a grid.
#[derive(Clone, Copy)]
pub(crate) struct GridAt {
    /// The row, and whether there is a row man.
    pub row: (usize, bool),
    /// Whether row and column man are alike.
    pub alike: bool,
    pub grid: usize,
    /// 1 where there is a depth.
    pub decided: [u8; GRID],
    /// 1 where the depth is that of a loss.
    pub signs: [u16; GRID],
}

impl DepthBatch {
    pub fn new() -> DepthBatch {
        let none = [0; GRID];
        DepthBatch {
            predicted: none,
            places: [none; PLACES],
            open: [false; GROUPS],
            told: [[false; GROUPS]; GRIDS],
            spread: none,
            count: none,
            earlier: none,
            earlier_step: none,
        }
    }

    /// Starts a tile, whose answers may be kept elsewhere.
    pub fn start_tile(&mut self) {
        self.told = [[false; GROUPS]; GRIDS];
    }

    /// The places of the neighbours.
    #[inline(always)]
    fn near(&self) -> &[Lanes; NEAR] {
        self.places.first_chunk().unwrap_or_else(|| unreachable!("there are more places"))
    }

    /// Looks at the places of some groups of neighbours.
    #[inline(always)]
    fn look(&mut self, at: GridAt, known: &WordLanes, groups: [usize; 2], open: &[bool; 4]) {
        for group in groups {
            for i in 4 * group..4 * group + 4 {
                self.places[i] = match open[group] {
                    true => places(&known.near(at.row, at.grid, i), &at.signs),
                    false => [NONE; GRID],
                };
            }
        }
    }

    /// Looks at the neighbours of a grid of cells: those further away only if they
    /// are needed, or asked for (`far`). Depths in the earlier metric are in plies.
    #[inline(always)]
    pub fn fill(
        &mut self,
        at: GridAt,
        known: &WordLanes,
        start: &[u16; 2],
        (earlier, far): (Option<&WordLanes>, bool),
        lines: &Lines,
    ) {
        let open = open_groups(at);
        self.open = open;
        self.look(at, known, NEAREST, &open);
        let nearest = middle_of(self.near(), NEAREST, &open);
        let is_alone = |(&decided, &count): (&u8, &i16)| decided & u8::from(count == 0);
        let alone = at.decided.iter().zip(&nearest.count).map(is_alone).fold(0, |a, b| a | b) != 0;
        if alone || far {
            self.look(at, known, FURTHER, &open);
        }
        let further = match alone {
            true => middle_of(self.near(), FURTHER, &open),
            false => Middle::NONE,
        };
        let start = start.map(|place| place as i16);
        for lane in 0..GRID {
            let far = nearest.count[lane] == 0;
            let none = nearest.count[lane] | further.count[lane] == 0;
            let median = select(far, further.median[lane], nearest.median[lane]);
            let start = select(at.signs[lane] & 1 == 0, start[0], start[1]);
            self.places[MIDDLE][lane] = select(none, start, median);
            let spread = select(far, further.spread[lane], nearest.spread[lane]);
            self.spread[lane] = select(none, MOST + 1, spread.min(MOST));
        }
        self.count = nearest.count;
        self.predicted = self.places[MIDDLE];
        if lines.any() {
            self.fill_lines(at, lines, earlier.is_none());
        }
        if let Some(earlier) = earlier {
            self.fill_earlier(at, (&nearest, alone.then_some(&further)), earlier, &open);
        }
    }

    /// What is known along the lines of the tile's men, and the place they predict, if
    /// they do: steps in an earlier metric are from the median.
    #[inline(always)]
    fn fill_lines(&mut self, at: GridAt, lines: &Lines, predict: bool) {
        let found = lines.look(at.row.0, at.grid, &at.signs);
        for (man, LinesOf { best, worst }) in found.iter().enumerate() {
            (self.places[LINES + 2 * man], self.places[LINES + 2 * man + 1]) = (*best, *worst);
        }
        if !predict {
            return;
        }
        let along = predicted(lines, &found, &at.signs);
        for (predicted, along) in self.predicted.iter_mut().zip(along) {
            *predicted = select(along == NONE, *predicted, along);
        }
    }

    /// What the earlier metric says of the cells, and of those the prediction
    /// comes from.
    #[inline(always)]
    fn fill_earlier(
        &mut self,
        at: GridAt,
        (nearest, further): (&Middle, Option<&Middle>),
        plies: &WordLanes,
        open: &[bool; 4],
    ) {
        let mut before = [[NONE; GRID]; NEAR];
        for (i, before) in before.iter_mut().enumerate() {
            let group = i / 4;
            if open[group] && (NEAREST.contains(&group) || further.is_some()) {
                let plies = plies.near(at.row, at.grid, i);
                for (lane, before) in before.iter_mut().enumerate() {
                    let none = self.places[i][lane] == NONE;
                    *before = if none { NONE } else { plies[lane] as i16 };
                }
            }
        }
        let near = middle_of(&before, NEAREST, open).median;
        let (far, far_count) = match further {
            Some(further) => (middle_of(&before, FURTHER, open).median, further.count),
            None => (Middle::NONE.median, Middle::NONE.count),
        };
        let here = grid_of(&plies.0[at.row.0], at.grid);
        for lane in 0..GRID {
            let median = select(nearest.count[lane] == 0, far[lane], near[lane]);
            let here = here[lane] as i16;
            let step = here.saturating_sub(median).clamp(-MOST, MOST) + MOST;
            let none = nearest.count[lane] | far_count[lane] == 0;
            self.earlier[lane] = here;
            self.earlier_step[lane] = select(none, NO_STEP.into(), step);
        }
    }

    /// Answers some questions about depths in the lanes of a grid.
    #[inline(always)]
    pub fn answer_all(&mut self, asked: &AskedDepths, grid: usize, answers: &mut Answers) {
        for (group, steps) in asked.steps.iter().enumerate() {
            if group < GROUPS {
                let told = &mut self.told[grid][group];
                let closed = !self.open[group];
                if closed && std::mem::replace(told, closed) {
                    continue;
                }
                *told = closed;
            }
            for &(number, place) in steps {
                let places = &self.places[usize::from(place) % PLACES];
                answers.of(number).as_chunks_mut::<GRID>().0[grid] = self.steps(places);
            }
        }
        for &(number, question) in &asked.others {
            answers.of(number).as_chunks_mut::<GRID>().0[grid] = self.answers(question);
        }
    }

    /// The answers to a question about depths.
    #[inline(always)]
    fn answers(&self, question: Question) -> [u8; GRID] {
        match question {
            Question::Predicted => depth_answers(&self.predicted),
            Question::Earlier => depth_answers(&self.earlier),
            Question::Spread => self.spread.map(|spread| spread as u8),
            Question::Known => self.count.map(|count| count as u8),
            Question::EarlierStep => self.earlier_step.map(|step| step as u8),
            _ => [0; GRID], // not about depths: asked elsewhere
        }
    }

    #[inline(always)]
    fn steps(&self, places: &Lanes) -> [u8; GRID] {
        let mut answers = [0; GRID];
        for (lane, answer) in answers.iter_mut().enumerate() {
            let place = places[lane];
            let step = place.wrapping_sub(self.predicted[lane]).clamp(-MOST, MOST) + MOST;
            *answer = if place == NONE { NO_STEP } else { step as u8 };
        }
        answers
    }
}

/// Answers about depths themselves: exact while they are small.
#[inline(always)]
fn depth_answers(depths: &Lanes) -> [u8; GRID] {
    let mut answers = [0; GRID];
    for (answer, &depth) in answers.iter_mut().zip(depths) {
        let rough = 24 + (depth.wrapping_sub(24) >> 2);
        let rough = rough.min(DEPTH_ANSWERS as i16 - 1);
        *answer = if depth < 24 { depth } else { rough } as u8;
    }
    answers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::LANE;
    use crate::picks::Random;
    use crate::question::STEP_NEAR;
    use crate::scan::is_known_depth;
    use crate::slow_depth::{KeyTile, SlowBatch};

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

    fn lanes_of(tile: &[[u16; 64]; 64]) -> WordLanes {
        let mut lanes = WordLanes::new();
        lanes.fill(tile);
        lanes
    }

    #[test]
    fn vectors_are_cells_one_by_one() {
        let mut random = Random::new(3);
        let questions: Numbered = STEP_NEAR
            .map(Question::Step)
            .into_iter()
            .chain([Question::Predicted, Question::Spread, Question::Known])
            .chain([Question::Earlier, Question::EarlierStep])
            .enumerate()
            .map(|(number, question)| (number as u16, question))
            .collect();
        for (row, holes) in [(0, 1), (9, 2), (27, 6), (63, 40), (56, 3), (40, 500)] {
            let (all, plies) = tiles(&mut random, holes);
            let ply_lanes = lanes_of(&plies);
            let (columns, lost) = (random.next(), random.next());
            let some = (0..64).filter(|column| columns >> column & 1 != 0);
            let decided = crate::lanes::spread(columns);
            let signs = crate::lanes::spread(lost).map(u16::from);
            for has_row in [true, false] {
                let (mut fast, mut slow) = (DepthBatch::new(), SlowBatch::new());
                let mut asked = AskedDepths::default();
                questions.iter().for_each(|&question| asked.push(question));
                let (mut answers, start) = (Answers::new(), [17, 60]);
                for grid in 0..GRIDS {
                    // What is not known yet is not seen.
                    let mut keys = all.clone();
                    let here = (row, COLUMN[grid * GRID].into());
                    for cell in (0..64).flat_map(|r| (0..64).map(move |c| (r, c))) {
                        if !is_known_depth(cell, here) {
                            keys[cell.0][cell.1] = UNKNOWN;
                        }
                    }
                    let key_lanes = lanes_of(&keys);
                    slow.fill((row, has_row), (columns, lost), &keys, &start, Some(&plies), None);
                    let signs = signs.as_chunks::<GRID>().0[grid];
                    let decided = decided.as_chunks::<GRID>().0[grid];
                    let at = GridAt { row: (row, has_row), alike: false, grid, decided, signs };
                    fast.fill(at, &key_lanes, &start, (Some(&ply_lanes), true), &Lines::new());
                    fast.answer_all(&asked, grid, &mut answers);
                    for column in some.clone().filter(|&c| usize::from(LANE[c]) / GRID == grid) {
                        let lane = usize::from(LANE[column]);
                        assert_eq!(fast.predicted[lane % GRID], slow.predicted[column] as i16);
                        for &(number, question) in &questions {
                            let expected = slow.answers(question).unwrap()[column];
                            assert_eq!(answers.get(number, lane), expected, "{question:?}");
                        }
                    }
                }
            }
        }
    }
}
