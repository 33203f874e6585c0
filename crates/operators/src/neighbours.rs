//! Which tiles a side's quiet moves connect.

use molien_board::{Bitboard, Color, Square, Symmetry, attacks};
use molien_hyper::{Cell, Hyperboard, KingPair, MAX_OUTER, king_pair, king_pair_squares};

/// The squares to which an outer king of this side may step: free of outer
/// men.
#[inline(always)]
pub(crate) fn king_targets(side: Color, cell: &Cell) -> Bitboard {
    match cell.kings {
        None => Bitboard::EMPTY,
        Some((white, black)) => {
            attacks::king(if side == Color::White { white } else { black }) - cell.occupied
        }
    }
}

/// The king pair after an outer king has gone to a square, whether or not he
/// could. `None` if the kings would touch.
#[inline(always)]
pub(crate) fn king_pair_after(side: Color, cell: &Cell, to: Square) -> Option<KingPair> {
    let (white, black) = cell.kings?;
    if side == Color::White { king_pair(to, black) } else { king_pair(white, to) }
}

/// The tile of a king class with the outer men of the cell moved by a
/// symmetry.
#[inline(always)]
pub(crate) fn tile_through(
    board: &Hyperboard,
    cell: &Cell,
    symmetry: Symmetry,
    class: usize,
) -> usize {
    let outer = board.outer().len();
    let mut squares = [Square::new(0); MAX_OUTER];
    for i in 0..outer {
        squares[i] = symmetry.square(cell.squares[i]);
    }
    board.tile_at(class, &squares[..outer])
}

/// Calls `visit` with every tile that has a quiet move of `side` to or from
/// this cell (quiet moves can be taken back, so the relation is symmetric).
/// A tile may be visited more than once.
pub fn for_each_neighbour(
    board: &Hyperboard,
    side: Color,
    cell: &Cell,
    mut visit: impl FnMut(usize),
) {
    let moves_in_tile = |man: Option<molien_board::Man>| man.is_some_and(|m| m.color == side);
    if moves_in_tile(board.row()) || moves_in_tile(board.column()) {
        visit(cell.tile);
    }
    for (i, man) in board.outer().iter().enumerate().filter(|(_, man)| man.color == side) {
        let walk = board.walk(cell, i);
        for to in attacks::attacks(man.role, cell.squares[i], cell.occupied) - cell.occupied {
            visit(walk.to(to));
        }
    }
    for to in king_targets(side, cell) {
        let Some(KingPair { symmetry, class }) = king_pair_after(side, cell, to) else { continue };
        visit(tile_through(board, cell, symmetry, class));
        // Both kings on the long diagonal: the mirror image is stored too.
        let (a, b) = king_pair_squares(class);
        if a.file() == a.rank() && b.file() == b.rank() {
            let mirrored = Symmetry::ALL[symmetry.index() ^ Symmetry::DIAGONAL.index()];
            visit(tile_through(board, cell, mirrored, class));
        }
    }
}
