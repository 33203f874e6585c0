//! Reading solved tables block by block, in the file's order.

use molien_board::{Color, Man, Role, Square};
use molien_hyper::{Index, KingAxis};
use molien_operators::{Graded, SubGame};
use molien_solve::Table;

use crate::codec::{ABSENT, DRAW, LOSS, WIN};
use crate::layout::Layout;
use crate::outcomes::Outcomes;
use crate::shape::BlockShape;

/// The values of a block: outcomes for White and Black to move, and depths for
/// each metric.
pub(crate) struct BlockValues {
    pub outcomes: [Outcomes; 2],
    pub depths: Vec<[Vec<u16>; 2]>,
}

/// The same material solved in several metrics.
pub(crate) struct Source<'a> {
    pub tables: Vec<&'a Table>,
}

/// For each man of the file, its place among the hyperboard's men: pieces in
/// order, then White's king, then Black's.
fn places(layout: &Layout, game: &SubGame) -> Vec<usize> {
    let mut slots: Vec<Option<Man>> = game.board.pieces_in_order().into_iter().map(Some).collect();
    slots.extend(Color::BOTH.map(|color| Some(Man::new(color, Role::King))));
    let place = |man: &Man| {
        let found = slots.iter().position(|slot| *slot == Some(*man)).unwrap_or(0);
        slots[found] = None;
        found
    };
    layout.men.iter().map(place).collect()
}

/// Finds the addresses of cells in a hyperboard; quick as long as cells of the
/// same row follow each other.
struct Finder<'a> {
    layout: &'a Layout,
    game: &'a SubGame,
    places: Vec<usize>,
    pieces: usize,
    /// The row looked at last: class and squares, in the hyperboard's order.
    row: Option<usize>,
    class: usize,
    squares: [Square; 10],
}

impl<'a> Finder<'a> {
    fn new(layout: &'a Layout, game: &'a SubGame) -> Finder<'a> {
        let pieces = game.board.pieces_in_order().len();
        let places = places(layout, game);
        let squares = [Square::new(0); 10];
        Finder { layout, game, places, pieces, row: None, class: 0, squares }
    }

    /// The address of a cell; `cell` is counted from the part's first tile.
    #[inline]
    fn index(&mut self, cell: usize) -> Index {
        if self.row != Some(cell >> 6) {
            self.row = Some(cell >> 6);
            let (tile, in_tile) =
                (cell / self.layout.tile_cells(), cell % self.layout.tile_cells());
            let (class, squares) = self.layout.squares(tile, in_tile);
            self.class = class;
            for (&place, square) in self.places.iter().zip(squares) {
                self.squares[place] = square;
            }
        }
        if let Some(&column) = self.places.last() {
            self.squares[column] = Square::new(cell);
        }
        let (board, pieces) = (&self.game.board, &self.squares[..self.pieces]);
        match board.king_axis() {
            KingAxis::Pairs => board.index_of(self.class, pieces),
            KingAxis::Tile => Index {
                tile: board.tile_at(0, pieces),
                row: self.squares[self.pieces],
                column: self.squares[self.pieces + 1],
            },
        }
    }
}

fn outcome(values: &Graded, at: Index) -> u8 {
    if values.won[at.tile].contains(at.row, at.column) {
        WIN
    } else if values.lost[at.tile].contains(at.row, at.column) {
        LOSS
    } else {
        DRAW
    }
}

impl Source<'_> {
    /// The values of a block; `None` if the tables disagree on an outcome.
    pub fn block(&self, layout: &Layout, shape: &BlockShape, block: usize) -> Option<BlockValues> {
        let (part, numbers) = layout.block_tiles(block);
        let mut finder = Finder::new(layout, &self.tables[0].parts[part]);
        let first_cell = numbers.start * layout.tile_cells();
        let mut outcomes = [vec![ABSENT; shape.len], vec![ABSENT; shape.len]];
        let blank = || [vec![0; shape.len], vec![0; shape.len]];
        let mut depths: Vec<[Vec<u16>; 2]> = self.tables.iter().map(|_| blank()).collect();
        for turn in [0, 1] {
            for &cell in shape.cells(Color::BOTH[turn]) {
                let cell = usize::from(cell);
                let at = finder.index(first_cell + cell);
                for (table, depths) in self.tables.iter().zip(&mut depths) {
                    let values = &table.parts[part].values[turn];
                    let found = outcome(values, at);
                    if outcomes[turn][cell] != ABSENT && outcomes[turn][cell] != found {
                        return None;
                    }
                    outcomes[turn][cell] = found;
                    if found != DRAW {
                        depths[turn][cell] = values.depth_at(at.tile, at.row, at.column);
                    }
                }
            }
        }
        let [white, black] = outcomes;
        let outcomes = [
            Outcomes::new(shape.cells(Color::White), white),
            Outcomes::new(shape.cells(Color::Black), black),
        ];
        Some(BlockValues { outcomes, depths })
    }
}
