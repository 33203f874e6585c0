//! Two bishops on squares of both colours.
//!
//! A bishop never leaves its colour. So the placements in which two like
//! bishops stand on squares of both colours are a world of their own: with all
//! others struck from the legal positions, a solve gives exactly their part of
//! the table, and statistics of it.

use molien_board::{Bitboard, Color, Man, Role, Square};
use molien_hyper::{Cell, Hyperboard, KingAxis, Tile};

/// Where a man's square is found.
#[derive(Clone, Copy, Debug)]
enum Axis {
    Outer(usize),
    Row,
    Column,
}

/// The two like bishops of a board without pawns.
#[derive(Clone, Copy, Debug)]
pub struct BishopPair([Axis; 2]);

impl BishopPair {
    /// The first colour's pair; none if no side has exactly two bishops.
    pub fn new(board: &Hyperboard) -> Option<BishopPair> {
        if board.king_axis() != KingAxis::Pairs {
            return None;
        }
        let pieces = board.pieces_in_order();
        let outer = pieces.len() - board.row().iter().len() - board.column().iter().len();
        let axis = |place: usize| match place.checked_sub(outer) {
            None => Axis::Outer(place),
            Some(0) if board.row().is_some() => Axis::Row,
            Some(_) => Axis::Column,
        };
        Color::BOTH.into_iter().find_map(|color| {
            let bishop = Man::new(color, Role::Bishop);
            let places = (0..pieces.len()).filter(|&place| pieces[place] == bishop);
            let pair: Vec<Axis> = places.map(axis).collect();
            Some(BishopPair(pair.try_into().ok()?))
        })
    }

    /// The placements of a cell with the two on squares of both colours.
    pub fn opposite(&self, cell: &Cell) -> Tile {
        let dark = |axis: Axis, row: Square| match axis {
            Axis::Outer(man) => mask(cell.squares[man].is_dark()),
            Axis::Row => mask(row.is_dark()),
            Axis::Column => Bitboard::DARK.0,
        };
        Tile::from_rows(|row| dark(self.0[0], row) ^ dark(self.0[1], row))
    }
}

fn mask(all: bool) -> u64 {
    if all { !0 } else { 0 }
}
