//! Our pawn runs, whatever the enemy does.
//!
//! Our side has no choice in this plan, so the enemy's are followed all at
//! once: for every number of steps the rival can have made, the set of squares
//! where the enemy king can stand by then. Where a queen appears, what is known
//! of queens decides. The worst that can happen is what we get at least.

use molien_board::{Bitboard, Color, Square, attacks};

use super::queens::{NewQueen, least_against_queen};
use super::view::View;
use super::{Duel, DuelRule};
use crate::geometry::{neighbours, pawn_guard, spread, up, zone};
use crate::one_pawn::OnePawn;

/// A race as it goes on.
struct Run {
    king: Square,
    pawn: Square,
    /// The rival's file.
    file: i32,
    /// By the rival's rank: where the enemy king may be.
    reached: [Bitboard; 7],
    /// The ranks the rival may stand on, as bits.
    ranks: u8,
    /// The worst that has happened.
    worst: i8,
    /// What we have anyway.
    known: i8,
}

impl View {
    /// What running gets us at least, if that is more than this.
    pub fn by_running(&self, known: i8) -> Option<(i8, DuelRule)> {
        if !self.may_gain_by_running(known) {
            return None;
        }
        match self.least_by_running(known) {
            1 => Some((1, DuelRule::WinsTheRace)),
            0 if self.lead() > 0 => Some((0, DuelRule::QueensFirst)),
            0 => Some((0, DuelRule::QueensSecond)),
            _ => None,
        }
    }

    /// Whether it is worth following the pawns. To win, ours must win alone;
    /// and it is not simply caught.
    fn may_gain_by_running(&self, known: i8) -> bool {
        if known == 0 && !self.pawn_alone_wins() {
            return false;
        }
        if self.men.is_adjacent() {
            return known == 0 || self.pawn_alone_wins() || self.saved_by_running();
        }
        self.is_in_the_race(known) && (self.runs || self.saved_by_running())
    }

    /// The pawns have passed each other, and the rival does not queen more than
    /// two moves before ours; to win we queen first or our king is on the
    /// rival's way.
    fn is_in_the_race(&self, known: i8) -> bool {
        let beside = self.king_files_to_rival() <= 1 && self.ranks_before_rival() >= -1;
        (!self.rival_runs || self.lead() >= -1) && (known < 0 || self.lead() >= 1 || beside)
    }

    fn least_by_running(&self, known: i8) -> i8 {
        let Duel { king, pawn, enemy, rival } = self.men;
        let top = rival.rank() as usize;
        let mut reached = [Bitboard::EMPTY; 7];
        reached[top] = Bitboard::from_square(enemy);
        let mut run =
            Run { king, pawn, file: rival.file(), reached, ranks: 1 << top, worst: 1, known };
        let mut ours = self.to_move;
        loop {
            let ended = if ours { run.we_move() } else { run.they_move() };
            if ended.is_none() || run.worst <= known {
                return -1;
            }
            if ended == Some(true) {
                return run.worst;
            }
            ours = !ours;
        }
    }
}

impl Run {
    fn rival(&self, rank: usize) -> Square {
        Square::new(8 * rank + self.file as usize)
    }

    /// The ranks the rival may stand on.
    fn ranks(&self) -> impl Iterator<Item = usize> + use<> {
        let mut left = self.ranks;
        std::iter::from_fn(move || {
            let rank = left.trailing_zeros() as usize;
            left &= left.wrapping_sub(1);
            (rank < 7).then_some(rank)
        })
    }

    /// The enemy king may stand here when the rival is on this rank.
    fn set_reached(&mut self, rank: usize, enemies: Bitboard) {
        self.reached[rank] = enemies;
        let bit = 1 << rank;
        self.ranks = if enemies.is_empty() { self.ranks & !bit } else { self.ranks | bit };
    }

    /// Our next move; `Some(true)` if it ends the race, `None` if the plan
    /// fails.
    fn we_move(&mut self) -> Option<bool> {
        self.take_rival();
        if self.ranks == 0 {
            return Some(true);
        }
        let mut enemies = Bitboard::EMPTY;
        let mut rivals = Bitboard::EMPTY;
        let mut guarded = Bitboard::EMPTY;
        for rank in self.ranks() {
            enemies |= self.reached[rank];
            rivals |= Bitboard::from_square(self.rival(rank));
            guarded |= attacks::pawn(Color::Black, self.rival(rank));
        }
        let next = up(self.pawn, 1);
        if guarded.contains(self.king) || (enemies | rivals).contains(next) {
            return None;
        }
        if next == self.king {
            let closed = Bitboard::file(self.pawn.file()) | spread(enemies) | guarded | rivals;
            let beside = |square: &Square| (square.distance(self.pawn) == 1, square.index());
            self.king = (attacks::king(self.king) - closed).into_iter().max_by_key(beside)?;
            return Some(false);
        }
        let double = up(self.pawn, 2.min(7 - self.pawn.rank()));
        let beside = attacks::king(double) & Bitboard::rank(3) & rivals; // en passant
        let free = double != self.king && !(enemies | rivals).contains(double) && beside.is_empty();
        self.pawn = if self.pawn.rank() == 1 && free { double } else { next };
        if self.pawn.rank() < 7 {
            return Some(false);
        }
        for rank in self.ranks() {
            let rival = self.rival(rank);
            let new = NewQueen { king: self.king, queen: self.pawn, rival };
            self.worst = self.worst.min(new.least(self.reached[rank], self.known));
        }
        Some(true)
    }

    /// Every move the enemy may make; as [`we_move`](Run::we_move).
    fn they_move(&mut self) -> Option<bool> {
        let closed = zone(self.king) | pawn_guard(self.pawn);
        let mut after = [Bitboard::EMPTY; 7];
        for rank in self.ranks() {
            let (rival, from) = (self.rival(rank), self.reached[rank]);
            if attacks::pawn(Color::Black, rival).contains(self.pawn) {
                self.worst = self.worst.min(self.when_captured(from));
            }
            let free = !closed - Bitboard::from_square(rival);
            let to = neighbours(from) & free;
            if to.contains(self.pawn) {
                self.worst = self.worst.min(self.when_taken(rival));
            }
            after[rank] |= to - Bitboard::from_square(self.pawn);
            let front = up(rival, -1);
            let barred = front == self.king || front == self.pawn;
            let before = if barred { from } else { from & Bitboard::from_square(front) };
            if !(before - neighbours(free)).is_empty() {
                self.worst = self.worst.min(0); // stalemate
            }
            if !barred {
                self.rival_steps(rank, from - before - pawn_guard(self.pawn), &mut after);
            }
        }
        self.reached = after;
        self.ranks = (1..7).fold(0, |bits, rank| bits | u8::from(!after[rank].is_empty()) << rank);
        Some(self.ranks == 0)
    }

    /// Our pawn is taken, and the rival is left.
    fn when_taken(&self, rival: Square) -> i8 {
        let left = OnePawn {
            king: self.pawn.flip_vertical(),
            pawn: rival.flip_vertical(),
            enemy: self.king.flip_vertical(),
        };
        -i8::from(left.wins(false))
    }

    /// The rival takes our pawn, the enemy king on any of these squares.
    fn when_captured(&self, enemies: Bitboard) -> i8 {
        let (pawn, king) = (self.pawn.flip_vertical(), self.king.flip_vertical());
        let wins =
            |enemy: Square| OnePawn { king: enemy.flip_vertical(), pawn, enemy: king }.wins(false);
        -i8::from(enemies.into_iter().any(wins))
    }

    /// Our king takes the rival where that wins.
    fn take_rival(&mut self) {
        for rank in self.ranks() {
            let rival = self.rival(rank);
            if self.king.distance(rival) == 1 {
                let losing = OnePawn::losing_squares(rival, self.pawn, false);
                let left = self.reached[rank] - (losing - zone(rival));
                self.set_reached(rank, left);
            }
            if pawn_guard(self.pawn).contains(rival) {
                let losing = OnePawn::losing_squares(self.king, rival, false);
                if !(self.reached[rank] - losing).is_empty() {
                    self.worst = self.worst.min(0);
                }
                self.set_reached(rank, Bitboard::EMPTY);
            }
        }
    }

    /// The rival steps on from this rank, one square or two.
    fn rival_steps(&mut self, rank: usize, enemies: Bitboard, after: &mut [Bitboard; 7]) {
        let front = self.rival(rank - 1);
        if rank == 1 {
            for enemy in enemies {
                if self.worst <= self.known {
                    return;
                }
                let men = Duel { king: self.king, pawn: self.pawn, enemy, rival: front };
                self.worst = self.worst.min(least_against_queen(men, front));
            }
            return;
        }
        after[rank - 1] |= enemies;
        if rank == 6 {
            let double = self.rival(4);
            if double != self.king && double != self.pawn {
                after[4] |= enemies - Bitboard::from_square(double);
            }
        }
    }
}
