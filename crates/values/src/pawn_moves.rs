//! The moves of pawns, as far as the pawns alone decide them.

use molien_board::{Bitboard, Color, Square, attacks};

use crate::Placement;

/// What a pawn move does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PawnMoveKind {
    /// One step ahead.
    Step,
    /// Two steps ahead, over this square.
    DoubleStep {
        /// The square between.
        passed: Square,
    },
    /// Takes the pawn on the target.
    TakesPawn,
    /// Takes the piece on the target, if there is one.
    TakesPiece,
}

/// A move of one pawn of a placement. Whether pieces and kings allow it is for
/// the caller to say: the squares of [`PawnMove::must_be_empty`] must be, and a
/// piece to be taken must be there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PawnMove {
    /// Whose pawn.
    pub side: Color,
    /// From where.
    pub from: Square,
    /// To where.
    pub to: Square,
    /// What it does.
    pub kind: PawnMoveKind,
}

/// A capture en passant, the answer to a double step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct EnPassant {
    /// Where the capturing pawn stands.
    pub from: Square,
    /// The pawns after it.
    pub after: Placement,
}

impl PawnMove {
    /// Whether the pawn becomes a piece.
    pub fn promotes(&self) -> bool {
        self.to.rank() == self.side.promotion_rank()
    }

    /// The squares ahead that the pawn needs to itself.
    pub fn must_be_empty(&self) -> Bitboard {
        match self.kind {
            PawnMoveKind::Step => Bitboard::from_square(self.to),
            PawnMoveKind::DoubleStep { passed } => {
                Bitboard::from_square(self.to) | Bitboard::from_square(passed)
            }
            PawnMoveKind::TakesPawn | PawnMoveKind::TakesPiece => Bitboard::EMPTY,
        }
    }

    /// The pawns of a placement after the move; a promoted one is gone.
    pub fn played(&self, pawns: Placement) -> Placement {
        if self.promotes() {
            pawns.without(self.from)
        } else {
            pawns.moved(self.side, self.from, self.to)
        }
    }

    /// The captures en passant that answer the move, given the pawns before
    /// it.
    pub fn en_passant(&self, pawns: Placement) -> Vec<EnPassant> {
        let PawnMoveKind::DoubleStep { passed } = self.kind else { return Vec::new() };
        let (other, after) = (!self.side, self.played(pawns));
        let beside = attacks::king(self.to) & Bitboard::rank(self.to.rank());
        let capture =
            |from| EnPassant { from, after: after.moved(other, from, passed).without(self.to) };
        (beside & after.of_color(other)).into_iter().map(capture).collect()
    }
}

impl Placement {
    /// All moves of all pawns, White's first, each pawn's together: steps
    /// ahead, then captures.
    pub fn pawn_moves(self) -> Vec<PawnMove> {
        let mut found = Vec::new();
        for side in Color::BOTH {
            for from in self.of_color(side) {
                self.steps(side, from, &mut found);
                self.captures(side, from, &mut found);
            }
        }
        found
    }

    fn steps(self, side: Color, from: Square, found: &mut Vec<PawnMove>) {
        let ahead = |square: Square| {
            square.offset(0, side.forward()).filter(|&to| !self.all_squares().contains(to))
        };
        let Some(one) = ahead(from) else { return };
        found.push(PawnMove { side, from, to: one, kind: PawnMoveKind::Step });
        if from.rank() == side.pawn_rank()
            && let Some(to) = ahead(one)
        {
            found.push(PawnMove { side, from, to, kind: PawnMoveKind::DoubleStep { passed: one } });
        }
    }

    fn captures(self, side: Color, from: Square, found: &mut Vec<PawnMove>) {
        for to in attacks::pawn(side, from) {
            let kind = match () {
                _ if self.of_color(!side).contains(to) => PawnMoveKind::TakesPawn,
                _ if self.of_color(side).contains(to) => continue,
                _ => PawnMoveKind::TakesPiece,
            };
            found.push(PawnMove { side, from, to, kind });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use molien_board::{Man, MoveKind, Position, Role};
    use proptest::prelude::*;

    use super::*;

    type Men = Vec<(Man, Square)>;

    /// Whether the men of a position allow a move of its pawns.
    fn is_possible(position: &Position, m: &PawnMove) -> bool {
        let taken = position.man_at(m.to);
        m.side == position.turn()
            && (m.must_be_empty() & position.occupied()).is_empty()
            && match m.kind {
                PawnMoveKind::Step | PawnMoveKind::DoubleStep { .. } => true,
                PawnMoveKind::TakesPawn => taken == Some(Man::new(!m.side, Role::Pawn)),
                PawnMoveKind::TakesPiece => taken.is_some_and(|man| {
                    man.color != m.side && man.role != Role::Pawn && man.role != Role::King
                }),
            }
    }

    /// The men after a move of a pawn, with whatever stood on `gone`
    /// taken off.
    fn after(position: &Position, (from, to): (Square, Square), gone: Square) -> Position {
        let moved = |square| if square == from { to } else { square };
        let left = position.men().filter(|&(_, square)| square == from || square != gone);
        let men: Men = left.map(|(man, square)| (man, moved(square))).collect();
        Position::placement(men, !position.turn()).unwrap()
    }

    /// The moves of the pawns of a position are those that the rules of chess
    /// give, but for those that leave the king in check.
    fn check(position: &Position) {
        let pawns = Placement::of(position);
        let all = pawns.pawn_moves();
        let ours = all.iter().filter(|m| is_possible(position, m));
        let legal =
            ours.filter(|m| !after(position, (m.from, m.to), m.to).in_check(position.turn()));
        let legal: BTreeSet<(Square, Square)> = legal.map(|m| (m.from, m.to)).collect();
        let moves = position.legal_moves();
        let theirs = moves.iter().filter(|m| m.role == Role::Pawn);
        assert_eq!(legal, theirs.clone().map(|m| (m.from, m.to)).collect(), "{position}");
        for m in theirs {
            let own = all.iter().find(|own| (own.from, own.to) == (m.from, m.to)).unwrap();
            assert_eq!(own.promotes(), m.promotion.is_some());
            assert_eq!(own.played(pawns), Placement::of(&position.play(m)), "{position} {m}");
            assert_eq!(own.kind == PawnMoveKind::TakesPawn, m.captured == Some(Role::Pawn));
            check_en_passant(&position.play(m), own, pawns);
        }
    }

    fn check_en_passant(position: &Position, double: &PawnMove, before: Placement) {
        let answers = double.en_passant(before);
        let moves = position.legal_moves();
        let theirs = moves.iter().filter(|m| m.kind == MoveKind::EnPassant);
        for m in theirs.clone() {
            let own = answers.iter().find(|own| own.from == m.from).unwrap();
            assert_eq!(own.after, Placement::of(&position.play(m)), "{position} {m}");
        }
        let PawnMoveKind::DoubleStep { passed } = double.kind else {
            assert!(answers.is_empty());
            return;
        };
        // The others are pinned.
        for own in answers.iter().filter(|own| !theirs.clone().any(|m| m.from == own.from)) {
            let after = after(position, (own.from, passed), double.to);
            assert!(after.in_check(position.turn()), "{position} {own:?}");
        }
    }

    /// A legal position with these men on these squares, if it is one.
    fn position(letters: &str, squares: &[u8], turn: Color) -> Option<Position> {
        let men = letters.chars().zip(squares);
        let men: Men = men
            .map(|(c, &at)| (Man::from_letter(c).unwrap(), Square::new(usize::from(at))))
            .collect();
        Position::new(men, turn).ok()
    }

    #[test]
    fn every_position_of_two_pawns() {
        let mut seen = 0;
        for white in 8..56 {
            for black in (8..56).filter(|&black| black != white) {
                for kings in [[0, 63], [7, 56], [4, 60], [33, 30]] {
                    let squares = [kings[0], kings[1], white, black];
                    for turn in Color::BOTH {
                        let found = position("KkPp", &squares, turn);
                        found.iter().for_each(check);
                        seen += found.iter().len();
                    }
                }
            }
        }
        assert!(seen > 10_000, "{seen}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]
        #[test]
        fn positions_with_pieces(
            kings in [0..64u8, 0..64], pawns in [8..56u8, 8..56, 8..56, 8..56],
            pieces in [0..64u8, 0..64], white in any::<bool>(),
        ) {
            let squares = [&kings[..], &pawns, &pieces].concat();
            let turn = if white { Color::White } else { Color::Black };
            // A rook for pins along a rank, a knight to be taken.
            for letters in ["KkPPppRn", "KkPPpprN"] {
                if let Some(position) = position(letters, &squares, turn) {
                    check(&position);
                }
            }
        }
    }
}
