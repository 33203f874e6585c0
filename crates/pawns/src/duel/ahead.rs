//! A look a few plies ahead, where the rules leave a gap.
//!
//! A side that is to move wins if one of its moves wins, and does not win if
//! none does: two questions, of which the second is given up as soon as one
//! move may win. Every move is judged by the rules first; only if that is not
//! enough are the answers to it tried.

use molien_board::Bitboard;

use super::{Bounds, Duel, DuelRule, LOOK_AHEAD_PLIES};
use crate::geometry::{files_apart, up};
use crate::one_pawn::OnePawn;

/// A king has at most eight moves and a pawn two.
const MOST_MOVES: usize = 10;

impl Duel {
    /// The value as far as the rules and a look so many plies ahead tell.
    pub(super) fn judge_ahead(self, en_passant: bool, plies: usize) -> Bounds {
        let mut bounds = self.bounds_at_once(en_passant);
        // A side that can only hold its own is worth a closer look.
        let holds = bounds.high == 0 && !self.is_adjacent() && !self.mine_alone().wins(true);
        let plies = plies + usize::from(holds);
        self.narrow(&mut bounds, en_passant, plies, Wanted::ALL, &mut Memory::default());
        bounds
    }

    /// Narrows the bounds by trying moves, as far as is wanted.
    fn narrow(
        self,
        bounds: &mut Bounds,
        en_passant: bool,
        plies: usize,
        wanted: Wanted,
        memory: &mut Memory,
    ) {
        let wanted = wanted.within(*bounds);
        if plies > 0 && wanted.is_open() {
            let tried = self.try_moves(en_passant, Tried::new(plies - 1, wanted, memory));
            bounds.at_least(tried.low, tried.low_rule);
            bounds.at_most(tried.high, tried.high_rule);
        }
    }

    /// Every White move, judged by Black with a look so many plies ahead. Ends
    /// early when White has `beta`; then nothing is said of how much more.
    fn try_moves(self, en_passant: bool, mut tried: Tried<'_>) -> Bounds {
        let mine = self.mine_alone();
        let in_check = self.rival_guard().contains(self.king);
        let after_capture = [
            (self.king_takes(), OnePawn { king: self.rival, ..mine }),
            (self.pawn_takes(), OnePawn { pawn: self.rival, ..mine }),
            (en_passant, OnePawn { pawn: up(self.rival, 1), ..mine }),
        ];
        for (_, after) in after_capture.into_iter().filter(|(possible, _)| *possible) {
            let won = i8::from(after.wins(false));
            tried.add(won, won);
        }
        if !in_check {
            self.try_pushes(&mut tried);
        }
        let steps = self.king_steps();
        let first = steps & tried.memory.best[tried.plies];
        for king in first.into_iter().chain(steps - first) {
            if tried.is_settled() {
                break;
            }
            tried.add_reply(Duel { king, ..self }, false);
            if tried.is_settled() {
                tried.memory.best[tried.plies] = Bitboard::from_square(king);
            }
        }
        tried.look_deeper();
        match (tried.any, in_check) {
            (true, _) => tried.bounds(),
            (false, true) => Bounds::exactly(-1, DuelRule::Checkmate),
            (false, false) => Bounds::exactly(0, DuelRule::Stalemate),
        }
    }

    fn try_pushes(self, tried: &mut Tried<'_>) {
        let occupied: Bitboard = [self.king, self.enemy, self.rival].into_iter().collect();
        let push = up(self.pawn, 1);
        if occupied.contains(push) {
            return;
        }
        if push.rank() == 7 {
            let (low, high) = self.promotion_bounds(push);
            return tried.add(low, high);
        }
        tried.add_reply(Duel { pawn: push, ..self }, false);
        let double = up(push, 1);
        if self.pawn.rank() == 1 && !occupied.contains(double) {
            let beside = files_apart(self.rival, double) == 1 && self.rival.rank() == 3;
            tried.add_reply(Duel { pawn: double, ..self }, beside);
        }
    }
}

/// What is worth finding out about a position: nothing beyond `alpha` and
/// `beta`, and perhaps not both how much White gets at least and at most.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    pub alpha: i8,
    pub beta: i8,
    /// Whether White gets more than `alpha`.
    pub least: bool,
    /// Whether White gets less than `beta`.
    pub most: bool,
}

impl Wanted {
    pub const ALL: Wanted = Wanted { alpha: -1, beta: 1, least: true, most: true };

    /// What is left to find out when so much is known.
    fn within(self, bounds: Bounds) -> Wanted {
        let (alpha, beta) = (self.alpha.max(bounds.low), self.beta.min(bounds.high));
        Wanted { alpha, beta, ..self }
    }

    const fn is_open(self) -> bool {
        self.alpha < self.beta && (self.least || self.most)
    }

    /// The same question seen by the other side.
    const fn turned(self) -> Wanted {
        Wanted { alpha: -self.beta, beta: -self.alpha, least: self.most, most: self.least }
    }
}

/// A position after a move of White's, seen by Black, and what the rules say.
#[derive(Clone, Copy)]
struct Reply {
    men: Duel,
    en_passant: bool,
    bounds: Bounds,
}

/// By the plies left after it: the king step that last settled a position,
/// which is likely to settle the next one.
#[derive(Default)]
struct Memory {
    best: [Bitboard; LOOK_AHEAD_PLIES + 1],
}

/// What White's moves have got so far.
struct Tried<'a> {
    low: i8,
    high: i8,
    any: bool,
    /// Plies to look ahead after the move.
    plies: usize,
    wanted: Wanted,
    /// Moves of which the rules do not say enough.
    open: [Option<Reply>; MOST_MOVES],
    count: usize,
    memory: &'a mut Memory,
}

impl<'a> Tried<'a> {
    fn new(plies: usize, wanted: Wanted, memory: &'a mut Memory) -> Tried<'a> {
        let open = [None; MOST_MOVES];
        Tried { low: -1, high: -1, any: false, plies, wanted, open, count: 0, memory }
    }

    fn add(&mut self, low: i8, high: i8) {
        self.any = true;
        self.low = self.low.max(low);
        self.high = self.high.max(high);
        if self.high >= self.wanted.beta {
            self.wanted.most = false; // one move that may be good leaves that open
        }
    }

    /// What is worth asking Black after the next move.
    fn asked(&self) -> Wanted {
        Wanted { alpha: self.wanted.alpha.max(self.low), ..self.wanted }.turned()
    }

    /// A move after which Black is to move in this position.
    fn add_reply(&mut self, after: Duel, en_passant: bool) {
        if self.is_settled() {
            return;
        }
        self.any = true;
        let (men, asked) = (after.turned(), self.asked());
        // With a look ahead, any bound may make it shorter.
        let both = Wanted { least: true, most: true, ..asked };
        let rules = men.rules(if self.plies > 0 { both } else { asked });
        let bounds = rules.with_en_passant(en_passant);
        let mut reply = Reply { men, en_passant, bounds };
        if self.plies > 0 && self.wanted.least && asked.within(bounds).is_open() {
            self.open[self.count] = Some(reply);
            self.count += 1;
        } else {
            men.narrow(&mut reply.bounds, en_passant, self.plies, asked, self.memory);
            self.add(-reply.bounds.high, -reply.bounds.low);
        }
    }

    /// Tries Black's answers to the moves that are still open.
    fn look_deeper(&mut self) {
        for i in 0..self.count {
            let Some(Reply { men, en_passant, mut bounds }) = self.open[i] else { return };
            if self.is_settled() {
                return;
            }
            men.narrow(&mut bounds, en_passant, self.plies, self.asked(), self.memory);
            self.add(-bounds.high, -bounds.low);
        }
    }

    fn is_settled(&self) -> bool {
        self.any && (self.low >= self.wanted.beta || !self.wanted.is_open())
    }

    fn bounds(&self) -> Bounds {
        let high = if self.is_settled() { 1 } else { self.high };
        let (low_rule, high_rule) = (DuelRule::BestMove, DuelRule::BestMove);
        Bounds { low: self.low, high, low_rule, high_rule }
    }
}
