//! What is certain at the moment a pawn has just become a queen.
//!
//! Races end in one of two ways: our queen faces the rival, which is to move,
//! or a new queen of the enemy's faces our pawn, and we are to move. Both
//! functions say what we get at least; they are checked against every position
//! of queen against pawn with the queen where pawns promote.

use molien_board::{Bitboard, Color, Role, Square, attacks};

use super::Duel;
use super::seventh::Seventh;
use super::two_queens::TwoQueens;
use crate::geometry::{files_apart, is_bishop_file, is_plain_file, on_rook_file, up, within, zone};
use crate::one_pawn::OnePawn;

/// Our queen has just appeared; the enemy, whose king may stand anywhere in a
/// set, is to move.
pub(crate) struct NewQueen {
    pub king: Square,
    pub queen: Square,
    pub rival: Square,
}

impl NewQueen {
    /// What we get at least against every king of the set, as far as it is
    /// more than `known`.
    pub fn least(&self, enemies: Bitboard, known: i8) -> i8 {
        let guarded = self.king.distance(self.queen) == 1;
        let taking = if guarded { Bitboard::EMPTY } else { enemies & attacks::king(self.queen) };
        let mut least = if taking.is_empty() { 1 } else { self.when_taken() };
        let doubtful = (enemies - taking) & self.doubtful();
        for enemy in doubtful {
            if least <= known {
                return least;
            }
            least = least.min(self.against(enemy));
        }
        least
    }

    /// The queen is taken, and the rival is left.
    fn when_taken(&self) -> i8 {
        if self.rival.rank() == 1 {
            return -1;
        }
        let left = OnePawn {
            king: self.queen.flip_vertical(),
            pawn: self.rival.flip_vertical(),
            enemy: self.king.flip_vertical(),
        };
        -i8::from(left.wins(false))
    }

    /// Where an enemy king may save itself; elsewhere the queen wins.
    fn doubtful(&self) -> Bitboard {
        let home = Square::new(self.rival.file() as usize);
        let front = up(self.rival, -1);
        if front == self.king {
            return !Bitboard::EMPTY;
        }
        let front = Bitboard::from_square(front);
        let aside = files_apart(self.king, self.rival) > 0;
        match self.rival.rank() {
            3 if is_bishop_file(self.rival) => front | within(home, 1),
            3.. => front,
            2 if is_plain_file(self.rival) && aside => within(home, 1),
            2 if on_rook_file(self.rival) => within(home, 2),
            2 if aside => within(home, 2) | zone(self.rival),
            _ => !Bitboard::EMPTY,
        }
    }

    /// What we get at least against one king, which does not take the queen:
    /// every step of the king and of the pawn is looked at.
    fn against(&self, enemy: Square) -> i8 {
        let occupied: Bitboard = [self.king, self.rival].into_iter().collect();
        let through = attacks::attacks(Role::Queen, self.queen, occupied);
        let own = Bitboard::from_square(self.rival);
        let front = up(self.rival, -1);
        let steps = attacks::king(enemy) - zone(self.king) - through - own;
        let checked = through.contains(enemy);
        let blocked = front == self.king || front == enemy;
        let line = attacks::between(self.queen, enemy);
        let pinned = line.contains(self.rival)
            && !line.contains(self.king)
            && self.queen.file() != self.rival.file();
        let free = if checked { line.contains(front) } else { !pinned };
        let scene = Scene { enemy, steps, pushes: !blocked && free };
        if steps.is_empty() && !scene.pushes {
            return i8::from(checked); // mate or stalemate
        }
        let won = match self.rival.rank() {
            4.. => true,
            3 => self.beats_fifth(&scene),
            2 => self.beats_sixth(&scene),
            _ => self.beats_seventh(&scene),
        };
        if won { 1 } else { self.holds(&scene) }
    }

    /// With three moves to go it is lost after the next push.
    fn beats_fifth(&self, scene: &Scene) -> bool {
        !scene.pushes || self.to_move(scene.enemy, up(self.rival, -1)).beats_sixth()
    }

    /// With two moves to go: pushed, it is stopped on the seventh, and else
    /// on the sixth.
    fn beats_sixth(&self, scene: &Scene) -> bool {
        let waits = !is_bishop_file(self.rival)
            || scene.steps.into_iter().all(|step| self.to_move(step, self.rival).beats_sixth());
        waits && (!scene.pushes || self.to_move(scene.enemy, up(self.rival, -1)).wins())
    }

    /// With one move to go: as a queen it falls, and if it waits it is stopped.
    fn beats_seventh(&self, scene: &Scene) -> bool {
        scene.steps.into_iter().all(|step| self.to_move(step, self.rival).wins())
            && (!scene.pushes || self.after_promotion(scene.enemy).wins())
    }

    /// We are to move, the king and the pawn here.
    fn to_move(&self, enemy: Square, rival: Square) -> Seventh {
        Seventh { king: self.king, queen: self.queen, enemy, rival }
    }

    /// The rival has become a queen too, and we are to move.
    fn after_promotion(&self, enemy: Square) -> TwoQueens {
        let rival = Square::new(self.rival.file() as usize);
        TwoQueens { king: self.king, queen: self.queen, enemy, rival }
    }

    /// Not a win, but is it a draw? A second queen must not win.
    fn holds(&self, scene: &Scene) -> i8 {
        let safe = match self.rival.rank() {
            1 => !scene.pushes || self.after_promotion(scene.enemy).cannot_lose(),
            2 => !attacks::pawn(Color::Black, up(self.rival, -1)).contains(self.king),
            _ => true,
        };
        if safe { 0 } else { -1 }
    }
}

/// What one enemy king and its pawn can do about a queen.
struct Scene {
    enemy: Square,
    /// Where the king can go.
    steps: Bitboard,
    /// The pawn can step on.
    pushes: bool,
}

/// The enemy has just queened on `queen`; we are to move.
pub(crate) fn least_against_queen(men: Duel, queen: Square) -> i8 {
    let Duel { king, pawn, enemy, .. } = men;
    if king.distance(queen) == 1 && enemy.distance(queen) > 1 {
        let after = OnePawn { king: queen, pawn, enemy };
        return i8::from(after.wins(false));
    }
    let saved = match pawn.rank() {
        6 => queens_after(men, queen),
        5 => stands_with_pawn_on_sixth(men, queen),
        _ => false,
    };
    if saved { 0 } else { -1 }
}

/// Our pawn is on the sixth: pushed, it holds on the seventh.
fn stands_with_pawn_on_sixth(men: Duel, queen: Square) -> bool {
    let Duel { king, pawn, enemy, .. } = men;
    let front = up(pawn, 1);
    let occupied: Bitboard = [king, pawn, enemy].into_iter().collect();
    let checked = attacks::attacks(Role::Queen, queen, occupied).contains(king);
    let line = attacks::between(queen, king);
    front != king
        && front != enemy
        && if checked { line.contains(front) } else { !line.contains(pawn) }
        && seventh(Duel { pawn: front, ..men }, queen).cannot_win()
}

/// Our pawn is on the seventh: does it hold, as a pawn or as a queen?
fn queens_after(men: Duel, queen: Square) -> bool {
    let Duel { king, pawn, enemy, .. } = men;
    let home = up(pawn, 1);
    let occupied: Bitboard = [pawn, enemy].into_iter().collect();
    let seen = attacks::attacks(Role::Queen, queen, occupied);
    let pinned = attacks::between(queen, king).contains(pawn);
    let pushes = home != king && home != enemy && !pinned && !seen.contains(king);
    let new = TwoQueens { king: enemy, queen, enemy: king, rival: home };
    if pushes && new.cannot_win() {
        return true;
    }
    let steps = attacks::king(king) - zone(enemy) - seen - Bitboard::from_square(pawn);
    !is_plain_file(pawn)
        && steps.into_iter().any(|king| seventh(Duel { king, ..men }, queen).cannot_win())
}

/// The enemy's queen is to move against our pawn on the seventh.
fn seventh(men: Duel, queen: Square) -> Seventh {
    let seen = |square: Square| square.flip_vertical();
    let (king, enemy) = (seen(men.enemy), seen(men.king));
    Seventh { king, queen: seen(queen), enemy, rival: seen(men.pawn) }
}

/// King steps to the nearest corner.
pub(super) fn to_corner(square: Square) -> i32 {
    let to_side = |line: i32| line.min(7 - line);
    to_side(square.file()).max(to_side(square.rank()))
}

/// Whether a square is at the edge of the board.
pub(super) fn at_edge(square: Square) -> bool {
    on_rook_file(square) || matches!(square.rank(), 0 | 7)
}
