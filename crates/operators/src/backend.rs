//! What every implementation of the operators provides.

use molien_board::{Bitboard, Color, Square, attacks};
use molien_hyper::{Cell, Hyperboard, KingAxis, Plane, Tile};

use crate::{Conversions, Plies, QuietMoves, Release, TileMoves, Which};

/// The tile operators.
///
/// [`crate::Scalar`] says what each of them means; all others give the same
/// bits. A caller picks one implementation and uses it throughout, so that a
/// whole solve runs on one instruction set.
pub trait Backend: Send + Sync {
    /// A short name, such as `avx512`.
    fn name(&self) -> &'static str;

    /// Takes those positions of `open`, placements of the cell, that have one
    /// of the moves, or that have none. `taken` becomes what was taken, if
    /// anything was. Returns how many were taken, and whether any are left.
    fn take_by_moves(
        &self,
        moves: &QuietMoves<'_>,
        which: Which<'_>,
        open: &mut Tile,
        taken: &mut Tile,
    ) -> (u64, bool);

    /// The positions of `within`, placements of the cell, that have one of the
    /// moves.
    fn quiet_within(&self, moves: &QuietMoves<'_>, within: &Tile) -> Tile {
        let (mut left, mut moving) = (*within, Tile::EMPTY);
        let which = Which::Moving { also: &Tile::EMPTY };
        self.take_by_moves(moves, which, &mut left, &mut moving);
        moving
    }

    /// As [`Backend::quiet_within`], for all placements of the cell.
    fn quiet(&self, board: &Hyperboard, side: Color, plane: &Plane, cell: &Cell) -> Tile {
        self.quiet_within(&QuietMoves { board, side, plane, cell }, &valid(board, cell))
    }

    /// The positions of the cell in which the king of `color` is attacked.
    fn in_check(&self, board: &Hyperboard, color: Color, cell: &Cell) -> Tile;

    /// The legal positions of the cell with `turn` to move.
    fn legal(&self, board: &Hyperboard, turn: Color, cell: &Cell) -> Tile {
        valid(board, cell).minus(&self.in_check(board, !turn, cell))
    }

    /// Takes in moves from positions of a tile to another board's values.
    fn add_moves(&self, found: &mut Conversions, moves: &TileMoves<'_>);

    /// Takes in another release, keeping the lesser ply of each position.
    /// Neither may have plies with more bits than `release` has planes.
    fn merge_least(&self, release: &mut Release, other: &Release);

    /// As [`Backend::merge_least`], keeping the greater ply.
    fn merge_greatest(&self, release: &mut Release, other: &Release);

    /// The positions whose ply is exactly this one.
    fn release_at(&self, plies: Plies<'_>, ply: u16) -> Tile;

    /// The least ply of the positions among these.
    fn release_least(&self, plies: Plies<'_>, among: &Tile) -> Option<u16>;

    /// How many positions the tile has.
    fn count(&self, tile: &Tile) -> u64;

    /// The positions of `a` that are not in `b`.
    fn difference(&self, a: &Tile, b: &Tile) -> Tile;

    /// Takes `decided` out of `open`; returns how many were decided, and
    /// whether any are left.
    fn take(&self, open: &mut Tile, decided: &Tile) -> (u64, bool);

    /// Exclusive or of the positions of two tiles with one tile of the planes
    /// that `bits` says.
    fn toggle(&self, planes: &mut [&mut [Tile]], bits: u16, number: usize, tiles: [&Tile; 2]);

    /// Rows become columns.
    fn transpose(&self, tile: &Tile) -> Tile;

    /// The row squares paired with one column square.
    fn column(&self, tile: &Tile, square: Square) -> u64;
}

/// The placements of the cell: one man a square, kings apart.
#[inline(always)]
pub fn valid(board: &Hyperboard, cell: &Cell) -> Tile {
    let free = !cell.occupied.0;
    let column = if board.column().is_some() { !0 } else { 1 };
    if board.row().is_none() {
        let mut tile = Tile::EMPTY;
        *tile.row_mut(Square::new(0)) = free & column | u64::from(board.column().is_none());
        return tile;
    }
    let kings_in_tile = board.king_axis() == KingAxis::Tile;
    Tile::from_rows(|row| {
        let own = Bitboard::from_square(row).0;
        let near = if kings_in_tile { attacks::king(row).0 } else { 0 };
        if free & own == 0 { 0 } else { free & !(own | near) }
    })
}
