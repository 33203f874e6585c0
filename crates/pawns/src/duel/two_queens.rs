//! Both sides have just queened, each where its pawn went, and one is to move.
//!
//! It wins if it takes the other queen, or if a check mates or wins the queen
//! behind the king; almost nothing else ever wins. What is said here is
//! checked against every position of queen against queen with the queens on
//! the first and the last rank.

use molien_board::{Bitboard, Role, Square, attacks};

use super::queens::{at_edge, to_corner};
use crate::geometry::{files_apart, on_rook_file, zone};

/// The side to move ("we") and the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TwoQueens {
    pub king: Square,
    pub queen: Square,
    pub enemy: Square,
    /// The enemy's queen.
    pub rival: Square,
}

impl TwoQueens {
    fn men(&self) -> Bitboard {
        [self.king, self.queen, self.enemy, self.rival].into_iter().collect()
    }

    /// We are in check.
    pub fn in_check(&self) -> bool {
        attacks::attacks(Role::Queen, self.rival, self.men()).contains(self.king)
    }

    /// We win at once, or by a second check with the kings close together.
    pub fn wins(&self) -> bool {
        self.wins_at_once()
            || (self.king.distance(self.enemy) == 2
                && at_edge(self.enemy)
                && !self.in_check()
                && self.wins_by_two_checks())
    }

    /// We take the queen, or a check wins.
    fn wins_at_once(&self) -> bool {
        self.takes() || (!self.in_check() && self.wins_by_check())
    }

    /// Wherever the king goes after a check, we win at once.
    fn wins_by_two_checks(&self) -> bool {
        let free = attacks::king(self.enemy) - zone(self.king) - Bitboard::from_square(self.rival);
        let through: Bitboard = [self.king, self.rival].into_iter().collect();
        self.checks().into_iter().any(|queen| {
            let flights = free - attacks::attacks(Role::Queen, queen, through);
            let after = |enemy| TwoQueens { queen, enemy, ..*self };
            !self.is_taken(queen)
                && !self.is_parried(queen)
                && flights.into_iter().all(|step| after(step).wins_at_once())
        })
    }

    /// We take the queen, which its king does not guard, and do not stalemate.
    fn takes(&self) -> bool {
        let TwoQueens { king, queen, enemy, rival } = *self;
        if enemy.distance(rival) == 1 {
            return false;
        }
        let sees = attacks::attacks(Role::Queen, queen, self.men()).contains(rival);
        (king.distance(rival) == 1 && !self.stalemates(rival, queen))
            || (sees && !self.stalemates(king, rival))
    }

    /// With our king and queen here the lone king has no move.
    fn stalemates(&self, king: Square, queen: Square) -> bool {
        let others: Bitboard = [king, self.enemy].into_iter().collect();
        let seen = attacks::attacks(Role::Queen, queen, others);
        (attacks::king(self.enemy) - zone(king) - seen).is_empty() && !seen.contains(self.enemy)
    }

    /// Where our queen gives check.
    fn checks(&self) -> Bitboard {
        let others: Bitboard = [self.king, self.enemy, self.rival].into_iter().collect();
        let from = attacks::attacks(Role::Queen, self.queen, self.men()) - others;
        from & attacks::attacks(Role::Queen, self.enemy, others)
    }

    /// A check mates, or the king must step aside and its queen falls.
    fn wins_by_check(&self) -> bool {
        let free = attacks::king(self.enemy) - zone(self.king) - Bitboard::from_square(self.rival);
        let guard = attacks::king(self.rival);
        let through: Bitboard = [self.king, self.rival].into_iter().collect();
        self.checks().into_iter().any(|square| {
            let flights = free - attacks::attacks(Role::Queen, square, through);
            let behind = attacks::between(square, self.rival).contains(self.enemy);
            (flights.is_empty() || (behind && (flights & guard).is_empty()))
                && !self.is_taken(square)
                && !self.is_parried(square)
        })
    }

    /// Our queen is taken on this square.
    fn is_taken(&self, square: Square) -> bool {
        let by_king = self.enemy.distance(square) == 1 && self.king.distance(square) > 1;
        by_king || self.rival_sees(square).contains(square)
    }

    /// The other queen steps between after a check from this square.
    fn is_parried(&self, square: Square) -> bool {
        !(self.rival_sees(square) & attacks::between(square, self.enemy)).is_empty()
    }

    /// What the other queen sees with ours on this square.
    fn rival_sees(&self, square: Square) -> Bitboard {
        let others: Bitboard = [self.king, self.enemy, square].into_iter().collect();
        attacks::attacks(Role::Queen, self.rival, others)
    }

    /// We do not win: we take nothing, no check wins, and the enemy king has
    /// room, or ours is far from it, or its own queen near.
    pub fn cannot_win(&self) -> bool {
        (self.is_quiet() || self.is_roomy()) && !self.wins()
    }

    /// The enemy king is not in danger unless a check wins at once.
    fn is_quiet(&self) -> bool {
        let TwoQueens { king, queen, enemy, rival } = *self;
        let room = (attacks::king(enemy) - zone(king)).len();
        let apart = king.distance(enemy);
        let aside = files_apart(enemy, queen) >= 1;
        let far = files_apart(enemy, rival) >= 2;
        let ranks = (enemy.rank() - rival.rank()).abs();
        let level = (king.rank() - enemy.rank()).abs() <= 1;
        let corners = files_apart(queen, rival) == 7;
        if !corners
            && ((room >= 7 && aside) || (apart >= 4 && far) || (room >= 4 && far && ranks >= 2))
        {
            return true;
        }
        let near = enemy.distance(rival);
        (apart >= 4 && !far && near <= 3)
            || (room >= 4 && near >= 6 && aside)
            || (room >= 4 && far && level)
            || (room >= 3
                && near == 7
                && files_apart(king, enemy) <= 2
                && (king.rank() - rival.rank()).abs() >= 3)
            || (aside && near <= 3 && king.distance(rival) >= 4 && room <= 6)
            || (!on_rook_file(rival) && self.has_shelter(room, ranks))
            || (files_apart(enemy, rival) >= 3
                && ranks >= 2
                && king.rank() != enemy.rank()
                && (king.rank() - rival.rank()).abs() <= 4)
            || (self.in_check() && self.is_safe_from_countercheck(room))
    }

    /// We are in check; what we answer does not win.
    fn is_safe_from_countercheck(&self, room: usize) -> bool {
        let TwoQueens { queen, enemy, rival, .. } = *self;
        (room >= 5 && enemy.distance(rival) >= 2)
            || (files_apart(queen, rival) >= 2
                && files_apart(enemy, queen) >= 1
                && to_corner(enemy) >= 1)
    }

    /// The enemy's queen is not in a corner, and its king near it, or off the
    /// edge with our king near that queen's file.
    fn has_shelter(&self, room: usize, ranks: i32) -> bool {
        let TwoQueens { king, queen, enemy, rival } = *self;
        let aside = files_apart(enemy, queen);
        (enemy.distance(rival) <= 3 && room >= 5 && aside >= 2)
            || (ranks <= 2 && king.distance(enemy) >= 3 && aside >= 1)
            || (enemy.distance(rival) <= 2
                && files_apart(enemy, rival) <= 1
                && king.distance(rival) >= 3)
            || (files_apart(king, rival) <= 2 && !at_edge(enemy) && queen.file() != rival.file())
    }

    /// Every check leaves the enemy king several squares.
    fn is_roomy(&self) -> bool {
        let TwoQueens { king, queen, enemy, rival } = *self;
        let open = !on_rook_file(rival) && queen.file() != rival.file() && to_corner(enemy) >= 2;
        let home = enemy.rank() == rival.rank() && files_apart(king, enemy) >= 2;
        let behind = (king.rank() - rival.rank()).abs() >= 4 && files_apart(king, enemy) <= 1;
        (behind && files_apart(enemy, rival) >= 1 && self.fewest_flights() >= 2)
            || (open && self.fewest_flights() >= 4)
            || (home && self.fewest_flights() >= 2 && !self.in_check())
    }

    /// The fewest squares to which the enemy king can flee from a check that
    /// does not lose our queen; many if there is none.
    fn fewest_flights(&self) -> usize {
        let free = attacks::king(self.enemy) - zone(self.king) - Bitboard::from_square(self.rival);
        let flights = |square: Square| {
            let through: Bitboard = [self.king, self.rival].into_iter().collect();
            (free - attacks::attacks(Role::Queen, square, through)).len()
        };
        let safe = self.checks().into_iter().filter(|square| !self.is_taken(*square));
        safe.map(flights).min().unwrap_or(usize::MAX)
    }

    /// We do not lose: we are not in check (nor cramped at the edge), or have
    /// a step after which the enemy does not win.
    pub fn cannot_lose(&self) -> bool {
        let TwoQueens { king, queen, enemy, rival } = *self;
        if !self.in_check() {
            let cramped = at_edge(king) && king.distance(queen) == 1;
            return !cramped || king.distance(enemy) > 2 || self.takes();
        }
        let through: Bitboard = [queen, enemy].into_iter().collect();
        let seen = attacks::attacks(Role::Queen, rival, through);
        let steps = attacks::king(king) - zone(enemy) - seen - Bitboard::from_square(queen);
        let after = |step| TwoQueens { king: enemy, queen: rival, enemy: step, rival: queen };
        self.takes() || steps.into_iter().any(|step| after(step).cannot_win())
    }
}
