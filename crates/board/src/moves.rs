//! Legal moves of a position, and playing them.

use std::fmt;
use std::ops::ControlFlow;

use crate::{Bitboard, Color, Man, Position, Role, Square, attacks};

/// What sort of move it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MoveKind {
    /// Nothing is captured, no pawn moves.
    Quiet,
    /// A pawn moves straight ahead (and does not promote).
    Push,
    /// A pawn moves two squares ahead.
    DoublePush,
    /// A man is captured (en passant excepted); a pawn may promote too.
    Capture,
    /// A pawn captures en passant.
    EnPassant,
    /// A pawn promotes without capturing.
    Promotion,
}

/// A move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Move {
    /// What moves (the pawn, if it promotes).
    pub role: Role,
    /// From where.
    pub from: Square,
    /// To where.
    pub to: Square,
    /// What sort of move.
    pub kind: MoveKind,
    /// What is captured.
    pub captured: Option<Role>,
    /// What the pawn becomes.
    pub promotion: Option<Role>,
}

impl Move {
    /// Whether it is an en-passant capture.
    #[inline]
    pub fn is_en_passant(&self) -> bool {
        self.kind == MoveKind::EnPassant
    }

    /// Whether it changes the material: a capture or a promotion.
    #[inline]
    pub fn is_conversion(&self) -> bool {
        self.captured.is_some() || self.promotion.is_some()
    }

    /// Whether it resets the 50-move count: a capture or any pawn move.
    #[inline]
    pub fn is_zeroing(&self) -> bool {
        self.captured.is_some() || self.role == Role::Pawn
    }
}

/// UCI notation: `e2e4`, `h7h8q`.
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from, self.to)?;
        match self.promotion {
            Some(role) => write!(f, "{}", role.letter().to_ascii_lowercase()),
            None => Ok(()),
        }
    }
}

impl Position {
    /// All legal moves.
    pub fn legal_moves(&self) -> Vec<Move> {
        let mut moves = self.pseudo_legal_moves();
        moves.retain(|m| self.is_legal_after(m));
        moves
    }

    /// Hands over every legal move in the order of [`Position::legal_moves`], without
    /// a list: nothing is allocated.
    pub fn for_each_legal(&self, mut emit: impl FnMut(Move)) {
        let _ = self.try_each_pseudo_legal(|m| {
            if self.is_legal_after(&m) {
                emit(m);
            }
            ControlFlow::Continue(())
        });
    }

    /// All moves that follow the rules but may leave the own king in check.
    pub fn pseudo_legal_moves(&self) -> Vec<Move> {
        let mut moves = Vec::with_capacity(48);
        let _ = self.try_each_pseudo_legal(|m| {
            moves.push(m);
            ControlFlow::Continue(())
        });
        moves
    }

    /// Whether the move leaves the mover's king out of check.
    fn is_legal_after(&self, m: &Move) -> bool {
        let mut after = *self;
        after.move_men(m);
        !after.in_check(self.turn())
    }

    /// Whether there is a legal move: the first one found will do.
    pub fn has_legal_move(&self) -> bool {
        let stop_at_legal = |m: Move| match self.is_legal_after(&m) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        self.try_each_pseudo_legal(stop_at_legal).is_break()
    }

    /// Whether the side to move is mated.
    pub fn is_checkmate(&self) -> bool {
        self.in_check(self.turn()) && !self.has_legal_move()
    }

    /// Whether the side to move has no move and is not in check.
    pub fn is_stalemate(&self) -> bool {
        !self.in_check(self.turn()) && !self.has_legal_move()
    }

    /// Goes through the moves until `emit` breaks off.
    fn try_each_pseudo_legal(
        &self,
        mut emit: impl FnMut(Move) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let (us, occupied) = (self.turn(), self.occupied());
        for from in self.side(us) - self.pawns(us) {
            let Some(man) = self.man_at(from) else { continue };
            for to in attacks::attacks(man.role, from, occupied) - self.side(us) {
                let captured = self.man_at(to).map(|m| m.role);
                // Kings are never captured: such positions are not legal.
                if captured == Some(Role::King) {
                    continue;
                }
                let kind = if captured.is_some() { MoveKind::Capture } else { MoveKind::Quiet };
                emit(Move { role: man.role, from, to, kind, captured, promotion: None })?;
            }
        }
        self.pawns(us).into_iter().try_for_each(|from| self.pawn_moves(from, &mut emit))
    }

    fn pawn_moves(
        &self,
        from: Square,
        emit: &mut impl FnMut(Move) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let (us, occupied) = (self.turn(), self.occupied());
        let plain = |to, kind, captured| Move {
            role: Role::Pawn,
            from,
            to,
            kind,
            captured,
            promotion: None,
        };
        if let Some(to) = from.offset(0, us.forward()).filter(|&to| !occupied.contains(to)) {
            emit_promotions(us, plain(to, MoveKind::Push, None), emit)?;
            let double = to.offset(0, us.forward()).filter(|&to| !occupied.contains(to));
            if let (Some(double), true) = (double, from.rank() == us.pawn_rank()) {
                emit(plain(double, MoveKind::DoublePush, None))?;
            }
        }
        let targets = attacks::pawn(us, from);
        for to in targets & self.side(!us) {
            let captured = self.man_at(to).map(|m| m.role);
            if captured != Some(Role::King) {
                emit_promotions(us, plain(to, MoveKind::Capture, captured), emit)?;
            }
        }
        match self.en_passant().filter(|&to| targets.contains(to)) {
            Some(to) => emit(plain(to, MoveKind::EnPassant, Some(Role::Pawn))),
            None => ControlFlow::Continue(()),
        }
    }

    /// Moves the men and passes the turn; en passant is cleared.
    fn move_men(&mut self, m: &Move) {
        let us = self.turn();
        if let Some(role) = m.captured {
            let square = match m.kind {
                MoveKind::EnPassant => en_passant_victim(us, m.to),
                _ => m.to,
            };
            self.take(Man::new(!us, role), square);
        }
        self.take(Man::new(us, m.role), m.from);
        self.put(Man::new(us, m.promotion.unwrap_or(m.role)), m.to);
        self.pass_turn();
    }

    /// The position after a legal move.
    pub fn play(&self, m: &Move) -> Position {
        let mut after = *self;
        after.move_men(m);
        if m.kind == MoveKind::DoublePush {
            let neighbours = Bitboard(attacks::king(m.to).0 & Bitboard::rank(m.to.rank()).0);
            if !(neighbours & after.pawns(after.turn())).is_empty() {
                let passed = Square::new((m.from.index() + m.to.index()) / 2);
                after = after.with_en_passant(passed).unwrap_or(after);
            }
        }
        after
    }

    /// Number of legal move sequences of this length.
    pub fn perft(&self, depth: u32) -> u64 {
        let moves = self.legal_moves();
        match depth {
            0 => 1,
            1 => moves.len() as u64,
            _ => moves.iter().map(|m| self.play(m).perft(depth - 1)).sum(),
        }
    }
}

/// The square of the pawn captured by an en-passant move of `us` to `to`.
fn en_passant_victim(us: Color, to: Square) -> Square {
    to.offset(0, -us.forward()).unwrap_or(to)
}

fn emit_promotions(
    us: Color,
    m: Move,
    emit: &mut impl FnMut(Move) -> ControlFlow<()>,
) -> ControlFlow<()> {
    if m.to.rank() != us.promotion_rank() {
        return emit(m);
    }
    let kind = if m.captured.is_some() { MoveKind::Capture } else { MoveKind::Promotion };
    let mut roles = Role::PROMOTIONS.into_iter();
    roles.try_for_each(|role| emit(Move { kind, promotion: Some(role), ..m }))
}
