//! Which tiles a side's quiet moves connect.

use molien_board::{Color, Square, Symmetry, attacks};
use molien_hyper::{Cell, Hyperboard, KingPair, MAX_OUTER, king_pair, king_pair_squares};

/// A step of a king that is an outer coordinate.
pub(crate) struct KingStep {
    /// Takes the new king pair to the representative of its class.
    pub symmetry: Symmetry,
    pub class: usize,
    /// The tile that is reached, in the frame of the class.
    pub tile: usize,
}

/// The steps of an outer king to squares free of outer men.
#[inline(always)]
pub(crate) fn king_steps<'a>(
    board: &'a Hyperboard,
    side: Color,
    cell: &'a Cell,
) -> impl Iterator<Item = KingStep> + 'a {
    let outer_kings = cell.kings.into_iter();
    outer_kings.flat_map(move |(white, black)| {
        let from = if side == Color::White { white } else { black };
        (attacks::king(from) - cell.occupied).into_iter().filter_map(move |to| {
            let (white, black) = if side == Color::White { (to, black) } else { (white, to) };
            let KingPair { symmetry, class } = king_pair(white, black)?;
            Some(KingStep { symmetry, class, tile: tile_through(board, cell, symmetry, class) })
        })
    })
}

/// The tile of a king class with the outer men of the cell moved by a
/// symmetry.
#[inline(always)]
fn tile_through(board: &Hyperboard, cell: &Cell, symmetry: Symmetry, class: usize) -> usize {
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
    for KingStep { symmetry, class, tile } in king_steps(board, side, cell) {
        visit(tile);
        // Both kings on the long diagonal: the mirror image is stored too.
        let (a, b) = king_pair_squares(class);
        if a.file() == a.rank() && b.file() == b.rank() {
            let mirrored = Symmetry::ALL[symmetry.index() ^ Symmetry::DIAGONAL.index()];
            visit(tile_through(board, cell, mirrored, class));
        }
    }
}
