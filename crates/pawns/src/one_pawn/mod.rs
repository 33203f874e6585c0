//! King and pawn against king: a win or a draw, by rules.
//!
//! The pawn is White's and moves up the board (the caller has exchanged the
//! colours if it was Black's). Every rule of this file claims a *win with
//! Black to move*. A rule may claim too little, never too much; the look-ahead
//! at the end ("whatever Black plays, White has a move after which a rule
//! holds") closes the gaps, and what no rule wins is a draw. That the two
//! together are exact for every legal position is checked exhaustively.

mod draws;
mod memory;
mod rule;

use molien_board::{Bitboard, Square, attacks};

use crate::geometry::{
    files_apart, on_rook_file, pawn_guard, pawn_moves_home, spread, steps_avoiding, up, zone,
};

pub use rule::OnePawnRule;

/// How many times the look-ahead may answer a Black move.
const LOOK_AHEAD: u32 = 2;

/// King and White pawn against king.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct OnePawn {
    /// The king with the pawn.
    pub king: Square,
    /// The pawn, moving up the board.
    pub pawn: Square,
    /// The bare king.
    pub enemy: Square,
}

/// What one_pawn found: win or draw, by which rule, after which White move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct OnePawnFinding {
    pub win: bool,
    pub rule: OnePawnRule,
}

impl OnePawnFinding {
    fn from_win(rule: Option<OnePawnRule>, drawn: impl FnOnce() -> OnePawnRule) -> OnePawnFinding {
        match rule {
            Some(rule) => OnePawnFinding { win: true, rule },
            None => OnePawnFinding { win: false, rule: drawn() },
        }
    }
}

impl OnePawn {
    /// Win or draw with Black (the bare king) to move.
    pub fn black_to_move(self) -> OnePawnFinding {
        OnePawnFinding::from_win(self.winning_rule(false), || {
            if self.pawn_hangs() {
                OnePawnRule::PawnFalls
            } else if self.black_moves().is_empty() {
                OnePawnRule::Stalemate
            } else {
                self.drawn_because()
            }
        })
    }

    /// Win or draw with White to move.
    pub fn white_to_move(self) -> OnePawnFinding {
        OnePawnFinding::from_win(self.winning_rule(true), || self.drawn_because())
    }

    /// The rule by which White wins, if White does. Most wins need no
    /// look-ahead, so that is tried first.
    #[inline]
    pub fn winning_rule(self, white_to_move: bool) -> Option<OnePawnRule> {
        if white_to_move {
            self.won_white_to_move(0).or_else(|| self.won_white_to_move(LOOK_AHEAD))
        } else {
            self.won_black_to_move(LOOK_AHEAD)
        }
    }

    /// White to move makes a queen or a rook that is not taken.
    pub fn promotes_at_once(self) -> bool {
        let push = up(self.pawn, 1);
        self.pawn.rank() == 6
            && push != self.king
            && push != self.enemy
            && (self.enemy.distance(push) > 1 || self.king.distance(push) == 1)
    }

    fn drawn_because(self) -> OnePawnRule {
        if on_rook_file(self.pawn) {
            OnePawnRule::RookPawnCorner
        } else if self.blockaded() {
            OnePawnRule::Blockade
        } else {
            OnePawnRule::NoKeySquare
        }
    }

    /// Black can take the pawn.
    #[inline]
    fn pawn_hangs(self) -> bool {
        self.enemy.distance(self.pawn) == 1 && self.king.distance(self.pawn) > 1
    }

    /// Where Black's king can go without taking the pawn.
    #[inline]
    fn black_moves(self) -> Bitboard {
        attacks::king(self.enemy)
            - zone(self.king)
            - pawn_guard(self.pawn)
            - Bitboard::from_square(self.pawn)
    }

    fn won_black_to_move(self, look_ahead: u32) -> Option<OnePawnRule> {
        if self.pawn_hangs() {
            return None;
        }
        let moves = self.black_moves();
        if moves.is_empty() {
            let check = pawn_guard(self.pawn).contains(self.enemy);
            return check.then_some(OnePawnRule::Checkmate);
        }
        if let Some(rule) = self.rule() {
            return Some(rule);
        }
        if look_ahead == 0 || self.clearly_drawn(false) {
            return None;
        }
        // The likeliest defence first: towards the squares in front of the pawn.
        let front = up(self.pawn, 2.min(7 - self.pawn.rank()));
        let near = moves & zone(front);
        let mut last = None;
        for enemy in near.into_iter().chain(moves - near) {
            last = Some(OnePawn { enemy, ..self }.won_white_to_move(look_ahead - 1)?);
        }
        last
    }

    fn won_white_to_move(self, look_ahead: u32) -> Option<OnePawnRule> {
        if self.clearly_drawn(true) {
            return None;
        }
        let push = up(self.pawn, 1);
        let blocked = push == self.king || push == self.enemy;
        if self.pawn.rank() == 6 {
            if self.promotes_at_once() {
                return Some(OnePawnRule::Promotes);
            }
        } else if !blocked {
            let pushed = OnePawn { pawn: push, ..self }.won_black_to_move(look_ahead);
            if pushed.is_some() {
                return pushed;
            }
            let double = up(push, 1);
            if self.pawn.rank() == 1 && double != self.king && double != self.enemy {
                let pushed = OnePawn { pawn: double, ..self }.won_black_to_move(look_ahead);
                if pushed.is_some() {
                    return pushed;
                }
            }
        }
        self.white_steps()
            .into_iter()
            .find_map(|king| OnePawn { king, ..self }.won_black_to_move(look_ahead))
    }

    /// Where White's king can sensibly go: up to the fifth rank it never needs
    /// to retreat when it is not far in front of its pawn.
    fn white_steps(self) -> Bitboard {
        let legal = attacks::king(self.king) - zone(self.enemy) - Bitboard::from_square(self.pawn);
        if self.pawn.rank() <= 4 && self.king.rank() <= self.pawn.rank() + 1 {
            legal & Bitboard(!0 << (8 * self.king.rank()))
        } else {
            legal
        }
    }

    /// The first rule that wins with Black to move.
    fn rule(self) -> Option<OnePawnRule> {
        if self.runs_home() {
            return Some(OnePawnRule::OutsideTheSquare);
        }
        let pawn_safe = self.pawn_safe();
        if pawn_safe && self.cuts_off_below() {
            return Some(OnePawnRule::CutOffBelow);
        }
        if on_rook_file(self.pawn) {
            return self.escorts_rook_pawn(pawn_safe).then_some(OnePawnRule::RookPawnEscort);
        }
        let key_squares = key_squares(self.pawn);
        if key_squares.contains(self.king) {
            Some(OnePawnRule::OnKeySquare)
        } else if self.faces_sideways() {
            Some(OnePawnRule::SidewaysOpposition)
        } else if self.shuts_off() {
            Some(OnePawnRule::ShutOff)
        } else if !pawn_safe {
            None
        } else if self.reaches_key_square(key_squares) {
            Some(OnePawnRule::ReachesKeySquare)
        } else if self.has_opposition() {
            Some(OnePawnRule::Opposition)
        } else {
            self.gains_opposition().then_some(OnePawnRule::GainsOpposition)
        }
    }

    /// The rule of the square, with White's king as an obstacle: let the pawn
    /// run and Black's king spread over every square it could have reached.
    fn runs_home(self) -> bool {
        if self.enemy.distance(up(self.pawn, 7 - self.pawn.rank())) < pawn_moves_home(self.pawn)
            && self.king.rank() < self.pawn.rank()
        {
            return false; // well inside, and no White king in the way
        }
        if self.pawn.rank() < 5
            && self.enemy.rank() > self.pawn.rank() + 1
            && files_apart(self.enemy, self.pawn) <= 1
        {
            return false; // in front of the pawn
        }
        let (mut king, mut pawn) = (self.king, self.pawn);
        let mut reached = Bitboard::from_square(self.enemy);
        loop {
            reached = spread(reached) - zone(king) - pawn_guard(pawn);
            let next = up(pawn, 1);
            if reached.contains(pawn) || reached.contains(next) {
                return false;
            }
            if next == king {
                match step_aside(king, pawn, reached) {
                    Some(square) => king = square,
                    None => return false,
                }
                continue;
            }
            let double = up(pawn, 2);
            let leaps = pawn.rank() == 1 && double != king && !reached.contains(double);
            pawn = if leaps { double } else { next };
            if pawn.rank() == 7 {
                return !(spread(reached) - zone(king)).contains(pawn);
            }
        }
    }

    /// White's king is back in time to protect the pawn against a raid.
    fn pawn_safe(self) -> bool {
        let guard = if on_rook_file(self.pawn) { Bitboard::EMPTY } else { pawn_guard(self.pawn) };
        let raid = steps_avoiding(self.enemy, self.pawn, guard);
        let rescue = self.king.distance(self.pawn);
        if rescue < raid || rescue == 1 {
            return true;
        }
        let side = |king: Square| (king.file() - self.pawn.file()).signum();
        let above = self.enemy.rank() > self.king.rank();
        if rescue == raid && (side(self.king) != side(self.enemy) || above || raid > 2) {
            return true;
        }
        let next = up(self.pawn, 1);
        self.pawn.rank() == 1
            && raid > 3
            && !above
            && self.king.rank() != self.enemy.rank()
            && self.king.distance(next) <= self.enemy.distance(next)
    }

    /// Far from a pawn on the second rank, Black's king is held below White's.
    fn cuts_off_below(self) -> bool {
        self.pawn.rank() == 1
            && self.king.file() == self.enemy.file()
            && self.king.rank() >= 4
            && self.king.rank() + self.enemy.rank() <= 6
            && files_apart(self.king, self.pawn) >= 4
    }

    /// With a rook pawn only the squares beside the corner count.
    fn escorts_rook_pawn(self, pawn_safe: bool) -> bool {
        let (beside, keeper) = if self.pawn.file() == 0 { (1, 2) } else { (6, 5) };
        let pawn_file = self.king.file() == self.pawn.file();
        let in_the_way = pawn_file && self.king.rank() > self.pawn.rank();
        let near = files_apart(self.king, self.enemy) <= 3;
        [48 + beside, 56 + beside].into_iter().any(|index| {
            let target = Square::new(index);
            let mut steps = steps_avoiding(self.king, target, Bitboard::from_square(self.pawn));
            if steps == 0 && self.rook_pawn_joins_king() {
                return true;
            }
            steps += i32::from(in_the_way && near);
            let from_below = !pawn_file
                && self.enemy.rank() <= self.king.rank()
                && files_apart(self.enemy, self.pawn) >= 3;
            let unopposed = self.enemy.distance(Square::new(56 + keeper)) > steps
                && (self.enemy.distance(target) > steps || from_below);
            unopposed && pawn_safe && self.rook_pawn_survives(steps)
        })
    }

    /// With White's king beside the corner, the pawn comes under its
    /// protection on the sixth rank before Black's king gets there.
    fn rook_pawn_joins_king(self) -> bool {
        let rank = self.pawn.rank();
        let haven = up(self.pawn, 5 - rank.min(5));
        rank >= 5 || self.enemy.distance(haven) - 1 > 5 - rank - i32::from(rank == 1)
    }

    fn rook_pawn_survives(self, steps: i32) -> bool {
        let pawn_file = self.king.file() == self.pawn.file();
        let distance = self.king.distance(self.pawn);
        self.enemy.distance(self.pawn) + i32::from(self.pawn.rank() == 1) > steps + 3
            || self.king.rank() <= self.enemy.rank() + i32::from(!pawn_file)
            || (!pawn_file && distance < 3)
            || distance == 1
    }

    /// Kings on one rank high above the pawn, an even number of files apart,
    /// White's nearer to the pawn's file and on the other side of it.
    fn faces_sideways(self) -> bool {
        let white = self.king.file() - self.pawn.file();
        let black = self.enemy.file() - self.pawn.file();
        self.king.rank() == self.enemy.rank()
            && self.king.rank() >= self.pawn.rank() + 2
            && (white - black) % 2 == 0
            && white.abs() <= black.abs()
            && white * black <= 0
    }

    /// A pawn on the sixth, and Black's king beyond White's on the same side.
    fn shuts_off(self) -> bool {
        let white = self.king.file() - self.pawn.file();
        let black = self.enemy.file() - self.pawn.file();
        self.pawn.rank() == 5
            && white * black >= 0
            && self.king.rank() >= 4
            && (self.king.distance(self.pawn) > 1 || self.king.rank() == 4)
            && self.enemy.rank() >= 6
            && black.abs() >= white.abs().max(2)
    }

    fn reaches_key_square(self, key_squares: Bitboard) -> bool {
        let own = Bitboard::from_square(self.pawn);
        key_squares
            .into_iter()
            .any(|target| self.enemy.distance(target) > steps_avoiding(self.king, target, own) + 1)
    }

    /// Kings on one file, an even number of ranks apart, White's in front of
    /// its pawn (for a pawn on the sixth, not far behind it).
    fn has_opposition(self) -> bool {
        let lead = self.king.rank() - self.pawn.rank();
        let gap = self.enemy.rank() - self.king.rank();
        let advanced = self.pawn.rank() >= 4;
        self.king.file() == self.enemy.file()
            && gap > 0
            && gap % 2 == 0
            && lead
                + if self.pawn.rank() >= 5 {
                    2
                } else {
                    i32::from(self.pawn.rank() == 1 && gap == 6)
                }
                > 0
            && (!advanced || self.king.distance(self.pawn) > 1)
    }

    /// White's king reaches a square before the pawn (beside it, from the
    /// fifth rank on) and Black's cannot stand two squares above it in time.
    fn gains_opposition(self) -> bool {
        let own = Bitboard::from_square(self.pawn);
        let guard = pawn_guard(self.pawn);
        let advanced = self.pawn.rank() >= 4;
        let corner_trick = self.pawn.rank() == 5
            && self.enemy.rank() == 6
            && on_rook_file(self.enemy)
            && self.enemy.distance(self.pawn) == 1;
        if self.pawn.rank() == 6 || corner_trick {
            return false;
        }
        [-1, 0, 1].into_iter().any(|side| {
            if side == 0 && advanced {
                return false;
            }
            let base = up(self.pawn, i32::from(!advanced));
            let Some(target) = base.offset(side, 0) else { return false };
            let steps = steps_avoiding(self.king, target, own);
            steps_avoiding(self.enemy, up(target, 2), guard) > steps + 1
                && self.enemy.distance(target) > steps
                && (self.pawn.rank() != 4 || self.enemy.distance(up(self.pawn, 2)) > steps + 1)
        })
    }

    /// Black's king stands in front of the pawn with White's king not ahead of it.
    fn blockaded(self) -> bool {
        let front = self.enemy.rank() - self.pawn.rank();
        self.enemy.file() == self.pawn.file() && front > 0 && self.king.rank() <= self.pawn.rank()
    }
}

/// The squares from which White's king forces a pawn that is not a rook pawn
/// through: two ranks ahead up to the fourth, one and two on the fifth, beside
/// and in front of the promotion square after that.
fn key_squares(pawn: Square) -> Bitboard {
    let wide = zone(pawn).0 & Bitboard::rank(pawn.rank()).0;
    Bitboard(match pawn.rank() {
        1..=3 => wide << 16,
        4 => wide << 8 | wide << 16,
        5 => wide << 8,
        _ => (wide ^ 1 << pawn.index()) | wide << 8,
    })
}

/// A square off the pawn's file for the king in front of its pawn, away from
/// everything Black's king can have reached; best beside the pawn.
fn step_aside(king: Square, pawn: Square, reached: Bitboard) -> Option<Square> {
    (attacks::king(king) - Bitboard::file(pawn.file()) - spread(reached))
        .into_iter()
        .max_by_key(|square| (square.distance(pawn) == 1, square.index()))
}
