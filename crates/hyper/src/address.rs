//! From positions to addresses and back.

use molien_board::{Color, Man, Position, Role, Square};

use crate::{Cell, Hyperboard, Index, KingAxis, MAX_OUTER, king_pair};

/// The most pieces other than kings: the outer ones and two in the tile.
const MAX_PIECES: usize = MAX_OUTER + 2;

impl Hyperboard {
    /// Squares of the pieces in hyperboard order, read off a position; like
    /// men in rising order, a1 after the last. `None` if the material or the
    /// pawns differ. Nothing is allocated: every look-up comes here.
    fn read_squares(&self, position: &Position) -> Option<[Square; MAX_PIECES]> {
        if position.material() != self.material()
            || Color::BOTH.into_iter().any(|c| position.pawns(c) != self.pawns(c))
        {
            return None;
        }
        let mut squares = [Square::new(0); MAX_PIECES];
        let mut places = squares.iter_mut();
        let mut last = None;
        for man in self.pieces_by_place() {
            if last.replace(man) != Some(man) {
                for square in position.of(man) {
                    *places.next()? = square;
                }
            }
        }
        Some(squares)
    }

    /// The address of a position's placement; the side to move is ignored.
    /// `None` if it has other men or other pawns than this board.
    pub fn encode(&self, position: &Position) -> Option<Index> {
        let squares = self.read_squares(position)?;
        let (white, black) = (position.king(Color::White), position.king(Color::Black));
        match self.king_axis() {
            KingAxis::Tile => {
                let tile = self.axes().encode(&squares[..self.outer().len()]);
                Some(Index { tile, row: white, column: black })
            }
            KingAxis::Pairs => {
                let pair = king_pair(white, black)?;
                Some(self.index_of(pair.class, &squares.map(|s| pair.symmetry.square(s))))
            }
        }
    }

    /// The address of a king class and the squares of all pieces in order.
    #[inline]
    pub fn index_of(&self, king_class: usize, squares: &[Square]) -> Index {
        let outer = self.outer().len();
        let tile = self.tile_at(king_class, &squares[..outer]);
        let ghost = Square::new(0);
        let (row, column) = match (self.row(), self.column()) {
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
        let men = self.men_at(&cell, index.row, index.column)?;
        Some(men.collect())
    }

    /// The same of an address in a tile that has been decoded; nothing is
    /// allocated.
    pub fn men_at(
        &self,
        cell: &Cell,
        row: Square,
        column: Square,
    ) -> Option<impl Iterator<Item = (Man, Square)> + '_> {
        let in_tile = [(self.row(), row), (self.column(), column)];
        let mut occupied = cell.occupied;
        for (man, square) in in_tile {
            match man {
                None if square.index() != 0 => return None,
                None => {}
                Some(_) if occupied.contains(square) => return None,
                Some(_) => occupied.insert(square),
            }
        }
        let kings = cell.kings.map(|(white, black)| [white, black]);
        let kings = Color::BOTH.into_iter().zip(kings.into_iter().flatten());
        let kings = kings.map(|(color, square)| (Man::new(color, Role::King), square));
        let outer = self.outer().iter().copied().zip(cell.squares);
        let pawns = Color::BOTH.into_iter().flat_map(|color| {
            let pawn = Man::new(color, Role::Pawn);
            self.pawns(color).into_iter().map(move |square| (pawn, square))
        });
        let in_tile = in_tile.into_iter().filter_map(|(man, square)| Some((man?, square)));
        Some(kings.chain(outer).chain(pawns).chain(in_tile))
    }

    /// The position of an address; `None` if it is not a legal one.
    pub fn decode(&self, index: Index, turn: Color) -> Option<Position> {
        Position::new(self.decode_men(index)?, turn).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use molien_board::{Material, Symmetry};

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
