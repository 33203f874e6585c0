//! Pawns on one file that face each other.
//!
//! Neither pawn gets past the other until a king takes one, so all depends on
//! how much nearer each king is to the pawns than the other, and on what the
//! pawn that is left is worth.

use super::view::View;
use super::{Bounds, Duel, DuelRule};

impl Duel {
    pub(super) fn blocked_rules(self, exact: bool, bounds: &mut Bounds) {
        let [white, black] = View::standing(self, exact);
        if bounds.low == -1
            && let Some(rule) = white.is_safe_when_blocked()
        {
            bounds.at_least(0, rule);
        }
        if bounds.high == 1
            && let Some(rule) = black.is_safe_when_blocked()
        {
            bounds.at_most(0, rule);
        }
        if bounds.high == 1 && white.wins_blocked_rival() {
            bounds.at_least(1, DuelRule::CatchesAndWins);
        }
        if bounds.low == -1 && black.wins_blocked_rival() {
            bounds.at_most(-1, DuelRule::CatchesAndWins);
        }
    }
}

impl View {
    fn is_safe_when_blocked(&self) -> Option<DuelRule> {
        if self.guards_blocked_pawn() {
            Some(DuelRule::Blocked)
        } else {
            let holds = self.is_placed_when_blocked() && self.rival_alone_is_drawn();
            holds.then_some(DuelRule::Holds)
        }
    }

    /// Our king is in time for the pawns, whatever the rival is worth: it is
    /// nearer to both, or the enemy king is far above them.
    fn guards_blocked_pawn(&self) -> bool {
        let Duel { king, pawn, enemy, rival } = self.men;
        let to_rival = enemy.distance(rival) - king.distance(rival);
        let to_pawn = enemy.distance(pawn) - king.distance(pawn);
        let home = self.king_to_rival_home();
        let nearer = to_rival > 1 && to_pawn > 0 && home > 2;
        let early = enemy.rank() > pawn.rank() + 3
            && to_pawn >= 0
            && home > 1
            && self.enemy_to_rival_home() > home + 1;
        nearer || early
    }

    /// Our pawn is not so far behind that the enemy king can take it and
    /// still support the rival.
    fn is_placed_when_blocked(&self) -> bool {
        let Duel { king, pawn, enemy, .. } = self.men;
        let nearer = king.distance(pawn) <= enemy.distance(pawn);
        self.moves() <= 4 || (self.lead() >= 0 && nearer) || self.ranks_behind_pawn() <= 0
    }

    /// Our king is so much nearer to the rival that it falls, and our pawn
    /// wins although the enemy king gets before it meanwhile.
    fn wins_blocked_rival(&self) -> bool {
        let Duel { king, pawn, enemy, rival } = self.men;
        let attack = enemy.distance(rival) - king.distance(rival);
        self.exact
            && attack > 2
            && self.ranks_behind_pawn() <= 0
            && rival.rank() - pawn.rank() == 1
            && !self.theirs().saved_by_waiting()
    }
}
