//! A queen just made, on its promotion square and to move, against a pawn on
//! the seventh.
//!
//! It wins against a knight or central pawn if it can stop it at all; a rook
//! or bishop pawn draws if its king is beside it and the other king far away.
//! What is said here is checked against every such position.

use molien_board::{Bitboard, Color, Role, Square, attacks};

use super::queens::to_corner;
use crate::geometry::{files_apart, is_bishop_file, is_plain_file, on_rook_file};

/// Queen and king ("we") to move, and a pawn that goes down the board.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seventh {
    pub king: Square,
    pub queen: Square,
    pub enemy: Square,
    /// The enemy's pawn.
    pub rival: Square,
}

impl Seventh {
    fn home(&self) -> Square {
        Square::new(self.rival.file() as usize)
    }

    /// The pawn checks our king.
    fn in_check(&self) -> bool {
        attacks::pawn(Color::Black, self.rival).contains(self.king)
    }

    fn reached(&self) -> Bitboard {
        let men: Bitboard = [self.king, self.enemy, self.rival].into_iter().collect();
        attacks::attacks(Role::Queen, self.queen, men)
    }

    /// The queen is not lost on this square.
    fn is_safe(&self, square: Square) -> bool {
        self.enemy.distance(square) > 1 || self.king.distance(square) == 1
    }

    /// Checks that do not lose the queen.
    fn checks(&self) -> usize {
        let men: Bitboard = [self.king, self.enemy, self.rival].into_iter().collect();
        let from = self.reached() & attacks::attacks(Role::Queen, self.enemy, men);
        (from - men).into_iter().filter(|square| self.is_safe(*square)).count()
    }

    /// The pawn is taken for nothing.
    fn takes(&self) -> bool {
        self.enemy.distance(self.rival) > 1
            && (self.king.distance(self.rival) == 1 || self.reached().contains(self.rival))
    }

    /// The queen gets to the promotion square.
    fn occupies(&self) -> bool {
        let home = self.home();
        self.reached().contains(home)
            && home != self.king
            && home != self.enemy
            && self.is_safe(home)
    }

    /// We win.
    pub fn wins(&self) -> bool {
        if is_plain_file(self.rival) {
            self.beats_plain_pawn()
        } else if on_rook_file(self.rival) {
            self.beats_rook_pawn()
        } else {
            self.beats_bishop_pawn()
        }
    }

    /// The pawn can be stopped for a move: the queen then comes nearer with
    /// checks until the enemy king must step before its pawn.
    fn beats_plain_pawn(&self) -> bool {
        let away = self.enemy.distance(self.home());
        (away >= 2 && files_apart(self.king, self.rival) >= 1)
            || (!self.in_check() && self.stops_pawn())
    }

    /// The pawn does not promote with the next move.
    fn stops_pawn(&self) -> bool {
        self.enemy == self.home() || self.takes() || self.occupies() || self.checks() > 0
    }

    fn beats_rook_pawn(&self) -> bool {
        let (away, near) = (self.enemy.distance(self.home()), self.king.distance(self.home()));
        let aside = self.queen.file() != self.rival.file();
        away >= 3
            || self.king.distance(self.rival) <= 3
            || (near <= 4 && self.king.rank() <= 3)
            || self.takes()
            || self.occupies()
            || (self.enemy.rank() >= 2
                && ((near >= 5 && aside && self.checks() >= 4) || self.ways_to_guard_home() >= 5))
    }

    fn beats_bishop_pawn(&self) -> bool {
        let (away, near) = (self.enemy.distance(self.home()), self.king.distance(self.home()));
        let in_corner = self.enemy.rank() == 0 && on_rook_file(self.enemy);
        let long_side = !self.is_on_short_side(self.enemy);
        (away >= 2 && near <= away && !in_corner)
            || (!self.in_check() && near <= 2)
            || (long_side && (3..=4).contains(&near) && self.king.rank() <= 3)
            || (!in_corner && self.takes())
            || (self.enemy.distance(self.rival) >= 3 && self.checks() >= 3)
            || (long_side && self.is_close() && !self.in_check() && self.stops_pawn())
            || (away >= 3 && self.stops_bishop_pawn(long_side))
            || (self.enemy.rank() >= 2 && self.drives_king_off())
    }

    /// The enemy king is above its pawn, and our queen has room for checks: far
    /// to the side, or with the king in the middle and ours near the file.
    fn drives_king_off(&self) -> bool {
        let files = files_apart(self.queen, self.rival);
        let near = files_apart(self.king, self.rival) <= 3;
        (files >= 5 && self.ways_to_guard_home() >= 4)
            || (files >= 3 && near && to_corner(self.enemy) >= 3)
    }

    /// Our king is within three squares of the pawn, not far on its long side.
    fn is_close(&self) -> bool {
        let beside = files_apart(self.king, self.rival) <= 1;
        self.king.distance(self.rival) <= 3 && (beside || self.is_on_short_side(self.king))
    }

    /// The enemy king is three squares from the promotion square or more, and
    /// our queen can guard that: in three ways, or with the king aside.
    fn stops_bishop_pawn(&self, long_side: bool) -> bool {
        let ways = self.ways_to_guard_home();
        ways >= 3
            || (ways >= 1
                && (files_apart(self.enemy, self.rival) >= 2 || (long_side && self.checks() >= 2)))
    }

    /// The square is between a pawn's file and the nearer edge.
    fn is_on_short_side(&self, square: Square) -> bool {
        let (file, own) = (square.file(), self.rival.file());
        if own < 4 { file < own } else { file > own }
    }

    /// The square is two files or more away on the other side.
    fn is_far_on_long_side(&self, square: Square) -> bool {
        files_apart(square, self.rival) >= 2 && !self.is_on_short_side(square)
    }

    /// How many squares there are from where the queen, once there, takes what
    /// appears on the promotion square.
    fn ways_to_guard_home(&self) -> usize {
        let men: Bitboard = [self.king, self.enemy, self.rival].into_iter().collect();
        let later: Bitboard = [self.king, self.enemy, self.home()].into_iter().collect();
        let guarding = self.reached() & attacks::attacks(Role::Queen, self.home(), later);
        (guarding - men).into_iter().filter(|square| self.is_safe(*square)).count()
    }

    /// We do not win: the enemy king is beside its rook or bishop pawn and
    /// ours too far away to help.
    pub fn cannot_win(&self) -> bool {
        let away = self.enemy.distance(self.home());
        if away > 2 || is_plain_file(self.rival) {
            return false;
        }
        let near = self.king.distance(self.home());
        let apart = self.king.distance(self.enemy);
        let aside = files_apart(self.king, self.enemy) >= 1;
        let files = files_apart(self.queen, self.rival);
        if on_rook_file(self.rival) {
            return (away == 1 && self.king.rank() >= 5 && files >= 2)
                || (away == 1 && apart >= 4 && self.king.distance(self.rival) >= 4 && aside)
                || (self.enemy.rank() <= 1 && near >= 6 && (3..=5).contains(&files));
        }
        let beside = self.enemy.distance(self.rival) == 1;
        let far = self.king.distance(self.rival);
        let short = self.is_on_short_side(self.queen);
        (self.enemy.rank() <= 1 && near >= 5 && files >= 2)
            || (apart >= 5 && self.enemy.rank() <= 1 && files == 1 && self.checks() >= 2)
            || (away <= 1 && near >= 5 && !short && aside)
            || (!short && files >= 1 && far >= 3 && to_corner(self.enemy) <= 1)
            || (beside && far >= 3 && to_corner(self.enemy) <= 1 && aside)
            || (away == 1 && self.king.rank() >= 4 && self.is_far_on_long_side(self.king))
            || (beside && near >= 5 && self.enemy.file() == self.rival.file() && away >= 1)
            || (beside && far >= 4 && files <= 1 && self.is_on_short_side(self.enemy))
            || (self.is_on_short_side(self.enemy)
                && !short
                && (2..=4).contains(&files)
                && far >= self.enemy.distance(self.rival) + 2)
    }

    /// The pawn is still on the sixth: it loses unless it is a bishop pawn
    /// with its king on one of three squares beside the promotion square.
    pub fn beats_sixth(&self) -> bool {
        let side = |square: Square| (square.file() - self.rival.file()).signum();
        let clear = self.king.rank() <= 4 || self.king.distance(self.queen) > 3;
        if !is_bishop_file(self.rival) || clear {
            return true;
        }
        let near = self.enemy.distance(self.home()) <= 1;
        let doubtful = match (side(self.enemy), self.is_on_short_side(self.enemy)) {
            (0, _) => self.enemy.rank() == 0,
            (_, true) => self.enemy.rank() == 0,
            (_, false) => self.enemy.rank() == 1,
        };
        !(near && doubtful) || (side(self.king) != side(self.enemy) && self.checks() >= 1)
    }
}
