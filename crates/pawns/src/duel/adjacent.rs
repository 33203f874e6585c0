//! Pawns on neighbouring files that have not passed each other.

use super::{Bounds, Duel, DuelRule};

impl Duel {
    pub(super) fn adjacent_rules(self, exact: bool, bounds: &mut Bounds) {
        if self.pawn_takes() {
            return;
        }
        let mine = self.mine_alone();
        let mine_drawn = if exact { !mine.wins(true) } else { mine.surely_drawn(true) };
        if mine_drawn {
            bounds.at_most(0, DuelRule::BothHeld);
        }
        let theirs = self.theirs_alone();
        let theirs_drawn = if exact { !theirs.wins(false) } else { theirs.surely_drawn(false) };
        if theirs_drawn {
            bounds.at_least(0, DuelRule::BothHeld);
        }
    }
}
