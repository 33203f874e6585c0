//! Placements of the pawns, each a hyperboard of its own.

use molien_board::{Bitboard, Color, Man, Material, Position, Role, Symmetry};

/// The squares of White's and of Black's pawns.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Placement([u64; 2]);

/// The squares pawns can stand on: ranks 2 to 7.
const PAWN_SQUARES: u64 = 0x00ff_ffff_ffff_ff00;

impl Placement {
    /// No pawns.
    pub const NONE: Placement = Placement([0; 2]);

    /// A placement from the two sets of squares.
    pub fn new(pawns: [Bitboard; 2]) -> Placement {
        Placement(pawns.map(|set| set.0))
    }

    /// The pawns of a position.
    pub fn of(position: &Position) -> Placement {
        Placement::new(Color::BOTH.map(|color| position.pawns(color)))
    }

    /// The two sets of squares.
    pub fn bitboards(self) -> [Bitboard; 2] {
        self.0.map(Bitboard)
    }

    /// One side's pawns.
    pub fn of_color(self, color: Color) -> Bitboard {
        Bitboard(self.0[color.index()])
    }

    /// All squares with a pawn.
    pub fn all_squares(self) -> Bitboard {
        Bitboard(self.0[0] | self.0[1])
    }

    /// The left-right mirror image.
    pub fn mirror(self) -> Placement {
        Placement(self.0.map(|set| Symmetry::MIRROR.bitboard(Bitboard(set)).0))
    }

    /// The same seen by the other side.
    pub fn swap_colors(self) -> Placement {
        Placement([self.0[1].swap_bytes(), self.0[0].swap_bytes()])
    }

    /// The lesser of the placement and its mirror image, which stands for
    /// both, and whether it is the image.
    pub fn canonical(self) -> (Placement, bool) {
        let image = self.mirror();
        if image < self { (image, true) } else { (self, false) }
    }

    /// How far the pawns have come, all ranks added up. Every pawn move
    /// raises it.
    pub fn advancement(self) -> i32 {
        let white: i32 = self.of_color(Color::White).into_iter().map(|s| s.rank()).sum();
        let black: i32 = self.of_color(Color::Black).into_iter().map(|s| 7 - s.rank()).sum();
        white + black
    }

    /// Without the pawn on a square.
    pub fn without(self, square: molien_board::Square) -> Placement {
        let bit = !Bitboard::from_square(square).0;
        Placement(self.0.map(|set| set & bit))
    }

    /// With one side's pawn moved; whatever stood on the target is gone.
    pub fn moved(
        self,
        color: Color,
        from: molien_board::Square,
        to: molien_board::Square,
    ) -> Placement {
        let mut after = self.without(from).without(to);
        after.0[color.index()] |= Bitboard::from_square(to).0;
        after
    }

    /// All placements of a material's pawns up to the left-right mirror,
    /// sorted.
    pub fn all(material: &Material) -> Vec<Placement> {
        let count = |color| material.count(Man::new(color, Role::Pawn));
        let mut found = Vec::new();
        for white in subsets(PAWN_SQUARES, count(Color::White)) {
            for black in subsets(PAWN_SQUARES & !white, count(Color::Black)) {
                let placement = Placement([white, black]);
                if !placement.canonical().1 {
                    found.push(placement);
                }
            }
        }
        found.sort_unstable();
        found
    }
}

/// All sets of k squares out of a set.
fn subsets(set: u64, k: usize) -> Vec<u64> {
    if k == 0 {
        return vec![0];
    }
    let mut found = Vec::new();
    let mut rest = set;
    while rest != 0 {
        let lowest = rest & rest.wrapping_neg();
        rest ^= lowest;
        found.extend(subsets(rest, k - 1).into_iter().map(|others| others | lowest));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placements_are_counted_once() {
        let count = |name: &str| Placement::all(&name.parse().unwrap()).len();
        assert_eq!(count("KPK"), 24);
        // 48 * 47 / 2 pairs, of which 24 are their own mirror image.
        assert_eq!(count("KPPK"), (48 * 47 / 2 + 24) / 2);
        assert_eq!(count("KPKP"), 48 * 47 / 2);
    }

    #[test]
    fn pawn_moves_advance() {
        let position: Position = "8/5p2/8/8/2k5/8/2P5/K7 w - -".parse().unwrap();
        for m in position.legal_moves().iter().filter(|m| m.role == Role::Pawn) {
            let after = Placement::of(&position.play(m));
            assert!(after.advancement() > Placement::of(&position).advancement());
        }
    }
}
