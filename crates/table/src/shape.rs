//! The cells of one block.

use std::sync::OnceLock;

use molien_board::{Bitboard, Color};

use crate::frame::{Frame, Mask};
use crate::layout::{Layout, ScanOrder};
use crate::predict::{Capture, captures};

/// A tile of a block that has stored cells.
pub(crate) struct TileShape {
    pub frame: Frame,
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
    cells: [OnceLock<Vec<u16>>; 2],
}

impl BlockShape {
    pub fn new(layout: &Layout, block: usize) -> BlockShape {
        let (part, numbers) = layout.block_tiles(block);
        let len = numbers.len() * layout.tile_cells();
        let mut tiles = Vec::with_capacity(numbers.len());
        let mut hints = 0;
        for (i, number) in numbers.enumerate() {
            let Some(frame) = layout.frame(part, number) else { continue };
            let captures = captures(&frame, layout.predicted);
            let first_cell = i * layout.tile_cells();
            let tile = TileShape { frame, first_cell, captures, first_hint: hints };
            hints += tile.hints();
            tiles.push(tile);
        }
        BlockShape { tiles, len, hints, order: layout.order, cells: Default::default() }
    }

    /// The cells with a legal position, this side to move, in scan order.
    pub fn cells(&self, turn: Color) -> &[u16] {
        self.cells[turn.index()].get_or_init(|| self.scan(turn))
    }

    /// The tile a cell lies in.
    pub fn tile_of(&self, cell: usize) -> Option<usize> {
        let after = self.tiles.partition_point(|tile| tile.first_cell <= cell);
        after.checked_sub(1)
    }

    fn scan(&self, turn: Color) -> Vec<u16> {
        let masks: Vec<Mask> = self.tiles.iter().map(|tile| tile.frame.stored(turn)).collect();
        let count = masks.iter().flatten().map(|word| word.count_ones() as usize).sum();
        let mut cells = Vec::with_capacity(count);
        let mut add = |tile: usize, row: usize| {
            let base = self.tiles[tile].first_cell + row * 64;
            let columns = Bitboard(masks[tile][row]).into_iter();
            cells.extend(columns.map(|column| (base + column.index()) as u16));
        };
        match self.order {
            ScanOrder::Tiles => {
                (0..self.tiles.len()).for_each(|tile| (0..64).for_each(|row| add(tile, row)))
            }
            ScanOrder::Rows => {
                (0..64).for_each(|row| (0..self.tiles.len()).for_each(|tile| add(tile, row)))
            }
        }
        cells
    }
}

impl TileShape {
    /// How many hints a capture has: one for each square of the other man.
    pub fn capture_hints(&self, capture: &Capture) -> usize {
        if capture.by_row { 64 } else { self.frame.rows() }
    }

    fn hints(&self) -> usize {
        self.captures.iter().map(|capture| self.capture_hints(capture)).sum()
    }

    /// The cell of a man of the tile and the other man.
    pub fn cell(&self, by_row: bool, mover: usize, other: usize) -> usize {
        let (row, column) = if by_row { (mover, other) } else { (other, mover) };
        self.first_cell + row * 64 + column
    }

    /// The cells of the tile.
    pub fn range(&self) -> std::ops::Range<usize> {
        self.first_cell..self.first_cell + self.frame.rows() * 64
    }
}
