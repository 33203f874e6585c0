//! Pawns that run: who queens first, and what the other has by then.
//!
//! What a queen does against a pawn is known: it wins against a pawn that has
//! three moves to go, and against one further on unless that is a rook or
//! bishop pawn with its king beside it. The rules below say so with the kings
//! where they stand before the race; each has the margin that makes it true
//! whatever the kings do meanwhile.

use molien_board::Square;

use super::DuelRule;
use super::view::View;
use crate::geometry::{files_apart, up};

/// How a pawn on the seventh fares against a queen.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PawnKind {
    Plain,
    Rook,
    Bishop,
}

impl PawnKind {
    const fn of(pawn: Square) -> PawnKind {
        match pawn.file() {
            0 | 7 => PawnKind::Rook,
            2 | 5 => PawnKind::Bishop,
            _ => PawnKind::Plain,
        }
    }
}

impl View {
    /// We win by running.
    pub fn wins_race(&self) -> Option<DuelRule> {
        if !self.runs {
            return None;
        }
        let lead = self.lead();
        let won = match (self.rival_runs, lead) {
            (true, 4..) => true,
            (true, 3) => self.beats_rival_on_fifth(),
            (true, 2) => self.beats_rival_on_sixth(),
            (true, 1) => self.beats_rival_on_seventh(),
            (true, _) => false,
            (false, 3..) => {
                (lead > 3 || !self.king_in_the_way())
                    && self.king_clear_of_rival()
                    && !self.may_stalemate()
            }
            (false, _) => self.stops_rival(lead) || (lead == 2 && self.beats_caught_rival()),
        };
        (won && !self.in_check()).then_some(DuelRule::WinsTheRace)
    }

    /// We have queened; the rival needs three moves more.
    fn beats_rival_on_fifth(&self) -> bool {
        let apart = files_apart(self.men.pawn, self.men.rival);
        let aside = !self.king_in_the_way();
        self.enemy_to_rival_home() > 2
            || (self.enemy_to_home() <= self.king_to_home() + 3 && apart > 0)
            || (aside && files_apart(self.men.enemy, self.men.pawn) > 1)
            || match PawnKind::of(self.men.rival) {
                PawnKind::Plain => true,
                PawnKind::Rook => aside,
                PawnKind::Bishop => false,
            }
    }

    /// We have queened; the rival needs two moves more.
    fn beats_rival_on_sixth(&self) -> bool {
        let away = self.enemy_to_rival_home();
        let files = self.king_files_to_rival();
        let far = match PawnKind::of(self.men.rival) {
            PawnKind::Plain => away > 1 || files > 1,
            PawnKind::Rook => away > 2,
            PawnKind::Bishop => away > 3,
        };
        (far && !self.king_in_the_way())
            || (away > 2 && files > 0 && self.king_files_to_pawn() > 0)
            || (self.king_to_home() > 3 && self.queens_with_check())
    }

    /// We have queened; the rival needs one move: our queen arrives with
    /// check, or takes the new queen, or the enemy king is in its pawn's way.
    fn beats_rival_on_seventh(&self) -> bool {
        let plain = PawnKind::of(self.men.rival) == PawnKind::Plain;
        let (away, files) = (self.enemy_to_rival_home(), self.king_files_to_pawn());
        if plain && self.enemy_in_the_way() && files > 1 {
            return true;
        }
        let clear = plain && self.king_files_to_rival() > 1 && !self.king_in_the_way();
        let checks = (clear || (away > 3 && files > 0)) && self.queens_with_check();
        let takes = || {
            ((away > 3 && !self.king_in_the_way()) || (away > 1 && clear))
                && self.queen_sees(self.rival_home()).contains(self.rival_home())
        };
        checks || takes()
    }

    /// Our pawn runs and our king stops the rival, which does not: it stands
    /// before it, or it is in time and nearer than the enemy king.
    fn stops_rival(&self, lead: i32) -> bool {
        let nearer = self.enemy_to_rival_home() - self.king_to_rival_home();
        let late = self.king_to_rival_home() - self.rival_moves();
        let before = self.ranks_before_rival();
        let files = self.king_files_to_rival();
        match lead {
            ..=0 => {
                (files == 0 && before > 0)
                    || (late <= -2 && self.enemy_to_rival_home() > 4)
                    || (late <= -1 && before > 1 && nearer > 3)
            }
            _ => {
                (files == 0 && before > 0 && lead == 1)
                    || (late <= -1 && before > 1 && nearer > 1)
                    || (late <= -1 && files > 1 && nearer > 0)
                    || (late <= 0 && lead == 2 && nearer > 0 && self.king_clear_of_rival())
            }
        }
    }

    /// Queening at once may stalemate a king that locks its own rook pawn.
    fn may_stalemate(&self) -> bool {
        self.moves() == 1
            && self.enemy_in_the_way()
            && PawnKind::of(self.men.rival) == PawnKind::Rook
    }

    /// Our king does not touch the rival.
    fn king_clear_of_rival(&self) -> bool {
        self.men.king.distance(self.men.rival) > 1
    }

    /// The rival does not run and has two moves to go when we queen.
    fn beats_caught_rival(&self) -> bool {
        let behind = self.ranks_behind_pawn();
        let nearer = self.enemy_to_rival_home() - self.king_to_rival_home();
        let spare = self.enemy_to_home() - self.moves();
        (self.enemy_in_the_way() && behind > 0 && nearer > -6)
            || (behind >= 0 && self.king_clear_of_rival() && self.queens_with_check())
            || (spare > 1 && self.enemy_to_rival_home() > 2 && self.king_files_to_pawn() > 0)
            || (PawnKind::of(self.men.rival) == PawnKind::Plain
                && self.king_files_to_rival() > 1
                && !self.king_in_the_way())
    }

    /// Our queen arrives with check, the rival on the seventh.
    fn queens_with_check(&self) -> bool {
        self.queen_sees(up(self.rival_home(), 1)).contains(self.men.enemy)
    }

    /// We queen, and that is enough for a draw.
    pub fn survives_race(&self) -> Option<DuelRule> {
        if !self.runs {
            return None;
        }
        if self.lead() > 0 {
            self.queens_first().then_some(DuelRule::QueensFirst)
        } else {
            self.queens_second().then_some(DuelRule::QueensSecond)
        }
    }

    fn queens_first(&self) -> bool {
        let lead = self.lead();
        let files = self.king_files_to_rival();
        let far = self.king_to_rival_home() > 1;
        if far && (self.enemy_in_the_way() || (lead > 1 && files <= 6)) {
            return true;
        }
        let apart = files_apart(self.men.pawn, self.men.rival);
        if !self.rival_runs {
            return apart <= 6 && files > 1 && self.kings_apart() > 2;
        }
        // The second queen must not come with check.
        let checked = || {
            let theirs = self.theirs();
            theirs.queen_sees(theirs.rival_home()).contains(theirs.men.enemy)
        };
        let escorted = self.king_to_home() <= 2 && self.enemy_to_home() > 4;
        lead == 1
            && (escorted
                || (self.kings_apart() > 2 && self.king_files_to_pawn() > 1 && apart <= 6)
                || (!self.king_in_the_way() && !checked()))
    }

    /// The enemy queens just before us.
    fn queens_second(&self) -> bool {
        let theirs = self.theirs();
        if !self.rival_runs || theirs.lead() != 1 {
            return false;
        }
        let (mine, away) = (self.king_to_home(), self.enemy_to_home());
        match PawnKind::of(self.men.pawn) {
            PawnKind::Bishop if mine <= 2 && away > 4 => return true,
            PawnKind::Bishop | PawnKind::Rook if away > mine + 5 => return true,
            _ => {}
        }
        // The enemy's queen neither checks nor stops our pawn nor takes our queen.
        let (home, seventh) = (theirs.rival_home(), up(theirs.rival_home(), 1));
        let before = theirs.queen_sees(seventh);
        !before.contains(theirs.men.enemy)
            && !before.contains(home)
            && !theirs.queen_sees(home).contains(home)
            && self.king_is_sheltered(mine, away)
            && !theirs.has_skewer()
    }

    /// Our king is far from the enemy's and from the lines of the queens, or
    /// near its own queen and the enemy's far.
    fn king_is_sheltered(&self, mine: i32, away: i32) -> bool {
        let (files, kings) = (self.king_files_to_pawn(), self.kings_apart());
        let nearer = self.enemy_to_rival_home() - self.king_to_rival_home();
        let aside = !self.king_in_the_way();
        (files > 1 && kings > 3)
            || (files > 1 && kings > 2 && nearer > -3)
            || (away > mine + 3 && aside && self.king_files_to_rival() <= 6)
            || (files > 1 && !self.king_at_edge() && nearer > -2)
            || (kings > 3 && !self.king_at_edge() && aside)
    }
}
