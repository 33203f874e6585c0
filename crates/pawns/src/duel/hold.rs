//! Kings that hold the rival, or are lured away from it.

use super::DuelRule;
use super::view::View;
use crate::geometry::files_apart;

impl View {
    /// Our king holds the rival, whatever becomes of our pawn.
    pub fn holds_rival(&self) -> Option<DuelRule> {
        (self.is_placed_to_hold() && self.rival_alone_is_drawn()).then_some(DuelRule::Holds)
    }

    /// Our king is well placed against the rival and our pawn is not in its
    /// way.
    fn is_placed_to_hold(&self) -> bool {
        let behind = self.ranks_behind_pawn() >= 1 && self.men.king.distance(self.men.pawn) > 1;
        let before = self.ranks_before_rival() >= 2;
        let away = self.enemy_to_rival_home();
        let early = self.rival_moves() > 4 && self.king_files_to_rival() <= 4;
        let near = self.men.king.distance(self.men.rival);
        let own = self.men.king.distance(self.men.pawn);
        let apart = files_apart(self.men.pawn, self.men.rival) > 2;
        let nearer = near < self.men.enemy.distance(self.men.rival);
        (away > 2 && (before || behind))
            || early
            || (near <= 3 && ((away > 4 && self.lead() > -2) || (apart && nearer)))
            || (near <= 4 && own > 2 && self.king_to_home() <= 6)
    }

    /// Neither pawn runs, but ours lures the enemy king away: it has to take
    /// our pawn, and our king holds the rival meanwhile.
    pub fn lures_enemy(&self) -> Option<DuelRule> {
        if self.runs.is_some() || self.rival_runs.is_some() {
            return None;
        }
        let nearer = self.enemy_to_rival_home() - self.king_to_rival_home();
        let runs = nearer > 0
            && self.rival_moves() > 4
            && files_apart(self.men.enemy, self.men.pawn) > 0
            && self.saved_by_running();
        let before = nearer > 1 && self.ranks_before_rival() > 1 && self.king_files_to_pawn() > 1;
        let behind = self.lead() >= 0
            && self.ranks_behind_pawn() > 0
            && self.men.enemy.rank() > self.men.rival.rank();
        (runs || ((before || behind) && self.saved_by_waiting())).then_some(DuelRule::Lures)
    }

    /// Neither pawn runs, but ours is ahead and would win alone: the enemy
    /// has no time to win with the rival.
    pub fn keeps_enemy_busy(&self) -> Option<DuelRule> {
        let may = self.runs.is_none()
            && self.rival_runs.is_none()
            && self.lead() > 0
            && self.men.enemy.distance(self.men.pawn) > 2
            && self.king_files_to_rival() <= 5
            && self.kings_apart() > 2;
        (may && self.pawn_alone_wins()).then_some(DuelRule::KeepsBusy)
    }

    /// Our pawn runs; our king catches the rival first, and our pawn still
    /// wins after that.
    pub fn catches_and_wins(&self) -> Option<DuelRule> {
        if self.runs.is_none() || self.rival_runs.is_some() {
            return None;
        }
        let spare = self.men.enemy.distance(self.home()) - self.moves();
        let away = self.enemy_to_rival_home();
        let won = if self.lead() <= 1 {
            let may =
                (away > 2 && self.moves() <= 2) || (away > 4 && self.moves() <= 3 && spare > 1);
            may && self.wins_after_chase()
        } else {
            self.men.king.distance(self.men.pawn) > 2
                && self.chase().is_some_and(|at| spare > self.men.king.distance(at).max(1))
        };
        (won && self.rival_alone_is_drawn()).then_some(DuelRule::CatchesAndWins)
    }
}
