//! Which positions of a tile have a king in check.

use molien_board::{Bitboard, Color, Role, Square, attacks};
use molien_hyper::{Cell, Hyperboard, Tile};

use crate::backend::valid;
use crate::words::Words;

/// Checks: see [`crate::Backend::in_check`].
#[inline(always)]
pub(crate) fn in_check<W: Words>(board: &Hyperboard, color: Color, cell: &Cell) -> Tile {
    let attacked = match cell.kings {
        Some((white, black)) => attacks_on_square(
            board,
            !color,
            cell,
            if color == Color::White { white } else { black },
        ),
        None if color == Color::White => attacks_on_row_king(board, cell),
        None => attacks_on_column_king(board, cell),
    };
    attacked.and(&valid(board, cell))
}

/// Positions in which a man of `by` attacks a fixed square.
#[inline(always)]
fn attacks_on_square(board: &Hyperboard, by: Color, cell: &Cell, target: Square) -> Tile {
    let occupied = cell.occupied;
    let mut out = Tile::EMPTY;
    for (i, man) in board.outer().iter().enumerate().filter(|(_, man)| man.color == by) {
        let from = cell.squares[i];
        if attacks::attacks(man.role, from, occupied).contains(target) {
            let path =
                if man.role.is_slider() { attacks::between(from, target) } else { Bitboard::EMPTY };
            let rows = if board.row().is_some() { path } else { Bitboard::EMPTY };
            out.add(&Tile::from_rows(|row| if rows.contains(row) { 0 } else { !path.0 }));
        }
    }
    if let Some(man) = board.row().filter(|man| man.color == by) {
        for row in attacks::attacks(man.role, target, occupied) {
            let path =
                if man.role.is_slider() { attacks::between(row, target) } else { Bitboard::EMPTY };
            *out.row_mut(row) |= !path.0;
        }
    }
    if let Some(man) = board.column().filter(|man| man.color == by) {
        out.add(&attacks_past_row_man(man.role, target, occupied, board.row().is_some()));
    }
    out
}

/// Positions in which Black attacks the white king, the row man.
#[inline(always)]
fn attacks_on_row_king(board: &Hyperboard, cell: &Cell) -> Tile {
    let mut out = Tile::EMPTY;
    for pawn in board.pawns(Color::Black) {
        for row in attacks::pawn(Color::Black, pawn) {
            *out.row_mut(row) = !0;
        }
    }
    for (i, man) in board.outer().iter().enumerate().filter(|(_, man)| man.color == Color::Black) {
        let from = cell.squares[i];
        for row in attacks::attacks(man.role, from, cell.occupied) {
            let path =
                if man.role.is_slider() { attacks::between(from, row) } else { Bitboard::EMPTY };
            *out.row_mut(row) |= !path.0;
        }
    }
    out
}

/// Positions in which White attacks the black king, the column man.
#[inline(always)]
fn attacks_on_column_king(board: &Hyperboard, cell: &Cell) -> Tile {
    let by_pawns = board
        .pawns(Color::White)
        .into_iter()
        .fold(Bitboard::EMPTY, |set, pawn| set | attacks::pawn(Color::White, pawn));
    let mut out = Tile::from_rows(|_| by_pawns.0);
    for (i, man) in board.outer().iter().enumerate().filter(|(_, man)| man.color == Color::White) {
        out.add(&attacks_past_row_man(man.role, cell.squares[i], cell.occupied, true));
    }
    out
}

/// The squares that a man on `square` attacks (or from which such a man attacks
/// it, which is the same), for every square of the row man.
#[inline(always)]
pub(crate) fn attacks_past_row_man(
    role: Role,
    square: Square,
    occupied: Bitboard,
    has_row: bool,
) -> Tile {
    let all = attacks::attacks(role, square, occupied);
    let mut tile = Tile([[all.0; 8]; 8]);
    if has_row && role.is_slider() {
        // Elsewhere the row man is not in the way.
        for row in all {
            let occupied = occupied | Bitboard::from_square(row);
            *tile.row_mut(row) = attacks::attacks(role, square, occupied).0;
        }
    }
    tile
}
