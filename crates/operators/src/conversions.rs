//! Moves that leave the hyperboard, read off the values of other hyperboards.
//!
//! For a tile and the side to move, all such moves together are summed up. For
//! the attacker it is the least ply in which one of them wins; for the
//! defender the greatest ply by which all of them have lost, and the positions
//! in which one of them escapes (does not lose).

use molien_board::{Bitboard, Color, Man, Role, Square, attacks};
use molien_hyper::{Cell, Hyperboard, KingAxis, KingPair, MAX_OUTER, OuterAxes, Tile};
use molien_values::{BoardValues, Graded, MAX_BITS, Rule};

use crate::Backend;
use crate::checks::attacks_past_row_man;
use crate::graded::{GradedWord, Release};
use crate::merge::{Movers, Reading, TileMoves};
use crate::neighbours::king_pair_after;
use crate::words::Sets;

/// [`Rule::plies`], bit-sliced: the plies before the move from the depths
/// after it.
#[inline(always)]
pub(crate) fn plies_before<S: Sets>(rule: Rule, depth: &[S; MAX_BITS]) -> [S; MAX_BITS] {
    let mut plies = [S::splat(0); MAX_BITS];
    match rule {
        Rule::One => plies[0] = S::splat(!0),
        Rule::Onward => {
            let mut carry = S::splat(!0);
            for (ply, depth) in plies.iter_mut().zip(depth) {
                *ply = depth.xor(carry);
                carry = carry.and(*depth);
            }
        }
        Rule::Fifty => {
            // 1 is 0000001 and 101 is 1100101 in binary.
            plies[0] = S::splat(!0);
            let late = more_than_100(depth);
            (plies[2], plies[5], plies[6]) = (late, late, late);
        }
    }
    plies
}

/// The positions with a depth above 100 (1100100 in binary).
#[inline(always)]
fn more_than_100<S: Sets>(depth: &[S; MAX_BITS]) -> S {
    const HUNDRED: u16 = 100;
    let mut greater = S::splat(0);
    for (b, depth) in depth.iter().enumerate() {
        let bit = S::splat(if HUNDRED >> b & 1 != 0 { !0 } else { 0 });
        greater = depth.minus(bit).or(greater.minus(depth.xor(bit)));
    }
    greater
}

/// The values that moves of one side lead to: the other side is to move, the
/// men that are left are addressed in the order of the board they come from.
#[derive(Clone, Copy, Debug)]
pub struct SubView<'a> {
    /// Addresses the outer men.
    pub axes: &'a OuterAxes,
    /// Says where classes of king pairs begin, where there are any.
    pub board: Option<&'a Hyperboard>,
    /// The values.
    pub values: &'a Graded,
}

impl<'a> SubView<'a> {
    /// The values of a board with this side to move.
    pub fn of(board: &'a BoardValues, turn: Color) -> SubView<'a> {
        let BoardValues { board, values } = board;
        SubView { axes: board.axes(), board: Some(board), values: &values[turn.index()] }
    }

    #[inline]
    fn tile_at(&self, king_class: usize, squares: &[Square]) -> usize {
        self.board.map_or(0, |board| board.class_start(king_class)) + self.axes.encode(squares)
    }
}

/// Which question [`Conversions`] answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// The mover attacks: when does a move out of the board win?
    Win,
    /// The mover defends: until when does a move out of the board hold?
    Hold,
}

/// What one side's moves out of the hyperboard achieve, for one tile.
#[derive(Clone)]
pub struct Conversions {
    backend: &'static dyn Backend,
    pub(crate) goal: Goal,
    /// [`Goal::Win`]: the least ply of a winning one. [`Goal::Hold`]: the
    /// greatest ply of a losing one.
    pub release: Release,
    /// Positions with one that does not lose ([`Goal::Hold`] only).
    pub escape: Tile,
}

/// The tile and row of a sub-game that holds the values of one line of
/// positions: all men fixed but the last.
fn line_word(sub: SubView<'_>, king_class: usize, squares: &[Square]) -> GradedWord {
    match squares.split_last() {
        None => GradedWord::of(sub.values, sub.tile_at(king_class, &[]), Square::new(0)),
        Some((&row, outer)) => GradedWord::of(sub.values, sub.tile_at(king_class, outer), row),
    }
}

/// Squares of outer men after one of them has moved and one is gone.
#[derive(Clone, Copy)]
struct OuterSquares {
    squares: [Square; MAX_OUTER],
    len: usize,
}

impl OuterSquares {
    fn new(cell: &Cell, len: usize) -> OuterSquares {
        OuterSquares { squares: cell.squares, len }
    }

    fn moved(mut self, man: usize, to: Square) -> OuterSquares {
        self.squares[man] = to;
        self
    }

    fn without(mut self, man: Option<usize>) -> OuterSquares {
        if let Some(man) = man {
            self.squares.copy_within(man + 1..self.len, man);
            self.len -= 1;
        }
        self
    }

    fn map(mut self, f: impl Fn(Square) -> Square) -> OuterSquares {
        self.squares.iter_mut().for_each(|square| *square = f(*square));
        self
    }

    fn as_slice(&self) -> &[Square] {
        &self.squares[..self.len]
    }
}

/// The squares between, for a slider; nothing is between for a leaper.
#[inline]
fn path(role: Role, from: Square, to: Square) -> Bitboard {
    if role.is_slider() { attacks::between(from, to) } else { Bitboard::EMPTY }
}

impl Conversions {
    /// No moves out of the board yet; plies have this many bits (0 if all
    /// are 1).
    pub fn new(backend: &'static dyn Backend, goal: Goal, bits: usize) -> Conversions {
        Conversions { backend, goal, release: Release::new(bits), escape: Tile::EMPTY }
    }

    /// The question they answer.
    pub fn goal(&self) -> Goal {
        self.goal
    }

    /// Takes in moves from the positions `mask` of a row to the values of
    /// `word`.
    #[inline]
    fn add(&mut self, row: Square, mask: u64, word: &GradedWord, rule: Rule) {
        match self.goal {
            Goal::Win if word.lost & mask != 0 => {
                self.release.merge_row::<true>(
                    row,
                    word.lost & mask,
                    &plies_before(rule, &word.depth),
                );
            }
            Goal::Win => {}
            Goal::Hold => {
                if word.won & mask != 0 {
                    self.release.merge_row::<false>(
                        row,
                        word.won & mask,
                        &plies_before(rule, &word.depth),
                    );
                }
                *self.escape.row_mut(row) |= word.legal & mask & !word.won;
            }
        }
    }

    /// Takes in a move from every position of the tile, except those whose
    /// row or column man stands on a square of `path`, to the same place in a
    /// sub-game's tile.
    pub fn add_tile(&mut self, values: &Graded, tile: usize, path: Bitboard, rule: Rule) {
        let movers = Movers::Unblocked(path);
        self.add_moves(&TileMoves { values, tile, reading: Reading::Same, movers, rule });
    }

    fn add_moves(&mut self, moves: &TileMoves<'_>) {
        self.backend.add_moves(self, moves);
    }

    /// Keeps only the positions in `mask`.
    pub fn restrict(&mut self, mask: &Tile) {
        self.release.some = self.release.some.and(mask);
        self.escape = self.escape.and(mask);
    }

    fn merge(&mut self, other: &Conversions) {
        match self.goal {
            Goal::Win => self.backend.merge_least(&mut self.release, &other.release),
            Goal::Hold => self.backend.merge_greatest(&mut self.release, &other.release),
        }
        self.escape.add(&other.escape);
    }

    fn transpose(&self) -> Conversions {
        Conversions {
            backend: self.backend,
            goal: self.goal,
            release: self.release.transpose(self.backend),
            escape: self.backend.transpose(&self.escape),
        }
    }

    /// Captures of pieces by pieces and kings. `subs[i]` is the sub-game
    /// without the i-th piece (in the board's order: outer, row, column).
    pub fn add_piece_captures(
        &mut self,
        board: &Hyperboard,
        side: Color,
        cell: &Cell,
        subs: &[Option<SubView<'_>>],
        rule: Rule,
    ) {
        let outer = board.outer().len();
        for (victim, man) in board.outer().iter().enumerate() {
            if let (true, Some(sub)) = (man.color != side, subs[victim]) {
                let capture =
                    FixedCapture { target: cell.squares[victim], removed: Some(victim), sub, rule };
                self.add_captures_of_fixed(board, side, cell, &capture);
            }
        }
        if board.king_axis() == KingAxis::Tile {
            return;
        }
        let line = |victim: Option<Man>, other: Option<Man>, sub: Option<SubView<'_>>| {
            let sub = sub.filter(|_| victim.is_some_and(|man| man.color != side))?;
            let none = Conversions::new(self.backend, self.goal, self.release.bits.len());
            Some(line_captures(board, side, cell, other, sub, rule, none))
        };
        let column_index = outer + usize::from(board.row().is_some());
        let sub_of = |index: usize| subs.get(index).copied().flatten();
        let of_row = board.row().and_then(|_| line(board.row(), board.column(), sub_of(outer)));
        let of_column = line(board.column(), board.row(), sub_of(column_index));
        of_row.iter().for_each(|captures| self.merge(captures));
        of_column.iter().for_each(|captures| self.merge(&captures.transpose()));
    }

    /// Captures of a man on a fixed square (an outer man or a pawn).
    pub fn add_captures_of_fixed(
        &mut self,
        board: &Hyperboard,
        side: Color,
        cell: &Cell,
        capture: &FixedCapture<'_>,
    ) {
        let FixedCapture { target, removed, sub, rule } = *capture;
        let (occupied, values) = (cell.occupied, sub.values);
        let squares = OuterSquares::new(cell, board.outer().len());
        let has_row = board.row().is_some();
        for (i, man) in board.outer().iter().enumerate().filter(|(_, man)| man.color == side) {
            let from = cell.squares[i];
            if attacks::attacks(man.role, from, occupied).contains(target) {
                let after = squares.moved(i, target).without(removed);
                let tile = sub.tile_at(cell.king_class, after.as_slice());
                self.add_tile(values, tile, path(man.role, from, target), rule);
            }
        }
        let stay = squares.without(removed);
        let tile = sub.tile_at(cell.king_class, stay.as_slice());
        if let Some(man) = board.row().filter(|man| man.color == side) {
            let mut movers = Tile::EMPTY;
            for row in attacks::attacks(man.role, target, occupied) {
                *movers.row_mut(row) = !path(man.role, row, target).0;
            }
            let (reading, movers) = (Reading::Row(target), Movers::Of(&movers));
            self.add_moves(&TileMoves { values, tile, reading, movers, rule });
        }
        if let Some(man) = board.column().filter(|man| man.color == side) {
            let movers = attacks_past_row_man(man.role, target, occupied, has_row);
            let (reading, movers) = (Reading::Column(target), Movers::Of(&movers));
            self.add_moves(&TileMoves { values, tile, reading, movers, rule });
        }
        self.add_king_capture_of_fixed(board, side, cell, capture, stay);
    }

    /// The outer king captures a man on a fixed square.
    fn add_king_capture_of_fixed(
        &mut self,
        board: &Hyperboard,
        side: Color,
        cell: &Cell,
        capture: &FixedCapture<'_>,
        stay: OuterSquares,
    ) {
        let FixedCapture { target, sub, rule, .. } = *capture;
        let Some(KingPair { symmetry, class }) = king_step(cell, side, target) else { return };
        let after = stay.map(|square| symmetry.square(square));
        let tile = sub.tile_at(class, after.as_slice());
        let (rows, columns) = (board.row().is_some(), board.column().is_some());
        let reading = Reading::Through { symmetry, rows, columns };
        let movers = Movers::Unblocked(Bitboard::EMPTY);
        self.add_moves(&TileMoves { values: sub.values, tile, reading, movers, rule });
    }
}

/// A man on a fixed square that is captured.
#[derive(Clone, Copy, Debug)]
pub struct FixedCapture<'a> {
    /// Its square.
    pub target: Square,
    /// Its place among the outer men; none for a pawn.
    pub removed: Option<usize>,
    /// The sub-game without it.
    pub sub: SubView<'a>,
    /// How depths are counted.
    pub rule: Rule,
}

/// An outer king's step to a square: the new king pair's class and the
/// symmetry into it. `None` if the king cannot step there.
fn king_step(cell: &Cell, side: Color, to: Square) -> Option<KingPair> {
    let (white, black) = cell.kings?;
    let from = if side == Color::White { white } else { black };
    king_pair_after(side, cell, to).filter(|_| attacks::king(from).contains(to))
}

/// Captures of a tile man. The result's rows are the victim's squares, its
/// columns the squares of the `other` tile man.
fn line_captures(
    board: &Hyperboard,
    side: Color,
    cell: &Cell,
    other: Option<Man>,
    sub: SubView<'_>,
    rule: Rule,
    mut out: Conversions,
) -> Conversions {
    let occupied = cell.occupied;
    let squares = OuterSquares::new(cell, board.outer().len());
    for (i, man) in board.outer().iter().enumerate().filter(|(_, man)| man.color == side) {
        let from = cell.squares[i];
        for target in attacks::attacks(man.role, from, occupied) - occupied {
            let after = squares.moved(i, target);
            let word = line_word(sub, cell.king_class, after.as_slice());
            out.add(target, !path(man.role, from, target).0, &word, rule);
        }
    }
    if let Some(man) = other.filter(|man| man.color == side) {
        let word = line_word(sub, cell.king_class, squares.as_slice());
        for target in !occupied {
            let from = attacks::attacks(man.role, target, occupied);
            out.add(target, from.0, &word.splat(target), rule);
        }
    }
    for target in !occupied {
        let Some(KingPair { symmetry, class }) = king_step(cell, side, target) else { continue };
        let after = squares.map(|square| symmetry.square(square));
        let word = line_word(sub, class, after.as_slice());
        let word = if other.is_some() { word.transform(symmetry.inverse()) } else { word };
        out.add(target, !0, &word, rule);
    }
    out
}
