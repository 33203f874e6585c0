//! What can be asked about a cell.
//!
//! An answer is a number from 0 to [`Question::answers`] - 1; a tree compares
//! it with a threshold. `slow.rs` says what each answer is, `answers.rs` finds
//! it for 64 columns at once.

use molien_board::Color;

use crate::classes::CLASSES;
use crate::men::Men;
use crate::scan::{NEAR, NEIGHBOURS, PHASES, Step};

/// Steps to depths of neighbours beyond this are all the same.
pub(crate) const MAX_STEP: i32 = 12;
/// Answers to questions about steps: -12 to 12, and none.
const STEP_ANSWERS: usize = 2 * MAX_STEP as usize + 2;
/// The answer where there is nothing to step from.
pub(crate) const NO_STEP: u8 = STEP_ANSWERS as u8 - 1;
/// Answers to questions about a depth itself.
pub(crate) const DEPTH_ANSWERS: usize = 48;

/// A question about a cell. Men are numbered as in [`Men`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Question {
    /// The class of a neighbour; [`crate::classes::NONE`] if it is not known.
    Near(u8),
    /// The best class among the nearest known neighbours; none as above.
    Best,
    /// The worst class among the nearest known neighbours; none as above.
    Worst,
    /// The phase of the row.
    RowPhase,
    /// The phase of the column.
    ColumnPhase,
    /// The class of the cell with the other side to move.
    Other,
    /// The class of a neighbour with the other side to move.
    OtherNear(u8),
    /// The best that moves of a man lead to, by the other side's classes in
    /// this tile: 0 for nothing known, else 1 and the class for the mover. Man
    /// 0 is the row man, 1 the column man, 2 either.
    Promise(u8),
    /// Whether a man attacks another.
    Attacks(u8, u8),
    /// The file of a man.
    File(u8),
    /// The rank of a man.
    Rank(u8),
    /// King's steps between two men.
    Distance(u8, u8),
    /// 7 + file of the one - file of the other.
    Files(u8, u8),
    /// 7 + rank of the one - rank of the other.
    Ranks(u8, u8),
    /// Whether a man stands on a dark square.
    Dark(u8),
    /// Whether a man is attacked by an enemy and by no friend.
    Loose(u8),
    /// To how many squares a king can step.
    KingSteps(Color),
    /// The class of the cell itself.
    Class,
    /// The depth of a neighbour less the predicted one.
    Step(u8),
    /// The predicted depth.
    Predicted,
    /// The greatest less the least depth of the neighbours the prediction
    /// comes from.
    Spread,
    /// How many neighbours of the nearest have a depth that is known.
    Known,
    /// The depth along the best line of a man less the predicted one. Man 0 is the
    /// row man, 1 the column man.
    Line(u8),
    /// The same for the worst line.
    WorstLine(u8),
    /// The median of the neighbours less the predicted depth.
    Middle,
    /// The depth of the cell in an earlier metric.
    Earlier,
    /// The depth in an earlier metric less the median there of the neighbours
    /// that the prediction comes from.
    EarlierStep,
}

/// How long an answer holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Scope {
    /// For all cells of a tile.
    Tile,
    /// For a row: known before its first batch.
    Row,
    /// For a batch.
    Batch,
}

/// Columns whose answer may not be known yet when a row begins: none, or those of a phase.
pub(crate) const LATER: [u64; 3] = [0, PHASES[1], PHASES[2]];

/// Which values a tree is asked about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// Classes of the base side.
    Base,
    /// Classes of the second side, the base side's being known.
    Second,
    /// Depths, the side's classes being known; with or without an earlier
    /// metric.
    Depth {
        /// Whether the depths of another metric are known.
        earlier: bool,
    },
}

/// Which of [`crate::scan::NEIGHBOURS`] are asked for with the other side to
/// move.
const OTHER_NEAR: std::ops::Range<u8> = 12..20;
/// Which of [`crate::scan::NEIGHBOURS`] are asked for their depth.
pub(crate) const STEP_NEAR: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 12, 13, 14, 15, 16, 17, 18, 19];

impl Question {
    /// How many answers there are.
    pub fn answers(self) -> usize {
        match self {
            Question::Near(_) | Question::Best | Question::Worst => CLASSES + 1,
            Question::Other | Question::OtherNear(_) | Question::Promise(_) => CLASSES + 1,
            Question::RowPhase | Question::ColumnPhase => 3,
            Question::Attacks(..) | Question::Dark(_) | Question::Loose(_) => 2,
            Question::File(_) | Question::Rank(_) | Question::Distance(..) => 8,
            Question::Files(..) | Question::Ranks(..) => 15,
            Question::KingSteps(_) | Question::Known => 9,
            Question::Class => CLASSES,
            Question::Step(_) | Question::EarlierStep => STEP_ANSWERS,
            Question::Line(_) | Question::WorstLine(_) | Question::Middle => STEP_ANSWERS,
            Question::Spread => MAX_STEP as usize + 2,
            Question::Predicted | Question::Earlier => DEPTH_ANSWERS,
        }
    }

    /// Whether it is about where men stand and whom they attack.
    pub(crate) fn is_geometry(self) -> bool {
        use Question::*;
        let one = matches!(self, File(_) | Rank(_) | Dark(_) | Loose(_) | KingSteps(_));
        one || matches!(self, Attacks(..) | Distance(..) | Files(..) | Ranks(..))
    }

    /// Whether it is about neighbouring cells.
    pub(crate) fn is_neighbour(self) -> bool {
        use Question::*;
        let classes = matches!(self, Near(_) | Best | Worst | OtherNear(_));
        classes || matches!(self, Step(_) | Spread | Known | Line(_) | WorstLine(_) | Middle)
    }

    /// How long an answer holds. Where depths are coded, all classes are known
    /// before.
    pub(crate) fn scope(self, men: &Men, classes_known: bool) -> Scope {
        let of = |places: &[u8]| {
            let has_row = places.iter().any(|&place| Some(usize::from(place)) == men.row());
            if has_row { Scope::Row } else { Scope::Tile }
        };
        match self {
            Question::Near(_) | Question::Best | Question::Worst if classes_known => Scope::Row,
            // Other rows are known from their first cell to their last, or not at all.
            Question::Near(i) if NEIGHBOURS[usize::from(i)].row != (0, 0) => Scope::Row,
            Question::Near(_) | Question::Best | Question::Worst | Question::Step(_) => {
                Scope::Batch
            }
            Question::Predicted | Question::Spread | Question::Known => Scope::Batch,
            Question::Line(_) | Question::WorstLine(_) | Question::Middle => Scope::Batch,
            Question::Earlier | Question::EarlierStep => Scope::Batch,
            Question::File(a) | Question::Rank(a) | Question::Dark(a) => of(&[a]),
            Question::Distance(a, b) | Question::Files(a, b) | Question::Ranks(a, b) => of(&[a, b]),
            // The row man can stand between a slider and his target.
            Question::Attacks(a, b) if !men.get(usize::from(a)).role.is_slider() => of(&[a, b]),
            Question::ColumnPhase => Scope::Tile,
            _ => Scope::Row,
        }
    }

    /// Which of [`LATER`], where classes are coded, are the columns whose answer is not known
    /// yet when a row begins: those of the phases in which a neighbour of an earlier one can be
    /// asked for.
    pub(crate) fn later(self) -> u8 {
        match self {
            Question::Near(i) => match NEIGHBOURS[usize::from(i)] {
                Step { row: (0, 0), column: (-1 | 1, -1 | 1) } => 1,
                Step { row: (0, 0), column: (0, -1 | 1) | (-1 | 1, 0) } => 2,
                _ => 0,
            },
            Question::Best | Question::Worst => 2,
            _ => 0,
        }
    }

    /// Whether all cells of a row have the same answer: it is not about the column man, nor
    /// can he come in between.
    pub(crate) fn is_same_in_row(self, men: &Men) -> bool {
        let stands = |man: u8| usize::from(man) != men.column();
        match self {
            Question::RowPhase => true,
            Question::File(a) | Question::Rank(a) | Question::Dark(a) => stands(a),
            Question::Distance(a, b) | Question::Files(a, b) | Question::Ranks(a, b) => {
                stands(a) && stands(b)
            }
            Question::Attacks(a, b) => {
                stands(a) && stands(b) && !men.get(usize::from(a)).role.is_slider()
            }
            _ => false,
        }
    }

    /// Whether all cells of a tile have the same answer: it is about fixed men.
    pub(crate) fn is_same_in_tile(self, men: &Men) -> bool {
        let is_fixed = |man: u8| usize::from(man) < men.fixed();
        match self {
            Question::File(a) | Question::Rank(a) | Question::Dark(a) => is_fixed(a),
            Question::Distance(a, b) | Question::Files(a, b) | Question::Ranks(a, b) => {
                is_fixed(a) && is_fixed(b)
            }
            _ => false,
        }
    }

    /// The questions of a stage in the order of their numbers.
    pub fn all(men: &Men, stage: Stage) -> Vec<Question> {
        let mut all: Vec<Question> = (0..NEAR as u8).map(Question::Near).collect();
        all.extend([Question::Best, Question::Worst]);
        match stage {
            Stage::Base => {}
            Stage::Second => {
                all.push(Question::Other);
                all.extend(OTHER_NEAR.map(Question::OtherNear));
                all.extend((0..3).map(Question::Promise));
            }
            Stage::Depth { earlier } => {
                all.extend([Question::Class, Question::Predicted, Question::Spread]);
                all.push(Question::Known);
                all.extend(STEP_NEAR.map(Question::Step));
                lines(men, &mut all);
                if earlier {
                    all.extend([Question::Earlier, Question::EarlierStep]);
                }
            }
        }
        all.extend([Question::RowPhase, Question::ColumnPhase]);
        geometry(men, &mut all);
        all
    }
}

/// What is asked about the lines of the sliders among the tile's men.
fn lines(men: &Men, all: &mut Vec<Question>) {
    let tile_men = [men.row(), Some(men.column())];
    let slides = |place: &Option<usize>| place.is_some_and(|at| men.get(at).role.is_slider());
    for man in (0..2).filter(|&man| slides(&tile_men[usize::from(man)])) {
        all.extend([Question::Line(man), Question::WorstLine(man)]);
    }
    if tile_men.iter().any(slides) {
        all.push(Question::Middle);
    }
}

fn geometry(men: &Men, all: &mut Vec<Question>) {
    let places = || 0..men.count() as u8;
    for a in places() {
        all.extend(places().filter(|&b| b != a).map(|b| Question::Attacks(a, b)));
    }
    for a in places() {
        all.extend([Question::File(a), Question::Rank(a), Question::Dark(a), Question::Loose(a)]);
        for b in 0..a {
            let pairs = [Question::Distance(a, b), Question::Files(a, b), Question::Ranks(a, b)];
            all.extend(pairs);
        }
    }
    all.extend(Color::BOTH.map(Question::KingSteps));
}
