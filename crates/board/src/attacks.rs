//! Attacks, rays and the squares between.
//!
//! The tables are computed at compile time from the directions of the roles.

use crate::{Bitboard, Color, Role, Square};

/// The eight ray directions, in the order of `Role::Queen.directions()`.
const RAY_COUNT: usize = 8;

const fn leaper_table(role: Role) -> [u64; 64] {
    let mut table = [0; 64];
    let steps = role.directions();
    let mut s = 0;
    while s < 64 {
        let mut i = 0;
        while i < steps.len() {
            if let Some(to) = Square::new(s).offset(steps[i].0, steps[i].1) {
                table[s] |= 1 << to.index();
            }
            i += 1;
        }
        s += 1;
    }
    table
}

const fn ray_table() -> [[u64; 64]; RAY_COUNT] {
    let mut table = [[0; 64]; RAY_COUNT];
    let directions = Role::Queen.directions();
    let mut d = 0;
    while d < RAY_COUNT {
        let mut s = 0;
        while s < 64 {
            let mut at = Square::new(s);
            while let Some(to) = at.offset(directions[d].0, directions[d].1) {
                table[d][s] |= 1 << to.index();
                at = to;
            }
            s += 1;
        }
        d += 1;
    }
    table
}

const fn between_table() -> [[u64; 64]; 64] {
    let mut table = [[0; 64]; 64];
    let directions = Role::Queen.directions();
    let mut s = 0;
    while s < 64 {
        let mut d = 0;
        while d < RAY_COUNT {
            let mut at = Square::new(s);
            let mut passed = 0;
            while let Some(to) = at.offset(directions[d].0, directions[d].1) {
                table[s][to.index()] = passed;
                passed |= 1 << to.index();
                at = to;
            }
            d += 1;
        }
        s += 1;
    }
    table
}

/// The squares of a ray, nearest first, and their number.
type RaySquares = ([Square; 7], usize);

const fn ray_square_table() -> [[RaySquares; 64]; RAY_COUNT] {
    let mut table = [[([Square::new(0); 7], 0); 64]; RAY_COUNT];
    let directions = Role::Queen.directions();
    let mut d = 0;
    while d < RAY_COUNT {
        let mut s = 0;
        while s < 64 {
            let mut at = Square::new(s);
            while let Some(to) = at.offset(directions[d].0, directions[d].1) {
                let (squares, len) = &mut table[d][s];
                squares[*len] = to;
                *len += 1;
                at = to;
            }
            s += 1;
        }
        d += 1;
    }
    table
}

const fn pawn_table(color: Color) -> [u64; 64] {
    let mut table = [0; 64];
    let mut s = 0;
    while s < 64 {
        let square = Square::new(s);
        if let Some(to) = square.offset(-1, color.forward()) {
            table[s] |= 1 << to.index();
        }
        if let Some(to) = square.offset(1, color.forward()) {
            table[s] |= 1 << to.index();
        }
        s += 1;
    }
    table
}

/// The squares a king attacks from each square.
pub const KING: [u64; 64] = leaper_table(Role::King);
static KNIGHT: [u64; 64] = leaper_table(Role::Knight);
static RAYS: [[u64; 64]; RAY_COUNT] = ray_table();
static RAY_SQUARES: [[RaySquares; 64]; RAY_COUNT] = ray_square_table();
static BETWEEN: [[u64; 64]; 64] = between_table();
static PAWN: [[u64; 64]; 2] = [pawn_table(Color::White), pawn_table(Color::Black)];

/// The squares strictly between two squares on a common rank, file or
/// diagonal; empty for any other two squares.
#[inline]
pub fn between(a: Square, b: Square) -> Bitboard {
    Bitboard(BETWEEN[a.index()][b.index()])
}

/// The squares from `from` to the edge in one direction, nearest first. The
/// directions are numbered as in `Role::Queen.directions()`: 0 to 3 are the
/// rook's, 4 to 7 the bishop's.
#[inline]
pub fn ray_squares(direction: usize, from: Square) -> &'static [Square] {
    let (squares, len) = &RAY_SQUARES[direction][from.index()];
    &squares[..*len]
}

/// The numbers of a slider's ray directions; empty for other roles.
#[inline]
pub const fn ray_directions(role: Role) -> std::ops::Range<usize> {
    match role {
        Role::Queen => 0..8,
        Role::Rook => 0..4,
        Role::Bishop => 4..8,
        _ => 0..0,
    }
}

/// The squares a king on `from` attacks.
#[inline]
pub fn king(from: Square) -> Bitboard {
    static TABLE: [u64; 64] = KING;
    Bitboard(TABLE[from.index()])
}

/// The squares a knight on `from` attacks.
#[inline]
pub fn knight(from: Square) -> Bitboard {
    Bitboard(KNIGHT[from.index()])
}

/// The squares a pawn of this colour on `from` attacks.
#[inline]
pub fn pawn(color: Color, from: Square) -> Bitboard {
    Bitboard(PAWN[color.index()][from.index()])
}

/// One ray up to and including its first blocker.
#[inline]
fn ray(direction: usize, from: Square, occupied: Bitboard) -> u64 {
    let whole = RAYS[direction][from.index()];
    let blockers = whole & occupied.0;
    if blockers == 0 {
        return whole;
    }
    // Directions 0, 1, 4 and 5 run to higher indices.
    let nearest = if matches!(direction, 0 | 1 | 4 | 5) {
        blockers.trailing_zeros() as usize
    } else {
        63 - blockers.leading_zeros() as usize
    };
    whole ^ RAYS[direction][nearest]
}

/// The squares a rook on `from` attacks.
#[inline]
pub fn rook(from: Square, occupied: Bitboard) -> Bitboard {
    Bitboard((0..4).fold(0, |set, d| set | ray(d, from, occupied)))
}

/// The squares a bishop on `from` attacks.
#[inline]
pub fn bishop(from: Square, occupied: Bitboard) -> Bitboard {
    Bitboard((4..8).fold(0, |set, d| set | ray(d, from, occupied)))
}

/// The squares that a king, queen, rook, bishop or knight on `from` attacks.
/// For these roles "a attacks b" and "b attacks a" are the same. A pawn needs
/// its colour: see [`pawn`]; here it attacks nothing.
#[inline]
pub fn attacks(role: Role, from: Square, occupied: Bitboard) -> Bitboard {
    match role {
        Role::King => king(from),
        Role::Queen => rook(from, occupied) | bishop(from, occupied),
        Role::Rook => rook(from, occupied),
        Role::Bishop => bishop(from, occupied),
        Role::Knight => knight(from),
        Role::Pawn => Bitboard::EMPTY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The meaning of an attack: walk until something is in the way.
    fn walk(role: Role, from: Square, occupied: Bitboard) -> Bitboard {
        let mut set = Bitboard::EMPTY;
        for &(files, ranks) in role.directions() {
            let mut at = from;
            while let Some(to) = at.offset(files, ranks) {
                set.insert(to);
                if !role.is_slider() || occupied.contains(to) {
                    break;
                }
                at = to;
            }
        }
        set
    }

    #[test]
    fn attacks_equal_the_walk() {
        let mut random = molien_testing::Random::new(1);
        for _ in 0..2000 {
            let occupied = Bitboard(random.number() & random.number());
            for from in Square::all() {
                for role in Role::ALL {
                    assert_eq!(attacks(role, from, occupied), walk(role, from, occupied));
                }
            }
        }
    }

    #[test]
    fn between_is_symmetric_and_strict() {
        for a in Square::all() {
            for b in Square::all() {
                assert_eq!(between(a, b), between(b, a));
                assert!(!between(a, b).contains(a) && !between(a, b).contains(b));
            }
        }
        let a1 = Square::new(0);
        assert_eq!(between(a1, Square::new(63)).len(), 6);
    }
}
