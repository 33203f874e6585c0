//! Depths along the lines of a tile's sliders.
//!
//! A slider can go to most squares of a line from any square of it, so that the depths
//! of the cells with him on these squares are much alike. Where he is the winner's
//! man, none of them is much greater than the depth after the best of his moves along
//! the line, and most are just that: the greatest of them is what the next one is
//! likely to be, unless he has a better line. For the loser's man it is the least.
//!
//! Each line has a number that grows with the cells that become known, so that a cell
//! costs a few additions however long its lines are.

use std::ops::Range;

use molien_board::{Bitboard, Color, Man, Role, Square};

use crate::depth::{Key, MAX_DEPTH, UNKNOWN};
use crate::lanes::{COLUMN, GRID, GRIDS, select};
use crate::men::Men;

/// A number for each column of a grid.
type Lanes = [i16; GRID];
/// No place: greater than all places.
pub(crate) const NO_PLACE: i16 = i16::MAX;

/// Steps along lines, each leading to a square with a greater number.
const STEPS: [(i32, i32); 4] = [(1, 0), (0, 1), (1, 1), (-1, 1)];
/// The most runs of one direction: 15 diagonals, and one more for each man in between.
const RUNS: usize = 32;

/// The directions a man slides in.
fn directions(man: Man) -> Range<usize> {
    match man.role {
        Role::Queen => 0..4,
        Role::Rook => 0..2,
        Role::Bishop => 2..4,
        _ => 0..0,
    }
}

/// A tile man, as far as lines go.
#[derive(Clone, Debug, Default)]
struct Slider {
    directions: Range<usize>,
    /// By sign, whether he is the loser's man: then the least counts.
    loses: [bool; 2],
}

impl Slider {
    fn new(man: Man, turn: Color) -> Slider {
        let moves = man.color == turn;
        Slider { directions: directions(man), loses: [!moves, moves] }
    }

    /// A place as a number of which the greatest is kept.
    #[inline(always)]
    fn rate(&self, key: Key) -> i16 {
        let place = (key >> 1) as i16;
        if self.loses[usize::from(key & 1)] { MAX_DEPTH as i16 - place } else { place }
    }

    /// The same for the keys of a grid; -1 where nothing is known.
    #[inline(always)]
    fn rates(&self, keys: &[Key; GRID]) -> Lanes {
        let loses = self.loses_by_lane(keys);
        let mut rates = [-1; GRID];
        for (lane, rate) in rates.iter_mut().enumerate() {
            let place = (keys[lane] >> 1) as i16;
            let own = select(loses[lane] != 0, MAX_DEPTH as i16 - place, place);
            *rate = select(keys[lane] == UNKNOWN, -1, own);
        }
        rates
    }

    /// Whether he is the loser's man, by signs or keys.
    #[inline(always)]
    fn loses_by_lane(&self, signs: &[u16; GRID]) -> Lanes {
        let [won, lost] = self.loses.map(i16::from);
        let mut loses = [0; GRID];
        for (loses, sign) in loses.iter_mut().zip(signs) {
            *loses = select(sign & 1 == 0, won, lost);
        }
        loses
    }
}

/// What the lines of a man say about the cells of a grid; [`NO_PLACE`] where nothing is
/// known.
#[derive(Clone, Copy)]
pub(crate) struct LinesOf {
    /// The depth along the line that is best for the man's side.
    pub best: Lanes,
    /// The same for the line that is worst.
    pub worst: Lanes,
}

impl LinesOf {
    pub const NONE: LinesOf = LinesOf { best: [NO_PLACE; GRID], worst: [NO_PLACE; GRID] };
}

/// Runs of squares along a direction that no fixed man cuts, by direction and square.
type Runs = [[u8; 64]; 4];

/// The square before each one along a direction; 64 beyond the edge.
static BEFORE: [[u8; 64]; 4] = {
    let mut all = [[64; 64]; 4];
    let mut i = 0;
    while i < 4 * 64 {
        let (direction, square) = (i / 64, i % 64);
        let (files, ranks) = STEPS[direction];
        if let Some(before) = Square::new(square).offset(-files, -ranks) {
            all[direction][square] = before.index() as u8;
        }
        i += 1;
    }
    all
};

/// The runs, and how many there are of each direction.
fn runs_between(fixed: Bitboard) -> (Runs, [usize; 4]) {
    let (mut runs, mut counts) = ([[0; 64]; 4], [0; 4]);
    for ((runs, count), before) in runs.iter_mut().zip(&mut counts).zip(&BEFORE) {
        let mut next = 0;
        for (square, &before) in before.iter().enumerate() {
            let goes_on = before < 64 && fixed.0 >> before & 1 == 0;
            let run = if goes_on { runs[usize::from(before)] } else { next };
            runs[square] = run;
            // A fixed man may have taken over a number: nothing is known there.
            next += u8::from(run == next);
        }
        *count = usize::from(next).min(RUNS);
    }
    (runs, counts)
}

/// The lines of a tile.
pub(crate) struct Lines {
    row: Slider,
    column: Slider,
    runs: Runs,
    /// Twice the same by lane, where the column man's lines are kept.
    places: Runs,
    /// What is kept of the row man's lines, by sign, direction, run and lane; -1 for
    /// nothing.
    rows: Box<[[[[i16; 64]; RUNS]; 4]; 2]>,
    /// The same for the column man, in one row: by direction, and by run and sign.
    columns: [[i16; 2 * RUNS]; 4],
}

impl Lines {
    pub fn new() -> Lines {
        Lines {
            row: Slider::default(),
            column: Slider::default(),
            runs: [[0; 64]; 4],
            places: [[0; 64]; 4],
            rows: Box::new([[[[-1; 64]; RUNS]; 4]; 2]),
            columns: [[-1; 2 * RUNS]; 4],
        }
    }

    /// Starts a tile with these fixed men.
    pub fn set(&mut self, men: &Men, fixed: Bitboard, turn: Color) {
        let slider = |place: usize| Slider::new(men.get(place), turn);
        self.row = men.row().map_or(Slider::default(), slider);
        self.column = slider(men.column());
        if !self.any() {
            return;
        }
        let counts;
        (self.runs, counts) = runs_between(fixed);
        for (places, runs) in self.places.iter_mut().zip(&self.runs) {
            let of = |&column: &u8| 2 * runs[usize::from(column) % 64];
            places.iter_mut().zip(&COLUMN).for_each(|(place, column)| *place = of(column));
        }
        for sign in self.rows.iter_mut() {
            for direction in self.row.directions.clone() {
                sign[direction][..counts[direction]].fill([-1; 64]);
            }
        }
    }

    /// Whether there is a slider.
    #[inline(always)]
    pub fn any(&self) -> bool {
        !self.row.directions.is_empty() || !self.column.directions.is_empty()
    }

    /// Starts a row.
    #[inline(always)]
    pub fn start_row(&mut self) {
        self.columns[self.column.directions.clone()].fill([-1; 2 * RUNS]);
    }

    /// Takes over what is known of a grid, for the row man.
    #[inline(always)]
    pub fn learn_rows(&mut self, row: usize, grid: usize, keys: &[Key; GRID]) {
        if self.row.directions.is_empty() {
            return;
        }
        let rates = self.row.rates(keys);
        for sign in 0..2 {
            let mut own = [-1; GRID];
            for (lane, own) in own.iter_mut().enumerate() {
                *own = select(keys[lane] & 1 == sign as Key, rates[lane], -1);
            }
            for direction in self.row.directions.clone() {
                let run = usize::from(self.runs[direction][row % 64]) % RUNS;
                let kept = &mut self.rows[sign][direction][run].as_chunks_mut::<GRID>().0[grid];
                kept.iter_mut().zip(own).for_each(|(kept, rate)| *kept = rate.max(*kept));
            }
        }
    }

    /// Takes over some lanes of a grid of the row, for the column man: those that are
    /// known, or more.
    #[inline(always)]
    pub fn learn_columns(&mut self, grid: usize, lanes: &[u8], keys: &[Key; GRID]) {
        if self.column.directions.is_empty() {
            return;
        }
        let rates = self.column.rates(keys);
        for lane in lanes.iter().map(|&lane| usize::from(lane) % GRID) {
            let sign = usize::from(keys[lane] & 1);
            // Direction by direction: cells side by side share a line of one of them
            // only, so that none waits for the one before.
            for direction in self.column.directions.clone() {
                let place = usize::from(self.places[direction % 4][grid % GRIDS * GRID + lane]);
                let kept = &mut self.columns[direction % 4][(place + sign) % (2 * RUNS)];
                *kept = select(*kept < rates[lane], rates[lane], *kept);
            }
        }
    }

    /// Takes over a cell of any row, for the row man.
    #[inline(always)]
    pub fn learn_row(&mut self, row: usize, lane: usize, key: Key) {
        let rate = self.row.rate(key);
        for direction in self.row.directions.clone() {
            let run = usize::from(self.runs[direction][row % 64]) % RUNS;
            let kept = &mut self.rows[usize::from(key & 1)][direction][run][lane % 64];
            *kept = rate.max(*kept);
        }
    }

    /// What is known along the lines of row and column man.
    #[inline(always)]
    pub fn look(&self, row: usize, grid: usize, signs: &[u16; GRID]) -> [LinesOf; 2] {
        let mut found = [LinesOf::NONE; 2];
        if !self.row.directions.is_empty() {
            let kept = |direction: usize| {
                let run = usize::from(self.runs[direction][row % 64]) % RUNS;
                let of = |sign: usize| self.rows[sign][direction][run].as_chunks::<GRID>().0[grid];
                let (won, lost) = (of(0), of(1));
                let mut kept = won;
                for lane in 0..GRID {
                    kept[lane] = select(signs[lane] & 1 == 0, won[lane], lost[lane]);
                }
                kept
            };
            found[0] = lines_of(&self.row, signs, kept);
        }
        if !self.column.directions.is_empty() {
            let kept = |direction: usize| {
                let places = &self.places[direction].as_chunks::<GRID>().0[grid];
                let (mut at, mut kept) = ([0; GRID], [0; GRID]);
                for (lane, at) in at.iter_mut().enumerate() {
                    *at = places[lane] + (signs[lane] & 1) as u8;
                }
                for (kept, at) in kept.iter_mut().zip(at) {
                    *kept = self.columns[direction][usize::from(at) % (2 * RUNS)];
                }
                kept
            };
            found[1] = lines_of(&self.column, signs, kept);
        }
        found
    }
}

/// The best and the worst of a man's lines, from what is kept of each.
#[inline(always)]
fn lines_of(man: &Slider, signs: &[u16; GRID], kept: impl Fn(usize) -> Lanes) -> LinesOf {
    let (mut least, mut most) = ([u16::MAX; GRID], [-1; GRID]);
    for direction in man.directions.clone() {
        for (lane, rate) in kept(direction).into_iter().enumerate() {
            // Nothing known is the greatest of all without a sign, the least with one.
            least[lane] = least[lane].min(rate as u16);
            most[lane] = rate.max(most[lane]);
        }
    }
    let loses = man.loses_by_lane(signs);
    let mut found = LinesOf::NONE;
    for lane in 0..GRID {
        let (least, most) = (least[lane] as i16, most[lane]);
        let place = |rate: i16| select(loses[lane] != 0, MAX_DEPTH as i16 - rate, rate);
        found.best[lane] = select(most < 0, NO_PLACE, place(least));
        found.worst[lane] = select(most < 0, NO_PLACE, place(most));
    }
    found
}

/// The place that lines predict; [`NO_PLACE`] if nothing is known along any. The winner
/// takes the shortest way; where his men know none, the loser takes the longest.
#[inline(always)]
pub(crate) fn predicted(lines: &Lines, of: &[LinesOf; 2], signs: &[u16; GRID]) -> Lanes {
    let loses = [&lines.row, &lines.column].map(|man| man.loses_by_lane(signs));
    let mut found = [NO_PLACE; GRID];
    for (lane, found) in found.iter_mut().enumerate() {
        let (mut won, mut lost) = (NO_PLACE, -1);
        for (of, loses) in of.iter().zip(&loses) {
            let (best, loses) = (of.best[lane], loses[lane] != 0);
            won = won.min(select(loses, NO_PLACE, best));
            lost = lost.max(select(loses & (best != NO_PLACE), best, -1));
        }
        lost = select(lost < 0, NO_PLACE, lost);
        *found = select(won == NO_PLACE, lost, won);
    }
    found
}
