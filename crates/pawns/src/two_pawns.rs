//! King and two pawns against king: the nine categories of 1977.
//!
//! The pawns are White's and move up the board. With Black to move the first
//! question is whether a capture draws at once, which [`OnePawn`] answers
//! exactly; if none does, the pattern of the pawns and the kings' distances
//! decide. With White to move every move is tried once. What no rule decides
//! stays undecided; no rule is wrong in any legal position (checked
//! exhaustively).

use std::fmt;

use molien_board::{Bitboard, Role, Square, attacks};

use crate::geometry::{files_apart, on_rook_file, pawn_guard, pawn_moves_home, up, zone};
use crate::one_pawn::{OnePawn, OnePawnRule};

/// Plies of look-ahead added where the first look leaves a gap.
const FURTHER_PLIES: u32 = 4;

/// King and two White pawns against king.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TwoPawns {
    /// The king with the pawns.
    pub king: Square,
    /// The pawn further back (either, if they stand on one rank).
    pub rear: Square,
    /// The pawn further up.
    pub front: Square,
    /// The bare king.
    pub enemy: Square,
}

/// The category of a position with two pawns against the bare king.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum TwoPawnsRule {
    /// A pawn outruns the bare king.
    PawnOutruns,
    /// The pawns stand so far apart that one of them queens unaided.
    DynamicDuo,
    /// The pawns protect each other until their king arrives.
    DefensiveUnit,
    /// The king wins with one of the pawns alone.
    OnePawnWins(OnePawnRule),
    /// The king protects the more advanced pawn.
    KingProtects,
    /// The king arrives in time to protect the more advanced pawn.
    KingArrives,
    /// The bare king is stalemated.
    Stalemate,
    /// The bare king is checkmated by a pawn.
    Checkmate,
    /// The bare king wins a pawn and draws against the other.
    PawnFalls,
    /// Doubled pawns that cannot be forced through.
    DoubledPawns,
    /// A pawn promotes at once.
    Promotes,
    /// None of the categories applies.
    Undecided,
}

impl fmt::Display for TwoPawnsRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TwoPawnsRule::PawnOutruns => f.write_str("a pawn outruns the king"),
            TwoPawnsRule::DynamicDuo => f.write_str("dynamic duo"),
            TwoPawnsRule::DefensiveUnit => f.write_str("defensive unit"),
            TwoPawnsRule::OnePawnWins(rule) => write!(f, "one pawn is enough: {rule}"),
            TwoPawnsRule::KingProtects => f.write_str("king protects the front pawn"),
            TwoPawnsRule::KingArrives => f.write_str("king arrives to protect the front pawn"),
            TwoPawnsRule::Stalemate => f.write_str("stalemate"),
            TwoPawnsRule::Checkmate => f.write_str("checkmate"),
            TwoPawnsRule::PawnFalls => f.write_str("pawn lost"),
            TwoPawnsRule::DoubledPawns => f.write_str("doubled pawns"),
            TwoPawnsRule::Promotes => f.write_str("promotion"),
            TwoPawnsRule::Undecided => f.write_str("undecided"),
        }
    }
}

/// `win` is `None` where no rule decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TwoPawnsFinding {
    pub win: Option<bool>,
    pub rule: TwoPawnsRule,
}

const fn won(rule: TwoPawnsRule) -> TwoPawnsFinding {
    TwoPawnsFinding { win: Some(true), rule }
}

const fn drawn(rule: TwoPawnsRule) -> TwoPawnsFinding {
    TwoPawnsFinding { win: Some(false), rule }
}

const UNDECIDED: TwoPawnsFinding = TwoPawnsFinding { win: None, rule: TwoPawnsRule::Undecided };

impl TwoPawns {
    /// Puts the two pawns in order.
    pub fn new(king: Square, pawns: [Square; 2], enemy: Square) -> TwoPawns {
        let [a, b] = pawns;
        let (rear, front) = if a.rank() <= b.rank() { (a, b) } else { (b, a) };
        TwoPawns { king, rear, front, enemy }
    }

    /// The category with White to move: the first move that wins, if any.
    pub fn white_to_move(self) -> TwoPawnsFinding {
        let finding = self.white_ahead(1);
        if finding.win.is_some() { finding } else { self.white_ahead(1 + FURTHER_PLIES) }
    }

    /// The category with Black to move; where no rule decides, every move is
    /// tried.
    pub fn black_to_move(self) -> TwoPawnsFinding {
        let finding = self.black_ahead(2);
        if finding.win.is_some() { finding } else { self.black_ahead(2 + FURTHER_PLIES) }
    }

    /// The same with a look so many plies ahead, at least one.
    fn white_ahead(self, plies: u32) -> TwoPawnsFinding {
        let mut all_draw = true;
        let mut last = drawn(TwoPawnsRule::PawnFalls);
        let mut consider = |child: TwoPawnsFinding| {
            last = child;
            all_draw &= child.win == Some(false);
            child.win == Some(true)
        };
        for (pawn, other) in [(self.front, self.rear), (self.rear, self.front)] {
            for push in self.pushes(pawn) {
                let child = if push.rank() == 7 {
                    self.after_promotion(push, other)
                } else {
                    TwoPawns::new(self.king, [push, other], self.enemy).black_ahead(plies - 1)
                };
                if consider(child) {
                    return child;
                }
            }
        }
        for king in self.king_steps() {
            let child = TwoPawns { king, ..self }.black_ahead(plies - 1);
            if consider(child) {
                return child;
            }
        }
        if all_draw { last } else { UNDECIDED }
    }

    /// The category with Black to move and a look so many plies ahead.
    fn black_ahead(self, plies: u32) -> TwoPawnsFinding {
        let finding = self.rule();
        if finding.win.is_some() || plies < 2 {
            return finding;
        }
        let guarded = pawn_guard(self.rear) | pawn_guard(self.front);
        let pawns = Bitboard::from_square(self.rear) | Bitboard::from_square(self.front);
        let (mut last, mut open) = (UNDECIDED, false);
        // Captures are lost here: the rules have looked at them.
        for enemy in attacks::king(self.enemy) - zone(self.king) - guarded - pawns {
            last = TwoPawns { enemy, ..self }.white_ahead(plies - 1);
            match last.win {
                Some(true) => {}
                Some(false) => return last,
                None => open = true,
            }
        }
        if open { UNDECIDED } else { last }
    }

    /// The pawn that Black to move can take with a draw, if there is one.
    pub fn drawing_capture(self) -> Option<Square> {
        let guarded = pawn_guard(self.rear) | pawn_guard(self.front);
        let moves = attacks::king(self.enemy) - zone(self.king) - guarded;
        let draws = |&(taken, left): &(Square, Square)| {
            let after = OnePawn { king: self.king, pawn: left, enemy: taken };
            moves.contains(taken) && !after.wins(true)
        };
        [(self.rear, self.front), (self.front, self.rear)].iter().find(|p| draws(p)).map(|p| p.0)
    }

    /// The pawn that White to move promotes and wins with at once.
    pub fn promoting(self) -> Option<Square> {
        [(self.front, self.rear), (self.rear, self.front)].into_iter().find_map(|(pawn, other)| {
            let to = self.pushes(pawn).next().filter(|to| to.rank() == 7)?;
            (self.after_promotion(to, other).win == Some(true)).then_some(pawn)
        })
    }

    /// The first rule that decides with Black to move.
    pub fn rule(self) -> TwoPawnsFinding {
        let guarded = pawn_guard(self.rear) | pawn_guard(self.front);
        let moves = attacks::king(self.enemy) - zone(self.king) - guarded;
        if moves.is_empty() {
            return if guarded.contains(self.enemy) {
                won(TwoPawnsRule::Checkmate)
            } else {
                drawn(TwoPawnsRule::Stalemate)
            };
        }
        if self.drawing_capture().is_some() {
            return drawn(TwoPawnsRule::PawnFalls);
        }
        if files_apart(self.rear, self.front) == 0 { self.doubled() } else { self.on_two_files() }
    }

    /// Pawns on different files, Black to move and unable to draw by a capture.
    fn on_two_files(self) -> TwoPawnsFinding {
        let apart = files_apart(self.rear, self.front);
        let step = self.front.rank() - self.rear.rank();
        if apart >= 5 || (apart == 4 && step == 0) {
            return won(TwoPawnsRule::DynamicDuo);
        }
        if self.is_defensive_unit(apart, step) {
            return won(TwoPawnsRule::DefensiveUnit);
        }
        let rear_lead = self.enemy.distance(self.rear) - self.king.distance(self.rear);
        let front_lead = self.enemy.distance(self.front) - self.king.distance(self.front);
        let in_time = match apart {
            1 => front_lead >= 1,
            2 => {
                front_lead >= 1 && rear_lead >= 2 && step <= 1 || front_lead >= 2 && rear_lead >= 1
            }
            3 => front_lead >= 2,
            _ => front_lead >= 1,
        };
        if in_time {
            return won(if self.king.distance(self.front) == 1 {
                TwoPawnsRule::KingProtects
            } else {
                TwoPawnsRule::KingArrives
            });
        }
        match self.one_pawn_wins() {
            TwoPawnsFinding { win: None, .. } if self.stand_apart(apart, step) => {
                won(TwoPawnsRule::DynamicDuo)
            }
            finding => finding,
        }
    }

    /// Black cannot draw by a capture now, and the pawns are so placed that he
    /// cannot later: one of them goes on, or is defended, while he takes the
    /// other.
    fn stand_apart(self, apart: i32, step: i32) -> bool {
        let TwoPawns { king, rear, front, enemy } = self;
        let (king_files, enemy_files) = (files_apart(king, rear), files_apart(enemy, rear));
        let side = |square: Square| (square.file() - front.file()).signum();
        // There is time: Black's king is far from the front pawn, or that is not far up.
        let far = enemy.distance(front);
        let early = far >= 4 || (front.rank() <= 3 && far >= 3 && enemy_files >= 1);
        // Black's king is tied to the front pawn, which it must not take.
        let tied = enemy.distance(front) == 1
            && step >= 1
            && king.distance(up(front, 7 - front.rank())) >= 3;
        // White's king is near the rear pawn and both are far from the other.
        let divided =
            apart >= 3 && king_files <= 3 && files_apart(king, front) >= 1 && !on_rook_file(rear);
        // Both pawns are still low and White's king is not behind them.
        let low = front.rank() <= 2 && king.rank() >= rear.rank() - 1;
        // Black's king is on the same side of the front pawn as White's and far.
        let behind = (1..=4).contains(&enemy_files)
            && files_apart(enemy, front) >= 3
            && side(king) == side(enemy);
        // White's king is much nearer to the rear pawn.
        let nearer = king.distance(rear) <= 4
            && enemy.distance(rear) - king.distance(rear) >= 3
            && king.rank() >= front.rank() - 4
            && !on_rook_file(rear);
        // Both pawns are on the seventh, or Black's king is far above White's.
        let high = rear.rank() == 6
            || (enemy.rank() >= king.rank() + 6
                && king.rank() >= front.rank() - 3
                && king_files <= 4);
        // Black's king comes at neighbouring pawns from outside.
        let outside = apart <= 2
            && step <= 1
            && enemy_files <= 1
            && king.distance(front) >= 4
            && side(enemy) * (enemy.file() - rear.file()).signum() >= 0;
        early || tied || divided || low || behind || nearer || high || outside
    }

    /// Whichever pawn is attacked, the other advances or protects it. Pawns
    /// two or three files apart can fall into zugzwang when their king stands
    /// that many ranks behind them, and a king hemmed in by its own rook pawn
    /// cannot make the waiting moves the unit needs.
    fn is_defensive_unit(self, apart: i32, step: i32) -> bool {
        let behind = self.rear.rank() - self.king.rank();
        let hemmed_in = on_rook_file(self.king) && behind <= 0;
        match (apart, step) {
            (1, 0 | 1) => true,
            (1, 2) => !hemmed_in,
            (2, 0) => behind != 2 && !hemmed_in,
            (3, 0) => behind != 3,
            _ => false,
        }
    }

    /// White wins with one of the pawns as if the other were not there.
    fn one_pawn_wins(self) -> TwoPawnsFinding {
        match self.lone_winner() {
            Some((_, OnePawnRule::OutsideTheSquare)) => won(TwoPawnsRule::PawnOutruns),
            Some((_, rule)) => won(TwoPawnsRule::OnePawnWins(rule)),
            None => UNDECIDED,
        }
    }

    /// The pawn with which White wins as if the other were not there, and why.
    pub fn lone_winner(self) -> Option<(Square, OnePawnRule)> {
        // Of doubled pawns the one in front.
        let doubled = files_apart(self.rear, self.front) == 0;
        let pawns = [(self.front, self.rear), (self.rear, self.front)];
        pawns.into_iter().take(if doubled { 1 } else { 2 }).find_map(|(pawn, other)| {
            // A rook pawn on the seventh can get in its own king's way.
            if on_rook_file(other) && other.rank() == 6 {
                return None;
            }
            let alone = OnePawn { king: self.king, pawn, enemy: self.enemy };
            if !alone.wins(false) {
                return None;
            }
            Some((pawn, alone.winning_rule(false)?))
        })
    }

    /// Doubled pawns, Black to move and unable to draw by a capture.
    fn doubled(self) -> TwoPawnsFinding {
        if let Some((_, rule)) = self.lone_winner() {
            return won(TwoPawnsRule::OnePawnWins(rule));
        }
        let step = self.front.rank() - self.rear.rank();
        let lead = self.enemy.distance(self.front) - self.king.distance(self.front);
        let ahead = self.king.rank() > self.front.rank();
        // On the sixth and seventh: Black could only have drawn by taking one.
        if self.rear.rank() == 5 && self.king.distance(self.front) >= 2 {
            return won(TwoPawnsRule::DynamicDuo);
        }
        if self.doubled_are_held(step, lead) {
            return drawn(TwoPawnsRule::DoubledPawns);
        }
        if on_rook_file(self.front) {
            let held = !ahead && (step >= 2 || lead >= 1);
            return if held { drawn(TwoPawnsRule::DoubledPawns) } else { UNDECIDED };
        }
        let needed = if ahead {
            2
        } else {
            match step {
                1 => 2,
                2 => 1,
                3 => 0,
                _ => -1,
            }
        };
        if lead >= needed || self.doubled_are_reached(step, lead) {
            won(TwoPawnsRule::KingArrives)
        } else if step == 2 && lead <= -2 {
            drawn(TwoPawnsRule::DoubledPawns)
        } else {
            UNDECIDED
        }
    }

    /// Doubled pawns whose king is too far off, or no higher than Black's,
    /// and of which the front one would not win alone even with the move.
    fn doubled_are_held(self, step: i32, lead: i32) -> bool {
        let TwoPawns { king, rear, front, enemy } = self;
        let above = enemy.rank() - king.rank();
        let held = (files_apart(king, front) >= 5 && lead <= -2)
            || (above <= 1 && enemy.rank() >= rear.rank() + 3 && step <= 3)
            || (above >= -1 && on_rook_file(front))
            || self.doubled_are_stopped(step, lead);
        held && !OnePawn { king, pawn: front, enemy }.wins(true)
    }

    /// Black's king gets before the front pawn and is nearer to both than
    /// White's.
    fn doubled_are_stopped(self, step: i32, lead: i32) -> bool {
        let TwoPawns { king, rear, front, enemy } = self;
        let home = up(front, 7 - front.rank());
        let rear_lead = enemy.distance(rear) - king.distance(rear);
        let beside = enemy.distance(front) >= 2 && files_apart(enemy, front) <= 1;
        let late = enemy.distance(home) - pawn_moves_home(front);
        let far = step >= 2 && files_apart(king, front) >= 5;
        late <= 1
            && lead <= -1
            && (rear_lead <= 1 && beside || far && (rear_lead <= 0 || late == 1))
    }

    /// Doubled pawns, no rook pawns, that White's king reaches because Black's
    /// is far above or below it, or because the pawns are far apart.
    fn doubled_are_reached(self, step: i32, lead: i32) -> bool {
        let TwoPawns { king, rear, front, enemy } = self;
        let above = enemy.rank() - king.rank();
        let near = files_apart(king, front) <= 4;
        let room = above >= 4 || (above >= 2 && enemy.distance(front) >= 3);
        (lead >= 0 && room && front.rank() <= 4)
            || (lead >= 0 && above >= 2 && enemy.rank() >= front.rank() + 3)
            || (near && rear.rank() <= 3 && enemy.rank() <= rear.rank())
            || (near && king.distance(rear) <= 5 && step >= 5)
            || (lead >= -2 && king.distance(rear) <= 2 && step >= 3)
    }

    fn pushes(self, pawn: Square) -> impl Iterator<Item = Square> {
        let occupied: Bitboard =
            [self.king, self.rear, self.front, self.enemy].into_iter().collect();
        let single = Some(up(pawn, 1)).filter(|&to| !occupied.contains(to));
        let double = single
            .filter(|_| pawn.rank() == 1)
            .map(|to| up(to, 1))
            .filter(|&to| !occupied.contains(to));
        single.into_iter().chain(double)
    }

    /// A queen (or rook) that cannot be taken wins; one that can is lost.
    fn after_promotion(self, square: Square, other: Square) -> TwoPawnsFinding {
        let occupied = Bitboard::from_square(other) | Bitboard::from_square(self.king);
        let queen = attacks::attacks(Role::Queen, square, occupied);
        let guarded = queen | zone(self.king) | pawn_guard(other);
        let stuck = (attacks::king(self.enemy) - guarded).is_empty() && !queen.contains(self.enemy);
        let safe = self.enemy.distance(square) > 1 || self.king.distance(square) <= 1;
        if safe && !stuck { won(TwoPawnsRule::Promotes) } else { UNDECIDED }
    }

    fn king_steps(self) -> Bitboard {
        let own = Bitboard::from_square(self.rear) | Bitboard::from_square(self.front);
        attacks::king(self.king) - zone(self.enemy) - own
    }
}
