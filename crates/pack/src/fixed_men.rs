//! One tile: its fixed men, and which of its cells are stored.

use std::sync::LazyLock;

use molien_board::{Bitboard, Color, Man, Role, Square, Symmetry};

use crate::classes::ClassTile;
use crate::geometry::Geometry;
use crate::layout::Layout;
use crate::men::MAX_MEN;

/// A tile with its fixed men.
#[derive(Clone, Debug)]
pub struct FixedMen {
    /// Squares of the fixed men, as [`crate::men::Men`] numbers them.
    pub(crate) squares: [Square; MAX_MEN],
    pub(crate) occupied: Bitboard,
    /// The cells whose men stand on different squares, like men in rising
    /// order, and not after their mirror image where the tile has one: a word
    /// for each row.
    pub(crate) unique: [u64; 64],
    /// What they attack, without a row man.
    pub(crate) geometry: Geometry,
}

impl FixedMen {
    /// `None` if no cell of the tile is stored.
    pub(crate) fn new(
        layout: &Layout,
        squares: [Square; MAX_MEN],
        mirror: Option<Symmetry>,
    ) -> Option<FixedMen> {
        let mut occupied = Bitboard::EMPTY;
        for &square in &squares[..layout.men().fixed()] {
            if occupied.contains(square) {
                return None;
            }
            occupied.insert(square);
        }
        let placed = &layout.placed()[..layout.outer()];
        let rising = |i: usize| (0..i).all(|j| placed[j] != placed[i] || squares[j] < squares[i]);
        if !(0..placed.len()).all(rising) {
            return None;
        }
        let geometry = Geometry::of_fixed(layout.men(), squares, occupied);
        let mut frame = FixedMen { squares, occupied, unique: [0; 64], geometry };
        frame.set_unique(layout);
        if let Some(mirror) = mirror {
            frame.keep_first_images(layout, mirror);
        }
        (frame.unique != [0; 64]).then_some(frame)
    }

    /// Forgets the cells of a tile that are not stored: a position has one
    /// cell.
    pub fn keep_stored(&self, tile: &mut ClassTile) {
        for plane in &mut tile.at_most {
            plane.iter_mut().zip(self.unique).for_each(|(word, unique)| *word &= unique);
        }
    }

    fn set_unique(&mut self, layout: &Layout) {
        let (placed, outer) = (layout.placed(), layout.outer());
        // Squares above all outer men like this one.
        let above_like = |man: Man| {
            let like = (0..outer).filter(|&i| placed[i] == man);
            like.fold(!self.occupied.0, |set, i| set & above(self.squares[i]))
        };
        let column = placed[placed.len() - 1];
        let columns = above_like(column);
        if layout.rows() == 1 {
            self.unique[0] = columns;
            return;
        }
        let row = placed[placed.len() - 2];
        for square in Bitboard(above_like(row)) {
            let word = columns & !Bitboard::from_square(square).0;
            self.unique[square.index()] = if row == column { word & above(square) } else { word };
        }
    }

    /// Where the fixed men are their own mirror image, a placement and its
    /// image both lie in the part: keeps the one whose squares come first.
    fn keep_first_images(&mut self, layout: &Layout, mirror: Symmetry) {
        let (placed, outer) = (layout.placed(), layout.outer());
        let is_alone = |i: usize| (0..placed.len()).all(|j| i == j || placed[i] != placed[j]);
        if layout.rows() == 1 || !(0..outer).all(is_alone) {
            return self.keep_first_images_slowly(layout, mirror);
        }
        // The outer men decide, unless all stand on the mirror's axis.
        let image = |square: &Square| mirror.square(*square);
        match self.squares[..outer].iter().find(|square| image(square) != **square) {
            Some(square) if image(square) > *square => {}
            Some(_) => self.unique = [0; 64],
            None => {
                let alike = placed[outer] == placed[outer + 1];
                let first = &FIRST_IMAGES[usize::from(mirror == Symmetry::DIAGONAL)];
                let first = &first[usize::from(alike)];
                self.unique.iter_mut().zip(first).for_each(|(word, first)| *word &= first);
            }
        }
    }

    /// The same for any men, cell by cell.
    fn keep_first_images_slowly(&mut self, layout: &Layout, mirror: Symmetry) {
        let (placed, outer) = (layout.placed(), layout.outer());
        let mut squares = [Square::new(0); MAX_MEN];
        squares[..outer].copy_from_slice(&self.squares[..outer]);
        for r in 0..layout.rows() {
            let mut kept = 0;
            for c in Bitboard(self.unique[r]) {
                squares[outer] = Square::new(r);
                squares[placed.len() - 1] = c;
                if !comes_after(placed, &squares[..placed.len()], mirror) {
                    kept |= Bitboard::from_square(c).0;
                }
            }
            self.unique[r] = kept;
        }
    }
}

/// The cells of a tile that do not come after their mirror image where the other
/// men are their own: for both mirrors, for different and for like men.
static FIRST_IMAGES: LazyLock<[[[u64; 64]; 2]; 2]> = LazyLock::new(|| {
    let (knight, rook) = (Man::new(Color::White, Role::Knight), Man::new(Color::White, Role::Rook));
    [Symmetry::MIRROR, Symmetry::DIAGONAL].map(|mirror| {
        [[knight, rook], [rook, rook]].map(|men| {
            std::array::from_fn(|row| {
                let is_first =
                    |column: &Square| !comes_after(&men, &[Square::new(row), *column], mirror);
                Square::all().filter(is_first).collect::<Bitboard>().0
            })
        })
    })
});

/// Squares with a higher number.
fn above(square: Square) -> u64 {
    (!1u64).checked_shl(square.index() as u32).unwrap_or(0)
}

/// Whether the squares of placed men come after those of the mirror image
/// (like men brought into rising order).
fn comes_after(men: &[Man], own: &[Square], mirror: Symmetry) -> bool {
    for i in 0..men.len() {
        // The k-th man of a kind stands on the k-th lowest square of the kind.
        let k = men[..i].iter().filter(|&&man| man == men[i]).count();
        let image: Bitboard =
            (0..men.len()).filter(|&j| men[j] == men[i]).map(|j| mirror.square(own[j])).collect();
        let image = image.into_iter().nth(k).unwrap_or(own[i]);
        if own[i] != image {
            return own[i] > image;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::layout;

    #[test]
    fn first_images_cell_by_cell() {
        for (name, order) in
            [("KRKN", "nR"), ("KBBK", "BB"), ("KRBKR", "BrR"), ("KPKP", "Kk"), ("KBBKN", "nBB")]
        {
            let layout = layout(name, order);
            let mirror = match layout.material().has_pawns() {
                true => Symmetry::MIRROR,
                false => Symmetry::DIAGONAL,
            };
            for tile in (0..layout.tiles()).step_by(layout.tiles() / 97 + 1) {
                let Some(any) = layout.frame(tile) else { continue };
                let mut fast = FixedMen { unique: [0; 64], ..any };
                fast.set_unique(&layout);
                let mut slow = fast.clone();
                fast.keep_first_images(&layout, mirror);
                slow.keep_first_images_slowly(&layout, mirror);
                assert_eq!(fast.unique, slow.unique, "{name} {tile}");
            }
        }
    }
}
