//! Captures of a whole tile, the own king's safety left aside.

use molien_board::{Bitboard, Color, Man, Role, Square, attacks};
use molien_hyper::{Cell, Hyperboard, Tile};

/// The positions of a cell in which `side` attacks a man it could capture, if
/// its king allowed.
pub(crate) fn may_capture(board: &Hyperboard, side: Color, cell: &Cell) -> Tile {
    let fixed = fixed_men(board, cell);
    Tile::from_rows(|row| match board.row() {
        None if row.index() > 0 => 0,
        Some(_) if cell.occupied.contains(row) => 0,
        man => {
            let mut men = fixed.clone();
            men.extend(man.map(|man| (man, row)));
            columns(&men, board.column(), side)
        }
    })
}

/// The men whose squares the cell gives.
fn fixed_men(board: &Hyperboard, cell: &Cell) -> Vec<(Man, Square)> {
    let mut men: Vec<(Man, Square)> = board.outer().iter().copied().zip(cell.squares).collect();
    if let Some((white, black)) = cell.kings {
        men.push((Man::new(Color::White, Role::King), white));
        men.push((Man::new(Color::Black, Role::King), black));
    }
    for color in Color::BOTH {
        let pawn = Man::new(color, Role::Pawn);
        men.extend(board.pawns(color).into_iter().map(|square| (pawn, square)));
    }
    men
}

/// The squares of the column man for which `side` attacks something.
fn columns(men: &[(Man, Square)], column: Option<Man>, side: Color) -> u64 {
    let occupied: Bitboard = men.iter().map(|(_, square)| *square).collect();
    let capturable = |man: &Man| man.color != side && man.role != Role::King;
    let targets: Bitboard =
        men.iter().filter(|(man, _)| capturable(man)).map(|(_, square)| *square).collect();
    let mut found = 0;
    for &(man, from) in men.iter().filter(|(man, _)| man.color == side) {
        let reach = match man.role {
            Role::Pawn => attacks::pawn(side, from),
            role => attacks::attacks(role, from, occupied),
        };
        // The column man may stand in the way of a capture, or be its victim.
        for target in reach & targets {
            found |= !attacks::between(from, target).0;
        }
        if column.as_ref().is_some_and(capturable) {
            found |= reach.0;
        }
    }
    if let Some(man) = column.filter(|man| man.color == side) {
        for target in targets {
            found |= attacks::attacks(man.role, target, occupied).0;
        }
    }
    found
}
