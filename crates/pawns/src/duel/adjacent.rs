//! Pawns on neighbouring files that have not passed each other.

use super::view::View;
use super::{Bounds, Duel, DuelRule};
use crate::geometry::files_apart;

impl Duel {
    pub(super) fn adjacent_rules(self, bounds: &mut Bounds) {
        if self.pawn_takes() {
            return;
        }
        let [white, black] = View::standing(self);
        if let Some((least, rule)) = white.by_running() {
            bounds.at_least(least, rule);
        }
        if bounds.low < 1
            && let Some((least, rule)) = black.by_running()
        {
            bounds.at_most(-least, rule);
        }
        if bounds.value().is_some() {
            return;
        }
        let closed = self.rival.rank() - self.pawn.rank() == 1;
        if let Some(rule) = white.is_safe_adjacent(closed) {
            bounds.at_least(0, rule);
        }
        if let Some(rule) = black.is_safe_adjacent(closed) {
            bounds.at_most(0, rule);
        }
    }
}

impl View {
    fn is_safe_adjacent(&self, closed: bool) -> Option<DuelRule> {
        if !closed && self.guards_adjacent() {
            Some(DuelRule::Guards)
        } else {
            self.rival_alone_is_drawn().then_some(DuelRule::Holds)
        }
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
