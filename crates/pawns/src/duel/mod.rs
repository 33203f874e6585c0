//! King and pawn against king and pawn: win, draw, loss or unknown.
//!
//! Everything is seen from the side to move, called White, whose pawn moves
//! up the board. Each rule gives a *bound*: "White has at least a draw",
//! "White wins", "White cannot win". The rules of a position are put together,
//! and where they leave a gap the moves are tried, a few plies deep (`ahead`). No
//! bound is wrong in any legal position (checked exhaustively); a gap that stays open is reported as unknown.

mod adjacent;
mod ahead;
mod blocked;
mod hold;
mod passed;
pub(crate) mod queens;
mod race;
mod running;
pub(crate) mod seventh;
mod square;
pub(crate) mod two_queens;
mod view;

use std::fmt;

use molien_board::{Bitboard, Color, Square, attacks};

use crate::geometry::{files_apart, pawn_guard, zone};
use crate::one_pawn::OnePawn;
use ahead::Wanted;

/// Plies of the look ahead where the rules leave a gap.
const LOOK_AHEAD_PLIES: usize = 3;

/// King and White pawn against king and Black pawn, White to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Duel {
    /// White's king.
    pub king: Square,
    /// White's pawn, moving up.
    pub pawn: Square,
    /// Black's king.
    pub enemy: Square,
    /// Black's pawn, moving down.
    pub rival: Square,
}

/// The rule that decides king and pawn against king and pawn.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum DuelRule {
    /// The side to move takes the pawn and wins with its own.
    TakesAndWins,
    /// The side to move takes the pawn, which cannot be worse than a draw.
    Takes,
    /// The king holds the enemy pawn.
    Holds,
    /// The king is near enough to its own pawn, which the enemy's has not
    /// passed.
    Guards,
    /// The pawn queens far enough ahead of the other.
    WinsTheRace,
    /// The pawn is ahead in the race, which is enough for a draw.
    QueensFirst,
    /// The pawn queens second, and neither pawn nor queen is lost.
    QueensSecond,
    /// A pawn that does not run lures the enemy king away from the other.
    Lures,
    /// A pawn that would win alone leaves the enemy no time.
    KeepsBusy,
    /// The king catches the enemy pawn, and its own still wins.
    CatchesAndWins,
    /// The king leads its pawn home ahead of the other.
    Escorts,
    /// Blocked pawns: the king is near enough to them.
    Blocked,
    /// The side to move is stalemated.
    Stalemate,
    /// The side to move is checkmated.
    Checkmate,
    /// Found by trying every move.
    BestMove,
    /// No rule applies.
    Undecided,
}

impl fmt::Display for DuelRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DuelRule::TakesAndWins => "pawn taken, the other wins",
            DuelRule::Takes => "pawn taken",
            DuelRule::Holds => "pawn held",
            DuelRule::Guards => "pawn guarded",
            DuelRule::WinsTheRace => "race won",
            DuelRule::QueensFirst => "ahead in the race",
            DuelRule::QueensSecond => "queens second and safely",
            DuelRule::Lures => "king lured away",
            DuelRule::KeepsBusy => "no time to win",
            DuelRule::CatchesAndWins => "pawn caught, the other wins",
            DuelRule::Escorts => "pawn led home first",
            DuelRule::Blocked => "blocked pawns defended",
            DuelRule::Stalemate => "stalemate",
            DuelRule::Checkmate => "checkmate",
            DuelRule::BestMove => "every move tried",
            DuelRule::Undecided => "undecided",
        })
    }
}

/// What White gets at least and at most: 1 a win, 0 a draw, -1 a loss.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Bounds {
    pub low: i8,
    pub high: i8,
    /// Why White gets no less.
    pub low_rule: DuelRule,
    /// Why White gets no more.
    pub high_rule: DuelRule,
}

impl Bounds {
    const OPEN: Bounds =
        Bounds { low: -1, high: 1, low_rule: DuelRule::Undecided, high_rule: DuelRule::Undecided };

    const fn exactly(value: i8, rule: DuelRule) -> Bounds {
        Bounds { low: value, high: value, low_rule: rule, high_rule: rule }
    }

    /// The value, if the bounds meet.
    pub const fn value(self) -> Option<i8> {
        if self.low == self.high { Some(self.low) } else { None }
    }

    /// Nothing more is to be found out.
    const fn is_settled(self) -> bool {
        self.low >= self.high
    }

    /// Another move of White's can only help him.
    fn with_en_passant(mut self, en_passant: bool) -> Bounds {
        if en_passant {
            self.high = 1;
        }
        self
    }

    fn at_least(&mut self, low: i8, rule: DuelRule) {
        if low > self.low {
            self.low = low.min(self.high);
            self.low_rule = rule;
        }
    }

    fn at_most(&mut self, high: i8, rule: DuelRule) {
        if high < self.high {
            self.high = high.max(self.low);
            self.high_rule = rule;
        }
    }
}

impl Duel {
    /// The same position seen by Black: colours exchanged, board turned.
    pub(crate) fn turned(self) -> Duel {
        Duel {
            king: self.enemy.flip_vertical(),
            pawn: self.rival.flip_vertical(),
            enemy: self.king.flip_vertical(),
            rival: self.pawn.flip_vertical(),
        }
    }

    /// The squares Black's pawn guards.
    fn rival_guard(self) -> Bitboard {
        attacks::pawn(Color::Black, self.rival)
    }

    /// White's pawn and king alone against Black's king.
    fn mine_alone(self) -> OnePawn {
        OnePawn { king: self.king, pawn: self.pawn, enemy: self.enemy }
    }

    /// Black's pawn and king alone against White's king, turned around.
    fn theirs_alone(self) -> OnePawn {
        self.turned().mine_alone()
    }

    /// White can take Black's pawn with the king.
    fn king_takes(self) -> bool {
        self.king.distance(self.rival) == 1 && self.enemy.distance(self.rival) > 1
    }

    fn pawn_takes(self) -> bool {
        pawn_guard(self.pawn).contains(self.rival)
    }

    /// Where White's king can go, captures left out.
    fn king_steps(self) -> Bitboard {
        attacks::king(self.king)
            - zone(self.enemy)
            - self.rival_guard()
            - Bitboard::from_square(self.pawn)
            - Bitboard::from_square(self.rival)
    }

    /// Pawns on one file, facing each other.
    pub(crate) fn is_blocked(self) -> bool {
        self.pawn.file() == self.rival.file() && self.pawn.rank() < self.rival.rank()
    }

    /// Pawns on neighbouring files that have not passed each other.
    pub(crate) fn is_adjacent(self) -> bool {
        files_apart(self.pawn, self.rival) == 1 && self.pawn.rank() < self.rival.rank()
    }

    /// The value as far as the rules and a look ahead tell.
    /// `en_passant`: White may take Black's pawn en passant.
    pub fn judge(self, en_passant: bool) -> Bounds {
        self.judge_ahead(en_passant, LOOK_AHEAD_PLIES)
    }

    /// The same without trying moves. Mate and stalemate are left out.
    pub fn bounds_at_once(self, en_passant: bool) -> Bounds {
        self.rules(Wanted::ALL).with_en_passant(en_passant)
    }

    /// The bounds by rules alone, as far as they are wanted.
    fn rules(self, wanted: Wanted) -> Bounds {
        let mut bounds = Bounds { low: wanted.alpha, high: wanted.beta, ..Bounds::OPEN };
        self.captures(&mut bounds);
        if bounds.is_settled() {
            return bounds;
        }
        if self.is_blocked() {
            self.blocked_rules(&mut bounds);
        } else if self.is_adjacent() {
            self.adjacent_rules(wanted, &mut bounds);
        } else {
            self.passed_rules(wanted, &mut bounds);
        }
        bounds
    }

    /// Taking the pawn leaves White with the only one.
    fn captures(self, bounds: &mut Bounds) {
        let mut consider = |after: OnePawn| {
            if after.wins(false) {
                bounds.at_least(1, DuelRule::TakesAndWins);
            } else {
                bounds.at_least(0, DuelRule::Takes);
            }
        };
        if self.king_takes() {
            consider(OnePawn { king: self.rival, ..self.mine_alone() });
        }
        if self.pawn_takes() {
            consider(OnePawn { pawn: self.rival, ..self.mine_alone() });
        }
    }
}
