//! Positions that enter a basin together.

use molien_board::{Color, Position};
use molien_hyper::{Hyperboard, Index, Tile};
use molien_values::Value;

/// Positions of a basin with one side to move and one value.
pub struct Wave<'a> {
    pub(super) board: &'a Hyperboard,
    /// The board has colours exchanged.
    pub(super) swapped: bool,
    /// Who is to move on the board.
    pub(super) board_turn: Color,
    /// Their value.
    pub value: Value,
    /// Every address, images and orders of like men included.
    pub(super) tiles: &'a [(usize, Tile)],
}

impl Wave<'_> {
    /// Who is to move.
    pub fn turn(&self) -> Color {
        if self.swapped { !self.board_turn } else { self.board_turn }
    }

    /// How many positions there are, mirror images and exchanges of like men
    /// counted once.
    pub fn count(&self) -> u64 {
        self.tiles.iter().map(|(tile, set)| self.representatives(*tile, set).len()).sum()
    }

    /// The positions, each once of its images.
    pub fn positions(&self) -> impl Iterator<Item = Position> + '_ {
        self.tiles.iter().flat_map(move |(tile, set)| {
            let set = self.representatives(*tile, set);
            let pairs: Vec<_> = set.pairs().collect();
            pairs.into_iter().filter_map(move |(row, column)| {
                let index = Index { tile: *tile, row, column };
                let position = self.board.decode(index, self.board_turn)?;
                Some(if self.swapped { position.swap_colors() } else { position })
            })
        })
    }

    fn representatives(&self, tile: usize, set: &Tile) -> Tile {
        let cell = self.board.cell(tile);
        cell.map_or(Tile::EMPTY, |cell| set.and(&self.board.representatives(&cell)))
    }
}
