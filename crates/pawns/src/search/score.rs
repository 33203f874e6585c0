//! Scores, on the scale of 1977.
//!
//! A proved win is worth 6000 less something for every ply until it is known
//! and for every step the winner's pawn still has to go, plus a little for
//! well-placed kings, so that nearer wins score higher. A proved draw is the
//! little alone. Everything else is material, passed pawns and kings, and
//! stays far below [`PROVED`].

use molien_board::{Bitboard, Color, Man, Position, Role, Square};

use crate::geometry::up;

/// The score of a win that is already on the board.
pub const WIN: i32 = 6000;
/// Scores from here on are proved wins (and proved losses from its negative).
pub const PROVED: i32 = 1000;

/// Plies beyond this cost nothing more, so that every win stays above
/// [`PROVED`].
const MOST_PLIES: i32 = 150;
/// What a ply costs.
pub(super) const PER_PLY: i32 = 25;
const PER_STEP: i32 = 40;

/// The score of mate in this many plies.
pub(super) fn mate_score(ply: i32) -> i32 {
    WIN - PER_PLY * ply.min(MOST_PLIES)
}

/// The plies to mate that a score stands for, negative for being mated, if it
/// comes from a search to this depth that went on through known wins: only a
/// mate can score so high there.
pub(super) fn mate_plies(score: i32, depth: i32) -> Option<i32> {
    let plies = (WIN - score.abs()) / PER_PLY;
    (score.abs() >= mate_score(depth)).then_some(if score < 0 { -plies } else { plies })
}

/// The score of a position the side `winner` is known to win.
pub(super) fn win_score(position: &Position, winner: Color, ply: i32) -> i32 {
    let steps = position
        .pawns(winner)
        .into_iter()
        .map(|pawn| (winner.promotion_rank() - pawn.rank()).abs())
        .min()
        .unwrap_or(0);
    mate_score(ply) - PER_STEP * steps - 60 + king_term(position, winner) + chase(position, winner)
}

/// Against a bare king: drive it to the edge and bring the own king up.
fn chase(position: &Position, color: Color) -> i32 {
    if position.side(!color).len() > 1 || position.side(color) == position.pawns(color) {
        return 0;
    }
    let enemy = position.king(!color);
    let edge = (2 * enemy.file() - 7).abs().max((2 * enemy.rank() - 7).abs());
    let corner = (2 * enemy.file() - 7).abs() + (2 * enemy.rank() - 7).abs();
    2 * edge + corner - 2 * position.king(color).distance(enemy)
}

/// 7 + distance of the enemy king from the foremost pawn - distance of the own
/// king from its promotion square.
pub(super) fn king_term(position: &Position, owner: Color) -> i32 {
    let foremost = position
        .pawns(owner)
        .into_iter()
        .min_by_key(|pawn| (owner.promotion_rank() - pawn.rank()).abs());
    let Some(pawn) = foremost else { return 0 };
    let home = match owner {
        Color::White => up(pawn, 7 - pawn.rank()),
        Color::Black => Square::new(pawn.file() as usize),
    };
    7 + position.king(!owner).distance(pawn) - position.king(owner).distance(home)
}

/// What an undecided position is worth to the side to move.
pub(super) fn static_score(position: &Position) -> i32 {
    let white = side_score(position, Color::White) - side_score(position, Color::Black);
    if position.turn() == Color::White { white } else { -white }
}

fn side_score(position: &Position, color: Color) -> i32 {
    let count = |role| position.of(Man::new(color, role)).len() as i32;
    let pieces = 90 * count(Role::Queen)
        + 50 * count(Role::Rook)
        + 30 * (count(Role::Bishop) + count(Role::Knight));
    let pawns: i32 = position
        .pawns(color)
        .into_iter()
        .map(|pawn| {
            let advanced = 6 - (color.promotion_rank() - pawn.rank()).abs();
            let bonus = if is_passed(position, color, pawn) { 5 + 2 * advanced } else { 0 };
            10 + advanced + bonus
        })
        .sum();
    let chase = if pieces > 0 { chase(position, color) } else { 0 };
    (pieces + pawns + chase).min(PROVED / 2 - 10)
}

/// No enemy pawn can stop or take it on its way.
fn is_passed(position: &Position, color: Color, pawn: Square) -> bool {
    let ahead = match color {
        Color::White => Bitboard(!0 << (8 * (pawn.rank() + 1))),
        Color::Black => Bitboard((1 << (8 * pawn.rank())) - 1),
    };
    let files = (pawn.file() - 1..=pawn.file() + 1)
        .filter(|file| (0..8).contains(file))
        .fold(Bitboard::EMPTY, |set, file| set | Bitboard::file(file));
    (ahead & files & position.pawns(!color)).is_empty()
}
