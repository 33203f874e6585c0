//! The moves out of a hyperboard with pawns: captures, pawn moves, promotions,
//! en passant.

use molien_board::{Bitboard, Color, Man, Role, Square, attacks};
use molien_hyper::{Cell, Hyperboard};
use molien_operators::{Conversions, FixedCapture, Goal, SubView};
use molien_values::{Metric, Rule};

use crate::SolveError;
use crate::en_passant::with_en_passant;
use crate::exits::{Exits, release_bits_of};
use crate::view::{View, Wanted};
use molien_values::Placement;

/// Where the values of other hyperboards come from.
pub(crate) trait Parts: Sync {
    /// What a board reads, in its frame.
    fn view(&self, wanted: Wanted) -> Result<View, SolveError>;
}

/// A man captured on a fixed square (a pawn), or an outer man.
struct Captured {
    by: Color,
    square: Square,
    view: View,
}

/// A pawn move.
struct PawnMove {
    side: Color,
    kind: PawnMoveKind,
    view: View,
    rule: Rule,
}

enum PawnMoveKind {
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
pub(crate) struct PawnExits {
    board: Hyperboard,
    /// The i-th outer man captured by a piece or king.
    pieces_taken: Vec<View>,
    pawns_taken: Vec<Captured>,
    pawn_moves: Vec<PawnMove>,
    rule: Rule,
    bits: usize,
}

/// Builds the views of one placement.
struct Builder<'a> {
    parts: &'a dyn Parts,
    board: &'a Hyperboard,
    pawns: Placement,
    metric: Metric,
    promotions: &'a [Role],
}

impl PawnExits {
    pub fn new(
        board: &Hyperboard,
        metric: Metric,
        promotions: &[Role],
        parts: &dyn Parts,
    ) -> Result<PawnExits, SolveError> {
        let pawns = Placement::new(Color::BOTH.map(|color| board.pawns(color)));
        let builder = Builder { parts, board, pawns, metric, promotions };
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
        Ok(PawnExits { board: board.clone(), pieces_taken, pawns_taken, pawn_moves, rule, bits })
    }

    fn add_pawn_move(&self, found: &mut Conversions, m: &PawnMove, cell: &Cell) {
        let SubView { axes, values } = m.view.sub();
        let squares = &cell.squares[..self.board.outer().len()];
        match m.kind {
            PawnMoveKind::Forward { empty, passed } => {
                if (empty & cell.occupied).is_empty() {
                    found.add_tile(values, axes.encode(squares), passed, m.rule);
                }
            }
            PawnMoveKind::TakesPawn => {
                found.add_tile(values, axes.encode(squares), Bitboard::EMPTY, m.rule);
            }
            PawnMoveKind::TakesPiece { victim, square } => {
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
        wanted: impl Fn(&PawnMoveKind) -> bool,
    ) -> Conversions {
        let mut found = Conversions::new(goal, self.bits);
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
        self.found(side, goal, tile, |kind| !matches!(kind, PawnMoveKind::Forward { .. }))
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
        self.parts.view(Wanted { men, pawns, fixed: promoted, turn: !mover, depths })
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

    fn pawn_moves(&self) -> Result<Vec<PawnMove>, SolveError> {
        let mut found = Vec::new();
        for side in Color::BOTH {
            for from in self.pawns.of_color(side) {
                self.forward(side, from, &mut found)?;
                self.captures(side, from, &mut found)?;
            }
        }
        Ok(found)
    }

    fn forward(
        &self,
        side: Color,
        from: Square,
        found: &mut Vec<PawnMove>,
    ) -> Result<(), SolveError> {
        let blocked = self.pawns.all_squares();
        let step =
            |square: Square| square.offset(0, side.forward()).filter(|&to| !blocked.contains(to));
        let Some(to) = step(from) else { return Ok(()) };
        let empty = Bitboard::from_square(to);
        if to.rank() == side.promotion_rank() {
            let kind = || PawnMoveKind::Forward { empty, passed: Bitboard::EMPTY };
            return self.promotions(side, None, from, to, kind, found);
        }
        let rule = self.metric.push_rule();
        let view = self.view(side, None, self.pawns.moved(side, from, to), None, rule)?;
        let kind = PawnMoveKind::Forward { empty, passed: Bitboard::EMPTY };
        found.push(PawnMove { side, kind, view, rule });
        if from.rank() == side.pawn_rank()
            && let Some(double) = step(to)
        {
            let view = self.double_step(side, from, to, double)?;
            let kind = PawnMoveKind::Forward {
                empty: empty | Bitboard::from_square(double),
                passed: empty,
            };
            found.push(PawnMove { side, kind, view, rule });
        }
        Ok(())
    }

    /// The values after a double step, with the right to capture en passant.
    fn double_step(
        &self,
        side: Color,
        from: Square,
        passed: Square,
        to: Square,
    ) -> Result<View, SolveError> {
        let after = self.pawns.moved(side, from, to);
        let view = self.view(side, None, after, None, self.metric.push_rule())?;
        let beside = attacks::king(to) & Bitboard::rank(to.rank()) & after.of_color(!side);
        if beside.is_empty() {
            return Ok(view);
        }
        let rule = self.metric.conversion_rule();
        let captures = beside
            .into_iter()
            .map(|capturer| {
                let pawns = after.moved(!side, capturer, passed).without(to);
                self.view(!side, None, pawns, None, rule)
            })
            .collect::<Result<Vec<_>, _>>()?;
        let SubView { axes, values } = view.sub();
        Ok(View::Own { axes: axes.clone(), values: with_en_passant(values, &captures, rule) })
    }

    fn promotions(
        &self,
        side: Color,
        victim: Option<usize>,
        from: Square,
        to: Square,
        kind: impl Fn() -> PawnMoveKind,
        found: &mut Vec<PawnMove>,
    ) -> Result<(), SolveError> {
        let rule = self.metric.conversion_rule();
        for &role in self.promotions {
            let promoted = Some((Man::new(side, role), to));
            let view = self.view(side, victim, self.pawns.without(from), promoted, rule)?;
            found.push(PawnMove { side, kind: kind(), view, rule });
        }
        Ok(())
    }

    fn captures(
        &self,
        side: Color,
        from: Square,
        found: &mut Vec<PawnMove>,
    ) -> Result<(), SolveError> {
        let rule = self.metric.conversion_rule();
        for square in attacks::pawn(side, from) {
            let pawns = self.pawns.moved(side, from, square);
            if self.pawns.of_color(!side).contains(square) {
                let view = self.view(side, None, pawns, None, rule)?;
                found.push(PawnMove { side, kind: PawnMoveKind::TakesPawn, view, rule });
            }
            if self.pawns.all_squares().contains(square) {
                continue;
            }
            let men = self.board.outer().iter().enumerate();
            for (victim, _) in men.filter(|(_, man)| man.color != side) {
                let kind = || PawnMoveKind::TakesPiece { victim, square };
                if square.rank() == side.promotion_rank() {
                    self.promotions(side, Some(victim), from, square, kind, found)?;
                } else {
                    let view = self.view(side, Some(victim), pawns, None, rule)?;
                    found.push(PawnMove { side, kind: kind(), view, rule });
                }
            }
        }
        Ok(())
    }
}
