//! Pawns that have passed each other or stand two or more files apart.

use molien_board::{Bitboard, Square, attacks};

use super::queens::{NewQueen, least_against_queen};
use super::view::View;
use super::{Bounds, Duel, DuelRule, Wanted};
use crate::geometry::{pawn_guard, spread, up, zone};

impl Duel {
    pub(super) fn passed_rules(self, wanted: Wanted, bounds: &mut Bounds) {
        let views = View::both(self);
        win_rules(&views, wanted, bounds, View::wins_race);
        if bounds.is_settled() {
            return;
        }
        let [white, black] = &views;
        if wanted.least
            && bounds.low == -1
            && let Some(rule) = white.is_safe()
        {
            bounds.at_least(0, rule);
        }
        if wanted.most
            && bounds.high == 1
            && let Some(rule) = black.is_safe()
        {
            bounds.at_most(0, rule);
        }
        let wins = |view: &View| view.catches_and_wins().or_else(|| view.escorts());
        win_rules(&views, wanted, bounds, wins);
        // The dearest rules come last.
        if !bounds.is_settled() {
            running_rules(&views, wanted, bounds);
        }
    }

    /// The same as [`runs_home`](Duel::runs_home), step by step.
    pub(super) fn runs_when_tried(self, first: bool) -> bool {
        let (mut king, mut pawn) = (self.king, self.pawn);
        let mut reached = Bitboard::from_square(self.enemy);
        let mut black_moves = !first;
        loop {
            if black_moves {
                reached = spread(reached) - zone(king) - pawn_guard(pawn);
                if reached.contains(pawn) {
                    return false;
                }
            }
            black_moves = true;
            if pawn.rank() == 7 {
                return true;
            }
            let next = up(pawn, 1);
            if next == self.rival || reached.contains(next) {
                return false;
            }
            if next == king {
                match self.step_aside(king, pawn, reached) {
                    Some(square) => king = square,
                    None => return false,
                }
                continue;
            }
            let double = up(pawn, 2.min(7 - pawn.rank()));
            let leaps = pawn.rank() == 1
                && double != king
                && double != self.rival
                && !reached.contains(double);
            pawn = if leaps { double } else { next };
        }
    }

    fn step_aside(self, king: Square, pawn: Square, reached: Bitboard) -> Option<Square> {
        (attacks::king(king)
            - Bitboard::file(pawn.file())
            - spread(reached)
            - self.rival_guard()
            - Bitboard::from_square(self.rival))
        .into_iter()
        .max_by_key(|square| (square.distance(pawn) == 1, square.index()))
    }

    /// Bounds after White's pawn promotes on `square`, Black to move.
    pub(super) fn promotion_bounds(self, square: Square) -> (i8, i8) {
        let Duel { king, enemy, rival, .. } = self;
        let new = NewQueen { king, queen: square, rival };
        let low = new.least(Bitboard::from_square(enemy), -1);
        if low == 1 {
            return (1, 1);
        }
        // A rook may win where a queen stalemates.
        let steps = attacks::king(enemy) - zone(king) - Bitboard::from_square(rival);
        if steps.len() <= 2 || least_against_queen(self.turned(), square.flip_vertical()) < 0 {
            return (low, 1);
        }
        (low, 0)
    }
}

/// Whether a rule says that one side or the other wins.
fn win_rules(
    [white, black]: &[View; 2],
    wanted: Wanted,
    bounds: &mut Bounds,
    wins: impl Fn(&View) -> Option<DuelRule>,
) {
    if wanted.least
        && bounds.high == 1
        && let Some(rule) = wins(white)
    {
        bounds.at_least(1, rule);
    }
    if wanted.most
        && bounds.low == -1
        && let Some(rule) = wins(black)
    {
        bounds.at_most(-1, rule);
    }
}

/// What each side gets by running.
pub(super) fn running_rules([white, black]: &[View; 2], wanted: Wanted, bounds: &mut Bounds) {
    if wanted.least
        && let Some((least, rule)) = white.by_running(bounds.low)
    {
        bounds.at_least(least, rule);
    }
    if wanted.most
        && !bounds.is_settled()
        && let Some((least, rule)) = black.by_running(-bounds.high)
    {
        bounds.at_most(-least, rule);
    }
}

impl View {
    /// We do not lose.
    fn is_safe(&self) -> Option<DuelRule> {
        self.survives_race()
            .or_else(|| self.holds_rival())
            .or_else(|| self.lures_enemy())
            .or_else(|| self.keeps_enemy_busy())
    }
}
