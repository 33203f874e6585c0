//! The king pairs of boards without pawns, under the eight symmetries.

use std::sync::LazyLock;

use molien_board::{Square, Symmetry};

/// Number of classes of king pairs: 462, counted below when the table is made.
pub const KING_PAIRS: usize = 462;

/// The class of a king pair, and the symmetry that takes the pair to the
/// representative of the class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KingPair {
    /// Number of the class.
    pub class: usize,
    /// Takes the actual squares to the representative's.
    pub symmetry: Symmetry,
}

struct Table {
    pairs: Vec<Option<KingPair>>,
    squares: Vec<(Square, Square)>,
}

/// White king in the triangle a1-d1-d4; on the diagonal a1-d4, the black king
/// not above the diagonal a1-h8.
fn is_representative(white: Square, black: Square) -> bool {
    let in_triangle = white.file() <= 3 && white.rank() <= white.file();
    in_triangle && (white.file() != white.rank() || black.rank() <= black.file())
}

fn build() -> Table {
    let mut squares = Vec::new();
    let apart = |white: Square, black: Square| white.distance(black) > 1;
    for white in Square::all() {
        for black in Square::all() {
            if apart(white, black) && is_representative(white, black) {
                squares.push((white, black));
            }
        }
    }
    let mut pairs = vec![None; 64 * 64];
    for white in Square::all() {
        for black in Square::all().filter(|&black| apart(white, black)) {
            // The first symmetry that fits, so that representatives map to
            // themselves by the identity.
            pairs[white.index() * 64 + black.index()] =
                Symmetry::ALL.into_iter().find_map(|symmetry| {
                    let moved = (symmetry.square(white), symmetry.square(black));
                    let class = squares.iter().position(|&pair| pair == moved)?;
                    Some(KingPair { class, symmetry })
                });
        }
    }
    assert_eq!(squares.len(), KING_PAIRS);
    Table { pairs, squares }
}

static TABLE: LazyLock<Table> = LazyLock::new(build);

/// The class of a pair of king squares; `None` if they touch or coincide.
#[inline]
pub fn king_pair(white: Square, black: Square) -> Option<KingPair> {
    TABLE.pairs[white.index() * 64 + black.index()]
}

/// The king squares (white, black) that represent a class.
///
/// # Panics
/// If the class is not below [`KING_PAIRS`].
#[inline]
pub fn king_pair_squares(class: usize) -> (Square, Square) {
    TABLE.squares[class]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_goes_to_its_representative() {
        let mut found = 0;
        for white in Square::all() {
            for black in Square::all() {
                let pair = king_pair(white, black);
                assert_eq!(pair.is_some(), white.distance(black) > 1);
                let Some(pair) = pair else { continue };
                let moved = (pair.symmetry.square(white), pair.symmetry.square(black));
                assert_eq!(moved, king_pair_squares(pair.class));
                found += 1;
            }
        }
        // Ordered pairs of kings that do not touch.
        assert_eq!(found, 3612);
    }
}
