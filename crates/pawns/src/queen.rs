//! What is certain about a queen just after a pawn has promoted.
//!
//! These few rules let the search go on through a promotion without being
//! blind: queen against nothing, queen against a pawn, queen against queen.
//! Each is checked against every legal position of its ending.

use molien_board::{Bitboard, Color, Man, Move, Position, Role, Square, attacks};

use crate::geometry::on_rook_file;
use crate::value::Bounds;

/// Bounds for the side to move in an ending with at least one queen or rook.
pub(crate) fn queen_bounds(position: &Position) -> Bounds {
    let us = position.turn();
    let of = |color, role| position.of(Man::new(color, role));
    let queens = |color| of(color, Role::Queen);
    let heavy = |color| !(queens(color) | of(color, Role::Rook)).is_empty();
    let pieces = position.occupied().len();
    if position.side(!us).len() == 1 && heavy(us) {
        return Bounds::exactly(1);
    }
    if position.side(us).len() == 1 && heavy(!us) {
        return lone_king(position);
    }
    match (queens(us).len(), queens(!us).len(), pieces) {
        (1, 0, 4) if !position.pawns(!us).is_empty() => queen_to_move(&seen_by(position, us)),
        (0, 1, 4) if !position.pawns(us).is_empty() => pawn_to_move(&seen_by(position, !us)),
        (1, 1, 4) => queens_only(position),
        (1, 0, 4) if !of(!us, Role::Knight).is_empty() => queen_before_knight(position),
        (0, 1, 4) if !of(us, Role::Knight).is_empty() => knight_before_queen(position),
        _ => Bounds::OPEN,
    }
}

/// The queen's side to move against a knight wins unless it is in check or
/// its queen is attacked.
fn queen_before_knight(position: &Position) -> Bounds {
    let us = position.turn();
    let queen = position.of(Man::new(us, Role::Queen));
    let attacked = queen.into_iter().any(|square| position.is_attacked(square, !us));
    if attacked || position.in_check(us) { Bounds::OPEN } else { Bounds::exactly(1) }
}

/// The knight's side to move loses unless it takes something, attacks the
/// queen with a check, or has no move.
fn knight_before_queen(position: &Position) -> Bounds {
    let us = position.turn();
    let moves = position.legal_moves();
    let saved = |m: &Move| {
        let after = position.play(m);
        m.captured.is_some() || after.in_check(!us)
    };
    if moves.is_empty() || moves.iter().any(saved) {
        return Bounds::OPEN;
    }
    Bounds::exactly(-1)
}

/// The position with this side as White.
fn seen_by(position: &Position, color: Color) -> Position {
    match color {
        Color::White => *position,
        Color::Black => position.swap_colors(),
    }
}

/// The bare king is lost unless it takes something or has no move. (Checked
/// for every ending of up to four men; with more men the winning side has the
/// same plan and more to spare.)
fn lone_king(position: &Position) -> Bounds {
    let moves = position.legal_moves();
    if moves.is_empty() || moves.iter().any(|m| m.captured.is_some()) {
        return Bounds { low: -1, high: 0 };
    }
    Bounds::exactly(-1)
}

/// The men of queen against pawn, the queen White's.
struct QueenAndPawn {
    king: Square,
    enemy: Square,
    pawn: Square,
    home: Square,
}

impl QueenAndPawn {
    fn of(position: &Position) -> QueenAndPawn {
        let pawn = position.pawns(Color::Black).first().unwrap_or(Square::new(8));
        QueenAndPawn {
            king: position.king(Color::White),
            enemy: position.king(Color::Black),
            pawn,
            home: Square::new(pawn.file() as usize),
        }
    }

    fn is_bishop_pawn(&self) -> bool {
        matches!(self.pawn.file(), 2 | 5)
    }

    /// A rook or bishop pawn on the seventh with Black's king beside or before
    /// it: where that king stands, and White's king's file and rank, the board
    /// mirrored if need be so that the pawn is on the right half.
    fn last_stand(&self) -> Option<(Defence, i32, i32)> {
        let flip = self.pawn.file() < 4;
        let file = |square: Square| if flip { 7 - square.file() } else { square.file() };
        if self.pawn.rank() != 1 || self.enemy.rank() > 1 {
            return None;
        }
        let defence = match (file(self.pawn), file(self.enemy) - file(self.pawn)) {
            (5, 1) => Defence::ShortSide,
            (5, -1) => Defence::LongSide,
            (5, 0) => Defence::InFront,
            (7, -1) => Defence::RookPawn,
            _ => return None,
        };
        Some((defence, file(self.king), self.king.rank()))
    }

    /// Stalemate saves Black: White's king is outside the winning zone.
    fn is_outside_winning_zone(&self, queen_to_move: bool) -> bool {
        self.last_stand().is_some_and(|(defence, file, rank)| {
            file <= defence.last_safe_file(rank, queen_to_move)
        })
    }

    /// White's king is near enough, the queen to move.
    fn is_inside_winning_zone(&self) -> bool {
        self.last_stand().is_some_and(|(defence, file, rank)| match (defence, rank) {
            (Defence::RookPawn, 4) => file >= 4,
            (Defence::RookPawn, ..4) => file >= 3,
            (Defence::ShortSide, 3) => file >= 5,
            (Defence::LongSide, 4) => file >= 5,
            (Defence::LongSide, 3) => file >= 1 && file != 4,
            (Defence::InFront, 4) => file >= 4,
            (Defence::InFront, 2 | 3) => file >= 2,
            _ => false,
        })
    }
}

/// Where Black's king stands by its bishop pawn on f2, or rook pawn on h2.
#[derive(Clone, Copy)]
enum Defence {
    /// On g1 or g2.
    ShortSide,
    /// On e1 or e2.
    LongSide,
    /// On f1.
    InFront,
    /// On g1 or g2, the pawn on h2.
    RookPawn,
}

impl Defence {
    /// On this rank White's king is outside the winning zone if it stands on
    /// this file or further left; -1 if it is nowhere outside.
    fn last_safe_file(self, rank: i32, queen_to_move: bool) -> i32 {
        match (self, queen_to_move, rank) {
            (Defence::ShortSide, false, 4..) | (Defence::ShortSide, true, 5..) => 7,
            (Defence::ShortSide, false, 3) => 4,
            (Defence::ShortSide, true, 4) => 3,
            (Defence::ShortSide, false, _) => 2,
            (Defence::ShortSide, true, _) => 1,
            (Defence::LongSide | Defence::InFront, false, 5..) => 7,
            (Defence::LongSide | Defence::InFront, true, 6..) => 7,
            (Defence::LongSide, false, 4) => 3,
            (Defence::LongSide, true, 5) => 2,
            (Defence::InFront, false, 4) => 1,
            (Defence::InFront, true, 5) => 0,
            (Defence::LongSide | Defence::InFront, false, _) => 0,
            (Defence::LongSide | Defence::InFront, true, _) => -1,
            (Defence::RookPawn, false, 5..) | (Defence::RookPawn, true, 6..) => 7,
            (Defence::RookPawn, true, 5) => 5,
            (Defence::RookPawn, false, 4) => 3,
            (Defence::RookPawn, true, 0 | 1) => 1,
            (Defence::RookPawn, ..) => 2,
        }
    }
}

/// The queen's side, White, to move. It can always take care of a pawn that
/// is two moves from home, unless a bishop pawn is guarded from its corner.
fn queen_to_move(position: &Position) -> Bounds {
    let men = QueenAndPawn::of(position);
    let away = men.enemy.distance(men.home);
    let near = men.king.distance(men.home);
    let queen = position.of(Man::new(Color::White, Role::Queen));
    let attacked = queen.into_iter().any(|square| position.is_attacked(square, Color::Black));
    let won = match men.pawn.rank() {
        3.. => !attacked && !position.in_check(Color::White),
        2 => !men.is_bishop_pawn() || away >= 2,
        _ if men.is_inside_winning_zone() => true,
        _ if near == 1 => false,
        _ if men.is_bishop_pawn() => away >= 4 || (away == 3 && near <= 3),
        _ if on_rook_file(men.pawn) => away >= 3 || matches!(near, 2 | 3),
        _ => away >= 3,
    };
    let low = match (won, near == 1) {
        (true, _) => 1,
        (false, false) => 0,
        (false, true) => -1,
    };
    Bounds { low, high: i8::from(!men.is_outside_winning_zone(true)) }
}

/// The pawn's side, Black, to move; bounds are Black's.
fn pawn_to_move(position: &Position) -> Bounds {
    let men = QueenAndPawn::of(position);
    let queen = position.of(Man::new(Color::White, Role::Queen));
    let moves = position.legal_moves();
    let king_moves = moves.iter().any(|m| m.role == Role::King && m.captured.is_none());
    let takes = moves.iter().any(|m| m.captured.is_some());
    if takes {
        return Bounds { low: 0, high: 1 };
    }
    if !king_moves || queen.is_empty() {
        return Bounds::OPEN;
    }
    let away = men.enemy.distance(men.home);
    let near = men.king.distance(men.home);
    let lost = match men.pawn.rank() {
        3.. => !men.is_bishop_pawn() || away >= 2,
        2 if men.is_bishop_pawn() => away >= 4,
        2 if on_rook_file(men.pawn) => away >= 3,
        2 => away == 0 || away >= 3,
        _ if near <= 1 => away >= 3,
        _ => on_rook_file(men.pawn) && away == 0 && near <= 3,
    };
    let saved = men.is_outside_winning_zone(false);
    match (lost, saved) {
        (true, _) => Bounds::exactly(-1),
        (false, true) => Bounds { low: 0, high: 1 },
        (false, false) => Bounds::OPEN,
    }
}

/// Queen against queen: the side to move is safe if it is not in check,
/// unless its king is at the edge with the other king close by.
fn queens_only(position: &Position) -> Bounds {
    let us = position.turn();
    let king = position.king(us);
    let edge = on_rook_file(king) || matches!(king.rank(), 0 | 7);
    let theirs = position.of(Man::new(!us, Role::Queen)).first().unwrap_or(king);
    if takes_queen(position, theirs) {
        return Bounds { low: 0, high: 1 };
    }
    let cramped = edge && king.distance(position.king(!us)) == 2;
    let low = if !cramped && !position.in_check(us) { 0 } else { -1 };
    Bounds { low, high: 1 }
}

/// The side to move can take the queen at least for its own.
fn takes_queen(position: &Position, queen: Square) -> bool {
    let us = position.turn();
    let mine = position.of(Man::new(us, Role::Queen));
    let reached: Bitboard = mine.into_iter().fold(Bitboard::EMPTY, |set, square| {
        set | attacks::attacks(Role::Queen, square, position.occupied())
    });
    reached.contains(queen) && !position.in_check(us)
}
