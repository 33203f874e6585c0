//! The cells of one block.

use std::sync::OnceLock;

use molien_board::{Bitboard, Color};

use crate::format::layout::{Layout, ScanOrder};
use crate::format::predict::{Capture, captures};
use crate::format::tile_men::{Mask, TileMen};

/// A tile of a block that has stored cells.
pub(crate) struct TileShape {
    pub men: TileMen,
    /// Number of the tile in its part.
    pub number: usize,
    /// Number of the tile's first cell in the block.
    pub first_cell: usize,
    /// The captures hints are given for.
    pub captures: Vec<Capture>,
    /// Number of the tile's first hint in the block.
    pub first_hint: usize,
}

/// What a block holds, as far as the rules of chess say.
pub(crate) struct BlockShape {
    pub tiles: Vec<TileShape>,
    /// Number of cells, stored or not.
    pub len: usize,
    /// Number of hints.
    pub hints: usize,
    order: ScanOrder,
    stored: [OnceLock<Stored>; 2],
}

/// The cells with a legal position, one side to move. The number of such a
/// cell among them is its *rank*.
pub(crate) struct Stored {
    /// For each tile.
    masks: Vec<Mask>,
    /// For each row of each tile, the rank of its first stored cell.
    starts: Vec<u32>,
    /// How many there are.
    pub len: usize,
    rows: usize,
}

/// The rows of all tiles in scan order.
fn scan(order: ScanOrder, tiles: usize, rows: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..tiles * rows).map(move |i| match order {
        ScanOrder::Tiles => (i / rows, i % rows),
        ScanOrder::Rows => (i % tiles, i / tiles),
    })
}

impl Stored {
    fn new(tiles: &[TileShape], turn: Color, order: ScanOrder) -> Stored {
        let masks: Vec<Mask> = tiles.iter().map(|tile| tile.men.stored(turn)).collect();
        let rows = tiles.first().map_or(1, |tile| tile.men.rows());
        let mut starts = vec![0; masks.len() * rows];
        let mut len = 0;
        for (tile, row) in scan(order, masks.len(), rows) {
            starts[tile * rows + row] = len;
            len += masks[tile][row].count_ones();
        }
        Stored { masks, starts, len: len as usize, rows }
    }

    /// The rank of a cell; `None` if it is not stored.
    #[inline]
    pub fn rank(&self, tile: usize, in_tile: usize) -> Option<usize> {
        let (row, column) = (in_tile >> 6, in_tile & 63);
        let word = self.masks[tile][row];
        let before = (word & ((1 << column) - 1)).count_ones();
        let rank = self.starts[tile * self.rows + row] + before;
        (word >> column & 1 != 0).then_some(rank as usize)
    }

    /// The stored cells of some rows of a tile, counted from its first, with their ranks.
    #[inline]
    pub fn ranks(&self, tile: usize, rows: u64) -> impl Iterator<Item = (usize, usize)> + '_ {
        let rows = Bitboard(rows).into_iter().map(|row| row.index());
        rows.take_while(|&row| row < self.rows).flat_map(move |row| {
            let start = self.starts[tile * self.rows + row] as usize;
            let columns = Bitboard(self.masks[tile][row]).into_iter().enumerate();
            columns.map(move |(i, column)| (row * 64 + column.index(), start + i))
        })
    }

    /// The stored cells of a row.
    #[inline]
    pub fn row(&self, tile: usize, row: usize) -> u64 {
        self.masks[tile][row]
    }
}

impl BlockShape {
    pub fn new(layout: &Layout, block: usize) -> BlockShape {
        let (part, numbers) = layout.block_tiles(block);
        let len = numbers.len() * layout.tile_cells();
        let mut tiles = Vec::with_capacity(numbers.len());
        let mut hints = 0;
        for (i, number) in numbers.enumerate() {
            let Some(men) = layout.tile_men(part, number) else { continue };
            let captures = captures(&men, layout.predicted);
            let first_cell = i * layout.tile_cells();
            let tile = TileShape { men, number, first_cell, captures, first_hint: hints };
            hints += tile.hints();
            tiles.push(tile);
        }
        BlockShape { tiles, len, order: layout.order, hints, stored: Default::default() }
    }

    /// The cells with a legal position, this side to move.
    pub fn stored(&self, turn: Color) -> &Stored {
        self.stored[turn.index()].get_or_init(|| Stored::new(&self.tiles, turn, self.order))
    }

    /// The rows in scan order: the first cell of each, and which of its cells
    /// are stored.
    pub fn rows(&self, turn: Color) -> impl Iterator<Item = (usize, u64)> + '_ {
        let stored = self.stored(turn);
        scan(self.order, self.tiles.len(), stored.rows)
            .map(|(tile, row)| (self.tiles[tile].first_cell + row * 64, stored.masks[tile][row]))
    }

    /// The stored cells in order.
    pub fn cells(&self, turn: Color) -> impl Iterator<Item = usize> + '_ {
        let columns = |(first, mask)| Bitboard(mask).into_iter().map(move |c| first + c.index());
        self.rows(turn).flat_map(columns)
    }

    /// The tile a cell lies in, if it has stored cells.
    pub fn tile_of(&self, cell: usize) -> Option<usize> {
        let after = self.tiles.partition_point(|tile| tile.first_cell <= cell);
        let tile = after.checked_sub(1)?;
        self.tiles[tile].range().contains(&cell).then_some(tile)
    }

    /// Bytes held, or to be held once both sides have been asked for.
    pub fn len_bytes(&self) -> usize {
        let masks = |tile: &TileShape| 2 * (size_of::<Mask>() + 4 * tile.men.rows());
        let tile = |tile: &TileShape| {
            let lists = size_of_val(&tile.captures[..]) + size_of_val(&tile.men.fixed[..]);
            size_of::<TileShape>() + lists + masks(tile)
        };
        self.tiles.iter().map(tile).sum()
    }

    /// The rank of a cell; `None` if it is not stored.
    pub fn rank(&self, turn: Color, cell: usize) -> Option<usize> {
        let tile = self.tile_of(cell)?;
        self.stored(turn).rank(tile, cell - self.tiles[tile].first_cell)
    }
}

impl TileShape {
    /// How many hints a capture has: one for each square of the other man.
    pub fn capture_hints(&self, capture: &Capture) -> usize {
        if capture.by_row { 64 } else { self.men.rows() }
    }

    fn hints(&self) -> usize {
        self.captures.iter().map(|capture| self.capture_hints(capture)).sum()
    }

    /// The cell of a man of the tile and the other man, counted from the
    /// tile's first.
    #[inline]
    pub fn cell(&self, by_row: bool, mover: usize, other: usize) -> usize {
        if by_row { mover * 64 + other } else { other * 64 + mover }
    }

    /// The cells of the tile.
    pub fn range(&self) -> std::ops::Range<usize> {
        self.first_cell..self.first_cell + self.men.rows() * 64
    }
}
