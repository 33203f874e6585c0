//! Where each position lives: parts, tiles, cells.
//!
//! A part is a placement of the pawns (one part without pawns), a tile a
//! placement of all men but two, a cell one of the 64 x 64 squares of the last
//! two, *row* and *column*.

use molien_board::{Bitboard, Color, Man, Material, Position, Square, Symmetry};
use molien_hyper::{KING_PAIRS, king_pair, king_pair_squares};
use molien_values::Placement;

use crate::fixed_men::FixedMen;
use crate::men::{MAX_MEN, Men};

/// The addressing of one table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    material: Material,
    /// Outer men, then row, then column.
    placed: Vec<Man>,
    men: Men,
    /// The placements of the pawns, sorted; a single empty one without pawns.
    placements: Vec<Placement>,
}

/// The address of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Address {
    /// Which part.
    pub part: usize,
    /// Number of the tile in its part.
    pub tile: usize,
    /// Square of the row man; a1 where there is none.
    pub row: Square,
    /// Square of the column man.
    pub column: Square,
}

impl Layout {
    /// A layout with the placed men in this order. `None` if these are not the
    /// placed men of the material, or there are too many.
    pub fn new(material: Material, placed: &[Man], placements: Vec<Placement>) -> Option<Layout> {
        let men = Men::new(&material, placed)?;
        Some(Layout { material, placed: placed.to_vec(), men, placements })
    }

    /// The material.
    pub fn material(&self) -> Material {
        self.material
    }

    /// The placed men: outer, row, column.
    pub fn placed(&self) -> &[Man] {
        &self.placed
    }

    /// All men, as questions number them.
    pub fn men(&self) -> &Men {
        &self.men
    }

    /// The placements of the pawns.
    pub fn placements(&self) -> &[Placement] {
        &self.placements
    }

    /// How many outer men there are.
    pub fn outer(&self) -> usize {
        self.placed.len().saturating_sub(2)
    }

    /// Rows of a tile: 1 where there is no row man.
    pub fn rows(&self) -> usize {
        if self.placed.len() < 2 { 1 } else { 64 }
    }

    /// Tiles of a part.
    pub fn tiles_per_part(&self) -> usize {
        let classes = if self.material.has_pawns() { 1 } else { KING_PAIRS };
        classes << (6 * self.outer())
    }

    /// Tiles of all parts.
    pub fn tiles(&self) -> usize {
        self.placements.len() * self.tiles_per_part()
    }

    /// Cells of all tiles, stored or not.
    pub fn cells(&self) -> usize {
        self.tiles() * 64 * self.rows()
    }

    /// The fixed men of a tile, counted through all parts; `None` if no cell
    /// of it is stored.
    pub fn frame(&self, tile: usize) -> Option<FixedMen> {
        let (part, mut rest) = (tile / self.tiles_per_part(), tile % self.tiles_per_part());
        let outer = self.outer();
        let mut squares = [Square::new(0); MAX_MEN];
        for i in (0..outer).rev() {
            squares[i] = Square::new(rest);
            rest >>= 6;
        }
        let mirror = if self.material.has_pawns() {
            let pawns = self.placements[part];
            let of = |color| pawns.of_color(color).into_iter();
            let both = of(Color::White).chain(of(Color::Black));
            squares[outer..].iter_mut().zip(both).for_each(|(to, square)| *to = square);
            (pawns.mirror() == pawns).then_some(Symmetry::MIRROR)
        } else {
            let (white, black) = king_pair_squares(rest);
            (squares[outer], squares[outer + 1]) = (white, black);
            on_diagonal(white, black).then_some(Symmetry::DIAGONAL)
        };
        FixedMen::new(self, squares, mirror)
    }

    /// The address of a position of this material (in this orientation).
    pub fn locate(&self, position: &Position) -> Option<Address> {
        let (part, class, symmetry, mirror) = if self.material.has_pawns() {
            let (pawns, mirrored) = Placement::of(position).canonical();
            let part = self.placements.binary_search(&pawns).ok()?;
            let symmetry = if mirrored { Symmetry::MIRROR } else { Symmetry::IDENTITY };
            let own = (pawns.mirror() == pawns).then_some(Symmetry::MIRROR);
            (part, 0, symmetry, own)
        } else {
            let pair = king_pair(position.king(Color::White), position.king(Color::Black))?;
            let (white, black) = king_pair_squares(pair.class);
            let own = on_diagonal(white, black).then_some(Symmetry::DIAGONAL);
            (0, pair.class, pair.symmetry, own)
        };
        let mut squares = self.assign(|man| symmetry.bitboard(position.of(man)))?;
        if let Some(mirror) = mirror {
            let image = self.assign(|man| mirror.bitboard(symmetry.bitboard(position.of(man))))?;
            squares = squares.min(image);
        }
        let outer = self.outer();
        let tile = squares[..outer].iter().fold(class, |tile, s| tile << 6 | s.index());
        let row = if self.placed.len() < 2 { Square::new(0) } else { squares[outer] };
        Some(Address { part, tile, row, column: squares[self.placed.len() - 1] })
    }

    /// The squares of the placed men, like men rising. Unused entries are a1.
    fn assign(&self, of: impl Fn(Man) -> Bitboard) -> Option<[Square; MAX_MEN]> {
        let mut squares = [Square::new(0); MAX_MEN];
        for (i, &man) in self.placed.iter().enumerate() {
            let earlier = self.placed[..i].iter().filter(|&&other| other == man).count();
            squares[i] = of(man).into_iter().nth(earlier)?;
        }
        Some(squares)
    }
}

fn on_diagonal(white: Square, black: Square) -> bool {
    white.file() == white.rank() && black.file() == black.rank()
}
