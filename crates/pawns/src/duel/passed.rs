//! Pawns that have passed each other or stand two or more files apart.

use molien_board::{Bitboard, Role, Square, attacks};

use super::view::View;
use super::{Bounds, Duel, DuelRule};
use crate::geometry::{files_apart, on_rook_file, pawn_guard, pawn_moves_home, spread, up, zone};

/// How a pawn on the seventh fares against a queen.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PawnKind {
    Plain,
    Rook,
    Bishop,
}

impl PawnKind {
    pub(super) const fn of(pawn: Square) -> PawnKind {
        match pawn.file() {
            0 | 7 => PawnKind::Rook,
            2 | 5 => PawnKind::Bishop,
            _ => PawnKind::Plain,
        }
    }
}

/// On one rank, file or diagonal.
fn in_line(a: Square, b: Square) -> bool {
    let (files, ranks) = (files_apart(a, b), (a.rank() - b.rank()).abs());
    files == 0 || ranks == 0 || files == ranks
}

impl Duel {
    pub(super) fn passed_rules(self, exact: bool, bounds: &mut Bounds) {
        self.race(bounds);
        if bounds.value().is_some() {
            return;
        }
        let [white, black] = View::both(self, exact);
        if let Some(rule) = white.wins_race() {
            return bounds.at_least(1, rule);
        }
        if let Some(rule) = black.wins_race() {
            return bounds.at_most(-1, rule);
        }
        if bounds.low == -1
            && let Some(rule) = white.is_safe()
        {
            bounds.at_least(0, rule);
        }
        if bounds.high == 1
            && let Some(rule) = black.is_safe()
        {
            bounds.at_most(0, rule);
        }
        if bounds.value().is_some() {
            return;
        }
        if bounds.high == 1
            && let Some(rule) = white.catches_and_wins()
        {
            bounds.at_least(1, rule);
        }
        if bounds.low == -1
            && let Some(rule) = black.catches_and_wins()
        {
            bounds.at_most(-1, rule);
        }
        if bounds.high == 1 && self.turned().holds(false, exact) {
            bounds.at_most(0, DuelRule::BothHeld);
        }
        if bounds.low == -1 && self.holds(true, exact) {
            bounds.at_least(0, DuelRule::BothHeld);
        }
    }

    /// White's king holds Black's pawn even without White's pawn, and the own
    /// pawn does not hamper it. `to_move`: it is White's move.
    pub(crate) fn holds(self, to_move: bool, exact: bool) -> bool {
        if self.is_hampered() || self.king_steps().len() < 3 {
            return false;
        }
        let theirs = self.theirs_alone();
        if exact { !theirs.wins(!to_move) } else { theirs.surely_drawn(!to_move) }
    }

    /// White's pawn may stand in its own king's way to Black's pawn.
    fn is_hampered(self) -> bool {
        let near = self.king.distance(self.pawn);
        let towards = (self.rival.file() - self.king.file()).signum();
        let ahead = (self.pawn.file() - self.king.file()) * towards;
        if near <= 2 && (ahead > 0 || towards == 0) {
            return true;
        }
        // A king coming back from above passes its own pawn.
        let reach = if self.king.rank() > self.pawn.rank() + 2 { 4 } else { 3 };
        let mut path = self.rival;
        let mut lines = Bitboard::EMPTY;
        loop {
            if near <= reach && path.distance(self.pawn) <= 2 {
                return true;
            }
            lines |= attacks::between(self.king, path);
            if path.rank() == 0 {
                return lines.contains(self.pawn);
            }
            path = up(path, -1);
        }
    }

    /// Who queens, and how far the other pawn is then.
    fn race(self, bounds: &mut Bounds) {
        let in_check = self.rival_guard().contains(self.king);
        let mine = if in_check { None } else { self.runs_home(true) };
        let turned = self.turned();
        let theirs = turned.runs_home(false);
        if let Some(moves) = mine {
            // Black has had one move less, and is to move.
            let left = pawn_moves_home(turned.pawn) - (moves - 1);
            let stopped = theirs.is_none() && turned.runs_home(true).is_none();
            if self.race_is_won(left, theirs.is_some()) || (stopped && self.stops_and_queens(left))
            {
                bounds.at_least(1, DuelRule::WinsTheRace);
                return;
            }
        }
        if let Some(moves) = theirs {
            let left = pawn_moves_home(self.pawn) - moves;
            let stopped = mine.is_none() && !in_check;
            if turned.race_is_won(left, mine.is_some())
                || (stopped && turned.stops_and_queens(left))
            {
                bounds.at_most(-1, DuelRule::WinsTheRace);
                return;
            }
        }
        if self.king_in_the_way() || turned.king_in_the_way() {
            return;
        }
        if let (Some(mine), Some(theirs)) = (mine, theirs) {
            if mine <= theirs && !turned.queens_with_check() {
                bounds.at_least(0, DuelRule::QueensFirst);
            }
            if mine > theirs && !self.queens_with_check() {
                bounds.at_most(0, DuelRule::QueensFirst);
            }
            if mine == theirs && turned.is_safe_second() {
                bounds.at_most(0, DuelRule::BothQueen);
            }
            if mine == theirs + 1 && self.is_safe_second() {
                bounds.at_least(0, DuelRule::BothQueen);
            }
        }
    }

    /// White queens second, and nothing is in line for a check, a pin or a
    /// skewer: queen against queen is a draw.
    fn is_safe_second(self) -> bool {
        let home = up(self.pawn, 7 - self.pawn.rank());
        let rival_home = Square::new(self.rival.file() as usize);
        let edge = on_rook_file(self.king) || matches!(self.king.rank(), 0 | 7);
        !edge
            && self.king.distance(self.enemy) >= 3
            && !in_line(home, rival_home)
            && !in_line(self.king, home)
            && !in_line(self.king, rival_home)
    }

    /// White's pawn cannot be caught, and White's king holds Black's pawn: it
    /// is well nearer to the promotion square than Black's.
    fn stops_and_queens(self, left: i32) -> bool {
        let home = Square::new(self.rival.file() as usize);
        let lead = self.enemy.distance(home)
            - self.king.distance(home)
            - i32::from(PawnKind::of(self.rival) != PawnKind::Plain);
        !self.king_in_the_way()
            && !self.turned().king_in_the_way()
            && !self.stalemate_in_the_air()
            && self.king.distance(home) < self.rival.rank()
            && match left {
                1.. => lead >= 2,
                0 => lead >= 3,
                _ => false,
            }
    }

    /// White's king is at the edge of the board.
    pub(super) fn king_at_edge(self) -> bool {
        on_rook_file(self.king) || matches!(self.king.rank(), 0 | 7)
    }

    /// White's king stands in front of its own pawn.
    pub(super) fn king_in_the_way(self) -> bool {
        self.king.file() == self.pawn.file() && self.king.rank() > self.pawn.rank()
    }

    /// White's pawn would give check as a queen, Black's king standing where
    /// it stands now.
    fn queens_with_check(self) -> bool {
        let home = up(self.pawn, 7 - self.pawn.rank());
        let kings = Bitboard::from_square(self.king) | Bitboard::from_square(self.enemy);
        attacks::attacks(Role::Queen, home, kings).contains(self.enemy)
    }

    /// White's pawn queens by force, and Black's then needs `left` more moves
    /// with Black to move. `opposed`: White's king cannot catch that pawn.
    ///
    /// A queen beats a pawn on the seventh unless it is a rook or bishop pawn
    /// and Black's king is beside the promotion square with White's far away:
    /// then stalemate saves Black.
    fn race_is_won(self, left: i32, opposed: bool) -> bool {
        if self.stalemate_in_the_air() {
            return false;
        }
        let home = Square::new(self.rival.file() as usize);
        let away = self.enemy.distance(home);
        let near = self.king.distance(home);
        let kind = PawnKind::of(self.rival);
        match (left, kind) {
            (4.., PawnKind::Plain) => true,
            (4.., _) => !opposed || away > 1,
            (3, PawnKind::Plain) => true,
            (3, _) => !opposed || away > 2,
            _ if self.king_in_the_way() || self.turned().king_in_the_way() => false,
            (2, PawnKind::Plain) => {
                away > 2 || (away == 2 && near != 2) || (away == 1 && matches!(near, 2 | 3))
            }
            (2, PawnKind::Rook) => away >= 3 || near <= 3,
            (2, PawnKind::Bishop) => away >= 4 || (away == 3 && near <= 3),
            (1, _) => self.queen_arrives_in_time(home, kind),
            _ => false,
        }
    }

    /// Black's pawn stands on the seventh when White queens: White needs a
    /// check or the control of the promotion square.
    fn queen_arrives_in_time(self, home: Square, kind: PawnKind) -> bool {
        let away = self.enemy.distance(home);
        let near = self.king.distance(home);
        let occupied = Bitboard::from_square(self.king)
            | Bitboard::from_square(self.enemy)
            | Bitboard::from_square(up(home, 1));
        let target = up(self.pawn, 7 - self.pawn.rank());
        let queen = attacks::attacks(Role::Queen, target, occupied);
        if queen.contains(self.enemy) {
            match kind {
                PawnKind::Plain => away >= 3 || (away == 2 && near == 3),
                PawnKind::Rook => away >= 4 || near <= 3,
                PawnKind::Bishop => away >= 5 || (away == 4 && near <= 3),
            }
        } else {
            queen.contains(home) && (kind != PawnKind::Rook || away >= 3)
        }
    }

    /// Black's king is at the edge with next to no moves.
    fn stalemate_in_the_air(self) -> bool {
        let blocked = zone(self.king) | pawn_guard(self.pawn);
        let steps = attacks::king(self.enemy) - blocked - Bitboard::from_square(self.rival);
        let promoting = self.pawn.rank() == 6 && self.enemy.distance(self.rival) == 1;
        on_rook_file(self.enemy) && (steps.len() < 2 || promoting)
    }

    /// Moves White's pawn needs to queen when White does nothing else and
    /// Black's king does everything to catch it; `None` if it is caught.
    pub(crate) fn runs_home(self, first: bool) -> Option<i32> {
        let (mut king, mut pawn) = (self.king, self.pawn);
        let mut reached = Bitboard::from_square(self.enemy);
        let mut moves = 0;
        let mut black_moves = !first;
        loop {
            if black_moves {
                reached = spread(reached) - zone(king) - pawn_guard(pawn);
                if reached.contains(pawn) {
                    return None;
                }
            }
            black_moves = true;
            if pawn.rank() == 7 {
                return Some(moves);
            }
            let next = up(pawn, 1);
            if next == self.rival || reached.contains(next) {
                return None;
            }
            moves += 1;
            if next == king {
                king = self.step_aside(king, pawn, reached)?;
                continue;
            }
            let double = up(pawn, 2.min(7 - pawn.rank()));
            let leaps = pawn.rank() == 1
                && double != king
                && double != self.rival
                && !reached.contains(double);
            pawn = if leaps { double } else { next };
        }
    }

    fn step_aside(self, king: Square, pawn: Square, reached: Bitboard) -> Option<Square> {
        (attacks::king(king)
            - Bitboard::file(pawn.file())
            - spread(reached)
            - self.rival_guard()
            - Bitboard::from_square(self.rival))
        .into_iter()
        .max_by_key(|square| (square.distance(pawn) == 1, square.index()))
    }

    /// Bounds after White's pawn promotes on `square`, Black to move.
    pub(super) fn promotion_bounds(self, square: Square) -> (i8, i8) {
        if self.enemy.distance(square) == 1 && self.king.distance(square) > 1 {
            return (-1, 1); // the queen is lost, but another piece may fork
        }
        let occupied = Bitboard::from_square(self.rival) | Bitboard::from_square(self.king);
        let queen = attacks::attacks(Role::Queen, square, occupied);
        let steps = attacks::king(self.enemy) - zone(self.king) - queen;
        let stuck = (steps - Bitboard::from_square(self.rival)).is_empty();
        let drawish = matches!(self.rival.file(), 0 | 2 | 5 | 7);
        let away = self.enemy.distance(Square::new(self.rival.file() as usize));
        let won = match pawn_moves_home(self.rival.flip_vertical()) {
            3.. if self.rival.rank() > 3 => true,
            3.. => !drawish || away > 1,
            2 if drawish => away >= 4,
            2 => away != 1,
            _ => false,
        };
        if won && !stuck { (1, 1) } else { (-1, 1) }
    }
}

impl View {
    /// We do not lose.
    fn is_safe(&self) -> Option<DuelRule> {
        self.survives_race()
            .or_else(|| self.holds_rival())
            .or_else(|| self.lures_enemy())
            .or_else(|| self.keeps_enemy_busy())
    }
}
