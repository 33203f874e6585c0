//! The eight symmetries of the board.

use crate::{Bitboard, Square};

/// A symmetry of the square board: optionally flip left-right, then optionally
/// flip up-down, then optionally exchange files and ranks (mirror in the
/// a1-h8 diagonal).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Symmetry(u8);

const FLIP_HORIZONTAL: u8 = 1;
const FLIP_VERTICAL: u8 = 2;
const TRANSPOSE: u8 = 4;

impl Symmetry {
    /// Leaves every square where it is.
    pub const IDENTITY: Symmetry = Symmetry(0);
    /// The left-right mirror, the only one pawns allow.
    pub const MIRROR: Symmetry = Symmetry(FLIP_HORIZONTAL);
    /// The up-down mirror.
    pub const FLIP: Symmetry = Symmetry(FLIP_VERTICAL);
    /// The mirror in the a1-h8 diagonal.
    pub const DIAGONAL: Symmetry = Symmetry(TRANSPOSE);

    /// All eight, the identity first.
    pub const ALL: [Symmetry; 8] = [
        Symmetry(0),
        Symmetry(1),
        Symmetry(2),
        Symmetry(3),
        Symmetry(4),
        Symmetry(5),
        Symmetry(6),
        Symmetry(7),
    ];

    /// Its number, 0 to 7; bit 0 flips left-right, bit 1 up-down, bit 2
    /// exchanges files and ranks afterwards.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Whether files and ranks are exchanged.
    #[inline]
    pub const fn transposes(self) -> bool {
        self.0 & TRANSPOSE != 0
    }

    /// Whether left and right are exchanged (before any transposition).
    #[inline]
    pub const fn flips_horizontal(self) -> bool {
        self.0 & FLIP_HORIZONTAL != 0
    }

    /// Whether up and down are exchanged (before any transposition).
    #[inline]
    pub const fn flips_vertical(self) -> bool {
        self.0 & FLIP_VERTICAL != 0
    }

    /// Where the square goes.
    #[inline]
    pub const fn square(self, square: Square) -> Square {
        let mut index = square.index();
        if self.flips_horizontal() {
            index ^= 7;
        }
        if self.flips_vertical() {
            index ^= 56;
        }
        if self.transposes() {
            index = (index & 7) << 3 | index >> 3;
        }
        Square::new(index)
    }

    /// Where the squares of the set go.
    #[inline]
    pub const fn bitboard(self, set: Bitboard) -> Bitboard {
        let mut x = set.0;
        if self.flips_horizontal() {
            x = mirror_files(x);
        }
        if self.flips_vertical() {
            x = x.swap_bytes();
        }
        if self.transposes() {
            x = transpose(x);
        }
        Bitboard(x)
    }

    /// The symmetry that undoes this one.
    #[inline]
    pub const fn inverse(self) -> Symmetry {
        // Undoing "flip, then transpose" is "transpose, then flip", which is
        // "flip along the other axis, then transpose".
        if self.transposes() {
            let flips = (self.0 & FLIP_HORIZONTAL) << 1 | (self.0 & FLIP_VERTICAL) >> 1;
            Symmetry(TRANSPOSE | flips)
        } else {
            self
        }
    }
}

/// Reverses the bits of every byte.
#[inline]
const fn mirror_files(mut x: u64) -> u64 {
    x = (x >> 1) & 0x5555_5555_5555_5555 | (x & 0x5555_5555_5555_5555) << 1;
    x = (x >> 2) & 0x3333_3333_3333_3333 | (x & 0x3333_3333_3333_3333) << 2;
    (x >> 4) & 0x0f0f_0f0f_0f0f_0f0f | (x & 0x0f0f_0f0f_0f0f_0f0f) << 4
}

/// Transposes the 8 x 8 bit matrix by swapping blocks of 4, 2 and 1.
#[inline]
const fn transpose(mut x: u64) -> u64 {
    let t = 0x0f0f_0f0f_0000_0000 & (x ^ (x << 28));
    x ^= t ^ (t >> 28);
    let t = 0x3333_0000_3333_0000 & (x ^ (x << 14));
    x ^= t ^ (t >> 14);
    let t = 0x5500_5500_5500_5500 & (x ^ (x << 7));
    x ^ t ^ (t >> 7)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_and_sets_agree() {
        for symmetry in Symmetry::ALL {
            for square in Square::all() {
                assert_eq!(
                    symmetry.bitboard(Bitboard::from_square(square)),
                    Bitboard::from_square(symmetry.square(square))
                );
            }
            let set = Bitboard(0x0123_4567_89ab_cdef);
            let moved: Bitboard = set.into_iter().map(|s| symmetry.square(s)).collect();
            assert_eq!(symmetry.bitboard(set), moved);
        }
    }

    #[test]
    fn inverse_undoes() {
        for symmetry in Symmetry::ALL {
            for square in Square::all() {
                assert_eq!(symmetry.inverse().square(symmetry.square(square)), square);
            }
        }
    }

    #[test]
    fn distances_are_kept() {
        for symmetry in Symmetry::ALL {
            for a in Square::all() {
                for b in Square::all() {
                    assert_eq!(symmetry.square(a).distance(symmetry.square(b)), a.distance(b));
                }
            }
        }
    }
}
