//! What is certain at the moment a pawn has just become a queen.
//!
//! Races end in one of two ways: our queen faces the rival, which is to move,
//! or a new queen of the enemy's faces our pawn, and we are to move. Both
//! functions say what we get at least; they are checked against every position
//! of queen against pawn with the queen where pawns promote.

use molien_board::{Bitboard, Color, Role, Square, attacks};

use super::Duel;
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
    /// What we get at least against every king of the set.
    pub fn least(&self, enemies: Bitboard) -> i8 {
        let guarded = self.king.distance(self.queen) == 1;
        let taking = if guarded { Bitboard::EMPTY } else { enemies & attacks::king(self.queen) };
        let mut least = if taking.is_empty() { 1 } else { self.when_taken() };
        let doubtful = (enemies - taking) & self.doubtful();
        for enemy in doubtful {
            if least < 0 {
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
        match self.rival.rank() {
            4.. => front,
            3 if is_bishop_file(self.rival) => front | within(home, 1),
            3 => front,
            2 if files_apart(self.king, self.rival) > 0 => within(home, 2) | zone(self.rival),
            _ => !Bitboard::EMPTY,
        }
    }

    /// What we get at least against one king, which does not take the queen.
    fn against(&self, enemy: Square) -> i8 {
        let occupied: Bitboard = [self.king, self.rival].into_iter().collect();
        let through = attacks::attacks(Role::Queen, self.queen, occupied);
        let own = Bitboard::from_square(self.rival);
        let steps = attacks::king(enemy) - zone(self.king) - through - own;
        let front = up(self.rival, -1);
        let blocked = front == self.king || front == enemy;
        let scene = Scene {
            enemy,
            steps,
            mobile: !steps.is_empty(),
            checked: through.contains(enemy),
            blocked,
            home: Square::new(self.rival.file() as usize),
        };
        let won = (scene.mobile || !blocked || scene.checked)
            && match self.rival.rank() {
                4.. => true,
                3 => self.beats_fifth(&scene),
                2 => self.beats_sixth(&scene),
                _ => self.beats_seventh(&scene),
            };
        if won { 1 } else { self.holds(&scene) }
    }

    /// A pawn with three moves to go is lost unless a bishop pawn's king is
    /// beside its promotion square.
    fn beats_fifth(&self, scene: &Scene) -> bool {
        let far = scene.enemy.distance(scene.home) >= 2;
        (far && scene.mobile)
            || (!scene.blocked && !is_bishop_file(self.rival))
            || (!on_rook_file(self.rival) && self.king.rank() <= 4)
    }

    /// With two moves to go a king two squares off loses with a knight or
    /// central pawn, one three squares off with any.
    fn beats_sixth(&self, scene: &Scene) -> bool {
        let away = scene.enemy.distance(scene.home);
        let plain = is_plain_file(self.rival);
        let files = files_apart(self.king, self.rival);
        let pushed_with_check = attacks::pawn(Color::Black, up(self.rival, -1)).contains(self.king);
        let aside = away >= 3
            && (at_edge(self.king) || (scene.enemy.distance(self.rival) >= 2 && files >= 1));
        let held = !pushed_with_check
            && up(self.rival, -1) != self.king
            && away >= self.king.distance(scene.home);
        let near = self.king.distance(scene.home);
        let stopped = (scene.blocked || scene.checked)
            && scene.mobile
            && (self.king.rank() <= 4 || (!is_bishop_file(self.rival) && away + 2 <= near));
        let joined = near <= 2 && away < near && up(self.rival, -1) != scene.enemy;
        (plain && (away >= 2 || (files >= 2 && !pushed_with_check)))
            || aside
            || held
            || stopped
            || joined
            || self.answers_push(scene)
            || (scene.enemy.rank() >= 1 && self.checks(scene).skewer)
    }

    /// Whatever the enemy does with two moves to go, our queen answers: the
    /// pawn on the seventh loses, and so does one that waits, unless a bishop
    /// pawn's king gets beside its promotion square.
    fn answers_push(&self, scene: &Scene) -> bool {
        let waits = !is_bishop_file(self.rival) || (scene.steps & within(scene.home, 1)).is_empty();
        let pushed = NewQueen { rival: up(self.rival, -1), ..*self };
        waits && (scene.blocked || pushed.wins_to_move(scene.enemy))
    }

    /// The rival is on the seventh and we are to move: the queen has checks
    /// enough, or our king is near enough.
    fn wins_to_move(&self, enemy: Square) -> bool {
        let home = Square::new(self.rival.file() as usize);
        let away = enemy.distance(home);
        let checked = attacks::pawn(Color::Black, self.rival).contains(self.king);
        if away >= 4
            || (away >= 3
                && files_apart(enemy, self.rival) >= 2
                && files_apart(self.king, self.rival) >= 1)
            || (!checked && self.king.distance(home) <= 2)
            || (on_rook_file(self.rival) && self.king.distance(self.rival) <= 3)
        {
            return true;
        }
        let needed = match (is_plain_file(self.rival) && !checked, enemy.distance(self.rival)) {
            (true, _) => 1,
            (false, 3..) => 3,
            _ => return false,
        };
        let men: Bitboard = [self.king, enemy, self.rival].into_iter().collect();
        let from = attacks::attacks(Role::Queen, self.queen, men)
            & attacks::attacks(Role::Queen, enemy, men);
        let safe =
            |square: &Square| enemy.distance(*square) > 1 || self.king.distance(*square) <= 1;
        (from - men).into_iter().filter(safe).count() >= needed
    }

    /// With one move to go: the pawn is stopped by a check or by a king in
    /// its way, our king is beside the promotion square, or the queen takes
    /// what appears there.
    fn beats_seventh(&self, scene: &Scene) -> bool {
        let Scene { enemy, home, .. } = *scene;
        let (away, near) = (enemy.distance(home), self.king.distance(home));
        let stopped = scene.blocked || scene.checked;
        let plain = is_plain_file(self.rival) && files_apart(self.king, self.rival) >= 2;
        if stopped {
            return (scene.mobile && scene.steps.into_iter().all(|step| self.wins_to_move(step)))
                || enemy.distance(self.rival) >= 4
                || (scene.checked && is_plain_file(self.rival) && away >= 3)
                || (scene.mobile && (plain || near <= 2))
                || (scene.mobile && near <= 1 && away >= near + 2);
        }
        let takes = files_apart(enemy, self.rival) >= 3 || away >= 4 || (plain && away >= 2);
        (takes && self.sees(enemy, home))
            || (scene.mobile && near <= 1 && away >= near + 2)
            || (enemy.rank() >= 3 && !is_bishop_file(self.rival) && self.skewers(scene))
    }

    /// The rival queens without check, and a check wins the new queen.
    fn skewers(&self, scene: &Scene) -> bool {
        let Scene { enemy, home, .. } = *scene;
        let queens: Bitboard = [enemy, self.queen].into_iter().collect();
        self.queen.file() != home.file()
            && !attacks::attacks(Role::Queen, home, queens).contains(self.king)
            && self.checks(scene).skewer
    }

    /// Our checks if the rival were a queen already.
    fn checks(&self, scene: &Scene) -> Checks {
        let Scene { enemy, home, .. } = *scene;
        let occupied: Bitboard = [self.king, enemy, home].into_iter().collect();
        let from = attacks::attacks(Role::Queen, self.queen, occupied) - occupied;
        Checks::of(enemy, home, self.king, from)
    }

    /// Whether the queen sees the promotion square once the pawn is there.
    fn sees(&self, enemy: Square, home: Square) -> bool {
        let occupied: Bitboard = [self.king, enemy, home].into_iter().collect();
        attacks::attacks(Role::Queen, self.queen, occupied).contains(home)
    }

    /// Not a win, but is it a draw? A second queen must not come with check,
    /// or our king must be off the file and away from the enemy's.
    fn holds(&self, scene: &Scene) -> i8 {
        let Scene { enemy, home, .. } = *scene;
        if self.rival.rank() > 1 {
            let next = attacks::pawn(Color::Black, up(self.rival, -1));
            return -i8::from(self.rival.rank() == 2 && next.contains(self.king));
        }
        let queens: Bitboard = [enemy, self.queen].into_iter().collect();
        let new = attacks::attacks(Role::Queen, home, queens);
        let checked = new.contains(self.king);
        let room = (attacks::king(self.king) - zone(enemy) - new).len();
        let free = self.king.distance(self.queen) >= 2
            && !new.contains(self.queen)
            && !(checked && self.king.file() == self.queen.file())
            && (room >= 4 || (self.king.rank() >= 4 && self.king.distance(enemy) >= 3));
        let safe = !checked && enemy.distance(self.queen) >= 3
            || free
            || (room >= 2 && self.king.distance(self.queen) >= 6 && self.king.rank() <= 4)
            || (!checked && self.checks(scene).any)
            || scene.blocked
            || scene.checked
            || (self.king.distance(home) <= 1 && enemy.distance(home) >= 2)
            || (files_apart(self.king, self.rival) >= 1
                && self.king.distance(enemy) >= 3
                && files_apart(self.queen, self.rival) <= 5);
        if safe { 0 } else { -1 }
    }
}

/// What one enemy king can do about a queen.
#[derive(Clone, Copy)]
struct Scene {
    enemy: Square,
    /// Where it can go.
    steps: Bitboard,
    /// It has a move.
    mobile: bool,
    /// It is in check.
    checked: bool,
    /// The rival cannot move.
    blocked: bool,
    /// Where the rival promotes.
    home: Square,
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

/// A rook or bishop pawn with two moves to go, its king beside the promotion
/// square and the other king far away.
fn stands_with_pawn_on_sixth(men: Duel, queen: Square) -> bool {
    let Duel { king, pawn, enemy, .. } = men;
    let home = up(pawn, 2);
    let occupied: Bitboard = [king, pawn, enemy].into_iter().collect();
    let seen = attacks::attacks(Role::Queen, queen, occupied);
    !is_plain_file(pawn)
        && king.distance(home) == 1
        && king != up(pawn, 1)
        && enemy.distance(home) >= 5
        && enemy != up(pawn, 1)
        && !seen.contains(king)
        && !seen.contains(pawn)
        && files_apart(queen, pawn) >= 2
}

/// Our pawn is on the seventh: does it hold, as a pawn or as a queen?
fn queens_after(men: Duel, queen: Square) -> bool {
    let Duel { king, pawn, enemy, .. } = men;
    let home = up(pawn, 1);
    let near = enemy.distance(home);
    let before: Bitboard = [king, pawn, enemy].into_iter().collect();
    let checked = attacks::attacks(Role::Queen, queen, before).contains(king);
    let occupied: Bitboard = [king, home, enemy].into_iter().collect();
    let seen = attacks::attacks(Role::Queen, queen, occupied);
    let away = king.distance(home);
    if !is_plain_file(pawn)
        && (away == 1 || (away == 2 && !checked))
        && near >= 5
        && !seen.contains(home)
    {
        return true; // stalemate tricks and the new queen hold together
    }
    if checked || home == king || home == enemy {
        return false;
    }
    let uncovers = attacks::between(queen, king).contains(enemy);
    let cramped = at_edge(king) && king.distance(enemy) == 2;
    if uncovers || cramped {
        return false; // the enemy king checks by stepping aside, or helps to mate
    }
    let checks = Checks::of(king, home, enemy, seen - occupied);
    if away == 1 && near >= 4 && checks.fewest_flights >= 2 {
        return true; // the new queen is guarded
    }
    let sees_pawn = attacks::attacks(Role::Queen, queen, before).contains(pawn);
    if king.distance(pawn) == 1
        && enemy.distance(pawn) >= 2
        && !sees_pawn
        && !on_rook_file(pawn)
        && checks.fewest_flights >= 1
    {
        return true;
    }
    if seen.contains(home) || near < 2 {
        return false;
    }
    if checks.skewer {
        return near >= 3 && to_corner(king) >= 2 && new_queen_checks(men, queen);
    }
    let new = NewPair { men, queen, home, flights: checks.fewest_flights };
    new.is_quiet()
}

/// Both sides have queened, the enemy is to move and neither takes our queen
/// nor wins it behind our king.
struct NewPair {
    men: Duel,
    queen: Square,
    home: Square,
    /// The fewest squares a check leaves our king; many if there is none.
    flights: usize,
}

impl NewPair {
    /// Our king does not get into a net of checks.
    fn is_quiet(&self) -> bool {
        self.has_room() || self.is_aside() || self.gives_check()
    }

    /// Every check leaves room, and the enemy king is not near.
    fn has_room(&self) -> bool {
        let Duel { king, pawn, enemy, .. } = self.men;
        let apart = files_apart(self.queen, pawn);
        let skew = (1..=6).contains(&apart);
        let near = enemy.distance(self.home);
        self.flights >= 4 && (king.distance(enemy) >= 4 || (enemy.distance(pawn) >= 3 && skew))
            || (self.flights >= 2 && near >= 4 && king.distance(self.home) <= 3 && skew)
            || (self.flights >= 2
                && files_apart(king, pawn) >= 2
                && to_corner(king) >= 3
                && !on_rook_file(pawn))
    }

    /// Our king is off the pawn's file, or in the middle of the board, and
    /// the enemy king does not help its queen.
    fn is_aside(&self) -> bool {
        let Duel { king, pawn, enemy, .. } = self.men;
        let (near, aside) = (enemy.distance(self.home), files_apart(king, pawn) >= 2);
        (aside && near >= 3 && king.distance(enemy) >= 4)
            || (aside && king.distance(enemy) >= 3 && !at_edge(enemy) && self.flights <= 4)
            || (!at_edge(king)
                && (king.distance(self.home) >= 6
                    || (at_edge(enemy) && king.distance(pawn) < enemy.distance(pawn))
                    || (files_apart(enemy, pawn) <= 2
                        && !on_rook_file(pawn)
                        && self.queen.file() != pawn.file())))
    }

    /// Our queen arrives with check, and our king is not in a corner.
    fn gives_check(&self) -> bool {
        to_corner(self.men.king) >= 1 && new_queen_checks(self.men, self.queen)
    }
}

/// Our pawn promotes from the seventh with check.
fn new_queen_checks(men: Duel, queen: Square) -> bool {
    let others: Bitboard = [men.king, queen].into_iter().collect();
    attacks::attacks(Role::Queen, up(men.pawn, 1), others).contains(men.enemy)
}

/// King steps to the nearest corner.
fn to_corner(square: Square) -> i32 {
    let to_side = |line: i32| line.min(7 - line);
    to_side(square.file()).max(to_side(square.rank()))
}

fn at_edge(square: Square) -> bool {
    on_rook_file(square) || matches!(square.rank(), 0 | 7)
}

/// What the enemy's queen can do with a check that does not lose it.
struct Checks {
    /// There is one.
    any: bool,
    /// One wins the queen behind our king.
    skewer: bool,
    /// The fewest squares one leaves our king; many if there is no check.
    fewest_flights: usize,
}

impl Checks {
    fn of(king: Square, queen: Square, enemy: Square, from: Bitboard) -> Checks {
        let mut checks = Checks { any: false, skewer: false, fewest_flights: usize::MAX };
        let occupied: Bitboard = [king, queen, enemy].into_iter().collect();
        for from in from & attacks::attacks(Role::Queen, king, occupied) {
            let with = occupied | Bitboard::from_square(from);
            let lost = attacks::attacks(Role::Queen, queen, with).contains(from)
                || (king.distance(from) == 1 && enemy.distance(from) > 1);
            if lost {
                continue;
            }
            checks.skewer |=
                attacks::between(from, queen).contains(king) && king.distance(queen) > 1;
            let through: Bitboard = [queen, enemy].into_iter().collect();
            let hit = attacks::attacks(Role::Queen, from, through);
            let flights = attacks::king(king) - zone(enemy) - hit - Bitboard::from_square(queen);
            checks.fewest_flights = checks.fewest_flights.min(flights.len());
        }
        checks
    }
}
