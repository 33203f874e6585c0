//! Answers for the 64 columns of a row at once, as sets of columns.

use molien_board::{Bitboard, Color, Role, Square, attacks};

use crate::classes::{CLASSES, ClassTile};
use crate::fixed_men::FixedMen;
use crate::geometry::{Geometry, at_most, attacked_by};
use crate::men::Men;
use crate::question::Question;
use crate::scan::{NEAR, NEAREST, NEIGHBOURS, PHASES, Step, shifted};
use crate::walker::Test;

/// One row, with what questions about it have in common.
pub(crate) struct RowView<'a> {
    pub men: &'a Men,
    pub geometry: Geometry,
    /// The same without the row man.
    fixed: &'a Geometry,
    row: usize,
    turn: Color,
    other: Option<&'a ClassTile>,
    /// Whose moves promise what, from the first question about it on.
    promises: [Option<[u64; CLASSES]>; 2],
    king_steps: [Option<[u64; 4]>; 2],
}

const FILE_A: u64 = 0x0101_0101_0101_0101;

/// Where a neighbour is found.
#[derive(Clone, Copy)]
struct Way {
    /// How far a row's word is turned to have the neighbour's bit in its column's place.
    turn: u32,
    /// The columns that have the neighbour on the board.
    inside: u64,
    /// The rows it is in; 64 beyond the edge.
    rows: [u8; 64],
}

/// The same for all of [`NEIGHBOURS`].
static WAYS: [Way; NEAR] = {
    let mut ways = [Way { turn: 0, inside: 0, rows: [64; 64] }; NEAR];
    let mut i = 0;
    while i < NEAR {
        let Step { row, column } = NEIGHBOURS[i];
        ways[i].turn = (column.0 + 8 * column.1).rem_euclid(64) as u32;
        let mut square = 0;
        while square < 64 {
            if Square::new(square).offset(column.0, column.1).is_some() {
                ways[i].inside |= 1 << square;
            }
            if let Some(to) = Square::new(square).offset(row.0, row.1) {
                ways[i].rows[square] = to.index() as u8;
            }
            square += 1;
        }
        i += 1;
    }
    ways
};

/// Squares on the first files, up to this one.
#[inline]
fn files_to(file: i32) -> u64 {
    match file {
        ..0 => 0,
        0..7 => FILE_A * ((2 << file) - 1),
        _ => !0,
    }
}

/// Squares on the first ranks, up to this one.
#[inline]
fn ranks_to(rank: i32) -> u64 {
    match rank {
        ..0 => 0,
        0..7 => (1 << (8 * (rank + 1))) - 1,
        _ => !0,
    }
}

/// The squares of the first phases, up to this one.
#[inline]
fn phases_to(phase: u8) -> u64 {
    PHASES[..=usize::from(phase).min(2)].iter().fold(0, |all, set| all | set)
}

/// The class that a threshold of classes stands for.
#[inline]
fn class_of(threshold: u8) -> usize {
    usize::from(threshold).min(CLASSES - 1)
}

#[inline]
fn all_if(yes: bool) -> u64 {
    u64::from(yes).wrapping_neg()
}

/// The squares at most so many king's steps away.
#[inline]
fn within(center: Square, steps: i32) -> u64 {
    let files = files_to(center.file() + steps) & !files_to(center.file() - steps - 1);
    files & ranks_to(center.rank() + steps) & !ranks_to(center.rank() - steps - 1)
}

impl<'a> RowView<'a> {
    pub fn new(
        men: &'a Men,
        frame: &'a FixedMen,
        turn: Color,
        row: usize,
        other: Option<&'a ClassTile>,
    ) -> RowView<'a> {
        let fixed = &frame.geometry;
        let (geometry, promises, king_steps) = (fixed.clone(), [None; 2], [None; 2]);
        let mut view = RowView { men, geometry, fixed, row, turn, other, promises, king_steps };
        view.set_row(row);
        view
    }

    /// Goes to another row of the tile.
    #[inline]
    pub fn set_row(&mut self, row: usize) {
        self.row = row;
        self.promises = [None; 2];
        self.king_steps = [None; 2];
        self.geometry.set_row(self.men, self.fixed, Square::new(row));
    }

    /// Where the answer to a question is at most its threshold: the rows, if it is the same in
    /// each of them, else the columns.
    #[inline(always)]
    pub fn answer(&mut self, test: &Test, own: &ClassTile) -> u64 {
        match test.is_same {
            true => self.rows_at_most(test.question, test.threshold),
            false => self.at_most(test.question, test.threshold, own),
        }
    }

    /// The columns whose answer is at most the threshold; `own` holds the known
    /// classes of the tile.
    #[inline(always)]
    pub fn at_most(&mut self, question: Question, threshold: u8, own: &ClassTile) -> u64 {
        let class = class_of(threshold);
        match question {
            Question::Near(i) => self.near(own, class, usize::from(i)),
            Question::Best => self.best(own, class),
            Question::Worst => self.worst(own, class),
            Question::RowPhase => all_if(phases_to(threshold) >> self.row & 1 != 0),
            Question::ColumnPhase => phases_to(threshold),
            Question::Other => self.other.map_or(0, |other| other.at_most[class][self.row]),
            Question::OtherNear(i) => {
                self.other.map_or(0, |other| self.near(other, class, usize::from(i)))
            }
            Question::Promise(which) => self.promise(which, class),
            Question::KingSteps(color) => self.king_steps_at_most(color, threshold),
            Question::Class => own.at_most[class][self.row],
            _ => self.geometry_at_most(question, threshold),
        }
    }

    /// The columns whose neighbour is known and of this class or a lower one.
    #[inline]
    fn near(&self, tile: &ClassTile, class: usize, neighbour: usize) -> u64 {
        let way = &WAYS[neighbour];
        // Without a row man nothing is known of other rows.
        let row = usize::from(way.rows[self.row % 64]);
        let word = tile.at_most[class].get(row).copied().unwrap_or(0);
        word.rotate_right(way.turn) & way.inside
    }

    /// Some neighbour is known and of this class or a lower one.
    #[inline(never)]
    fn worst(&self, own: &ClassTile, class: usize) -> u64 {
        let near = NEAREST.iter().map(|&i| self.near(own, class, i));
        near.fold(0, |any, word| any | word)
    }

    /// Some neighbour is known, and none is better.
    #[inline(never)]
    fn best(&self, own: &ClassTile, class: usize) -> u64 {
        let (mut some, mut better) = (0, 0);
        for &i in &NEAREST {
            let known = self.near(own, CLASSES - 1, i);
            some |= known;
            better |= known & !self.near(own, class, i);
        }
        some & !better
    }

    /// The columns where a king has at most so many steps. Thresholds of a row share the count.
    #[inline(never)]
    fn king_steps_at_most(&mut self, color: Color, threshold: u8) -> u64 {
        let (men, geometry) = (self.men, &self.geometry);
        let steps = self.king_steps[color.index()];
        let steps = steps.unwrap_or_else(|| geometry.king_steps(men, color));
        self.king_steps[color.index()] = Some(steps);
        at_most(&steps, threshold)
    }

    /// The rows whose answer is at most the threshold, if it is the same for all columns.
    #[inline(never)]
    fn rows_at_most(&self, question: Question, threshold: u8) -> u64 {
        // Without a row man nobody moves from row to row.
        let row = self.men.row().unwrap_or(usize::MAX);
        let square = |man: u8| self.geometry.squares[usize::from(man)];
        match question {
            Question::RowPhase => phases_to(threshold),
            Question::Attacks(..) if threshold > 0 => !0,
            // Only sliders are left out, so attacks of the row man run both ways.
            Question::Attacks(a, b) if usize::from(a) == row => {
                !attacks::attacks(self.men.get(row).role, square(b), Bitboard::EMPTY).0
            }
            Question::Attacks(a, b) => {
                let man = self.men.get(usize::from(a));
                let attacked = attacked_by(man, square(a), Bitboard::EMPTY);
                match usize::from(b) == row {
                    true => !attacked.0,
                    false => all_if(!attacked.contains(square(b))),
                }
            }
            _ => self.squares_at_most(question, threshold, row),
        }
    }

    #[inline(never)]
    fn geometry_at_most(&self, question: Question, threshold: u8) -> u64 {
        let no = |set: u64| if threshold == 0 { !set } else { !0 };
        match question {
            Question::Attacks(a, b) => no(self.geometry.attacks[usize::from(a)][usize::from(b)]),
            Question::Loose(a) => no(self.geometry.loose(self.men, usize::from(a))),
            _ => self.squares_at_most(question, threshold, self.men.column()),
        }
    }

    /// The squares of a man of the tile, row or column man, where the answer to a question
    /// about squares is at most the threshold.
    fn squares_at_most(&self, question: Question, threshold: u8, tile_man: usize) -> u64 {
        let limit = i32::from(threshold);
        let square = |man: u8| self.geometry.squares[usize::from(man)];
        let is_tile_man = |man: u8| usize::from(man) == tile_man;
        match question {
            Question::Dark(_) if threshold > 0 => !0,
            Question::Dark(a) if is_tile_man(a) => !Bitboard::DARK.0,
            Question::Dark(a) => all_if(!square(a).is_dark()),
            Question::File(a) if is_tile_man(a) => files_to(limit),
            Question::File(a) => all_if(square(a).file() <= limit),
            Question::Rank(a) if is_tile_man(a) => ranks_to(limit),
            Question::Rank(a) => all_if(square(a).rank() <= limit),
            // Of two men the first named is the later one, so only it can be the tile's.
            Question::Distance(a, b) if is_tile_man(a) => within(square(b), limit),
            Question::Distance(a, b) => all_if(square(a).distance(square(b)) <= limit),
            Question::Files(a, b) if is_tile_man(a) => files_to(square(b).file() + limit - 7),
            Question::Files(a, b) => all_if(7 + square(a).file() - square(b).file() <= limit),
            Question::Ranks(a, b) if is_tile_man(a) => ranks_to(square(b).rank() + limit - 7),
            Question::Ranks(a, b) => all_if(7 + square(a).rank() - square(b).rank() <= limit),
            _ => 0,
        }
    }

    /// Where the promise is at most this: no move to anything better.
    #[inline(never)]
    pub fn promise(&mut self, which: u8, threshold: usize) -> u64 {
        match which {
            0 | 1 => self.promise_of(usize::from(which))[threshold],
            _ => self.promise_of(0)[threshold] & self.promise_of(1)[threshold],
        }
    }

    fn promise_of(&mut self, which: usize) -> [u64; CLASSES] {
        if let Some(found) = self.promises[which] {
            return found;
        }
        let mut better = [0; CLASSES];
        if let Some(other) = self.other {
            match which {
                0 => self.row_reaches(other, &mut better),
                _ => self.column_reaches(other, &mut better),
            }
        }
        // Better than t: a move to a class that is worth more than t.
        let mut any = 0;
        let mut found = [0; CLASSES];
        for worth in (0..CLASSES).rev() {
            any |= better[worth];
            found[worth] = !any;
        }
        self.promises[which] = Some(found);
        found
    }

    /// For each class seen by the mover, the columns where the row man has a
    /// move to it.
    fn row_reaches(&self, other: &ClassTile, reached: &mut [u64; CLASSES]) {
        let Some(place) = self.men.row() else { return };
        let man = self.men.get(place);
        if man.color != self.turn {
            return;
        }
        let from = Square::new(self.row);
        let occupied = self.geometry.occupied;
        for to in attacks::attacks(man.role, from, occupied) - occupied {
            let open = !attacks::between(from, to).0;
            for (worth, reached) in reached.iter_mut().enumerate() {
                *reached |= other.exactly(to.index(), CLASSES - 1 - worth) & open;
            }
        }
    }

    /// The same for the column man.
    fn column_reaches(&self, other: &ClassTile, reached: &mut [u64; CLASSES]) {
        let man = self.men.get(self.men.column());
        if man.color != self.turn {
            return;
        }
        let mut open = !0;
        for worth in (0..CLASSES).rev() {
            let targets = other.exactly(self.row, CLASSES - 1 - worth);
            if targets != 0 && open != 0 {
                reached[worth] = reach(man.role, targets, self.geometry.occupied.0);
                open &= !reached[worth];
            }
        }
    }
}

/// The squares from which a man reaches one of the targets.
fn reach(role: Role, targets: u64, occupied: u64) -> u64 {
    let steps = role.directions().iter();
    if !role.is_slider() {
        return steps.fold(0, |all, &step| all | leap(targets, step));
    }
    steps.fold(0, |all, &step| all | slide(targets, occupied, step))
}

/// The squares a leap away from a target (leaps come in opposite pairs).
#[inline]
fn leap(targets: u64, step: (i32, i32)) -> u64 {
    shifted(targets, step)
}

/// The empty squares from which going on in a direction leads to a target, all
/// between being empty.
#[inline]
fn slide(targets: u64, occupied: u64, step: (i32, i32)) -> u64 {
    let (mut reached, mut front) = (0, targets);
    for _ in 0..7 {
        front = shifted(front, step) & !occupied;
        reached |= front;
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reaching_is_attacking_back() {
        let mut seed = 0x9e37_79b9_7f4a_7c15u64;
        let mut next = || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed
        };
        for _ in 0..200 {
            let occupied = next() & next() & next();
            let targets = next() & next() & !occupied;
            for role in [Role::King, Role::Queen, Role::Rook, Role::Bishop, Role::Knight] {
                let expected = Bitboard(targets).into_iter().fold(0, |all, target| {
                    all | attacks::attacks(role, target, Bitboard(occupied)).0
                });
                let found = reach(role, targets, occupied);
                assert_eq!(found & !occupied, expected & !occupied, "{role:?}");
            }
        }
    }

    #[test]
    fn sets_of_squares() {
        for center in Square::all() {
            for square in Square::all() {
                for steps in 0..8 {
                    let inside = within(center, steps) >> square.index() & 1 != 0;
                    assert_eq!(inside, center.distance(square) <= steps);
                }
                for limit in -8..16 {
                    assert_eq!(files_to(limit) >> square.index() & 1 != 0, square.file() <= limit);
                    assert_eq!(ranks_to(limit) >> square.index() & 1 != 0, square.rank() <= limit);
                }
            }
        }
    }
}
