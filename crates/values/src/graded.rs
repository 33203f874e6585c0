//! The values of whole hyperboards, bit-sliced: plane b holds bit b of every
//! depth.

use molien_board::{Color, Square};
use molien_hyper::{Hyperboard, Index, Tile};

use crate::{FIFTY_MOVES_PLIES, Value};

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

    /// The positions of a tile with more plies than this.
    pub fn deeper(&self, tile: usize, plies: u16) -> Tile {
        let (mut more, mut equal) = (Tile::EMPTY, Tile::FULL);
        for bit in (0..u16::BITS as usize).rev() {
            let plane = self.depth.get(bit).map_or(Tile::EMPTY, |plane| plane[tile]);
            if plies >> bit & 1 == 0 {
                more = more.or(&equal.and(&plane));
                equal = equal.minus(&plane);
            } else {
                equal = equal.and(&plane);
            }
        }
        more
    }

    /// Values in DTZ50 as those of the classes alone, see [`Value::as_class`].
    pub fn as_classes(&self) -> Graded {
        let late: Vec<Tile> =
            (0..self.legal.len()).map(|tile| self.deeper(tile, FIFTY_MOVES_PLIES)).collect();
        let of = |value: fn(u16) -> Value, late: bool| {
            let plies = if late { FIFTY_MOVES_PLIES + 1 } else { 0 };
            usize::from(value(plies).as_class().plies().unwrap_or(0))
        };
        let plane = |bit: usize| -> Vec<Tile> {
            let tile = |tile: usize| {
                let mut found = Tile::EMPTY;
                for (cells, value) in
                    [(&self.won, Value::Win as fn(u16) -> Value), (&self.lost, Value::Loss)]
                {
                    let (cells, late) = (&cells[tile], &late[tile]);
                    if of(value, false) >> bit & 1 != 0 {
                        found = found.or(&cells.minus(late));
                    }
                    if of(value, true) >> bit & 1 != 0 {
                        found = found.or(&cells.and(late));
                    }
                }
                found
            };
            (0..self.legal.len()).map(tile).collect()
        };
        let bits = (u16::BITS - (FIFTY_MOVES_PLIES + 2).leading_zeros()) as usize;
        let depth = (0..bits).map(plane).collect();
        Graded { depth, ..Graded::outcomes(self) }.without_empty_bits()
    }

    fn outcomes(&self) -> Graded {
        Graded {
            legal: self.legal.clone(),
            won: self.won.clone(),
            lost: self.lost.clone(),
            depth: Vec::new(),
            stalemate: self.stalemate.clone(),
        }
    }

    /// Bytes held, those included that say where a plane is: of small boards they are a
    /// tenth.
    pub fn len_bytes(&self) -> usize {
        let planes = [&self.legal, &self.won, &self.lost, &self.stalemate];
        let planes = planes.into_iter().chain(&self.depth);
        planes.map(|plane| size_of_val(&plane[..]) + size_of_val(plane)).sum()
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Every plane counts.
    #[test]
    fn all_planes_take_bytes() {
        let plane = vec![Tile::FULL; 3];
        let own = |count: usize| count * (3 * size_of::<Tile>() + size_of::<Vec<Tile>>());
        let outcomes = Graded {
            legal: plane.clone(),
            won: plane.clone(),
            lost: plane.clone(),
            ..Graded::default()
        };
        assert_eq!(outcomes.len_bytes(), own(3) + size_of::<Vec<Tile>>());
        let more = Graded { stalemate: plane.clone(), depth: vec![plane; 8], ..outcomes };
        assert_eq!(more.len_bytes(), own(12));
    }

    /// Every depth from 0 to 127, won in even rows and lost in odd ones.
    #[test]
    fn classes_cell_by_cell() {
        let all = Tile::FULL;
        let won = Tile::from_rows(|row| if row.index() % 2 == 0 { !0 } else { 0 });
        let depth_of = |row: Square, column: Square| (row.index() * 5 + column.index()) % 128;
        let plane = |bit: usize| {
            Tile::from_rows(|row| {
                let set = |column: &Square| depth_of(row, *column) >> bit & 1 != 0;
                Square::all().filter(set).fold(0, |word, column| word | 1 << column.index())
            })
        };
        let values = Graded {
            legal: vec![all],
            won: vec![won],
            lost: vec![all.minus(&won)],
            depth: (0..7).map(|bit| vec![plane(bit)]).collect(),
            stalemate: Vec::new(),
        };
        let classes = values.as_classes();
        for (row, column) in Tile::FULL.pairs() {
            let plies = values.depth_at(0, row, column);
            let value = match won.contains(row, column) {
                true => Value::Win(plies),
                false => Value::Loss(plies),
            };
            let found = classes.depth_at(0, row, column);
            assert_eq!(Some(found), value.as_class().plies(), "{value:?}");
        }
    }
}
