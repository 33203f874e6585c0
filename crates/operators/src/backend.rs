//! What every implementation of the operators provides.

use molien_board::{Bitboard, Color, Square, attacks};
use molien_hyper::{Cell, Hyperboard, KingAxis, Plane, Tile};

/// The tile operators.
pub trait Backend: Send + Sync {
    /// A short name, such as `avx512`.
    fn name(&self) -> &'static str;

    /// The positions of `within`, placements of the cell, from which `side`
    /// has a quiet move (neither a capture nor a pawn move) to a position in
    /// `plane`. The plane must hold placements only, no overlapping men.
    fn quiet_within(
        &self,
        board: &Hyperboard,
        side: Color,
        plane: &Plane,
        cell: &Cell,
        within: &Tile,
    ) -> Tile;

    /// As [`Backend::quiet_within`], for all placements of the cell.
    fn quiet(&self, board: &Hyperboard, side: Color, plane: &Plane, cell: &Cell) -> Tile {
        self.quiet_within(board, side, plane, cell, &valid(board, cell))
    }

    /// The positions of the cell in which the king of `color` is attacked.
    fn in_check(&self, board: &Hyperboard, color: Color, cell: &Cell) -> Tile;

    /// The legal positions of the cell with `turn` to move.
    fn legal(&self, board: &Hyperboard, turn: Color, cell: &Cell) -> Tile {
        valid(board, cell).minus(&self.in_check(board, !turn, cell))
    }
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
