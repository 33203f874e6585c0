//! Quiet moves on whole tiles. Nothing here is specific to a processor:
//! `arch` compiles it once per instruction set.

use molien_board::{Bitboard, Color, Role, Symmetry, attacks};
use molien_hyper::{Cell, Hyperboard, Plane, Tile};

use crate::fills::{column_man, row_man};
use crate::neighbours::for_each_king_step;
use crate::wide::{Wide, each_rank};
use crate::words::Words;

/// Positions found so far, and those that are asked for.
struct Reach<'a, W> {
    found: Wide<W>,
    within: &'a Tile,
}

impl<W: Words> Reach<'_, W> {
    /// Whether every position asked for is found: then there is no more to do.
    #[inline(always)]
    fn is_complete(&self) -> bool {
        self.found.covers(self.within)
    }

    /// Adds the positions of a tile whose row and column man both stand off
    /// the path.
    #[inline(always)]
    fn add_unblocked(&mut self, source: &Tile, path: Bitboard) {
        let (path, own) = (W::splat(path.0), Wide::<W>::own());
        each_rank!(RANK, {
            let source = W::load(&source.0[RANK]);
            self.found.0[RANK] = self.found.0[RANK].or_unblocked(source, path, own.0[RANK]);
        });
    }
}

/// Quiet moves of one side, from the positions of one cell to those of a set.
#[derive(Clone, Copy, Debug)]
pub struct QuietMoves<'a> {
    /// The layout of the set.
    pub board: &'a Hyperboard,
    /// Who moves.
    pub side: Color,
    /// Where the moves lead. Placements only, no overlapping men.
    pub plane: &'a Plane,
    /// Where they start.
    pub cell: &'a Cell,
}

/// Which positions are taken by their moves.
#[derive(Clone, Copy, Debug)]
pub enum Which<'a> {
    /// Those that have a move, and others.
    Moving {
        /// Taken with or without a move.
        also: &'a Tile,
    },
    /// Those that have no move.
    Stuck {
        /// Not taken whatever moves they have.
        held: &'a Tile,
    },
}

/// The positions of the cell that have such a move: all of those in `within`,
/// and perhaps some others.
#[inline(always)]
pub(crate) fn reach<W: Words>(moves: &QuietMoves<'_>, within: &Tile) -> Wide<W> {
    let QuietMoves { board, side, plane, cell } = *moves;
    // The king's moves lead far away in memory: they are asked for first and
    // used last.
    let king = KingSources::find::<W>(board, side, plane, cell);
    let mut reach = Reach::<W> { found: Wide::splat(0), within };
    if plane.live[cell.tile] {
        tile_men(board, side, plane, cell, &mut reach);
    }
    for (i, man) in board.outer().iter().enumerate() {
        if man.color == side {
            if reach.is_complete() {
                break;
            }
            outer_man(board, i, man.role, plane, cell, &mut reach);
        }
    }
    if king.len > 0 && !reach.is_complete() {
        outer_king(board, plane, &king, &mut reach);
    }
    reach.found
}

/// Moves of the men that span the tile.
#[inline(always)]
fn tile_men<W: Words>(
    board: &Hyperboard,
    side: Color,
    plane: &Plane,
    cell: &Cell,
    reach: &mut Reach<'_, W>,
) {
    let set = Wide::load(&plane.tiles[cell.tile]);
    let valid = Wide::valid(board, cell);
    if let Some(man) = board.row().filter(|man| man.color == side) {
        row_man(man.role, &set, &valid, &mut reach.found);
    }
    if let Some(man) = board.column().filter(|man| man.color == side) {
        column_man(man.role, &set, &valid, &mut reach.found);
    }
}

/// Moves of an outer man: whole tiles, less the positions in which the row or
/// column man stands in the way. (Boards with outer men have both.)
#[inline(always)]
fn outer_man<W: Words>(
    board: &Hyperboard,
    man: usize,
    role: Role,
    plane: &Plane,
    cell: &Cell,
    reach: &mut Reach<'_, W>,
) {
    let from = cell.squares[man];
    let walk = board.walk(cell, man);
    if !role.is_slider() {
        for to in attacks::attacks(role, from, Bitboard::EMPTY) - cell.occupied {
            let source = walk.to(to);
            if plane.live[source] {
                reach.found.add(Wide::load(&plane.tiles[source]));
            }
        }
        return;
    }
    for direction in attacks::ray_directions(role) {
        let mut path = Bitboard::EMPTY;
        for &to in attacks::ray_squares(direction, from) {
            if cell.occupied.contains(to) {
                break;
            }
            let source = walk.to(to);
            if plane.live[source] {
                reach.add_unblocked(&plane.tiles[source], path);
            }
            path.insert(to);
        }
        if reach.is_complete() {
            return;
        }
    }
}

/// The live tiles that an outer king's moves lead to.
struct KingSources {
    /// The symmetry that takes the new king pair to its class, and the tile.
    sources: [(Symmetry, usize); 8],
    len: usize,
}

impl KingSources {
    #[inline(always)]
    fn find<W: Words>(board: &Hyperboard, side: Color, plane: &Plane, cell: &Cell) -> KingSources {
        let mut found = KingSources { sources: [(Symmetry::IDENTITY, 0); 8], len: 0 };
        for_each_king_step(board, side, cell, |pair, source| {
            if plane.live[source] {
                W::prefetch(&plane.tiles[source]);
                found.sources[found.len] = (pair.symmetry, source);
                found.len += 1;
            }
        });
        found
    }
}

/// King moves where the kings are outer coordinates: the tile comes back
/// through the symmetry that returns the pair to its class.
#[inline(always)]
fn outer_king<W: Words>(
    board: &Hyperboard,
    plane: &Plane,
    king: &KingSources,
    reach: &mut Reach<'_, W>,
) {
    let (rows, columns) = (board.row().is_some(), board.column().is_some());
    // What comes through the same symmetry is turned once.
    for steps in king.sources[..king.len].chunk_by(|a, b| a.0 == b.0) {
        let symmetry = steps[0].0;
        if symmetry == Symmetry::IDENTITY {
            reach.found = sum(reach.found, plane, steps);
        } else {
            let turned = sum(Wide::splat(0), plane, steps).back_through(symmetry, rows, columns);
            reach.found.add(turned);
        }
    }
}

/// The tiles of some steps, added up.
#[inline(always)]
fn sum<W: Words>(mut found: Wide<W>, plane: &Plane, steps: &[(Symmetry, usize)]) -> Wide<W> {
    // Rank by rank: few processors have registers for a whole tile.
    each_rank!(RANK, {
        for &(_, source) in steps {
            found.0[RANK] = found.0[RANK].or(W::load(&plane.tiles[source].0[RANK]));
        }
    });
    found
}
