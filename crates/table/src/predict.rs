//! What the moves inside a tile promise the predicted side.
//!
//! With the other side's values known, the best quiet move of a row or column
//! man is known too: it stays in the tile. A capture by such a man leads to
//! the same position from wherever it came, so one value (a *hint*) for each
//! square of the other man serves for all of them. King moves and captures by
//! fixed men are not seen, so the true value can be better, never worse.

use molien_board::{Bitboard, Color, Man, Role, Square, attacks};
use molien_hyper::Tile;

use crate::frame::{Frame, Mask};

/// How good a value is for the side that has it: higher is better.
pub(crate) mod key {
    /// Nothing known.
    pub const NONE: u16 = 0;
    /// A draw.
    pub const DRAW: u16 = 0x8000;

    /// A loss in so many plies: the longer the better.
    pub const fn loss(plies: u16) -> u16 {
        1 + plies
    }

    /// A win in so many plies: the shorter the better.
    pub const fn win(plies: u16) -> u16 {
        0xffff - plies
    }

    /// The plies of a win.
    pub const fn win_plies(key: u16) -> u16 {
        0xffff - key
    }

    /// The plies of a loss.
    pub const fn loss_plies(key: u16) -> u16 {
        key - 1
    }
}

/// A number for each cell of a tile, row by row; only the first row is used
/// where there is no row man.
pub(crate) type Grid = [[u16; 64]; 64];

/// A fresh grid of nothing.
pub(crate) fn empty_grid() -> Box<Grid> {
    Box::new([[key::NONE; 64]; 64])
}

fn transpose(grid: &Grid) -> Box<Grid> {
    let mut out = empty_grid();
    for r0 in (0..64).step_by(8) {
        for c0 in (0..64).step_by(8) {
            for r in r0..r0 + 8 {
                for c in c0..c0 + 8 {
                    out[c][r] = grid[r][c];
                }
            }
        }
    }
    out
}

fn raise(row: &mut [u16; 64], other: &[u16; 64]) {
    for (a, b) in row.iter_mut().zip(other) {
        *a = (*a).max(*b);
    }
}

/// The squares in an order in which each comes after the one next to it in
/// this direction.
fn from_the_edge(direction: usize) -> impl Iterator<Item = Square> {
    let (files, ranks) = Role::Queen.directions()[direction];
    let upwards = ranks * 8 + files > 0;
    (0..64).map(move |i| Square::new(if upwards { 63 - i } else { i }))
}

/// Takes into `best` what a man whose square is the row of `after` reaches by
/// quiet moves. `after` is 0 where the men of a cell coincide.
fn row_moves(role: Role, after: &Grid, occupied: Bitboard, best: &mut Grid) {
    if !role.is_slider() {
        for from in Square::all() {
            for to in attacks::attacks(role, from, occupied) - occupied {
                raise(&mut best[from.index()], &after[to.index()]);
            }
        }
        return;
    }
    let mut reach = empty_grid();
    for direction in attacks::ray_directions(role) {
        for from in from_the_edge(direction) {
            let next = attacks::ray_squares(direction, from).first();
            let Some(to) = next.filter(|&&to| !occupied.contains(to)) else {
                reach[from.index()] = [key::NONE; 64];
                continue;
            };
            let mut here = reach[to.index()];
            raise(&mut here, &after[to.index()]);
            here[to.index()] = key::NONE; // the column man stands in the way
            raise(&mut best[from.index()], &here);
            reach[from.index()] = here;
        }
    }
}

/// The best quiet moves of the side's men in the tile. `after` holds, for each
/// cell, how good it is for `side` that the men stand so with the other side
/// to move.
pub(crate) fn quiet_moves(frame: &Frame, side: Color, after: &mut Grid) -> Box<Grid> {
    if frame.row == Some(frame.column) {
        // Like men are stored in rising order only; a move can lead to the
        // other.
        for r in 0..64 {
            for c in 0..r {
                after[r][c] = after[c][r];
            }
        }
    }
    let mut best = empty_grid();
    if frame.column.color == side {
        let turned = transpose(after);
        let mut moves = empty_grid();
        row_moves(frame.column.role, &turned, frame.occupied, &mut moves);
        best = transpose(&moves);
    }
    if let Some(row) = frame.row.filter(|man| man.color == side) {
        row_moves(row.role, after, frame.occupied, &mut best);
    }
    best
}

/// The same for a set: the cells from which the row man moves into it.
fn row_moves_into(role: Role, set: &Mask, occupied: Bitboard, reached: &mut Mask) {
    if !role.is_slider() {
        for from in Square::all() {
            for to in attacks::attacks(role, from, occupied) - occupied {
                reached[from.index()] |= set[to.index()];
            }
        }
        return;
    }
    for direction in attacks::ray_directions(role) {
        let mut reach = [0; 64];
        for from in from_the_edge(direction) {
            let next = attacks::ray_squares(direction, from).first();
            if let Some(to) = next.filter(|&&to| !occupied.contains(to)) {
                let beyond = reach[to.index()] | set[to.index()];
                reach[from.index()] = beyond & !Bitboard::from_square(*to).0;
                reached[from.index()] |= reach[from.index()];
            }
        }
    }
}

fn transpose_mask(mask: &Mask) -> Mask {
    let turned = Tile::from_rows(|row| mask[row.index()]).transpose();
    std::array::from_fn(|row| turned.row(Square::new(row)))
}

/// The cells from which one of the side's men in the tile has a quiet move
/// into the set.
pub(crate) fn moves_into(frame: &Frame, side: Color, set: &Mask) -> Mask {
    let turned = transpose_mask(set);
    let (mut set, mut turned) = (*set, turned);
    if frame.row == Some(frame.column) {
        for (a, b) in set.iter_mut().zip(&mut turned) {
            *a |= *b;
            *b = *a;
        }
    }
    let mut reached = [0; 64];
    if frame.column.color == side {
        row_moves_into(frame.column.role, &turned, frame.occupied, &mut reached);
        reached = transpose_mask(&reached);
    }
    if let Some(row) = frame.row.filter(|man| man.color == side) {
        row_moves_into(row.role, &set, frame.occupied, &mut reached);
    }
    reached
}

/// A kind of capture inside a tile: a man of the tile takes a fixed man, or
/// the tile's other man.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Capture {
    /// The capturing man is the row man (else the column man).
    pub by_row: bool,
    role: Role,
    /// The square of the captured man; none if it is the tile's other man.
    victim: Option<Square>,
}

/// The captures of a side's tile men: row's first, fixed victims first.
pub(crate) fn captures(frame: &Frame, side: Color) -> Vec<Capture> {
    let mut found = Vec::new();
    let prey = |man: &Man| man.color != side && man.role != Role::King;
    for (mover, other, by_row) in
        [(frame.row, Some(frame.column), true), (Some(frame.column), frame.row, false)]
    {
        let Some(mover) = mover.filter(|man| man.color == side) else { continue };
        let fixed = frame.fixed.iter().filter(|(man, _)| prey(man)).map(|(_, s)| Some(*s));
        let in_tile = other.iter().filter(|man| prey(man)).map(|_| None);
        found.extend(fixed.chain(in_tile).map(|victim| Capture {
            by_row,
            role: mover.role,
            victim,
        }));
    }
    found
}

impl Capture {
    /// The squares from which the man can capture, the tile's other man
    /// standing on `other` (which is the victim if no fixed man is).
    pub fn origins(&self, frame: &Frame, other: Square) -> Bitboard {
        if frame.occupied.contains(other) && frame.row.is_some() {
            return Bitboard::EMPTY;
        }
        match self.victim {
            None => attacks::attacks(self.role, other, frame.occupied) - frame.occupied,
            Some(victim) => {
                let blocked = match frame.row {
                    Some(_) => frame.occupied | Bitboard::from_square(other),
                    None => frame.occupied,
                };
                attacks::attacks(self.role, victim, blocked) - blocked
            }
        }
    }
}
