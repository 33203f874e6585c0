//! Pawns on one file that face each other.
//!
//! Neither pawn gets past the other until a king takes one, so all depends on
//! how much nearer each king is to the enemy pawn than its defender.

use super::view::View;
use super::{Bounds, Duel, DuelRule};
use crate::one_pawn::OnePawn;

impl Duel {
    pub(super) fn blocked_rules(self, exact: bool, bounds: &mut Bounds) {
        let gap = self.rival.rank() - self.pawn.rank();
        // How many steps White's king is ahead of Black's at Black's pawn,
        // and behind it at the own pawn.
        let attack = self.enemy.distance(self.rival) - self.king.distance(self.rival);
        let exposed = self.king.distance(self.pawn) - self.enemy.distance(self.pawn);
        let no_win = match wins_alone(self.mine_alone(), true, exact) {
            Some(true) => attack <= -2,
            Some(false) => attack >= 1 || (gap >= 3 && attack != -1),
            None => false,
        };
        if no_win {
            bounds.at_most(0, DuelRule::Blocked);
        }
        let no_loss = match wins_alone(self.theirs_alone(), false, exact) {
            Some(true) => exposed <= -1,
            Some(false) => match gap {
                1 => exposed >= 1,
                2 => exposed <= -2 || exposed == 0 || exposed >= 2,
                _ => true,
            },
            None => false,
        };
        if no_loss {
            bounds.at_least(0, DuelRule::Blocked);
        }
        let [white, black] = View::standing(self, exact);
        if bounds.low == -1 && white.holds_blocked() {
            bounds.at_least(0, DuelRule::Blocked);
        }
        if bounds.high == 1 && black.holds_blocked() {
            bounds.at_most(0, DuelRule::Blocked);
        }
    }
}

impl View {
    /// The rival would not win alone, and our pawn is not so far behind that
    /// the enemy king can take it and support the rival.
    fn holds_blocked(&self) -> bool {
        let lead = self.rival_moves() - self.moves() + i32::from(self.to_move);
        let nearer =
            self.men.king.distance(self.men.pawn) <= self.men.enemy.distance(self.men.pawn);
        let placed = self.moves() <= 4 || (lead >= 0 && nearer) || self.ranks_behind_pawn() <= 0;
        placed && self.rival_alone_is_drawn()
    }
}

/// Whether the pawn would win without the other; `None` if that is not known
/// without look-ahead and none is allowed.
fn wins_alone(men: OnePawn, to_move: bool, exact: bool) -> Option<bool> {
    if exact {
        Some(men.wins(to_move))
    } else if men.surely_won(to_move) {
        Some(true)
    } else {
        men.surely_drawn(to_move).then_some(false)
    }
}
