//! The moves out of a hyperboard with pawns: captures, pawn moves, promotions,
//! en passant.

use molien_board::{Bitboard, Color, Man, Role, Square};
use molien_hyper::{Cell, Hyperboard};
use molien_operators::{Backend, Conversions, FixedCapture, Goal, SubView};
use molien_values::{Metric, PawnMove, PawnMoveKind, Placement, Rule};

use super::en_passant::with_en_passant;
use super::promotions::better_of;
use super::{Exits, release_bits_of};
use crate::SolveError;
use crate::views::{View, Wanted};

/// Where the values of other hyperboards come from.
pub trait Boards: Sync {
    /// The operators to work with.
    fn backend(&self) -> &'static dyn Backend;

    /// Whether of several promotions on a square only the best is kept, which takes
    /// less memory.
    fn merges_promotions(&self) -> bool {
        false
    }

    /// What a board reads, in its frame.
    ///
    /// # Errors
    /// If the values are not at hand.
    fn view(&self, wanted: Wanted) -> Result<View, SolveError>;
}

/// A man captured on a fixed square (a pawn), or an outer man.
struct Captured {
    by: Color,
    square: Square,
    view: View,
}

/// A pawn move out of the board.
struct PawnExit {
    side: Color,
    kind: ExitKind,
    view: View,
    rule: Rule,
}

#[derive(Clone, Copy)]
enum ExitKind {
    /// Straight ahead, perhaps promoting: squares that must be free of outer
    /// men, and those on which a king would be in the way (a king on the
    /// target is illegal in the view already).
    Forward { empty: Bitboard, passed: Bitboard },
    /// Captures a pawn.
    TakesPawn,
    /// Captures the outer man with this number, standing on this square.
    TakesPiece { victim: usize, square: Square },
}

/// Everything that leaves one placement's hyperboard.
pub struct PawnExits {
    backend: &'static dyn Backend,
    board: Hyperboard,
    /// The i-th outer man captured by a piece or king.
    pieces_taken: Vec<View>,
    pawns_taken: Vec<Captured>,
    pawn_moves: Vec<PawnExit>,
    rule: Rule,
    bits: usize,
}

/// Builds the views of one placement.
struct Builder<'a> {
    boards: &'a dyn Boards,
    board: &'a Hyperboard,
    pawns: Placement,
    metric: Metric,
    promotions: &'a [Role],
}

impl PawnExits {
    /// The moves out of a board with pawns; what they lead to comes from
    /// `boards`.
    ///
    /// # Errors
    /// If something they lead to is not at hand.
    pub fn new(
        board: &Hyperboard,
        metric: Metric,
        promotions: &[Role],
        boards: &dyn Boards,
    ) -> Result<PawnExits, SolveError> {
        let pawns = Placement::new(Color::BOTH.map(|color| board.pawns(color)));
        let builder = Builder { boards, board, pawns, metric, promotions };
        let pieces_taken = builder.pieces_taken()?;
        let pawns_taken = builder.pawns_taken()?;
        let pawn_moves = builder.pawn_moves()?;
        let rules = [metric.conversion_rule(), metric.push_rule()];
        let views = pieces_taken
            .iter()
            .chain(pawns_taken.iter().map(|captured| &captured.view))
            .chain(pawn_moves.iter().map(|m| &m.view));
        let bits = release_bits_of(&rules, views.map(|view| view.sub().values));
        let rule = metric.conversion_rule();
        let (backend, board) = (boards.backend(), board.clone());
        Ok(PawnExits { backend, board, pieces_taken, pawns_taken, pawn_moves, rule, bits })
    }

    fn add_pawn_move(&self, found: &mut Conversions, m: &PawnExit, cell: &Cell) {
        let SubView { axes, values, .. } = m.view.sub();
        let squares = &cell.squares[..self.board.outer().len()];
        match m.kind {
            ExitKind::Forward { empty, passed } => {
                if (empty & cell.occupied).is_empty() {
                    found.add_tile(values, axes.encode(squares), passed, m.rule);
                }
            }
            ExitKind::TakesPawn => {
                found.add_tile(values, axes.encode(squares), Bitboard::EMPTY, m.rule);
            }
            ExitKind::TakesPiece { victim, square } => {
                if squares[victim] == square {
                    let mut left = squares.to_vec();
                    left.remove(victim);
                    found.add_tile(values, axes.encode(&left), Bitboard::EMPTY, m.rule);
                }
            }
        }
    }
}

impl PawnExits {
    /// The conversions of one tile, of the pawn moves only those wanted.
    fn found(
        &self,
        side: Color,
        goal: Goal,
        tile: usize,
        wanted: impl Fn(&ExitKind) -> bool,
    ) -> Conversions {
        let mut found = Conversions::new(self.backend, goal, self.bits);
        let Some(cell) = self.board.cell(tile) else { return found };
        let subs: Vec<_> = self.pieces_taken.iter().map(|view| Some(view.sub())).collect();
        found.add_piece_captures(&self.board, side, &cell, &subs, self.rule);
        for taken in self.pawns_taken.iter().filter(|taken| taken.by == side) {
            let (target, sub) = (taken.square, taken.view.sub());
            let capture = FixedCapture { target, removed: None, sub, rule: self.rule };
            found.add_captures_of_fixed(&self.board, side, &cell, &capture);
        }
        for m in self.pawn_moves.iter().filter(|m| m.side == side && wanted(&m.kind)) {
            self.add_pawn_move(&mut found, m, &cell);
        }
        found
    }
}

impl Exits for PawnExits {
    fn conversions(&self, side: Color, goal: Goal, tile: usize) -> Conversions {
        self.found(side, goal, tile, |_| true)
    }

    fn captures(&self, side: Color, goal: Goal, tile: usize) -> Conversions {
        self.found(side, goal, tile, |kind| !matches!(kind, ExitKind::Forward { .. }))
    }
}

impl Builder<'_> {
    /// The values after a move of `mover`: pieces left (the reader's outer men
    /// without the `gone` one), pawns left, perhaps a promoted man.
    fn view(
        &self,
        mover: Color,
        gone: Option<usize>,
        pawns: Placement,
        promoted: Option<(Man, Square)>,
        rule: Rule,
    ) -> Result<View, SolveError> {
        let mut men = self.board.outer().to_vec();
        if let Some(gone) = gone {
            men.remove(gone);
        }
        let depths = rule != Rule::One;
        self.boards.view(Wanted { men, pawns, fixed: promoted, turn: !mover, depths })
    }

    fn pieces_taken(&self) -> Result<Vec<View>, SolveError> {
        let rule = self.metric.conversion_rule();
        let men = self.board.outer().iter().enumerate();
        men.map(|(i, man)| self.view(!man.color, Some(i), self.pawns, None, rule)).collect()
    }

    fn pawns_taken(&self) -> Result<Vec<Captured>, SolveError> {
        let rule = self.metric.conversion_rule();
        let mut found = Vec::new();
        for color in Color::BOTH {
            for square in self.pawns.of_color(color) {
                let view = self.view(!color, None, self.pawns.without(square), None, rule)?;
                found.push(Captured { by: !color, square, view });
            }
        }
        Ok(found)
    }

    fn pawn_moves(&self) -> Result<Vec<PawnExit>, SolveError> {
        let mut found = Vec::new();
        for m in self.pawns.pawn_moves() {
            match m.kind {
                PawnMoveKind::Step | PawnMoveKind::DoubleStep { .. } => {
                    let empty = m.must_be_empty();
                    let passed = empty - Bitboard::from_square(m.to);
                    self.add(&m, None, ExitKind::Forward { empty, passed }, &mut found)?;
                }
                PawnMoveKind::TakesPawn => self.add(&m, None, ExitKind::TakesPawn, &mut found)?,
                PawnMoveKind::TakesPiece => {
                    let men = self.board.outer().iter().enumerate();
                    for (victim, _) in men.filter(|(_, man)| man.color != m.side) {
                        let kind = ExitKind::TakesPiece { victim, square: m.to };
                        self.add(&m, Some(victim), kind, &mut found)?;
                    }
                }
            }
        }
        Ok(found)
    }

    /// Adds a move that takes the `victim`-th outer man or none, once for each
    /// role if it promotes.
    fn add(
        &self,
        m: &PawnMove,
        victim: Option<usize>,
        kind: ExitKind,
        found: &mut Vec<PawnExit>,
    ) -> Result<(), SolveError> {
        let (side, pawns) = (m.side, m.played(self.pawns));
        let conversion = self.metric.conversion_rule();
        if m.promotes() {
            let mut best: Option<View> = None;
            for &role in self.promotions {
                let promoted = Some((Man::new(side, role), m.to));
                let view = self.view(side, victim, pawns, promoted, conversion)?;
                match best.take() {
                    _ if !self.boards.merges_promotions() => {
                        found.push(PawnExit { side, kind, view, rule: conversion });
                    }
                    None => best = Some(view),
                    Some(other) => best = Some(better_of(self.boards.backend(), other, &view)),
                }
            }
            found.extend(best.map(|view| PawnExit { side, kind, view, rule: conversion }));
            return Ok(());
        }
        let is_push = matches!(kind, ExitKind::Forward { .. });
        let rule = if is_push { self.metric.push_rule() } else { conversion };
        let view = self.view(side, victim, pawns, None, rule)?;
        let view = self.with_answers(m, view)?;
        found.push(PawnExit { side, kind, view, rule });
        Ok(())
    }

    /// The values after a move, with the right to capture en passant after a
    /// double step.
    fn with_answers(&self, m: &PawnMove, view: View) -> Result<View, SolveError> {
        let answers = m.en_passant(self.pawns);
        if answers.is_empty() {
            return Ok(view);
        }
        let rule = self.metric.conversion_rule();
        let captures = answers.iter().map(|a| self.view(!m.side, None, a.after, None, rule));
        let captures = captures.collect::<Result<Vec<_>, _>>()?;
        let SubView { axes, values, .. } = view.sub();
        let values = with_en_passant(self.boards.backend(), values, &captures, rule);
        Ok(View::Own { axes: axes.clone(), values })
    }
}
