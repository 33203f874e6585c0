//! The meaning of the operators: one position after the other, by the rules.

use molien_board::{Color, MoveKind};
use molien_hyper::{Cell, Hyperboard, Index, Plane, Tile};

use crate::Backend;

/// The slow, obvious implementation that all others are compared with.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scalar;

impl Backend for Scalar {
    fn name(&self) -> &'static str {
        "scalar"
    }

    fn quiet_within(
        &self,
        board: &Hyperboard,
        side: Color,
        plane: &Plane,
        cell: &Cell,
        within: &Tile,
    ) -> Tile {
        let mut out = Tile::EMPTY;
        for (row, column) in within.pairs() {
            let index = Index { tile: cell.tile, row, column };
            // Only legal positions have moves; the operator may be asked
            // about a placement that is illegal with this side to move.
            let Some(position) = placement(board, index, side) else { continue };
            let reaches = position.pseudo_legal_moves().iter().any(|m| {
                m.kind == MoveKind::Quiet
                    && board
                        .encode(&position.play(m))
                        .is_some_and(|to| plane.tiles[to.tile].contains(to.row, to.column))
            });
            if reaches {
                out.insert(row, column);
            }
        }
        out
    }

    fn in_check(&self, board: &Hyperboard, color: Color, cell: &Cell) -> Tile {
        let mut out = Tile::EMPTY;
        for (row, column) in Tile::FULL.pairs() {
            let index = Index { tile: cell.tile, row, column };
            if placement(board, index, color).is_some_and(|position| position.in_check(color)) {
                out.insert(row, column);
            }
        }
        out
    }
}

/// The placement of an address with kings apart, legal or not.
fn placement(board: &Hyperboard, index: Index, turn: Color) -> Option<molien_board::Position> {
    let position = molien_board::Position::placement(board.decode_men(index)?, turn)?;
    let kings = Color::BOTH.map(|color| position.king(color));
    (kings[0].distance(kings[1]) > 1).then_some(position)
}
