//! Which of several addresses of one position counts.
//!
//! Like men outside a common outer group are stored in every order, and where
//! a hyperboard maps to itself under a mirror (both kings on the long
//! diagonal; a left-right symmetric set of pawns) both images are stored.

use molien_board::{Color, Man, Square, Symmetry};

use crate::{Cell, Hyperboard, KingAxis, Tile};

impl Hyperboard {
    /// The mirror that maps this cell's fixed men to themselves, if any.
    fn own_mirror(&self, cell: &Cell) -> Option<Symmetry> {
        match cell.kings {
            Some((white, black)) => {
                let on_diagonal = |s: Square| s.file() == s.rank();
                (on_diagonal(white) && on_diagonal(black)).then_some(Symmetry::DIAGONAL)
            }
            None => Color::BOTH
                .into_iter()
                .all(|color| Symmetry::MIRROR.bitboard(self.pawns(color)) == self.pawns(color))
                .then_some(Symmetry::MIRROR),
        }
    }

    /// Whether a mirror maps the cell's fixed men to themselves, so that a
    /// position and its image are both stored here.
    pub fn maps_to_itself(&self, cell: &Cell) -> bool {
        self.own_mirror(cell).is_some()
    }

    /// Whether the cell has mirror images of its own positions, which
    /// `Counting::Unique` counts once and `Counting::Nalimov` twice.
    pub fn has_mirror_images(&self, cell: &Cell) -> bool {
        self.king_axis() == KingAxis::Pairs && self.maps_to_itself(cell)
    }

    /// One address of each placement of like men: those in rising order.
    pub fn ordered(&self, cell: &Cell) -> Tile {
        let like = |a: Option<Man>, b: Option<Man>| a.is_some() && a == b;
        let last_outer = self.outer().len().checked_sub(1);
        let row_floor = match last_outer {
            Some(last) if like(Some(self.outer()[last]), self.row()) => Some(cell.squares[last]),
            _ => None,
        };
        // With a single piece there is no row man; the last outer man, if any
        // existed, would neighbour the column man. Boards with one piece have
        // no outer men, so only row and column need comparing.
        let row_column_like = like(self.row(), self.column());
        Tile::from_rows(|row| {
            if row_floor.is_some_and(|floor| row <= floor) {
                return 0;
            }
            if row_column_like { (!1u64).checked_shl(row.index() as u32).unwrap_or(0) } else { !0 }
        })
    }

    /// One address of each class of positions under symmetry and exchange of
    /// like men.
    pub fn representatives(&self, cell: &Cell) -> Tile {
        let ordered = self.ordered(cell);
        let Some(mirror) = self.own_mirror(cell) else { return ordered };
        // Compare a placement with its image, kind by kind; the kinds wholly
        // among the outer men are the same for the whole tile.
        let in_tile: Vec<Man> = [self.row(), self.column()].into_iter().flatten().collect();
        let mut kinds: Vec<Man> = self.outer().iter().copied().chain(in_tile.clone()).collect();
        kinds.dedup();
        for kind in &kinds {
            if in_tile.contains(kind) {
                break;
            }
            let (own, image) = self.kind_squares(cell, *kind, &[], mirror);
            match own.cmp(&image) {
                std::cmp::Ordering::Less => return ordered,
                std::cmp::Ordering::Greater => return Tile::EMPTY,
                std::cmp::Ordering::Equal => {}
            }
        }
        Tile::from_rows(|row| {
            (0..64).filter(|&c| ordered.contains(row, Square::new(c))).fold(0, |word, c| {
                let tile_men = [(self.row(), row), (self.column(), Square::new(c))];
                let first = self.comes_first(cell, &kinds, &tile_men, mirror);
                word | u64::from(first) << c
            })
        })
    }

    /// Whether a placement is not after its mirror image.
    fn comes_first(
        &self,
        cell: &Cell,
        kinds: &[Man],
        tile_men: &[(Option<Man>, Square)],
        mirror: Symmetry,
    ) -> bool {
        for kind in kinds {
            let (own, image) = self.kind_squares(cell, *kind, tile_men, mirror);
            if own != image {
                return own < image;
            }
        }
        true
    }

    /// The sorted squares of all men of a kind, and of their images.
    fn kind_squares(
        &self,
        cell: &Cell,
        kind: Man,
        tile_men: &[(Option<Man>, Square)],
        mirror: Symmetry,
    ) -> (Vec<Square>, Vec<Square>) {
        let outer = self.outer().iter().zip(cell.squares).filter(|(man, _)| **man == kind);
        let in_tile = tile_men.iter().filter(|(man, _)| *man == Some(kind));
        let mut own: Vec<Square> =
            outer.map(|(_, square)| square).chain(in_tile.map(|(_, square)| *square)).collect();
        let mut image: Vec<Square> = own.iter().map(|&square| mirror.square(square)).collect();
        own.sort_unstable();
        image.sort_unstable();
        (own, image)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Index;
    use std::collections::HashSet;

    /// Counts classes of positions the slow way: by the least image.
    fn classes(board: &Hyperboard, symmetries: &[Symmetry]) -> usize {
        let mut seen = HashSet::new();
        for tile in 0..board.tiles() {
            for (row, column) in Tile::FULL.pairs() {
                let Some(position) = board.decode(Index { tile, row, column }, Color::White) else {
                    continue;
                };
                // Square by square, as far as there are men.
                let image = |&symmetry: &Symmetry| {
                    let image = position.transform(symmetry);
                    let letters = image.men().map(|(man, square)| (square.index(), man.letter()));
                    letters.collect::<Vec<_>>()
                };
                seen.insert(symmetries.iter().map(image).min());
            }
        }
        seen.len()
    }

    fn counted(board: &Hyperboard) -> usize {
        let mut count = 0;
        for tile in 0..board.tiles() {
            let Some(cell) = board.cell(tile) else { continue };
            let mask = board.representatives(&cell);
            count += mask
                .pairs()
                .filter(|&(row, column)| {
                    board.decode(Index { tile, row, column }, Color::White).is_some()
                })
                .count();
        }
        count
    }

    #[test]
    fn each_class_is_counted_once() {
        for name in ["KQK", "KRRK", "KNKN"] {
            let board = Hyperboard::pieces(name.parse().unwrap());
            assert_eq!(counted(&board), classes(&board, &Symmetry::ALL), "{name}");
        }
    }

    #[test]
    fn symmetric_pawns_are_counted_once() {
        let position: molien_board::Position = "8/8/8/2k5/8/8/P6P/K6R w - -".parse().unwrap();
        let pawns = Color::BOTH.map(|color| position.pawns(color));
        let board = Hyperboard::around_pawns(position.material(), pawns);
        let mirrors = [Symmetry::IDENTITY, Symmetry::MIRROR];
        assert_eq!(counted(&board), classes(&board, &mirrors));
    }
}
