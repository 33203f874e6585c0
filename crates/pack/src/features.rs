//! Answers for all columns of a row, as bytes by lane.

use std::sync::LazyLock;

use molien_board::{Color, Square};

use crate::arch::{Vectored, fastest};
use crate::classes::{CLASSES, ClassTile, NONE};
use crate::flat::{Answers, Numbered};
use crate::geometry::Geometry;
use crate::lanes::{COLUMN, GRID, GRIDS, ROOM, Shift, place, shifts, spread, sum};
use crate::men::Men;
use crate::question::Question;
use crate::scan::{NEAR, NEAREST, NEIGHBOURS, phase};

/// A byte for each lane.
pub(crate) type Lanes = [u8; 64];

/// Classes of a tile by lane, with margins; a class that is not known has all
/// bits set.
pub(crate) struct ClassLanes(Box<[[u8; ROOM]; 64]>);

impl ClassLanes {
    pub fn new() -> ClassLanes {
        ClassLanes(Box::new([[0xff; ROOM]; 64]))
    }

    /// The classes of a row, with margins.
    #[inline(always)]
    pub fn row(&self, row: usize) -> &[u8; ROOM] {
        &self.0[row]
    }

    /// The same without them, and those that are not known are the greatest.
    #[inline(always)]
    pub fn lanes(&self, row: usize, out: &mut Lanes) {
        for (grid, out) in out.as_chunks_mut::<GRID>().0.iter_mut().enumerate() {
            let from = &self.0[row][place(grid * GRID)..][..GRID];
            out.iter_mut().zip(from).for_each(|(out, class)| *out = (*class).min(NONE));
        }
    }

    /// Takes over the classes of all rows.
    #[inline(always)]
    pub fn fill(&mut self, classes: &ClassTile) {
        for (row, lanes) in self.0.iter_mut().enumerate() {
            let planes: [u64; CLASSES] = std::array::from_fn(|class| classes.at_most[class][row]);
            // A class is in its own plane and all after it.
            let planes = sum(planes, [1; CLASSES]);
            for (grid, counts) in planes.as_chunks::<GRID>().0.iter().enumerate() {
                let mut classes = [0; GRID];
                for (class, count) in classes.iter_mut().zip(counts) {
                    *class = (NONE - count) | u8::from(*count == 0).wrapping_neg();
                }
                lanes[place(grid * GRID)..][..GRID].copy_from_slice(&classes);
            }
        }
    }
}

/// How neighbours of each grid are found.
pub(crate) static SHIFTS: [[Shift; GRIDS]; NEAR] = shifts({
    let mut steps = [(0, 0); NEAR];
    let mut i = 0;
    while i < NEAR {
        steps[i] = NEIGHBOURS[i].column;
        i += 1;
    }
    steps
});

/// Beyond the edge of the board nothing is known.
pub(crate) static NOWHERE: [u8; ROOM] = [0xff; ROOM];

/// What is known of the neighbours of a row's cells.
pub(crate) trait NearClasses {
    /// The classes of a neighbour, grid by grid; all bits set where none is known.
    fn near(&self, neighbour: usize, each: impl FnMut(usize, [u8; GRID]));

    /// The class of a neighbour.
    #[inline(always)]
    fn class_of(&self, neighbour: usize, out: &mut Lanes) {
        self.fold(neighbour, out, |_, class| class.min(NONE));
    }

    #[inline(always)]
    fn worst(&self, out: &mut Lanes) {
        out.fill(NONE);
        NEAREST.iter().for_each(|&i| self.fold(i, out, |worst, class| class.min(worst)));
    }

    #[inline(always)]
    fn best(&self, out: &mut Lanes) {
        // One more than the class, so that nothing known is the least.
        out.fill(0);
        NEAREST
            .iter()
            .for_each(|&i| self.fold(i, out, |best, class| class.wrapping_add(1).max(best)));
        out.iter_mut().for_each(|best| *best = best.wrapping_sub(1).min(NONE));
    }

    /// Takes a neighbour's classes into numbers.
    #[inline(always)]
    fn fold(&self, neighbour: usize, out: &mut Lanes, with: impl Fn(u8, u8) -> u8) {
        self.near(neighbour, |grid, near| {
            let out = &mut out.as_chunks_mut::<GRID>().0[grid];
            out.iter_mut().zip(near).for_each(|(out, class)| *out = with(*out, class));
        });
    }
}

/// A question about a pair of squares, for each square of one and by lane of the
/// other.
struct PairTable([Lanes; 64]);

impl PairTable {
    fn new(answer: impl Fn(Square, Square) -> i32) -> PairTable {
        let column = |lane: usize| Square::new(COLUMN[lane].into());
        PairTable(std::array::from_fn(|other| {
            std::array::from_fn(|lane| answer(column(lane), Square::new(other)) as u8)
        }))
    }
}

static DISTANCES: LazyLock<PairTable> = LazyLock::new(|| PairTable::new(Square::distance));
static FILES: LazyLock<PairTable> =
    LazyLock::new(|| PairTable::new(|a, b| 7 + a.file() - b.file()));
static RANKS: LazyLock<PairTable> =
    LazyLock::new(|| PairTable::new(|a, b| 7 + a.rank() - b.rank()));

/// What the column man's square alone answers.
struct ColumnTables {
    file: Lanes,
    rank: Lanes,
    dark: Lanes,
    phase: Lanes,
}

static COLUMNS: LazyLock<ColumnTables> = LazyLock::new(|| {
    let of = |answer: &dyn Fn(Square) -> usize| {
        std::array::from_fn(|lane| answer(Square::new(COLUMN[lane].into())) as u8)
    };
    ColumnTables {
        file: of(&|square| square.file() as usize),
        rank: of(&|square| square.rank() as usize),
        dark: of(&|square| usize::from(square.is_dark())),
        phase: of(&|square| phase(square.index())),
    }
});

/// One row of a tile whose classes are all known.
pub(crate) struct RowFeatures<'a> {
    pub men: &'a Men,
    pub geometry: &'a Geometry,
    pub row: usize,
    pub classes: &'a ClassLanes,
}

impl NearClasses for RowFeatures<'_> {
    #[inline(always)]
    fn near(&self, neighbour: usize, mut each: impl FnMut(usize, [u8; GRID])) {
        let row = self.neighbour_row(neighbour).map_or(&NOWHERE, |row| &self.classes.0[row]);
        for (grid, shift) in SHIFTS[neighbour].iter().enumerate() {
            each(grid, shift.bytes(row));
        }
    }
}

/// The answers to some questions, to be found.
struct Answering<'a> {
    of: &'a RowFeatures<'a>,
    questions: &'a Numbered,
    answers: &'a mut Answers,
}

impl Vectored for Answering<'_> {
    type Out = ();

    #[inline(always)]
    fn run(self) {
        for &(number, question) in self.questions {
            self.of.answer(question, self.answers.of(number));
        }
    }
}

impl RowFeatures<'_> {
    /// The row of a neighbour, if it is on the board.
    #[inline(always)]
    pub fn neighbour_row(&self, neighbour: usize) -> Option<usize> {
        let (files, ranks) = NEIGHBOURS[neighbour].row;
        let stays = (files, ranks) == (0, 0);
        let row = Square::new(self.row).offset(files, ranks);
        row.filter(|_| stays || self.men.row().is_some()).map(Square::index)
    }

    /// Answers some questions.
    pub fn answer_all(&self, questions: &Numbered, answers: &mut Answers) {
        fastest(Answering { of: self, questions, answers });
    }

    /// Answers a question.
    #[inline(always)]
    pub fn answer(&self, question: Question, out: &mut Lanes) {
        match question {
            Question::Near(i) => self.class_of(usize::from(i), out),
            Question::Best => self.best(out),
            Question::Worst => self.worst(out),
            Question::Class => self.classes.lanes(self.row, out),
            Question::RowPhase => out.fill(phase(self.row) as u8),
            Question::ColumnPhase => *out = COLUMNS.phase,
            Question::KingSteps(color) => *out = self.king_steps(color),
            _ => self.geometry(question, out),
        }
    }

    #[inline(always)]
    fn king_steps(&self, color: Color) -> Lanes {
        sum(self.geometry.king_steps(self.men, color), [1, 2, 4, 8])
    }

    #[inline(always)]
    fn geometry(&self, question: Question, out: &mut Lanes) {
        let square = |man: u8| self.geometry.squares[usize::from(man)];
        let is_column = |man: u8| usize::from(man) == self.men.column();
        // Of two men the first named is the later one, so only it can be the
        // column man.
        *out = match question {
            Question::Attacks(a, b) => {
                spread(self.geometry.attacks[usize::from(a)][usize::from(b)])
            }
            Question::Loose(a) => spread(self.geometry.loose(self.men, usize::from(a))),
            Question::File(a) if is_column(a) => COLUMNS.file,
            Question::Rank(a) if is_column(a) => COLUMNS.rank,
            Question::Dark(a) if is_column(a) => COLUMNS.dark,
            Question::Distance(a, b) if is_column(a) => DISTANCES.0[square(b).index()],
            Question::Files(a, b) if is_column(a) => FILES.0[square(b).index()],
            Question::Ranks(a, b) if is_column(a) => RANKS.0[square(b).index()],
            Question::File(a) => [square(a).file() as u8; 64],
            Question::Rank(a) => [square(a).rank() as u8; 64],
            Question::Dark(a) => [square(a).is_dark().into(); 64],
            Question::Distance(a, b) => [square(a).distance(square(b)) as u8; 64],
            Question::Files(a, b) => [(7 + square(a).file() - square(b).file()) as u8; 64],
            Question::Ranks(a, b) => [(7 + square(a).rank() - square(b).rank()) as u8; 64],
            _ => [0; 64], // about the other side or depths: not asked here
        };
    }
}
