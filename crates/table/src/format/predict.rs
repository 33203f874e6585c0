//! What quiet moves promise the predicted side.
//!
//! With the other side's values known, the best quiet move of a row or column
//! man is known too: it stays in the tile. The king's moves lead to other
//! tiles, at most eight. A capture by a tile man leads to the same position
//! from wherever it came, so one value (a *hint*) for each square of the other
//! man serves for all of them. Other moves are not seen.

use std::borrow::Cow;

use molien_board::{Bitboard, Color, Man, Role, Square, Symmetry, attacks};
use molien_hyper::{king_pair, king_pair_squares};

use crate::format::layout::Layout;
use crate::format::shape::TileShape;
use crate::format::tile_men::TileMen;
use crate::keys::arch::{self, RowKernels, Vectored};
use crate::keys::key::{NONE_KEY, ValueKey};

/// A key for each cell of a tile, row by row; only the first row is used
/// where there is no row man.
pub(crate) type Grid = [[ValueKey; 64]; 64];

/// A fresh grid of nothing.
pub(crate) fn empty_grid() -> Box<Grid> {
    Box::new([[NONE_KEY; 64]; 64])
}

#[inline(always)]
fn transpose(grid: &Grid, out: &mut Grid) {
    for r0 in (0..64).step_by(8) {
        for c0 in (0..64).step_by(8) {
            for r in r0..r0 + 8 {
                for c in c0..c0 + 8 {
                    out[c][r] = grid[r][c];
                }
            }
        }
    }
}

#[inline(always)]
fn raise(row: &mut [ValueKey; 64], other: &[ValueKey; 64]) {
    for (a, b) in row.iter_mut().zip(other) {
        *a = (*a).max(*b);
    }
}

/// The numbers of the lanes, as wide as keys: compared with one instruction.
static LANES: [ValueKey; 64] = {
    let mut lanes = [0; 64];
    let mut i = 0;
    while i < 64 {
        lanes[i] = i as ValueKey;
        i += 1;
    }
    lanes
};

/// What is reached by sliding on from a square: what is reached there, and what is
/// reached from there on, but where the column man stands in the way. One pass, and
/// no lane set by itself: a vector that is read right after one lane of it was
/// written has to wait.
#[inline(always)]
fn slide(
    best: &mut [ValueKey; 64],
    reach: &mut [ValueKey; 64],
    further: &[ValueKey; 64],
    there: &[ValueKey; 64],
    in_the_way: usize,
) {
    let in_the_way = in_the_way as ValueKey;
    for i in 0..64 {
        let open = further[i].max(there[i]);
        let here = if LANES[i] == in_the_way { NONE_KEY } else { open };
        best[i] = best[i].max(here);
        reach[i] = here;
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
/// quiet moves. `after` is nothing where the men of a cell coincide.
#[inline(always)]
fn row_moves(role: Role, after: &Grid, occupied: Bitboard, best: &mut Grid, reach: &mut Grid) {
    if !role.is_slider() {
        for from in Square::all() {
            for to in attacks::attacks(role, from, occupied) - occupied {
                raise(&mut best[from.index()], &after[to.index()]);
            }
        }
        return;
    }
    for direction in attacks::ray_directions(role) {
        for from in from_the_edge(direction) {
            let next = attacks::ray_squares(direction, from).first();
            let Some(to) = next.filter(|&&to| !occupied.contains(to)) else {
                reach[from.index()] = [NONE_KEY; 64];
                continue;
            };
            let rows = [from.index(), to.index()];
            if let Ok([reach, further]) = reach.get_disjoint_mut(rows) {
                slide(&mut best[from.index()], reach, further, &after[to.index()], to.index());
            }
        }
    }
}

/// Room for predicting, used again and again.
pub(crate) struct Room {
    after: Box<Grid>,
    turned: Box<Grid>,
    moves: Box<Grid>,
    reach: Box<Grid>,
    /// The result.
    pub best: Box<Grid>,
}

impl Room {
    pub fn new() -> Room {
        Room {
            after: empty_grid(),
            turned: empty_grid(),
            moves: empty_grid(),
            reach: empty_grid(),
            best: empty_grid(),
        }
    }

    /// The best quiet moves of the side's men in the tile. `after` holds, for
    /// each cell, how good it is for `side` that the men stand so with the
    /// other side to move, like men in any order.
    #[inline(always)]
    fn tile_moves(&mut self, men: &TileMen, side: Color, after: &[ValueKey]) {
        self.best.as_flattened_mut().fill(NONE_KEY);
        self.after.as_flattened_mut()[..after.len()].copy_from_slice(after);
        if men.column.color == side {
            self.moves.as_flattened_mut().fill(NONE_KEY);
            transpose(&self.after, &mut self.turned);
            let role = men.column.role;
            row_moves(role, &self.turned, men.occupied, &mut self.moves, &mut self.reach);
            transpose(&self.moves, &mut self.best);
        }
        if let Some(row) = men.row.filter(|man| man.color == side) {
            row_moves(row.role, &self.after, men.occupied, &mut self.best, &mut self.reach);
        }
    }

    /// What the quiet moves that are looked at promise the predicted side in
    /// every cell of a tile. `after` gives the keys of any tile of the part.
    pub fn predict<'a>(
        &mut self,
        layout: &Layout,
        tile: &TileShape,
        after: &dyn Fn(usize) -> Cow<'a, [ValueKey]>,
    ) {
        arch::run(Predict { room: self, layout, tile, after });
    }
}

struct Predict<'r, 'a> {
    room: &'r mut Room,
    layout: &'r Layout,
    tile: &'r TileShape,
    after: &'r dyn Fn(usize) -> Cow<'a, [ValueKey]>,
}

impl Vectored for Predict<'_, '_> {
    type Out = ();

    #[inline(always)]
    fn run<R: RowKernels>(self) {
        let Predict { room, layout, tile, after } = self;
        room.tile_moves(&tile.men, layout.predicted, &after(tile.number));
        for step in king_steps(layout, tile) {
            let there = after(step.tile);
            let best = &mut room.best.as_flattened_mut()[..there.len()];
            if step.symmetry == Symmetry::IDENTITY {
                best.iter_mut().zip(&*there).for_each(|(best, key)| *best = (*best).max(*key));
            } else {
                raise_turned::<R>(best, &there, step.symmetry);
            }
        }
    }
}

/// As a plain maximum, but the keys are found after a turn of the board.
#[inline(always)]
fn raise_turned<R: RowKernels>(best: &mut [ValueKey], there: &[ValueKey], symmetry: Symmetry) {
    let turned: [u16; 64] =
        std::array::from_fn(|square| symmetry.square(Square::new(square)).index() as u16);
    let (best, there) = (best.as_chunks_mut::<64>().0, there.as_chunks::<64>().0);
    let has_rows = best.len() > 1;
    for (row, best) in best.iter_mut().enumerate() {
        let from = if has_rows { usize::from(turned[row]) } else { 0 };
        R::raise_turned(best, &there[from], &turned);
    }
}

/// Where a move of the king leads.
struct KingStep {
    /// The tile.
    tile: usize,
    /// How the other men are turned there.
    symmetry: Symmetry,
}

/// The moves of the predicted side's king from a tile to others.
fn king_steps(layout: &Layout, tile: &TileShape) -> Vec<KingStep> {
    let king = Man::new(layout.predicted, Role::King);
    let fixed = tile.men.fixed.iter().find(|(man, _)| *man == king);
    let Some(&(_, from)) = fixed.filter(|_| layout.king_moves) else { return Vec::new() };
    let targets = attacks::king(from) - tile.men.occupied;
    let outer = layout.outer_len();
    let to_tile = |class: usize, squares: &mut dyn Iterator<Item = Square>| {
        squares.fold(class, |tile, square| tile << 6 | square.index())
    };
    let step = |to: Square| {
        let squares = tile.men.fixed[..outer].iter();
        if layout.material.has_pawns() {
            let moved = squares.map(|&(man, square)| if man == king { to } else { square });
            let tile = to_tile(0, &mut moved.into_iter());
            return Some(KingStep { tile, symmetry: Symmetry::IDENTITY });
        }
        let (white, black) = king_pair_squares(tile.number >> (6 * outer));
        let pair = match layout.predicted {
            Color::White => king_pair(to, black)?,
            Color::Black => king_pair(white, to)?,
        };
        let mut turned = squares.map(|(_, square)| pair.symmetry.square(*square));
        Some(KingStep { tile: to_tile(pair.class, &mut turned), symmetry: pair.symmetry })
    };
    targets.into_iter().filter_map(step).collect()
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
pub(crate) fn captures(men: &TileMen, side: Color) -> Vec<Capture> {
    let mut found = Vec::new();
    let prey = |man: &Man| man.color != side && man.role != Role::King;
    for (mover, other, by_row) in
        [(men.row, Some(men.column), true), (Some(men.column), men.row, false)]
    {
        let Some(mover) = mover.filter(|man| man.color == side) else { continue };
        let fixed = men.fixed.iter().filter(|(man, _)| prey(man)).map(|(_, s)| Some(*s));
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
    /// [`Capture::origins`] for each of the first squares of the other man. Most of
    /// them are in nobody's way: those share what is looked up once.
    pub fn all_origins(&self, men: &TileMen, others: usize) -> [Bitboard; 64] {
        let usual = self.victim.filter(|_| men.row.is_some()).map(|victim| {
            let reach = attacks::attacks(self.role, victim, men.occupied);
            (reach | men.occupied, reach - men.occupied)
        });
        let mut origins = [Bitboard::EMPTY; 64];
        for (other, origins) in Square::all().zip(&mut origins).take(others) {
            *origins = match usual {
                Some((touched, usual)) if !touched.contains(other) => usual,
                _ => self.origins(men, other),
            };
        }
        origins
    }

    /// The squares from which the man can capture, the tile's other man
    /// standing on `other` (which is the victim if no fixed man is).
    pub fn origins(&self, men: &TileMen, other: Square) -> Bitboard {
        if men.occupied.contains(other) && men.row.is_some() {
            return Bitboard::EMPTY;
        }
        match self.victim {
            None => attacks::attacks(self.role, other, men.occupied) - men.occupied,
            Some(victim) => {
                let blocked = match men.row {
                    Some(_) => men.occupied | Bitboard::from_square(other),
                    None => men.occupied,
                };
                attacks::attacks(self.role, victim, blocked) - blocked
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::layout::{BLOCK_CELLS, ScanOrder, placed_men};
    use molien_values::Placement;

    /// All at once as one by one: of sliders and of others, fixed victims and the
    /// tile's own.
    #[test]
    fn origins_of_all_squares() {
        for name in ["KQPKQ", "KRNKP", "KBPKR", "KQK"] {
            let material: molien_board::Material = name.parse().unwrap();
            let placements = match material.has_pawns() {
                true => Placement::all(&material),
                false => vec![Placement::NONE],
            };
            let mut men = placed_men(&material);
            for _ in 0..men.len() {
                men.rotate_left(1);
                for predicted in Color::BOTH {
                    let layout = Layout {
                        material,
                        predicted,
                        king_moves: false,
                        order: ScanOrder::Tiles,
                        tiles_per_block: BLOCK_CELLS / 4096,
                        placements: placements.clone(),
                        men: men.clone(),
                    };
                    check_origins(&layout);
                }
            }
        }
    }

    fn check_origins(layout: &Layout) {
        for number in (0..layout.tiles_per_part()).step_by(41) {
            let Some(men) = layout.tile_men(layout.placements.len() / 2, number) else { continue };
            for capture in captures(&men, layout.predicted) {
                let all = capture.all_origins(&men, 64);
                for other in Square::all() {
                    let alone = capture.origins(&men, other);
                    assert_eq!(all[other.index()], alone, "{capture:?} {other:?}");
                }
            }
        }
    }
}
