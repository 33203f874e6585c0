//! The values of whole hyperboards, bit-sliced: plane b holds bit b of every
//! depth.

use molien_board::{Color, Square};
use molien_hyper::{Hyperboard, Index, Tile};

use crate::Value;

/// Bits of the largest depth: 2047 plies.
pub const MAX_BITS: usize = 11;

/// The values of a hyperboard in memory.
#[derive(Clone, Debug)]
pub struct BoardValues {
    /// Its layout.
    pub board: Hyperboard,
    /// Its values with White and with Black to move.
    pub values: [Graded; 2],
}

impl BoardValues {
    /// The value at an index, seen from the side to move; a depth is 0 where
    /// depths are not kept.
    pub fn at(&self, turn: Color, index: Index) -> Value {
        let Index { tile, row, column } = index;
        let values = &self.values[turn.index()];
        if values.won[tile].contains(row, column) {
            Value::Win(values.depth_at(tile, row, column))
        } else if values.lost[tile].contains(row, column) {
            Value::Loss(values.depth_at(tile, row, column))
        } else {
            Value::Draw
        }
    }

    /// Bytes held.
    pub fn len_bytes(&self) -> usize {
        self.values.iter().map(Graded::len_bytes).sum()
    }
}

/// The values of all positions of a hyperboard with one side to move, seen
/// from that side.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graded {
    /// Legal positions.
    pub legal: Vec<Tile>,
    /// Won positions.
    pub won: Vec<Tile>,
    /// Lost positions.
    pub lost: Vec<Tile>,
    /// Bit b of the depth in plies of every won or lost position.
    pub depth: Vec<Vec<Tile>>,
    /// Stalemates, where they are kept (boards with pawns: an en-passant
    /// capture can be the only move). Empty where they are not.
    pub stalemate: Vec<Tile>,
}

impl Graded {
    /// The depth stored at an address, in plies (0 for draws).
    pub fn depth_at(&self, tile: usize, row: Square, column: Square) -> u16 {
        let bit = |plane: &Vec<Tile>| u16::from(plane[tile].contains(row, column));
        self.depth.iter().enumerate().map(|(b, plane)| bit(plane) << b).sum()
    }

    /// Bytes held.
    pub fn len_bytes(&self) -> usize {
        (self.legal.len() + self.won.len() + self.lost.len()) * size_of::<Tile>()
            + self.depth.iter().map(|plane| plane.len() * size_of::<Tile>()).sum::<usize>()
    }

    /// The same without planes of depth bits that no depth needs.
    pub fn without_empty_bits(mut self) -> Graded {
        let filled = |plane: &Vec<Tile>| !plane.iter().all(Tile::is_empty);
        self.depth.truncate(self.depth.iter().rposition(filled).map_or(0, |top| top + 1));
        self
    }

    /// The values of one tile.
    pub fn tile(&self, tile: usize) -> GradedTile {
        GradedTile {
            legal: self.legal[tile],
            won: self.won[tile],
            lost: self.lost[tile],
            depth: self.depth.iter().map(|plane| plane[tile]).collect(),
        }
    }
}

/// The values of one tile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GradedTile {
    /// Legal positions.
    pub legal: Tile,
    /// Won positions.
    pub won: Tile,
    /// Lost positions.
    pub lost: Tile,
    /// Bit b of the depth.
    pub depth: Vec<Tile>,
}
