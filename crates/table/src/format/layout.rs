//! Where each position lives in the file.
//!
//! A file is cut into *parts* (placements of the pawns; one part without
//! pawns), a part into *tiles*, a tile into cells. All men but two are fixed in
//! a tile; the last two of `men`, *row* and *column*, range over the board.

use molien_board::{Bitboard, Color, Man, Material, Position, Role, Square, Symmetry};
use molien_hyper::{KING_PAIRS, king_pair, king_pair_squares};
use molien_values::Placement;

use crate::format::tile_men::TileMen;

/// Cells of a block: few enough to decode in tens of microseconds.
pub(crate) const BLOCK_CELLS: usize = 16384;
/// The most cells a block may have: they are numbered in 16 bits, and streams
/// of up to two bytes a cell have a 16-bit length.
pub(crate) const MAX_BLOCK_CELLS: usize = 32000;

/// In which order the cells of a block are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ScanOrder {
    /// Tile by tile, in a tile row by row.
    Tiles,
    /// Row by row, in a row tile by tile.
    Rows,
}

impl ScanOrder {
    pub const BOTH: [ScanOrder; 2] = [ScanOrder::Tiles, ScanOrder::Rows];
}

/// The addressing of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub material: Material,
    /// The men other than pawns (and, without pawns, other than kings): the
    /// outer men, then row, then column.
    pub men: Vec<Man>,
    /// The side whose values are predicted from the other's.
    pub predicted: Color,
    /// Whether the predicted side's king's moves are looked at when he is not
    /// a man of the tile: they lead to other tiles.
    pub king_moves: bool,
    pub order: ScanOrder,
    pub tiles_per_block: usize,
    /// The placements of the pawns, sorted; a single empty one without pawns.
    pub placements: Vec<Placement>,
}

/// The address of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CellAddress {
    pub block: usize,
    pub part: usize,
    /// Number of the tile in its part.
    pub tile: usize,
    /// Number of the cell in its block, in the order tile, row, column.
    pub cell: usize,
}

/// The men that have coordinates of their own.
pub(crate) fn placed_men(material: &Material) -> Vec<Man> {
    let mut men: Vec<Man> = material.men().filter(|man| man.role != Role::Pawn).collect();
    if material.has_pawns() {
        men.extend(Color::BOTH.map(|color| Man::new(color, Role::King)));
    }
    men
}

impl Layout {
    pub fn outer_len(&self) -> usize {
        self.men.len().saturating_sub(2)
    }

    pub fn row(&self) -> Option<Man> {
        self.men.len().checked_sub(2).map(|i| self.men[i])
    }

    pub fn column(&self) -> Option<Man> {
        self.men.last().copied()
    }

    /// Rows of a tile: 1 where there is no row man.
    pub fn rows(&self) -> usize {
        if self.men.len() < 2 { 1 } else { 64 }
    }

    pub fn tile_cells(&self) -> usize {
        self.rows() * 64
    }

    fn king_classes(&self) -> usize {
        if self.material.has_pawns() { 1 } else { KING_PAIRS }
    }

    pub fn tiles_per_part(&self) -> usize {
        self.king_classes() << (6 * self.outer_len())
    }

    pub fn blocks_per_part(&self) -> usize {
        self.tiles_per_part().div_ceil(self.tiles_per_block)
    }

    pub fn blocks(&self) -> usize {
        self.placements.len() * self.blocks_per_part()
    }

    /// The tiles of a block: its part and their numbers in it.
    pub fn block_tiles(&self, block: usize) -> (usize, std::ops::Range<usize>) {
        let (part, number) = (block / self.blocks_per_part(), block % self.blocks_per_part());
        let first = number * self.tiles_per_block;
        (part, first..(first + self.tiles_per_block).min(self.tiles_per_part()))
    }

    /// The fixed men of a tile; `None` if they do not fit on the board or
    /// stand in an order that is not stored.
    pub fn tile_men(&self, part: usize, tile: usize) -> Option<TileMen> {
        let pawns = self.placements[part];
        let outer = self.outer_len();
        let mut fixed: Vec<(Man, Square)> = Vec::with_capacity(8);
        let mut rest = tile;
        let mut squares = [Square::new(0); 8];
        for i in (0..outer).rev() {
            squares[i] = Square::new(rest);
            rest >>= 6;
        }
        fixed.extend(self.men[..outer].iter().copied().zip(squares));
        if self.material.has_pawns() {
            for color in Color::BOTH {
                let pawn = Man::new(color, Role::Pawn);
                fixed.extend(pawns.of_color(color).into_iter().map(|square| (pawn, square)));
            }
        } else {
            let (white, black) = king_pair_squares(rest);
            fixed.push((Man::new(Color::White, Role::King), white));
            fixed.push((Man::new(Color::Black, Role::King), black));
        }
        TileMen::new(fixed, self, self.own_mirror(part, rest))
    }

    /// The symmetry, if there is one, that leaves a part's pawns or a class's
    /// kings where they are.
    pub fn own_mirror(&self, part: usize, class: usize) -> Option<Symmetry> {
        if self.material.has_pawns() {
            let pawns = self.placements[part];
            return (pawns.mirror() == pawns).then_some(Symmetry::MIRROR);
        }
        let (white, black) = king_pair_squares(class);
        on_diagonal(white, black).then_some(Symmetry::DIAGONAL)
    }

    /// Whether different cells of a tile are different positions.
    pub fn is_plain(&self, part: usize, tile: usize) -> bool {
        let outer = self.outer_len();
        let (fixed, in_tile) = self.men.split_at(outer);
        let is_like = |man: &Man| fixed.contains(man);
        let like = in_tile.iter().any(is_like) || self.row() == self.column();
        !like && self.own_mirror(part, tile >> (6 * outer)).is_none()
    }

    /// The address of a position of this material (in this orientation).
    pub fn locate(&self, position: &Position) -> Option<CellAddress> {
        self.find(position).map(|(address, ..)| address)
    }

    /// The same, with the image of the position that is stored there.
    pub fn locate_image(&self, position: &Position) -> Option<(CellAddress, Position)> {
        let (address, symmetry, mirror) = self.find(position)?;
        let image = position.transform(symmetry);
        Some((address, mirror.map_or(image, |mirror| image.transform(mirror))))
    }

    /// The address, and the symmetries that lead there.
    fn find(&self, position: &Position) -> Option<(CellAddress, Symmetry, Option<Symmetry>)> {
        let (part, class, symmetry, mirror) = if self.material.has_pawns() {
            let (pawns, mirrored) = Placement::of(position).canonical();
            let part = self.placements.binary_search(&pawns).ok()?;
            let symmetry = if mirrored { Symmetry::MIRROR } else { Symmetry::IDENTITY };
            (part, 0, symmetry, self.own_mirror(part, 0))
        } else {
            let pair = king_pair(position.king(Color::White), position.king(Color::Black))?;
            (0, pair.class, pair.symmetry, self.own_mirror(0, pair.class))
        };
        let mut squares = self.assign(|man| symmetry.bitboard(position.of(man)))?;
        let mut used = None;
        if let Some(mirror) = mirror {
            let image = self.assign(|man| mirror.bitboard(symmetry.bitboard(position.of(man))))?;
            if image < squares {
                squares = image;
                used = Some(mirror);
            }
        }
        Some((self.address(part, class, &squares[..self.men.len()]), symmetry, used))
    }

    fn address(&self, part: usize, class: usize, squares: &[Square]) -> CellAddress {
        let outer = self.outer_len();
        let tile = squares[..outer].iter().fold(class, |tile, s| tile << 6 | s.index());
        let in_tile = squares[outer..].iter().fold(0, |cell, s| cell << 6 | s.index());
        let block = part * self.blocks_per_part() + tile / self.tiles_per_block;
        let cell = (tile % self.tiles_per_block) * self.tile_cells() + in_tile;
        CellAddress { block, part, tile, cell }
    }

    /// The squares of the men in file order, like men rising. Unused entries
    /// are a1.
    fn assign(&self, of: impl Fn(Man) -> Bitboard) -> Option<[Square; 8]> {
        let mut squares = [Square::new(0); 8];
        for (i, &man) in self.men.iter().enumerate() {
            let earlier = self.men[..i].iter().filter(|&&other| other == man).count();
            squares[i] = of(man).into_iter().nth(earlier)?;
        }
        Some(squares)
    }
}

pub(crate) fn on_diagonal(white: Square, black: Square) -> bool {
    white.file() == white.rank() && black.file() == black.rank()
}
