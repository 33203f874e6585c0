//! Which tiles a side's quiet moves connect.

use std::sync::LazyLock;

use molien_board::{Color, Square, Symmetry, attacks};
use molien_hyper::{
    Cell, Hyperboard, KING_PAIRS, KingPair, MAX_OUTER, king_pair, king_pair_squares,
};

/// A step of an outer king, and where it takes the pair.
#[derive(Clone, Copy)]
struct KingStep {
    to: Square,
    pair: KingPair,
}

/// The steps of one king of a pair, those through the same symmetry in a row,
/// the identity first.
type KingSteps = Vec<KingStep>;

/// By class and colour of the king that steps.
static KING_STEPS: LazyLock<Vec<[KingSteps; 2]>> = LazyLock::new(|| {
    let steps = |class: usize, side: Color| {
        let (white, black) = king_pair_squares(class);
        let step = |to: Square| {
            let (white, black) = if side == Color::White { (to, black) } else { (white, to) };
            Some(KingStep { to, pair: king_pair(white, black)? })
        };
        let from = if side == Color::White { white } else { black };
        let mut steps: KingSteps = attacks::king(from).into_iter().filter_map(step).collect();
        steps.sort_by_key(|step| step.pair.symmetry.index());
        steps
    };
    (0..KING_PAIRS).map(|class| Color::BOTH.map(|side| steps(class, side))).collect()
});

/// Calls `visit` with the tile of each step of an outer king of this side to a
/// square free of outer men, and the symmetry that takes the new pair of kings
/// to its class. Steps through the same symmetry follow each other.
#[inline(always)]
pub(crate) fn for_each_king_step(
    board: &Hyperboard,
    side: Color,
    cell: &Cell,
    mut visit: impl FnMut(KingPair, usize),
) {
    if cell.kings.is_none() {
        return;
    }
    // The outer men's number, which steps through the same symmetry share.
    let mut outer = (Symmetry::IDENTITY, cell.tile - board.class_start(cell.king_class));
    for &KingStep { to, pair } in &KING_STEPS[cell.king_class][side.index()] {
        if cell.occupied.contains(to) {
            continue;
        }
        if pair.symmetry != outer.0 {
            outer = (pair.symmetry, number_through(board, cell, pair.symmetry));
        }
        visit(pair, board.class_start(pair.class) + outer.1);
    }
}

/// The king pair after an outer king has gone to a square, whether or not he
/// could. `None` if the kings would touch.
#[inline(always)]
pub(crate) fn king_pair_after(side: Color, cell: &Cell, to: Square) -> Option<KingPair> {
    let (white, black) = cell.kings?;
    if side == Color::White { king_pair(to, black) } else { king_pair(white, to) }
}

/// The number in a king class of the outer men of the cell moved by a symmetry.
#[inline(always)]
fn number_through(board: &Hyperboard, cell: &Cell, symmetry: Symmetry) -> usize {
    let outer = board.outer().len();
    let mut squares = [Square::new(0); MAX_OUTER];
    for i in 0..outer {
        squares[i] = symmetry.square(cell.squares[i]);
    }
    board.axes().encode(&squares[..outer])
}

/// The other classes of king pairs that a step of this side's king leads to from
/// a class, each once; the same classes lead back.
pub fn king_neighbours(class: usize, side: Color) -> impl Iterator<Item = usize> {
    let steps = KING_STEPS[class][side.index()].iter();
    let mut near: Vec<usize> = steps.map(|step| step.pair.class).collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().filter(move |&other| other != class)
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
    for_each_king_neighbour(board, side, cell, visit);
}

/// The same of the moves of an outer king alone.
#[inline(always)]
pub fn for_each_king_neighbour(
    board: &Hyperboard,
    side: Color,
    cell: &Cell,
    mut visit: impl FnMut(usize),
) {
    for_each_king_step(board, side, cell, |KingPair { symmetry, class }, tile| {
        visit(tile);
        // Both kings on the long diagonal: the mirror image is stored too.
        let (a, b) = king_pair_squares(class);
        if a.file() == a.rank() && b.file() == b.rank() {
            let mirrored = Symmetry::ALL[symmetry.index() ^ Symmetry::DIAGONAL.index()];
            visit(board.class_start(class) + number_through(board, cell, mirrored));
        }
    });
}
