//! Kings that hold the rival, or are lured away from it.

use molien_board::Square;

use super::view::View;
use super::{Duel, DuelRule};
use crate::geometry::{files_apart, on_rook_file, up};

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
            || (!self.runs && !self.rival_runs && self.has_rival_in_view())
    }

    /// Our king is on the rival's side of our pawn and would hold it if we were
    /// to move as well (no stalemate saves a side that has a pawn), or it is on
    /// our pawn's file with the enemy king away from the rival.
    fn has_rival_in_view(&self) -> bool {
        let Duel { king, pawn, enemy, rival } = self.men;
        let same_side = (king.file() - pawn.file()) * (rival.file() - pawn.file()) > 0;
        (same_side
            && self.enemy_to_home() - self.king_to_rival_home() <= 5
            && !self.men.theirs_alone().wins(false))
            || (self.king_files_to_pawn() == 0
                && self.enemy_to_rival_home() > 2
                && enemy.distance(rival) >= self.moves() - 2)
    }

    /// Neither pawn runs, but ours lures the enemy king away: it has to take
    /// our pawn, and our king holds the rival meanwhile.
    pub fn lures_enemy(&self) -> Option<DuelRule> {
        if self.runs || self.rival_runs {
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
        let drawn = self.king_to_home() - self.enemy_to_home() >= 4
            && self.enemy_to_home() + 2 <= self.moves()
            && self.king_to_rival_home() < self.rival_moves();
        let waits = (before || behind || drawn) && self.saved_by_waiting();
        (runs || waits || self.is_first_at_pawn()).then_some(DuelRule::Lures)
    }

    /// The enemy king is far above our pawn, ours nearer to it and well before
    /// the rival.
    fn is_first_at_pawn(&self) -> bool {
        let Duel { king, pawn, enemy, .. } = self.men;
        enemy.rank() >= pawn.rank() + 4
            && self.ranks_before_rival() >= 2
            && enemy.distance(pawn) >= king.distance(pawn) + 2
    }

    /// Neither pawn runs, but ours is ahead and would win alone: the enemy
    /// has no time to win with the rival.
    pub fn keeps_enemy_busy(&self) -> Option<DuelRule> {
        let may = !self.runs
            && !self.rival_runs
            && self.lead() > 0
            && self.men.enemy.distance(self.men.pawn) > 2
            && self.king_files_to_rival() <= 5
            && self.kings_apart() > 2;
        (may && self.pawn_alone_wins() || self.leads_home()).then_some(DuelRule::KeepsBusy)
    }

    /// The rival runs, but our pawn is ahead, wins alone even a move late, and
    /// our king is nearer to its promotion square; no rook pawn.
    fn leads_home(&self) -> bool {
        self.rival_runs
            && !self.runs
            && self.lead() >= if self.to_move { 1 } else { 2 }
            && self.enemy_to_home() > self.king_to_home()
            && !on_rook_file(self.men.pawn)
            && self.men.mine_alone().wins(false)
    }

    /// The rival runs and ours does not, but our king leads it home at least
    /// two moves ahead, from the other side than the enemy king.
    pub fn escorts(&self) -> Option<DuelRule> {
        let Duel { king, pawn, enemy, .. } = self.men;
        let side = |square: Square| (square.file() - pawn.file()).signum();
        let won = self.rival_runs
            && !self.runs
            && self.lead() >= 2
            && self.enemy_to_home() >= self.king_to_home()
            && !self.king_in_the_way()
            && side(king) != side(enemy)
            && self.men.mine_alone().wins(false);
        won.then_some(DuelRule::Escorts)
    }

    /// Our pawn runs; our king catches the rival first, and our pawn still
    /// wins after that.
    pub fn catches_and_wins(&self) -> Option<DuelRule> {
        if !self.runs || self.rival_runs {
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
        let won = (won && self.rival_alone_is_drawn()) || self.has_time_to_catch();
        won.then_some(DuelRule::CatchesAndWins)
    }

    /// Our pawn runs and can wait while our king deals with the rival.
    fn has_time_to_catch(&self) -> bool {
        let Duel { king, pawn, enemy, rival } = self.men;
        let side = |square: Square| (square.file() - rival.file()).signum();
        let same_side = side(king) == side(enemy);
        let spare = self.enemy_to_home() - self.moves();
        let nearer = self.enemy_to_rival_home() - self.king_to_rival_home();
        // Nothing the enemy king does in time matters.
        let idle = same_side
            && spare >= 3
            && enemy.rank() >= rival.rank() - 2
            && self.king_files_to_rival() >= 1
            && king.distance(pawn) <= 6;
        if idle {
            return true;
        }
        // Our king holds the rival even one step further on.
        let holds_next = rival.rank() > 1 && {
            let next = Duel { rival: up(rival, -1), ..self.men };
            let alone = next.theirs_alone();
            king != next.rival && enemy != next.rival && !alone.wins(!self.to_move)
        };
        let close = holds_next
            && self.rival_alone_is_drawn()
            && spare >= 3
            && nearer >= 0
            && self.kings_apart() <= 4;
        let first = holds_next
            && king.distance(rival) >= 2
            && nearer >= 3
            && self.lead() >= -1
            && self.rival_moves() <= 3;
        let past = !first
            && !close
            && self.enemy_to_rival_home() >= 4
            && rival.rank() < pawn.rank()
            && self.ranks_before_rival() <= 1
            && self.rival_alone_is_drawn()
            && !self.theirs().saved_by_waiting();
        close || first || past
    }
}
