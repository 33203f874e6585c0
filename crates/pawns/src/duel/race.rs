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
        let won = if self.rival_runs.is_none() {
            self.stops_rival(lead)
        } else {
            match lead {
                4.. => true,
                3 => self.beats_pawn_on_fifth(),
                2 => self.beats_pawn_on_sixth(),
                1 => self.beats_pawn_on_seventh(),
                _ => false,
            }
        };
        won.then_some(DuelRule::WinsTheRace)
    }

    /// Our pawn runs and the rival does not: our king stands before it, or
    /// we queen in time and the enemy king is too far from it.
    fn stops_rival(&self, lead: i32) -> bool {
        if lead <= 0 {
            return self.king_files_to_rival() == 0 && self.ranks_before_rival() > 0;
        }
        let spare = self.men.enemy.distance(self.home()) - self.moves();
        lead > 1 && spare > 1 && self.enemy_to_rival_home() > 2 && self.king_files_to_pawn() > 0
    }

    /// We have queened; the rival needs three moves more.
    fn beats_pawn_on_fifth(&self) -> bool {
        let [mine, theirs] = [self.men.king, self.men.enemy].map(|king| king.distance(self.home()));
        self.enemy_to_rival_home() > 2
            || (theirs <= mine + 3 && self.men.pawn.file() != self.men.rival.file())
            || (!self.king_in_the_way() && files_apart(self.men.enemy, self.men.pawn) > 1)
    }

    /// We have queened; the rival needs two moves more.
    fn beats_pawn_on_sixth(&self) -> bool {
        let far = self.enemy_to_rival_home() > 2
            && self.king_files_to_rival() > 0
            && self.king_files_to_pawn() > 0;
        far || (!self.king_in_the_way() && self.is_plain_and_clear())
    }

    /// We have queened; the rival needs one move: our queen arrives with
    /// check, or takes the new queen, or the enemy king is in its pawn's way.
    fn beats_pawn_on_seventh(&self) -> bool {
        let plain = PawnKind::of(self.men.rival) == PawnKind::Plain;
        if plain && self.enemy_in_the_way() && self.king_files_to_pawn() > 1 {
            return true;
        }
        let clear = self.is_plain_and_clear();
        if self.king_in_the_way() {
            return false;
        }
        let (home, away) = (self.rival_home(), self.enemy_to_rival_home());
        (clear && self.queen_sees(up(home, 1)).contains(self.men.enemy))
            || ((away > 3 || (away > 1 && clear)) && self.queen_sees(home).contains(home))
    }

    /// The rival is no rook or bishop pawn, and our king is not near its file.
    fn is_plain_and_clear(&self) -> bool {
        PawnKind::of(self.men.rival) == PawnKind::Plain && self.king_files_to_rival() > 1
    }

    /// We queen, and that is enough for a draw.
    pub fn survives_race(&self) -> Option<DuelRule> {
        self.runs?;
        if self.lead() <= 0 {
            return self.queens_second().then_some(DuelRule::BothQueen);
        }
        self.queens_first().then_some(DuelRule::QueensFirst)
    }

    fn queens_first(&self) -> bool {
        let lead = self.lead();
        let distance = self.king_to_rival_home();
        let files = self.king_files_to_rival();
        if distance > 1 && (self.enemy_in_the_way() || (lead > 1 && files <= 6)) {
            return true;
        }
        let apart = files_apart(self.men.pawn, self.men.rival);
        let (kings, beside) = (self.kings_apart(), self.king_files_to_pawn() <= 1);
        if self.rival_runs.is_none() {
            return apart <= 6 && files > 1 && kings > 2;
        }
        let home = self.rival_home();
        (kings > 2 && !beside && apart <= 6)
            || (kings > 4 && distance > 4 && !self.queen_sees(up(home, 1)).contains(home))
    }

    /// The enemy queens just before us.
    fn queens_second(&self) -> bool {
        let theirs = self.theirs();
        if self.rival_runs.is_none() || theirs.lead() != 1 {
            return false;
        }
        let [mine, away] = [self.men.king, self.men.enemy].map(|king| king.distance(self.home()));
        match PawnKind::of(self.men.pawn) {
            PawnKind::Bishop if mine <= 2 && away > 4 => return true,
            PawnKind::Bishop | PawnKind::Rook if away > mine + 5 => return true,
            _ => {}
        }
        // The enemy's queen neither checks nor stops our pawn nor takes our queen.
        let (home, seventh) = (theirs.rival_home(), up(theirs.rival_home(), 1));
        let before = theirs.queen_sees(seventh);
        if before.contains(theirs.men.enemy)
            || before.contains(home)
            || theirs.queen_sees(home).contains(home)
        {
            return false;
        }
        let files = self.king_files_to_pawn();
        let far = files > 1 && self.kings_apart() > 3;
        let near = away > mine + 3 && !self.king_in_the_way() && self.king_files_to_rival() <= 6;
        let inside = files > 1
            && !self.men.king_at_edge()
            && self.enemy_to_rival_home() > self.king_to_rival_home() - 2;
        (far || near || inside) && !theirs.has_skewer()
    }
}
