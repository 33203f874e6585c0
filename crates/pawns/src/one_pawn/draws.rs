//! Draws of king and pawn against king that are seen at once.

use molien_board::{Bitboard, Square};

use super::OnePawn;
use crate::geometry::{files_apart, on_rook_file, pawn_guard, pawn_moves_home, up, zone};

impl OnePawn {
    /// Positions where no look-ahead is needed to see the draw.
    pub(super) fn clearly_drawn(self, white_to_move: bool) -> bool {
        let promotion = up(self.pawn, 7 - self.pawn.rank());
        if self.enemy.distance(promotion) > pawn_moves_home(self.pawn) + i32::from(!white_to_move) {
            return false;
        }
        if on_rook_file(self.pawn) {
            return self.corner_reached_first(promotion, white_to_move);
        }
        if self.blockade_stands(white_to_move) || (white_to_move && self.is_opposed()) {
            return true;
        }
        self.arrives_in_front(white_to_move)
    }

    /// Black's king is in front of the pawn and comes to the square two above
    /// it before White's king comes to the square before (or beside) it. One
    /// move ahead is enough if White's king is still behind its pawn; if not,
    /// it takes three.
    fn arrives_in_front(self, white_to_move: bool) -> bool {
        let rank = self.pawn.rank();
        if rank == 4 || rank == 6 || self.enemy.rank() < rank + 2 {
            return false;
        }
        let target = up(self.pawn, i32::from(rank <= 3));
        let files = (files_apart(self.king, target) - 1).max(0);
        let steps = files.max((self.king.rank() - target.rank()).abs());
        let lead = steps - self.enemy.distance(up(self.pawn, 2));
        let needed = if self.king.rank() <= rank { 0 } else { 2 };
        lead >= needed + i32::from(white_to_move)
    }

    /// Up to the fifth rank a king on one of the two squares in front of the
    /// pawn holds as long as White's king is not ahead of its pawn.
    fn blockade_stands(self, white_to_move: bool) -> bool {
        if self.pawn.rank() > 4 || self.king.rank() > self.pawn.rank() {
            return false;
        }
        let front =
            Bitboard::from_square(up(self.pawn, 1)) | Bitboard::from_square(up(self.pawn, 2));
        let held = if white_to_move {
            Bitboard::from_square(self.enemy)
        } else {
            zone(self.enemy) - zone(self.king) - pawn_guard(self.pawn)
        };
        !(held & front).is_empty()
    }

    /// White's king is one rank ahead of its pawn, Black's faces it, and
    /// White has to move.
    fn is_opposed(self) -> bool {
        self.pawn.rank() <= 3
            && self.king.rank() == self.pawn.rank() + 1
            && self.enemy.rank() == self.king.rank() + 2
            && self.enemy.file() == self.king.file()
            && files_apart(self.king, self.pawn) <= 1
    }

    /// Black's king gets to the corner in front of a rook pawn, or to the
    /// bishop's square beside it, before White's king gets between.
    fn corner_reached_first(self, corner: Square, white_to_move: bool) -> bool {
        let (beside, keeper) = if self.pawn.file() == 0 { (1, 2) } else { (6, 5) };
        let white = self
            .king
            .distance(Square::new(48 + beside))
            .min(self.king.distance(Square::new(56 + beside)));
        let black = self.enemy.distance(Square::new(56 + keeper)).min(self.enemy.distance(corner));
        let slack = match self.pawn.rank() {
            1 | 5 => 1,
            _ => 0,
        };
        black + slack + i32::from(white_to_move) <= white
    }
}
