//! Where values come from: tables in memory, read in the order of a layout.

use molien_board::{Color, Man, Role, Square};
use molien_hyper::{Hyperboard, Index, KingAxis, Tile};
use molien_values::{BoardValues, FIFTY_MOVES_PLIES, Graded, SideStats, Table};
use rayon::prelude::*;

use crate::arch::{COLUMN_BY_COLUMN, sum_sets};
use crate::classes::ClassTile;
use crate::layout::Layout;

/// Depths in plies of one tile, by row and column; 0 where nothing is decided.
pub type DepthTile = [[u16; 64]; 64];

/// Values of a material that can be read tile by tile in any layout.
///
/// Tiles are counted through all parts. A stretch of tiles never crosses from
/// one multiple of 64 tiles of a part into the next.
pub trait TileSource: Sync {
    /// A stretch of tiles, and what finding all its values has in common.
    type Stretch<'a>: Stretch
    where
        Self: 'a;

    /// So many tiles from one on.
    fn stretch<'a>(&'a self, layout: &'a Layout, first: usize, count: usize) -> Self::Stretch<'a>;

    /// Whether packing is to end before it is done: it asks once for every stretch of tiles.
    /// Where it is to end nothing of a stretch is read, so once this is true it has to stay so.
    fn is_stopped(&self) -> bool {
        false
    }

    /// How many wins and losses of each depth there are with one side to move, each
    /// stored cell counted once, if that is known: by plies.
    fn counts(&self, _metric: usize, _turn: Color) -> Option<[Vec<u64>; 2]> {
        None
    }
}

/// A stretch of tiles whose values can be read.
pub trait Stretch {
    /// The classes of its tiles with one side to move; cells that are not legal are not known.
    fn classes(&self, turn: Color, out: &mut [ClassTile]);

    /// Depths in a metric, counted from 0.
    fn depths(&self, metric: usize, turn: Color, out: &mut [DepthTile]);
}

/// For each side to move the positions whose depth the 50-move rule does not allow.
pub type Late = [Vec<Tile>; 2];

/// Those positions of a part.
pub fn late_of(part: &BoardValues) -> Late {
    part.values.each_ref().map(|values| {
        let tiles = (0..values.legal.len()).into_par_iter().with_min_len(1 << 10);
        tiles.map(|tile| values.deeper(tile, FIFTY_MOVES_PLIES)).collect()
    })
}

/// Tables of one material in memory.
pub struct Tables<'a> {
    /// Whose classes are taken: DTZ50 for the five classes of the 50-move
    /// rule, any other metric for win, draw and loss.
    pub classes: &'a Table,
    /// For each part the positions that make classes of their own as the 50-move rule does not
    /// allow their depth, if there are any.
    pub late: Option<&'a [Late]>,
    /// The metrics whose depths are asked for.
    pub metrics: Vec<&'a Table>,
    /// Says whether packing is to end.
    pub stop: Option<&'a (dyn Fn() -> bool + Sync)>,
}

impl TileSource for Tables<'_> {
    type Stretch<'b>
        = TableStretch<'b>
    where
        Self: 'b;

    fn stretch<'b>(&'b self, layout: &'b Layout, first: usize, count: usize) -> TableStretch<'b> {
        let (part, first) = (first / layout.tiles_per_part(), first % layout.tiles_per_part());
        let board = &self.classes.parts[part].board;
        TableStretch { tables: self, part, tiles: Reader::new(layout, board, first, count) }
    }

    fn is_stopped(&self) -> bool {
        self.stop.is_some_and(|is_stopped| is_stopped())
    }

    fn counts(&self, metric: usize, turn: Color) -> Option<[Vec<u64>; 2]> {
        Some(counts_of(&self.metrics[metric].stats.sides[turn.index()]))
    }
}

/// A stretch of tiles of tables in memory.
pub struct TableStretch<'a> {
    tables: &'a Tables<'a>,
    part: usize,
    tiles: Reader<'a>,
}

impl TableStretch<'_> {
    /// A part of a table, one side to move.
    fn values<'a>(&self, table: &'a Table, turn: Color) -> &'a Graded {
        &table.parts[self.part].values[turn.index()]
    }
}

impl Stretch for TableStretch<'_> {
    fn classes(&self, turn: Color, out: &mut [ClassTile]) {
        let TableStretch { tables, part, tiles } = self;
        let values = self.values(tables.classes, turn);
        let [legal, won, lost] =
            [&values.legal, &values.won, &values.lost].map(|plane| tiles.plane(plane));
        let late = match tables.late {
            Some(late) => tiles.plane(&late[*part][turn.index()]),
            None => vec![[0; 64]; out.len()],
        };
        for (i, out) in out.iter_mut().enumerate() {
            for row in 0..64 {
                let (legal, won, lost) = (legal[i][row], won[i][row], lost[i][row]);
                let late = late[i][row];
                let steps = [lost & !late, lost, legal & !won, legal & !(won & !late), legal];
                for (plane, columns) in out.at_most.iter_mut().zip(steps) {
                    plane[row] = columns;
                }
            }
        }
    }

    fn depths(&self, metric: usize, turn: Color, out: &mut [DepthTile]) {
        let values = self.values(self.tables.metrics[metric], turn);
        let planes = values.depth.iter().map(|plane| self.tiles.plane(plane));
        let planes: Vec<Vec<[u64; 64]>> = planes.collect();
        for (i, out) in out.iter_mut().enumerate() {
            for (row, out) in out.iter_mut().enumerate() {
                *out = [0; 64];
                for (number, eight) in planes.chunks(8).enumerate() {
                    let words = std::array::from_fn(|bit| eight.get(bit).map_or(0, |p| p[i][row]));
                    if words == [0; 8] {
                        continue;
                    }
                    let bytes = bytes_of_bits(words);
                    let pairs = out.iter_mut().zip(bytes);
                    pairs.for_each(|(out, byte)| *out |= u16::from(byte) << (8 * number));
                }
            }
        }
    }
}

/// Numbers from their bits: bit i of the n-th comes from bit n of word i.
#[inline]
fn bytes_of_bits(words: [u64; 8]) -> [u8; 64] {
    sum_sets(&COLUMN_BY_COLUMN, words, [1, 2, 4, 8, 16, 32, 64, 128])
}

/// The counts of a side's depths, by plies.
fn counts_of(side: &SideStats) -> [Vec<u64>; 2] {
    [&side.wins, &side.losses].map(|counts| counts.iter().map(|count| count.unique).collect())
}

/// A word of a plane; planes of no tiles are empty.
#[inline]
fn word(plane: &[Tile], at: Index) -> u64 {
    plane.get(at.tile).map_or(0, |tile| tile.row(at.row))
}

/// Where the words of a hyperboard run in a layout's tiles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Along {
    /// Along a row of a tile.
    Columns,
    /// Along a column of a tile.
    Rows,
    /// Through the tiles of a stretch.
    Tiles,
    /// Along a man further out.
    Far(usize),
}

/// Reads a stretch of tiles off a hyperboard.
struct Reader<'a> {
    layout: &'a Layout,
    board: &'a Hyperboard,
    /// For each placed man, its place among the hyperboard's men: pieces in
    /// order, then White's king, then Black's.
    places: Vec<usize>,
    pieces: usize,
    along: Along,
    first: usize,
    count: usize,
    /// The addresses of the words that planes are read from, in the order they are
    /// read: the same for all planes. None where words run along a man further out.
    words: Vec<Option<Index>>,
}

impl<'a> Reader<'a> {
    fn new(layout: &'a Layout, board: &'a Hyperboard, first: usize, count: usize) -> Reader<'a> {
        let mut slots: Vec<Option<Man>> = board.pieces_in_order().into_iter().map(Some).collect();
        let pieces = slots.len();
        slots.extend(Color::BOTH.map(|color| Some(Man::new(color, Role::King))));
        let place = |man: &Man| {
            let found = slots.iter().position(|slot| *slot == Some(*man)).unwrap_or(0);
            slots[found] = None;
            found
        };
        let places: Vec<usize> = layout.placed().iter().map(place).collect();
        let last = match board.king_axis() {
            KingAxis::Pairs => pieces - 1,
            KingAxis::Tile => pieces + 1,
        };
        let man = places.iter().position(|&place| place == last).unwrap_or(0);
        let along = match layout.placed().len() - 1 - man {
            0 => Along::Columns,
            1 => Along::Rows,
            2 if first.is_multiple_of(64) && count == 64 => Along::Tiles,
            _ => Along::Far(man),
        };
        let words = Vec::new();
        let reader = Reader { layout, board, places, pieces, along, first, count, words };
        Reader { words: reader.addresses(), ..reader }
    }

    fn addresses(&self) -> Vec<Option<Index>> {
        let tiles = || self.first..self.first + self.count;
        let pairs = |count: usize| tiles().flat_map(move |tile| (0..count).map(move |i| (tile, i)));
        match self.along {
            Along::Columns => {
                pairs(self.layout.rows()).map(|(tile, row)| self.index(tile, row, 0)).collect()
            }
            Along::Rows => pairs(64).map(|(tile, column)| self.index(tile, 0, column)).collect(),
            Along::Tiles => {
                (0..64 * 64).map(|cell| self.index(self.first, cell >> 6, cell & 63)).collect()
            }
            Along::Far(_) => Vec::new(),
        }
    }

    /// The address of a cell, the hyperboard's column man on `other` if he is
    /// given; `None` if men share a square.
    fn index(&self, tile: usize, row: usize, column: usize) -> Option<Index> {
        let placed = self.places.len();
        let cell = (tile << 6 | row) << 6 | column;
        let mut squares = [Square::new(0); 10];
        let mut occupied = 0u64;
        // Without a row man a tile has one row, number 0.
        let cell = if placed == 1 { tile << 6 | column } else { cell };
        for (i, &place) in self.places.iter().enumerate() {
            let square = Square::new(cell >> (6 * (placed - 1 - i)));
            squares[place] = square;
            if self.runs_along(i) {
                continue;
            }
            if occupied >> square.index() & 1 != 0 {
                return None;
            }
            occupied |= 1 << square.index();
        }
        let pieces = &squares[..self.pieces];
        Some(match self.board.king_axis() {
            KingAxis::Pairs => self.board.index_of(cell >> (6 * placed), pieces),
            KingAxis::Tile => Index {
                tile: self.board.tile_at(0, pieces),
                row: squares[self.pieces],
                column: squares[self.pieces + 1],
            },
        })
    }

    /// Whether words run along this man, so that his square does not matter.
    fn runs_along(&self, man: usize) -> bool {
        match self.along {
            Along::Columns => man + 1 == self.places.len(),
            Along::Rows => man + 2 == self.places.len(),
            Along::Tiles => man + 3 == self.places.len(),
            Along::Far(far) => man == far,
        }
    }

    /// One plane of all tiles.
    fn plane(&self, plane: &[Tile]) -> Vec<[u64; 64]> {
        let word = |at: Index| word(plane, at);
        let mut out = vec![[0; 64]; self.count];
        let mut words = self.words.iter().map(|at| at.map_or(0, &word));
        let mut next = || words.next().unwrap_or(0);
        match self.along {
            Along::Columns => {
                let rows = self.layout.rows();
                out.iter_mut().for_each(|out| out[..rows].fill_with(&mut next));
            }
            Along::Rows => {
                for out in &mut out {
                    let turned = Tile::from_rows(|_| next()).transpose();
                    out.copy_from_slice(turned.0.as_flattened());
                }
            }
            Along::Tiles => {
                for row in 0..64 {
                    let turned = Tile::from_rows(|_| next()).transpose();
                    for (out, &word) in out.iter_mut().zip(turned.0.as_flattened()) {
                        out[row] = word;
                    }
                }
            }
            Along::Far(far) => {
                let shift = 6 * (self.places.len() - 3 - far);
                for (i, out) in out.iter_mut().enumerate() {
                    let tile = self.first + i;
                    let at = |row, column| self.index(tile, row, column).map_or(0, &word);
                    for (row, out) in out.iter_mut().enumerate() {
                        let bit = |column| (at(row, column) >> (tile >> shift & 63) & 1) << column;
                        *out = (0..64).map(bit).fold(0, |word, bit| word | bit);
                    }
                }
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_have_their_bits() {
        let words: [u64; 8] =
            std::array::from_fn(|i| 0x9e37_79b9_7f4a_7c15u64.wrapping_mul(2 * i as u64 + 1));
        for (n, byte) in bytes_of_bits(words).into_iter().enumerate() {
            for (i, word) in words.iter().enumerate() {
                assert_eq!(u64::from(byte >> i & 1), word >> n & 1);
            }
        }
    }
}
