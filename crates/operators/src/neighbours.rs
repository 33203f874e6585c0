//! Which tiles a side's quiet moves connect.

use molien_board::{Color, Square, attacks};
use molien_hyper::{Cell, Hyperboard, KingAxis, MAX_OUTER, king_pair, king_pair_squares};

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
        let targets = attacks::attacks(man.role, cell.squares[i], cell.occupied) - cell.occupied;
        for to in targets {
            visit(board.tile_with(cell, i, to));
        }
    }
    if board.king_axis() == KingAxis::Pairs {
        for_each_king_neighbour(board, side, cell, visit);
    }
}

fn for_each_king_neighbour(
    board: &Hyperboard,
    side: Color,
    cell: &Cell,
    mut visit: impl FnMut(usize),
) {
    let Some((white, black)) = cell.kings else { return };
    let from = if side == Color::White { white } else { black };
    let outer = board.outer().len();
    for to in attacks::king(from) - cell.occupied {
        let kings = if side == Color::White { (to, black) } else { (white, to) };
        let Some(pair) = king_pair(kings.0, kings.1) else { continue };
        let mut squares = [Square::new(0); MAX_OUTER];
        for i in 0..outer {
            squares[i] = pair.symmetry.square(cell.squares[i]);
        }
        visit(board.tile_at(pair.class, &squares[..outer]));
        // Both kings on the long diagonal: the mirror image is stored too.
        let (a, b) = king_pair_squares(pair.class);
        if a.file() == a.rank() && b.file() == b.rank() {
            for square in &mut squares[..outer] {
                *square = molien_board::Symmetry::DIAGONAL.square(*square);
            }
            visit(board.tile_at(pair.class, &squares[..outer]));
        }
    }
}
