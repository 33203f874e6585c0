//! The cells of one block.

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
}

/// What a block holds, as far as the rules of chess say.
pub(crate) struct BlockShape {
    pub tiles: Vec<TileShape>,
    /// Number of cells, stored or not.
    pub len: usize,
    /// The stored cells of each side to move, in scan order.
    pub cells: [Vec<u16>; 2],
}

impl BlockShape {
    pub fn new(layout: &Layout, block: usize) -> BlockShape {
        let (part, numbers) = layout.block_tiles(block);
        let len = numbers.len() * layout.tile_cells();
        let tiles: Vec<TileShape> = numbers
            .enumerate()
            .filter_map(|(i, number)| {
                let frame = layout.frame(part, number)?;
                let captures = captures(&frame, layout.predicted);
                Some(TileShape { frame, first_cell: i * layout.tile_cells(), captures })
            })
            .collect();
        let cells = Color::BOTH.map(|turn| {
            let masks: Vec<Mask> = tiles.iter().map(|tile| tile.frame.stored(turn)).collect();
            scan(layout, &tiles, &masks)
        });
        BlockShape { tiles, len, cells }
    }

    /// How many hints the block has.
    pub fn hints(&self) -> usize {
        self.tiles.iter().map(TileShape::hints).sum()
    }
}

impl TileShape {
    /// How many hints a capture has: one for each square of the other man.
    pub fn capture_hints(&self, capture: &Capture) -> usize {
        if capture.by_row { 64 } else { self.frame.rows() }
    }

    pub fn hints(&self) -> usize {
        self.captures.iter().map(|capture| self.capture_hints(capture)).sum()
    }
}

fn scan(layout: &Layout, tiles: &[TileShape], masks: &[Mask]) -> Vec<u16> {
    let count = masks.iter().flatten().map(|word| word.count_ones() as usize).sum();
    let mut cells = Vec::with_capacity(count);
    let mut add = |tile: usize, row: usize| {
        let base = tiles[tile].first_cell + row * 64;
        cells.extend(Bitboard(masks[tile][row]).into_iter().map(|c| (base + c.index()) as u16));
    };
    match layout.order {
        ScanOrder::Tiles => {
            (0..tiles.len()).for_each(|tile| (0..layout.rows()).for_each(|row| add(tile, row)))
        }
        ScanOrder::Rows => {
            (0..layout.rows()).for_each(|row| (0..tiles.len()).for_each(|tile| add(tile, row)))
        }
    }
    cells
}
