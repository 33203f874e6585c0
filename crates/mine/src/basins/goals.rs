//! Every address of some positions.

use std::collections::HashSet;

use molien_board::{Color, Man, Position, Square, Symmetry};
use molien_hyper::{Hyperboard, Index, king_pair};
use molien_values::{Place, Value};

use super::Basins;
use crate::MineError;

/// Goals by the side to move on the board: where they are, and their values.
pub(super) type Goals = [Vec<(Index, Value)>; 2];

impl Basins {
    /// The addresses of the goals, with every image and every order of like men.
    pub(super) fn addresses(&self, goals: &[Position]) -> Result<Goals, MineError> {
        let mut found = Goals::default();
        for position in goals {
            let (position, material) = (*position, self.material);
            if position.material() != material {
                return Err(MineError::NotOf { position, material });
            }
            let turned = if self.is_swapped() { position.swap_colors() } else { position };
            let turn = turned.turn();
            let images = images(self.board(), &turned);
            let value = |index| self.table.at(Place { part: 0, turn, index });
            found[turn.index()].extend(images.into_iter().map(|index| (index, value(index))));
        }
        Ok(found)
    }
}

/// Every address at which the board holds an image of the position.
fn images(board: &Hyperboard, position: &Position) -> HashSet<Index> {
    let mut found = HashSet::new();
    for symmetry in Symmetry::ALL {
        let image = position.transform(symmetry);
        let kings = Color::BOTH.map(|color| image.king(color));
        let Some(pair) = king_pair(kings[0], kings[1]) else { continue };
        if pair.symmetry.square(kings[0]) != kings[0] || pair.symmetry.square(kings[1]) != kings[1]
        {
            continue; // the board holds another image
        }
        let men = board.pieces_in_order();
        for_each_order(&image, &men, &mut Vec::new(), &mut |squares| {
            found.insert(board.index_of(pair.class, squares));
        });
    }
    found
}

/// Every way to give the men their squares, like men in every order.
fn for_each_order(
    position: &Position,
    men: &[Man],
    squares: &mut Vec<Square>,
    visit: &mut impl FnMut(&[Square]),
) {
    let Some(&man) = men.get(squares.len()) else { return visit(squares) };
    for square in position.of(man) {
        if !squares.contains(&square) {
            squares.push(square);
            for_each_order(position, men, squares, visit);
            squares.pop();
        }
    }
}
