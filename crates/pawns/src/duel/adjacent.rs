//! Pawns on neighbouring files that have not passed each other.

use super::passed::running_rules;
use super::view::View;
use super::{Bounds, Duel, DuelRule, Wanted};
use crate::geometry::{files_apart, on_rook_file};

impl Duel {
    pub(super) fn adjacent_rules(self, wanted: Wanted, bounds: &mut Bounds) {
        let views = View::standing(self);
        let [white, black] = &views;
        let closed = self.rival.rank() - self.pawn.rank() == 1;
        if !self.pawn_takes() {
            if wanted.least
                && bounds.low == -1
                && let Some(rule) = white.is_safe_adjacent(closed)
            {
                bounds.at_least(0, rule);
            }
            if wanted.most
                && bounds.high == 1
                && let Some(rule) = black.is_safe_adjacent(closed)
            {
                bounds.at_most(0, rule);
            }
            if wanted.least && bounds.high == 1 && white.wins_adjacent_rival() {
                bounds.at_least(1, DuelRule::CatchesAndWins);
            }
            if wanted.most && bounds.low == -1 && black.wins_adjacent_rival() {
                bounds.at_most(-1, DuelRule::CatchesAndWins);
            }
        }
        // The dearest rules come last.
        if !bounds.is_settled() {
            running_rules(&views, wanted, bounds);
        }
    }
}

impl View {
    fn is_safe_adjacent(&self, closed: bool) -> Option<DuelRule> {
        if !closed && self.guards_adjacent() {
            Some(DuelRule::Guards)
        } else if self.rival_alone_is_drawn() {
            Some(DuelRule::Holds)
        } else if self.counters_adjacent() {
            Some(DuelRule::KeepsBusy)
        } else {
            self.lures_adjacent(closed).then_some(DuelRule::Lures)
        }
    }

    /// We are to move, and our king gets to the rival no later than the
    /// enemy's to our pawn.
    fn counters_adjacent(&self) -> bool {
        let Duel { king, pawn, enemy, rival } = self.men;
        let race = enemy.distance(pawn) - king.distance(rival);
        let higher = king.rank() - enemy.rank();
        self.to_move
            && ((race >= 0 && self.kings_apart() >= 3 && self.ranks_behind_pawn() <= 2)
                || (race >= -1 && higher >= 2 && self.enemy_to_home() + 1 >= self.king_to_home()))
    }

    /// By the time the enemy king has taken our pawn, ours is before the rival
    /// or has taken it too.
    fn lures_adjacent(&self, closed: bool) -> bool {
        let Duel { king, pawn, enemy, rival } = self.men;
        let race = enemy.distance(pawn) - king.distance(rival);
        let behind = self.ranks_behind_pawn();
        let beside = king.distance(pawn) <= 1 && !on_rook_file(pawn);
        let level = behind <= 1 && race >= 1 && self.saved_by_waiting();
        let above = behind <= -4
            && king.rank() > enemy.rank()
            && king.distance(pawn) <= 6
            && self.king_to_rival_home() <= self.rival_moves() + 1
            && self.saved_by_waiting();
        (!closed && (beside || level)) || above
    }

    /// Our king is so much nearer to the rival that it falls, and waiting does
    /// not save the enemy.
    fn wins_adjacent_rival(&self) -> bool {
        let Duel { king, pawn, enemy, rival } = self.men;
        let lead = enemy.distance(rival) - king.distance(rival);
        let far = self.to_move
            && lead >= 3
            && ((self.king_to_rival_home() >= 5 && !on_rook_file(pawn))
                || (lead >= 4 && self.king_files_to_rival() <= 1));
        far && !self.theirs().saved_by_waiting()
    }

    /// With a rank or more between the pawns, our king is so placed that the
    /// enemy can neither win our pawn nor get the rival past it.
    fn guards_adjacent(&self) -> bool {
        let Duel { king, pawn, enemy, rival } = self.men;
        let (near, far) = (king.distance(pawn), enemy.distance(pawn));
        // The enemy king comes too late to the pawns.
        let late = (enemy.rank() > pawn.rank() + 3 && files_apart(king, rival) <= 3)
            || (far > 4 && files_apart(king, pawn) <= 3);
        let attacks_rival = far > 1 && king.distance(rival) <= 2 && self.ranks_behind_pawn() <= -2;
        let nearer = near < far && self.kings_apart() > 3 && self.ranks_behind_pawn() <= 2;
        late || attacks_rival || nearer
    }
}
