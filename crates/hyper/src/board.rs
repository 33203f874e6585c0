//! The layout of one hyperboard.

use std::sync::Arc;

use molien_board::{Bitboard, Color, Man, Material, Role, Square};

use crate::{KING_PAIRS, OuterAxes, Walk, king_pair_squares};

/// The most outer men a hyperboard can have.
pub const MAX_OUTER: usize = 6;

/// Where the two kings live in the index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KingAxis {
    /// Boards without pawns: one of 462 pairs, the outermost coordinate; the
    /// tile is spanned by the last two pieces.
    Pairs,
    /// Boards with pawns: the kings span the tile, White's the rows.
    Tile,
}

/// The layout of all placements of some pieces around fixed pawns.
///
/// Pieces are ordered Black's first, then White's, heavier first within a
/// colour. Taking one man away keeps the order of the others, so a sub-game's
/// hyperboard addresses the remaining men the same way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hyperboard {
    material: Material,
    pawns: [Bitboard; 2],
    king_axis: KingAxis,
    /// The outer men, addressed by `axes`.
    outer: Vec<Man>,
    axes: OuterAxes,
    row: Option<Man>,
    column: Option<Man>,
    /// The classes of king pairs it holds, if not all of them.
    held: Option<Arc<Held>>,
}

/// Some classes of king pairs, one after the other.
#[derive(Debug, PartialEq, Eq)]
struct Held {
    /// In the order of their tiles.
    classes: Vec<usize>,
    /// By class, its first tile; [`NOT_HELD`] if there is none.
    starts: Vec<usize>,
}

/// Further than any tile, with room for the numbers of a class after it.
const NOT_HELD: usize = usize::MAX / 2;

/// The address of one bit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord, Hash)]
pub struct Index {
    /// Number of the tile.
    pub tile: usize,
    /// Square of the row man.
    pub row: Square,
    /// Square of the column man.
    pub column: Square,
}

/// A tile's outer coordinates, decoded.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    /// Number of the tile.
    pub tile: usize,
    /// Class of the king pair (0 where the kings span the tile).
    pub king_class: usize,
    /// King squares (White's, Black's) where they are outer coordinates.
    pub kings: Option<(Square, Square)>,
    /// Squares of the outer men.
    pub squares: [Square; MAX_OUTER],
    /// Squares taken by outer men, pawns and outer kings.
    pub occupied: Bitboard,
}

fn factorial(n: usize) -> u64 {
    (1..=n as u64).product()
}

/// The pieces (no kings, no pawns) in hyperboard order.
fn ordered_pieces(material: &Material) -> Vec<Man> {
    let mut pieces: Vec<Man> = material.men().filter(|man| man.role != Role::Pawn).collect();
    pieces.sort_by_key(|man| (man.color == Color::White, man.role));
    pieces
}

impl Hyperboard {
    /// The hyperboard of a material without pawns.
    ///
    /// # Panics
    /// If the material has a pawn, or too many men for any machine.
    pub fn pieces(material: Material) -> Hyperboard {
        assert!(!material.has_pawns(), "{material} has pawns");
        let mut outer = ordered_pieces(&material);
        let column = outer.pop();
        let row = outer.pop();
        Hyperboard::build(material, [Bitboard::EMPTY; 2], KingAxis::Pairs, outer, row, column)
    }

    /// The hyperboard of a material around one placement of its pawns.
    ///
    /// # Panics
    /// If the pawns do not fit the material, or there are too many men.
    pub fn around_pawns(material: Material, pawns: [Bitboard; 2]) -> Hyperboard {
        for color in Color::BOTH {
            let expected = material.count(Man::new(color, Role::Pawn));
            assert_eq!(pawns[color.index()].len(), expected, "pawns of {material}");
        }
        let row = Some(Man::new(Color::White, Role::King));
        let column = Some(Man::new(Color::Black, Role::King));
        Hyperboard::build(material, pawns, KingAxis::Tile, ordered_pieces(&material), row, column)
    }

    fn build(
        material: Material,
        pawns: [Bitboard; 2],
        king_axis: KingAxis,
        outer: Vec<Man>,
        row: Option<Man>,
        column: Option<Man>,
    ) -> Hyperboard {
        assert!(outer.len() <= MAX_OUTER, "{material} has too many men");
        let axes = OuterAxes::new(&outer);
        Hyperboard { material, pawns, king_axis, outer, axes, row, column, held: None }
    }

    /// The same men, but tiles of these classes of king pairs only, in this order.
    /// What is in another class has a number that no tile has.
    ///
    /// # Panics
    /// If the kings span the tile, or there is no such class.
    pub fn with_classes(&self, classes: &[usize]) -> Hyperboard {
        assert_eq!(self.king_axis, KingAxis::Pairs, "the kings of {} are no class", self.material);
        let mut starts = vec![NOT_HELD; KING_PAIRS];
        for (place, &class) in classes.iter().enumerate() {
            starts[class] = place * self.axes.len();
        }
        let held = Held { classes: classes.to_vec(), starts };
        Hyperboard { held: Some(Arc::new(held)), ..self.clone() }
    }

    /// The material, in this orientation.
    pub fn material(&self) -> Material {
        self.material
    }

    /// The squares of a side's pawns.
    #[inline]
    pub fn pawns(&self, color: Color) -> Bitboard {
        self.pawns[color.index()]
    }

    /// Where the kings live.
    #[inline]
    pub fn king_axis(&self) -> KingAxis {
        self.king_axis
    }

    /// The outer men.
    #[inline]
    pub fn outer(&self) -> &[Man] {
        &self.outer
    }

    /// The numbering of the outer men.
    #[inline]
    pub fn axes(&self) -> &OuterAxes {
        &self.axes
    }

    /// The row man; none where there are fewer than two pieces.
    #[inline]
    pub fn row(&self) -> Option<Man> {
        self.row
    }

    /// The column man; none where there is no piece.
    #[inline]
    pub fn column(&self) -> Option<Man> {
        self.column
    }

    /// All pieces other than kings in hyperboard order: outer, row, column.
    pub fn pieces_in_order(&self) -> Vec<Man> {
        self.pieces_by_place().collect()
    }

    pub(crate) fn pieces_by_place(&self) -> impl Iterator<Item = Man> + '_ {
        let in_tile = match self.king_axis {
            KingAxis::Tile => [None, None],
            KingAxis::Pairs => [self.row, self.column],
        };
        self.outer.iter().copied().chain(in_tile.into_iter().flatten())
    }

    /// In how many ways like men can be told apart: the product of k! over
    /// the kinds of men.
    pub fn labelled_factor(&self) -> u64 {
        let mut kinds: Vec<Man> = self.material.men().collect();
        kinds.dedup();
        kinds.into_iter().map(|man| factorial(self.material.count(man))).product()
    }

    /// How many addresses each placement has: like men in one outer group are
    /// stored once, others in every order.
    pub fn stored_factor(&self) -> u64 {
        let in_groups: u64 = self.axes.group_lens().map(factorial).product();
        let mut kinds = self.pieces_in_order();
        kinds.dedup();
        let pieces: u64 =
            kinds.into_iter().map(|man| factorial(self.material.count(man))).product();
        pieces / in_groups
    }

    /// Number of tiles.
    #[inline]
    pub fn tiles(&self) -> usize {
        match self.king_axis {
            KingAxis::Pairs => self.classes() * self.axes.len(),
            KingAxis::Tile => self.axes.len(),
        }
    }

    /// Number of classes of king pairs, where there are any.
    pub fn classes(&self) -> usize {
        self.held.as_ref().map_or(KING_PAIRS, |held| held.classes.len())
    }

    /// The classes of king pairs that it holds, in the order of their tiles, if not all
    /// of them.
    pub fn held_classes(&self) -> Option<&[usize]> {
        self.held.as_ref().map(|held| &held.classes[..])
    }

    /// The class of king pairs whose tiles come at this place.
    #[inline]
    pub fn class_at(&self, place: usize) -> usize {
        self.held.as_ref().map_or(place, |held| held.classes[place])
    }

    /// The first tile of a class of king pairs; further than any tile if it is not
    /// held.
    #[inline(always)]
    pub fn class_start(&self, king_class: usize) -> usize {
        match &self.held {
            None => king_class * self.axes.len(),
            Some(held) => held.starts[king_class],
        }
    }

    /// Bytes of one plane.
    pub fn plane_bytes(&self) -> usize {
        self.tiles() * size_of::<crate::Tile>()
    }

    /// Decodes a tile's number; `None` if two outer men share a square, in
    /// which case the tile is empty in every plane.
    #[inline]
    pub fn cell(&self, tile: usize) -> Option<Cell> {
        let mut squares = [Square::new(0); MAX_OUTER];
        let (king_class, number) = match self.king_axis {
            KingAxis::Pairs => (self.class_at(tile / self.axes.len()), tile % self.axes.len()),
            KingAxis::Tile => (0, tile),
        };
        self.axes.decode(number, &mut squares);
        let kings = match self.king_axis {
            KingAxis::Pairs => Some(king_pair_squares(king_class)),
            KingAxis::Tile => None,
        };
        let mut occupied = self.pawns[0] | self.pawns[1];
        if let Some((white, black)) = kings {
            occupied.insert(white);
            occupied.insert(black);
        }
        for &square in &squares[..self.outer.len()] {
            if occupied.contains(square) {
                return None;
            }
            occupied.insert(square);
        }
        Some(Cell { tile, king_class, kings, squares, occupied })
    }

    /// The tiles reached when one outer man moves.
    #[inline(always)]
    pub fn walk<'a>(&'a self, cell: &'a Cell, man: usize) -> Walk<'a> {
        self.axes.walk(cell.tile, &cell.squares[..self.outer.len()], man)
    }

    /// The tile of a king class and outer squares (already in the class's
    /// frame).
    #[inline]
    pub fn tile_at(&self, king_class: usize, squares: &[Square]) -> usize {
        self.class_start(king_class) + self.axes.encode(squares)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tiles of some classes are those of the whole board, in another order.
    #[test]
    fn a_board_of_some_classes() {
        let board = Hyperboard::pieces("KRNKB".parse().unwrap());
        let classes = [7, 300, 4, 461];
        let some = board.with_classes(&classes);
        let len = board.axes().len();
        assert_eq!((some.classes(), some.tiles()), (4, 4 * len));
        for tile in 0..some.tiles() {
            let (place, number) = (tile / len, tile % len);
            assert_eq!(some.class_at(place), classes[place]);
            let (found, whole) = (some.cell(tile), board.cell(classes[place] * len + number));
            assert_eq!(found.is_some(), whole.is_some());
            let (Some(found), Some(whole)) = (found, whole) else { continue };
            assert_eq!((found.kings, found.squares), (whole.kings, whole.squares));
            assert_eq!(some.tile_at(found.king_class, &found.squares[..1]), tile);
        }
        assert!(some.tile_at(5, &[Square::new(63)]) >= some.tiles());
        assert_ne!(some, board);
    }
}
