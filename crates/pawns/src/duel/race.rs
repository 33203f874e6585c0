//! Pawns that run: who queens first, and what the other has by then.

use super::DuelRule;
use super::passed::PawnKind;
use super::view::View;
use crate::geometry::{files_apart, up};

impl View {
    /// We win by running.
    pub fn wins_race(&self) -> Option<DuelRule> {
        self.runs?;
        let lead = self.lead();
        let won = match self.rival_runs {
            Some(_) if lead >= 4 => true,
            Some(_) if self.king_in_the_way() => false,
            Some(_) if lead == 3 => files_apart(self.men.enemy, self.men.pawn) > 1,
            Some(_) if lead == 2 => self.beats_plain_pawn(),
            Some(_) if lead == 1 => {
                let seventh = up(self.rival_home(), 1);
                (self.queen_sees(seventh).contains(self.men.enemy) && self.beats_plain_pawn())
                    || (self.enemy_to_rival_home() > 3
                        && self.queen_sees(self.rival_home()).contains(self.rival_home()))
            }
            Some(_) => false,
            // Our king stands before the rival, which is no match for it.
            None => {
                lead <= 0 && self.king_files_to_rival() == 0 && self.ranks_before_rival() > 0
            }
        };
        won.then_some(DuelRule::WinsTheRace)
    }

    /// A queen wins against a pawn on the sixth, or on the seventh if it
    /// arrives with check, unless it is a rook or bishop pawn.
    fn beats_plain_pawn(&self) -> bool {
        PawnKind::of(self.men.rival) == PawnKind::Plain && self.king_files_to_rival() > 1
    }

    /// We queen, and that is enough for a draw.
    pub fn survives_race(&self) -> Option<DuelRule> {
        self.runs?;
        let lead = self.lead();
        if lead <= 0 {
            return self.queens_second().then_some(DuelRule::BothQueen);
        }
        let distance = self.king_to_rival_home();
        let ahead = distance > 1
            && (self.enemy_in_the_way() || (lead > 1 && self.king_files_to_rival() <= 6));
        let safe = match self.rival_runs {
            Some(_) => {
                lead == 1
                    && self.kings_apart() > 4
                    && distance > 4
                    && !self.queen_sees(up(self.rival_home(), 1)).contains(self.rival_home())
            }
            None => {
                files_apart(self.men.pawn, self.men.rival) <= 6
                    && self.king_files_to_rival() > 1
                    && self.kings_apart() > 2
            }
        };
        (ahead || safe).then_some(DuelRule::QueensFirst)
    }

    /// The enemy queens just before us, but its queen neither checks nor
    /// stops our pawn nor wins our queen, and our king is not near.
    fn queens_second(&self) -> bool {
        let theirs = self.theirs();
        if self.rival_runs.is_none() || theirs.lead() != 1 {
            return false;
        }
        let before = theirs.queen_sees(up(theirs.rival_home(), 1));
        !before.contains(theirs.men.enemy)
            && !before.contains(theirs.rival_home())
            && !theirs.queen_sees(theirs.rival_home()).contains(theirs.rival_home())
            && self.king_files_to_pawn() > 1
            && self.kings_apart() > 3
            && !theirs.has_skewer()
    }
}
