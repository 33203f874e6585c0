//! The position as one side sees it, and the distances that rules speak of.
//!
//! Every rule of races and of kings that hold pawns is stated once, for "us":
//! our pawn moves up, the enemy's ("the rival") down, and either side may be
//! to move. The bounds of a position are what the two views say.

use molien_board::{Bitboard, Role, Square, attacks};

use super::Duel;
use crate::geometry::{files_apart, on_rook_file, pawn_moves_home, up};
use crate::one_pawn::OnePawn;

/// One side's view.
#[derive(Clone, Copy)]
pub(super) struct View {
    /// The men, ours as White's.
    pub men: Duel,
    /// We are to move.
    pub to_move: bool,
    /// Our pawn queens by running: it is not caught.
    pub runs: bool,
    /// The same of the rival.
    pub rival_runs: bool,
}

impl View {
    /// The views of White, who is to move, and of Black.
    pub fn both(men: Duel) -> [View; 2] {
        let turned = men.turned();
        let (white, black) = (men.runs_home(true), turned.runs_home(false));
        [
            View { men, to_move: true, runs: white, rival_runs: black },
            View { men: turned, to_move: false, runs: black, rival_runs: white },
        ]
    }

    /// The views where neither pawn can run.
    pub fn standing(men: Duel) -> [View; 2] {
        let white = View { men, to_move: true, runs: false, rival_runs: false };
        [white, white.theirs()]
    }

    /// Where our pawn promotes.
    pub fn home(&self) -> Square {
        up(self.men.pawn, 7 - self.men.pawn.rank())
    }

    /// Where the rival promotes.
    pub fn rival_home(&self) -> Square {
        Square::new(self.men.rival.file() as usize)
    }

    /// Moves our pawn needs on an empty file.
    pub fn moves(&self) -> i32 {
        pawn_moves_home(self.men.pawn)
    }

    /// Moves the rival needs on an empty file.
    pub fn rival_moves(&self) -> i32 {
        pawn_moves_home(self.men.rival.flip_vertical())
    }

    /// Moves the rival still needs when our pawn has run home and the enemy
    /// is to move: positive if we queen first.
    pub fn lead(&self) -> i32 {
        self.rival_moves() - self.moves() + i32::from(self.to_move)
    }

    /// Our king's steps to the rival's promotion square.
    pub fn king_to_rival_home(&self) -> i32 {
        self.men.king.distance(self.rival_home())
    }

    /// The enemy king's steps to the rival's promotion square.
    pub fn enemy_to_rival_home(&self) -> i32 {
        self.men.enemy.distance(self.rival_home())
    }

    /// Files between our king and the rival.
    pub fn king_files_to_rival(&self) -> i32 {
        files_apart(self.men.king, self.men.rival)
    }

    /// Files between our king and our pawn.
    pub fn king_files_to_pawn(&self) -> i32 {
        files_apart(self.men.king, self.men.pawn)
    }

    /// Steps between the kings.
    pub fn kings_apart(&self) -> i32 {
        self.men.king.distance(self.men.enemy)
    }

    /// Our king's steps to our promotion square.
    pub fn king_to_home(&self) -> i32 {
        self.men.king.distance(self.home())
    }

    /// The enemy king's steps to our promotion square.
    pub fn enemy_to_home(&self) -> i32 {
        self.men.enemy.distance(self.home())
    }

    /// Our king stands before its own pawn.
    pub fn king_in_the_way(&self) -> bool {
        let Duel { king, pawn, .. } = self.men;
        king.file() == pawn.file() && king.rank() > pawn.rank()
    }

    /// We are to move, and in check by the rival.
    pub fn in_check(&self) -> bool {
        self.to_move && self.men.rival_guard().contains(self.men.king)
    }

    /// Our king is at the edge of the board.
    pub fn king_at_edge(&self) -> bool {
        on_rook_file(self.men.king) || matches!(self.men.king.rank(), 0 | 7)
    }

    /// The enemy king stands before its own pawn.
    pub fn enemy_in_the_way(&self) -> bool {
        let Duel { enemy, rival, .. } = self.men;
        enemy.file() == rival.file() && enemy.rank() < rival.rank()
    }

    /// How many ranks our king is ahead of the rival, on the rival's way.
    pub fn ranks_before_rival(&self) -> i32 {
        self.men.rival.rank() - self.men.king.rank()
    }

    /// How many ranks our king is behind our pawn.
    pub fn ranks_behind_pawn(&self) -> i32 {
        self.men.pawn.rank() - self.men.king.rank()
    }

    /// The rival alone, without our pawn, does not win.
    pub fn rival_alone_is_drawn(&self) -> bool {
        !self.men.theirs_alone().wins(!self.to_move)
    }

    /// Our pawn alone, without the rival, wins.
    pub fn pawn_alone_wins(&self) -> bool {
        self.men.mine_alone().wins(self.to_move)
    }

    /// Our king goes after the rival, which runs: the square where it is
    /// taken, if it is.
    pub fn chase(&self) -> Option<Square> {
        let Duel { king, mut rival, .. } = self.men;
        let mut moves = 0;
        if !self.to_move {
            rival = up(rival, if rival.rank() == 6 { -2 } else { -1 });
        }
        loop {
            moves += 1;
            if king.distance(rival) <= moves {
                return Some(rival);
            }
            if rival.rank() == 0 {
                return None;
            }
            rival = up(rival, if rival.rank() == 6 { -2 } else { -1 });
        }
    }

    /// After the chase, the enemy to move, our pawn still wins.
    pub fn wins_after_chase(&self) -> bool {
        let Some(king) = self.chase() else { return false };
        let Duel { pawn, enemy, .. } = self.men;
        let after = OnePawn { king, pawn, enemy };
        king.distance(enemy) > 1 && king != pawn && after.wins(false)
    }

    /// The enemy king goes after our pawn, which runs: either it comes too
    /// late or the rival does not win after that.
    pub fn saved_by_running(&self) -> bool {
        let theirs = self.theirs();
        let Some(king) = theirs.chase() else { return true };
        let Duel { pawn, enemy, .. } = theirs.men;
        let after = OnePawn { king, pawn, enemy };
        king.distance(enemy) > 1 && king != pawn && !after.wins(false)
    }

    /// The enemy king goes to our pawn, which stays; meanwhile our king gets
    /// before the rival, which then does not win.
    pub fn saved_by_waiting(&self) -> bool {
        let Duel { king, pawn, enemy, rival } = self.men;
        let steps = enemy.distance(pawn) - i32::from(!self.to_move);
        let front = up(rival, -rival.rank().min(2));
        let king = walk(king, front, steps, rival);
        if king.distance(pawn) <= 1 {
            return true; // the pawn is guarded
        }
        let after = Duel { king, pawn, enemy: pawn, rival }.theirs_alone();
        !after.wins(false)
    }

    /// The other side's view.
    pub fn theirs(&self) -> View {
        View {
            men: self.men.turned(),
            to_move: !self.to_move,
            runs: self.rival_runs,
            rival_runs: self.runs,
        }
    }

    /// What our queen sees from the promotion square, the kings where they
    /// are and the rival on `rival`.
    pub fn queen_sees(&self, rival: Square) -> Bitboard {
        let occupied: Bitboard = [self.men.king, self.men.enemy, rival].into_iter().collect();
        attacks::attacks(Role::Queen, self.home(), occupied)
    }

    /// Both have queened and we are to move: a check wins the queen behind
    /// the enemy king.
    pub fn has_skewer(&self) -> bool {
        let target = self.rival_home();
        let enemy = self.men.enemy;
        (self.queen_sees(target) - Bitboard::from_square(self.men.king))
            .into_iter()
            .any(|from| attacks::between(from, target).contains(enemy))
    }
}

/// Where a king is after so many steps straight to its goal, its way ending
/// at the square it must not enter.
fn walk(mut king: Square, goal: Square, steps: i32, closed: Square) -> Square {
    for _ in 0..steps {
        let files = (goal.file() - king.file()).signum();
        let ranks = (goal.rank() - king.rank()).signum();
        match king.offset(files, ranks) {
            Some(next) if next != closed => king = next,
            _ => break,
        }
    }
    king
}
