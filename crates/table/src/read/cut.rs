//! What is read of a part after a promotion: the new man stands on a few squares.

use molien_board::{Bitboard, Man, Symmetry};
use molien_hyper::{Cell, Hyperboard};

use crate::format::layout::Layout;

/// Positions with a man on one of some squares. Others are not read where that saves
/// something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cut {
    /// The man, as the file has him.
    pub man: Man,
    /// His squares.
    pub squares: Bitboard,
}

/// The cells of a part that are decoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CutCells {
    /// How far to the right the man's square is in the number of a cell.
    shift: usize,
    squares: Bitboard,
    /// The man, if not all cells are taken.
    man: Option<Man>,
}

const ALL_SQUARES: Bitboard = Bitboard(!0);
/// Bits of a cell's number that say where it is in its tile: the column man's square, and
/// the row man's.
const COLUMN_SHIFT: usize = 0;
const ROW_SHIFT: usize = 6;

impl CutCells {
    /// All cells.
    pub const ALL: CutCells = CutCells { shift: COLUMN_SHIFT, squares: ALL_SQUARES, man: None };

    /// The cells of a cut, and their images: without pawns the men are turned with the
    /// kings. Like men have cells in one order only: then all cells are taken.
    pub fn new(layout: &Layout, cut: Cut) -> CutCells {
        let mut places = layout.men.iter().enumerate().filter(|(_, man)| **man == cut.man);
        let (Some((place, _)), None) = (places.next(), places.next()) else {
            return CutCells::ALL;
        };
        let symmetries = match layout.material.has_pawns() {
            true => &[Symmetry::IDENTITY, Symmetry::MIRROR][..],
            false => &Symmetry::ALL[..],
        };
        let images = symmetries.iter().map(|symmetry| symmetry.bitboard(cut.squares));
        let squares = images.fold(Bitboard::EMPTY, |all, image| all | image);
        CutCells { shift: 6 * (layout.men.len() - 1 - place), squares, man: Some(cut.man) }
    }

    pub fn is_all(&self) -> bool {
        self.man.is_none()
    }

    /// Whether a tile of the hyperboard, where he is an outer man, has such positions.
    pub fn has_tile(&self, board: &Hyperboard, cell: &Cell) -> bool {
        let place = board.outer().iter().position(|man| Some(*man) == self.man);
        place.is_none_or(|place| self.squares.contains(cell.squares[place]))
    }

    /// Whether a cell of the part is among them.
    #[inline]
    pub fn has(&self, cell: usize) -> bool {
        self.squares.0 >> (cell >> self.shift & 63) & 1 != 0
    }

    /// The rows of a tile, by its number in the part, that have such cells.
    pub fn rows(&self, tile: usize) -> u64 {
        match self.shift {
            COLUMN_SHIFT => !0,
            ROW_SHIFT => self.squares.0,
            _ if self.has(tile << (2 * ROW_SHIFT)) => !0,
            _ => 0,
        }
    }

    /// Whether cells that differ only in the squares of this man are all among them, or
    /// none is. He is counted from the last.
    pub fn is_same_along(&self, man: usize) -> bool {
        self.shift != 6 * man || self.is_all()
    }
}
