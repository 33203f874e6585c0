//! Small pieces of board geometry that several rules share.

use molien_board::{Bitboard, Color, Square, attacks};

const FILE_A: u64 = 0x0101_0101_0101_0101;
const FILE_H: u64 = FILE_A << 7;

/// The squares within one king step of the set, the set included.
#[inline]
pub(crate) const fn spread(set: Bitboard) -> Bitboard {
    let wide = set.0 | (set.0 & !FILE_H) << 1 | (set.0 & !FILE_A) >> 1;
    Bitboard(wide | wide << 8 | wide >> 8)
}

/// The squares one king step away from some square of the set.
#[inline]
pub(crate) const fn neighbours(set: Bitboard) -> Bitboard {
    let side = (set.0 & !FILE_H) << 1 | (set.0 & !FILE_A) >> 1;
    let wide = side | set.0;
    Bitboard(side | wide << 8 | wide >> 8)
}

/// The squares within so many king steps.
#[inline]
pub(crate) fn within(square: Square, steps: u32) -> Bitboard {
    (0..steps).fold(Bitboard::from_square(square), |set, _| spread(set))
}

/// The square and its neighbours.
#[inline]
pub(crate) fn zone(square: Square) -> Bitboard {
    attacks::king(square) | Bitboard::from_square(square)
}

/// How many files apart two squares are.
#[inline]
pub(crate) const fn files_apart(a: Square, b: Square) -> i32 {
    (a.file() - b.file()).abs()
}

/// The square `ranks` further up; only for squares that have one.
#[inline]
pub(crate) const fn up(square: Square, ranks: i32) -> Square {
    Square::new((square.index() as i32 + 8 * ranks) as usize)
}

/// Whether a rook pawn stands here.
#[inline]
pub(crate) const fn on_rook_file(square: Square) -> bool {
    square.file() == 0 || square.file() == 7
}

/// Whether a bishop pawn stands here.
#[inline]
pub(crate) const fn is_bishop_file(square: Square) -> bool {
    matches!(square.file(), 2 | 5)
}

/// Whether a pawn that has no stalemate tricks on the seventh stands here: not
/// a rook or bishop pawn.
#[inline]
pub(crate) const fn is_plain_file(square: Square) -> bool {
    !on_rook_file(square) && !is_bishop_file(square)
}

/// Moves a White pawn needs to promote on an empty file.
#[inline]
pub(crate) const fn pawn_moves_home(pawn: Square) -> i32 {
    7 - pawn.rank() - if pawn.rank() == 1 { 1 } else { 0 }
}

/// King steps from `from` to `to` when no square of `closed` may be entered.
/// Only the diagonal walk is unique, so only there can one closed square cost
/// a step; elsewhere there is always a way around.
#[inline]
pub(crate) fn steps_avoiding(from: Square, to: Square, closed: Bitboard) -> i32 {
    let distance = from.distance(to);
    let diagonal = files_apart(from, to) == (from.rank() - to.rank()).abs();
    if diagonal && !(attacks::between(from, to) & closed).is_empty() {
        distance + 1
    } else {
        distance
    }
}

/// The squares a White pawn guards.
#[inline]
pub(crate) fn pawn_guard(pawn: Square) -> Bitboard {
    attacks::pawn(Color::White, pawn)
}
