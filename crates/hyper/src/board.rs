//! The layout of one hyperboard.

use molien_board::{Bitboard, Color, Man, Material, Position, Role, Square};

use crate::{KING_PAIRS, OuterAxes, Walk, king_pair, king_pair_squares};

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
}

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
        Hyperboard { material, pawns, king_axis, outer, axes, row, column }
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
        match self.king_axis {
            KingAxis::Tile => self.outer.clone(),
            KingAxis::Pairs => {
                self.outer.iter().copied().chain(self.row).chain(self.column).collect()
            }
        }
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
            KingAxis::Pairs => KING_PAIRS * self.axes.len(),
            KingAxis::Tile => self.axes.len(),
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
            KingAxis::Pairs => (tile / self.axes.len(), tile % self.axes.len()),
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
        king_class * self.axes.len() + self.axes.encode(squares)
    }

    /// Squares of the pieces in hyperboard order, read off a position; like
    /// men in rising order. `None` if the material or the pawns differ.
    fn read_squares(&self, position: &Position) -> Option<Vec<Square>> {
        if position.material() != self.material
            || Color::BOTH.into_iter().any(|c| position.pawns(c) != self.pawns(c))
        {
            return None;
        }
        let mut pieces = self.pieces_in_order();
        pieces.dedup();
        Some(pieces.iter().flat_map(|&man| position.of(man)).collect())
    }

    /// The address of a position's placement; the side to move is ignored.
    /// `None` if it has other men or other pawns than this board.
    pub fn encode(&self, position: &Position) -> Option<Index> {
        let squares = self.read_squares(position)?;
        let (white, black) = (position.king(Color::White), position.king(Color::Black));
        match self.king_axis {
            KingAxis::Tile => {
                Some(Index { tile: self.axes.encode(&squares), row: white, column: black })
            }
            KingAxis::Pairs => {
                let pair = king_pair(white, black)?;
                let squares: Vec<Square> =
                    squares.into_iter().map(|s| pair.symmetry.square(s)).collect();
                Some(self.index_of(pair.class, &squares))
            }
        }
    }

    /// The address of a king class and the squares of all pieces in order.
    #[inline]
    pub fn index_of(&self, king_class: usize, squares: &[Square]) -> Index {
        let outer = self.outer.len();
        let tile = self.tile_at(king_class, &squares[..outer]);
        let ghost = Square::new(0);
        let (row, column) = match (self.row, self.column) {
            (Some(_), Some(_)) => (squares[outer], squares[outer + 1]),
            (None, Some(_)) => (ghost, squares[outer]),
            _ => (ghost, ghost),
        };
        Index { tile, row, column }
    }

    /// The men and squares of an address; `None` if the address is not a
    /// placement (men share a square, or an axis without a man is not at 0).
    pub fn decode_men(&self, index: Index) -> Option<Vec<(Man, Square)>> {
        let cell = self.cell(index.tile)?;
        let king = |color| Man::new(color, Role::King);
        let mut men: Vec<(Man, Square)> = Vec::with_capacity(8);
        if let Some((white, black)) = cell.kings {
            men.push((king(Color::White), white));
            men.push((king(Color::Black), black));
        }
        men.extend(self.outer.iter().copied().zip(cell.squares));
        for color in Color::BOTH {
            let pawn = Man::new(color, Role::Pawn);
            men.extend(self.pawns(color).into_iter().map(|square| (pawn, square)));
        }
        let mut occupied = cell.occupied;
        for (man, square) in [(self.row, index.row), (self.column, index.column)] {
            match man {
                None if square.index() != 0 => return None,
                None => {}
                Some(_) if occupied.contains(square) => return None,
                Some(man) => {
                    occupied.insert(square);
                    men.push((man, square));
                }
            }
        }
        Some(men)
    }

    /// The position of an address; `None` if it is not a legal one.
    pub fn decode(&self, index: Index, turn: Color) -> Option<Position> {
        Position::new(self.decode_men(index)?, turn).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use molien_board::Symmetry;

    fn all_indices(board: &Hyperboard) -> impl Iterator<Item = Index> {
        let tiles = board.tiles();
        (0..tiles).flat_map(|tile| {
            Square::all()
                .flat_map(move |row| Square::all().map(move |column| Index { tile, row, column }))
        })
    }

    /// Like men may be stored in either order: then decode gives the same
    /// position for both addresses, and encode picks one of them.
    fn check_laws(board: &Hyperboard, symmetries: &[Symmetry]) {
        for index in all_indices(board) {
            let Some(position) = board.decode(index, Color::White) else { continue };
            let encoded = board.encode(&position).unwrap();
            let again = board.decode(encoded, Color::White).unwrap();
            let same = symmetries.iter().any(|&s| again.transform(s) == position);
            assert!(same, "{position} became {again}");
            if board.labelled_factor() == 1 && again == position {
                assert_eq!(encoded, index);
            }
            for &symmetry in symmetries {
                let image = board.encode(&position.transform(symmetry)).unwrap();
                let mirror = board.decode(image, Color::White).unwrap();
                assert!(
                    image == encoded || symmetries.iter().any(|&s| mirror.transform(s) == again)
                );
            }
        }
    }

    #[test]
    fn three_men_exhaustively() {
        for name in ["KQK", "KBK", "KNK"] {
            check_laws(&Hyperboard::pieces(name.parse().unwrap()), &Symmetry::ALL);
        }
    }

    #[test]
    fn four_men_exhaustively() {
        for name in ["KQKR", "KNNK"] {
            check_laws(&Hyperboard::pieces(name.parse().unwrap()), &Symmetry::ALL);
        }
    }

    #[test]
    fn every_legal_position_has_an_address() {
        let board = Hyperboard::pieces("KRKN".parse().unwrap());
        let position: Position = "8/8/3n4/8/2k5/8/7R/K7 b - -".parse().unwrap();
        let indices: Vec<Index> = Symmetry::ALL
            .iter()
            .map(|&symmetry| board.encode(&position.transform(symmetry)).unwrap())
            .collect();
        assert!(indices.iter().all(|&index| index == indices[0]));
    }

    #[test]
    fn pawn_boards_keep_their_pawns() {
        let material: Material = "KRPKP".parse().unwrap();
        let position: Position = "8/5p2/8/8/2k5/8/2P4R/K7 b - -".parse().unwrap();
        let pawns = Color::BOTH.map(|color| position.pawns(color));
        let board = Hyperboard::around_pawns(material, pawns);
        let index = board.encode(&position).unwrap();
        assert_eq!(board.decode(index, Color::Black), Some(position));
        assert_eq!(board.tiles(), 64);
    }
}
