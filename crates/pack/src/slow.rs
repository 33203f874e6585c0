//! What the answers are, one cell after the other: short, slow, obvious. The
//! fast forms are compared with this one.

use molien_board::{Bitboard, Color, Square};

use crate::classes::{CLASSES, ClassTile, NONE};
use crate::fixed_men::FixedMen;
use crate::geometry::attacked_by;
use crate::layout::Layout;
use crate::men::{MAX_MEN, Men};
use crate::question::Question;
use crate::scan::{NEAREST, NEIGHBOURS, Step, is_known, phase};

/// A cell and everything its questions may look at.
pub(crate) struct CellView<'a> {
    men: &'a Men,
    /// Squares of all men.
    squares: [Square; MAX_MEN],
    occupied: Bitboard,
    at: (usize, usize),
    turn: Color,
    /// The tile, as far as it matters to the stage; whole: only what is known
    /// at the cell may be looked at.
    own: &'a ClassTile,
    other: Option<&'a ClassTile>,
    /// How far the cell can see: the rows of its segment.
    segment: &'a [u8],
    /// Whether all of these are known.
    all_known: bool,
}

impl<'a> CellView<'a> {
    pub fn new(
        layout: &'a Layout,
        frame: &FixedMen,
        turn: Color,
        at: (usize, usize),
        own: &'a ClassTile,
        other: Option<&'a ClassTile>,
        (segment, all_known): (&'a [u8], bool),
    ) -> CellView<'a> {
        let men = layout.men();
        let mut squares = frame.squares;
        if let Some(row) = men.row() {
            squares[row] = Square::new(at.0);
        }
        squares[men.column()] = Square::new(at.1);
        let occupied = squares[..men.count()].iter().copied().collect();
        CellView { men, squares, occupied, at, turn, own, other, segment, all_known }
    }

    /// The cell a step away, in the same segment; without a row man there is
    /// one row.
    pub fn neighbour(&self, step: Step) -> Option<(usize, usize)> {
        let row = match self.men.row() {
            Some(row) => self.squares[row].offset(step.row.0, step.row.1)?.index(),
            None if step.row == (0, 0) => 0,
            None => return None,
        };
        let column = self.squares[self.men.column()].offset(step.column.0, step.column.1)?;
        self.segment.contains(&(row as u8)).then_some((row, column.index()))
    }

    fn near(&self, number: usize) -> u8 {
        let cell = self.neighbour(NEIGHBOURS[number]);
        let known = cell.filter(|&cell| self.all_known || is_known(cell, self.at));
        known.and_then(|(row, column)| self.own.get(row, column)).unwrap_or(NONE)
    }

    fn nearest(&self) -> impl Iterator<Item = u8> + '_ {
        NEAREST.iter().map(|&i| self.near(i)).filter(|&class| class != NONE)
    }

    fn other_near(&self, step: Step) -> u8 {
        let cell = self.neighbour(step).zip(self.other);
        cell.and_then(|((row, column), other)| other.get(row, column)).unwrap_or(NONE)
    }

    fn square(&self, man: u8) -> Square {
        self.squares[usize::from(man)]
    }

    fn attacks(&self, a: usize, b: usize) -> bool {
        let reached = attacked_by(self.men.get(a), self.squares[a], self.occupied);
        reached.contains(self.squares[b])
    }

    fn loose(&self, man: usize) -> bool {
        let by = |friend: bool| {
            let color = self.men.get(man).color;
            (0..self.men.count()).any(|a| {
                a != man && (self.men.get(a).color == color) == friend && self.attacks(a, man)
            })
        };
        by(false) && !by(true)
    }

    fn king_steps(&self, color: Color) -> u8 {
        let king = self.men.king(color);
        let mut without = self.occupied;
        without.remove(self.squares[king]);
        let mut free = attacked_by(self.men.get(king), self.squares[king], without);
        for a in 0..self.men.count() {
            free -= match self.men.get(a).color == color {
                true => Bitboard::from_square(self.squares[a]),
                false => attacked_by(self.men.get(a), self.squares[a], without),
            };
        }
        free.len() as u8
    }

    /// The best that quiet moves of a man lead to; 0 if nothing is known.
    fn promise(&self, place: Option<usize>) -> u8 {
        let Some((place, other)) = place.zip(self.other) else { return 0 };
        let man = self.men.get(place);
        if man.color != self.turn {
            return 0;
        }
        let targets = attacked_by(man, self.squares[place], self.occupied) - self.occupied;
        let class = |to: Square| match place == self.men.column() {
            true => other.get(self.at.0, to.index()),
            false if self.segment.contains(&(to.index() as u8)) => other.get(to.index(), self.at.1),
            false => None,
        };
        let values = targets.into_iter().filter_map(class).map(|class| CLASSES as u8 - class);
        values.max().unwrap_or(0)
    }

    /// The answer to a question about geometry and classes.
    pub fn answer(&self, question: Question) -> u8 {
        let difference = |a: i32, b: i32| (7 + a - b) as u8;
        let (row, column) = (self.men.row(), Some(self.men.column()));
        match question {
            Question::Near(i) => self.near(usize::from(i)),
            Question::Best => self.nearest().max().unwrap_or(NONE),
            Question::Worst => self.nearest().min().unwrap_or(NONE),
            Question::RowPhase => phase(self.at.0) as u8,
            Question::ColumnPhase => phase(self.at.1) as u8,
            Question::Other => self.other_near(Step { row: (0, 0), column: (0, 0) }),
            Question::OtherNear(i) => self.other_near(NEIGHBOURS[usize::from(i)]),
            Question::Promise(0) => self.promise(row),
            Question::Promise(1) => self.promise(column),
            Question::Promise(_) => self.promise(row).max(self.promise(column)),
            Question::Attacks(a, b) => self.attacks(usize::from(a), usize::from(b)).into(),
            Question::File(a) => self.square(a).file() as u8,
            Question::Rank(a) => self.square(a).rank() as u8,
            Question::Dark(a) => self.square(a).is_dark().into(),
            Question::Distance(a, b) => self.square(a).distance(self.square(b)) as u8,
            Question::Files(a, b) => difference(self.square(a).file(), self.square(b).file()),
            Question::Ranks(a, b) => difference(self.square(a).rank(), self.square(b).rank()),
            Question::Loose(a) => self.loose(usize::from(a)).into(),
            Question::KingSteps(color) => self.king_steps(color),
            Question::Class => self.own.get(self.at.0, self.at.1).unwrap_or(NONE),
            _ => 0, // about depths: asked elsewhere
        }
    }
}
