//! Answers about the classes of a row's cells as bytes by lane, for learning: the
//! meaning is that of [`RowView`], which gives them as sets.

use crate::answers::RowView;
use crate::arch::{Vectored, fastest};
use crate::classes::{CLASSES, NONE};
use crate::features::{ClassLanes, Lanes, NOWHERE, NearClasses, RowFeatures, SHIFTS};
use crate::flat::Answers;
use crate::lanes::{GRID, GRIDS, ODD, sum};
use crate::question::Question;
use crate::scan::{NEAR, NEIGHBOURS, phase};

/// Of the neighbours in the same row, those in an earlier phase than the cells of each
/// grid: those are known.
static EARLIER: [[bool; GRIDS]; NEAR] = {
    let mut earlier = [[false; GRIDS]; NEAR];
    let mut i = 0;
    while i < NEAR * GRIDS {
        let (neighbour, (file, rank)) = (i / GRIDS, ODD[i % GRIDS]);
        let (files, ranks) = NEIGHBOURS[neighbour].column;
        let to = ((file as i32 + files) & 1, (rank as i32 + ranks) & 1);
        let to = phase((to.0 + 8 * to.1) as usize);
        earlier[neighbour][i % GRIDS] = to < phase(file + 8 * rank);
        i += 1;
    }
    earlier
};

/// A row whose classes are asked about while those of some rows are known, and of its own
/// those of earlier phases.
pub(crate) struct RowAnswers<'a, 'b> {
    pub view: &'a mut RowView<'b>,
    pub features: RowFeatures<'a>,
    pub row: usize,
    pub known_rows: u64,
    /// The classes of all rows.
    pub own: &'a ClassLanes,
    /// The classes with the other side to move.
    pub other: Option<&'a ClassLanes>,
}

/// The answers to some questions, to be found.
struct Answering<'a, 'b, 'c> {
    of: &'a mut RowAnswers<'b, 'c>,
    questions: &'a [Question],
    answers: &'a mut Answers,
}

impl Vectored for Answering<'_, '_, '_> {
    type Out = ();

    #[inline(always)]
    fn run(self) {
        for (&question, number) in self.questions.iter().zip(0..) {
            self.of.answer(question, self.answers.of(number));
        }
    }
}

impl RowAnswers<'_, '_> {
    /// Answers some questions, by their place in the list.
    pub fn answer_all(&mut self, questions: &[Question], answers: &mut Answers) {
        fastest(Answering { of: self, questions, answers });
    }

    #[inline(always)]
    fn answer(&mut self, question: Question, out: &mut Lanes) {
        match question {
            Question::Near(i) => self.class_of(usize::from(i), out),
            Question::Best => self.best(out),
            Question::Worst => self.worst(out),
            Question::Other => match self.other {
                Some(other) => other.lanes(self.row, out),
                None => out.fill(NONE),
            },
            Question::OtherNear(i) => match self.other {
                Some(other) => self.other_near(other, usize::from(i), out),
                None => out.fill(NONE),
            },
            Question::Promise(which) => {
                let more: [u64; CLASSES] =
                    std::array::from_fn(|class| !self.view.promise(which, class));
                *out = sum(more, [1; CLASSES]);
            }
            _ => self.features.answer(question, out),
        }
    }

    #[inline(always)]
    fn other_near(&self, other: &ClassLanes, neighbour: usize, out: &mut Lanes) {
        let to = self.features.neighbour_row(neighbour);
        let classes = to.map_or(&NOWHERE, |to| other.row(to));
        for (shift, out) in SHIFTS[neighbour].iter().zip(out.as_chunks_mut::<GRID>().0) {
            let near = shift.bytes(classes);
            out.iter_mut().zip(near).for_each(|(out, class)| *out = class.min(NONE));
        }
    }
}

impl NearClasses for RowAnswers<'_, '_> {
    /// Nothing is known of rows that come later, nor of later phases.
    #[inline(always)]
    fn near(&self, neighbour: usize, mut each: impl FnMut(usize, [u8; GRID])) {
        let in_row = NEIGHBOURS[neighbour].row == (0, 0);
        let to = self.features.neighbour_row(neighbour);
        let to = to.filter(|to| in_row || self.known_rows >> to & 1 != 0);
        let classes = to.map_or(&NOWHERE, |to| self.own.row(to));
        for (grid, shift) in SHIFTS[neighbour].iter().enumerate() {
            let is_known = !in_row || EARLIER[neighbour][grid];
            each(grid, if is_known { shift.bytes(classes) } else { [0xff; GRID] });
        }
    }
}
