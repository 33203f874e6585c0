//! What is known about a position without searching.

use molien_board::{Color, Man, Position, Role, Square};

use crate::duel::Duel;
use crate::one_pawn::OnePawn;
use crate::queen::queen_bounds;
use crate::two_pawns::TwoPawns;
use crate::value::Bounds;

/// Which of the evaluation functions the search may use.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Functions {
    /// `one_pawn`, `two_pawns` and `pawn_duel`.
    #[default]
    All,
    /// `one_pawn` only.
    OnePawn,
    /// None of the three: only the rules of chess and of the queen.
    None,
}

/// How a position was turned before the rules looked at it, and the way back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Orientation {
    /// The side that the rules call White.
    pub white: Color,
    mirrored: bool,
}

impl Orientation {
    /// The square as it really is.
    pub fn real(self, seen: Square) -> Square {
        let square = if self.mirrored { seen.flip_horizontal() } else { seen };
        if self.white == Color::White { square } else { square.flip_vertical() }
    }
}

/// The men of king and pawn against king, the pawn White's.
pub(crate) fn one_pawn_of(position: &Position) -> Option<(OnePawn, bool)> {
    let strong = strong_side(position);
    let seen = seen_by(position, strong);
    let pawn = seen.pawns(Color::White).first()?;
    let men = OnePawn { king: seen.king(Color::White), pawn, enemy: seen.king(Color::Black) };
    Some((men, seen.turn() == Color::White))
}

/// How [`one_pawn_of`] and [`two_pawns_of`] turn a position.
pub(crate) fn strong_side_first(position: &Position) -> Orientation {
    let white = strong_side(position);
    let pawns = seen_by(position, white).pawns(Color::White);
    // A single pawn is looked at where it stands.
    let mirrored = pawns.len() == 2 && pawns.first().is_some_and(is_on_right_half);
    Orientation { white, mirrored }
}

/// How [`duel_of`] turns a position.
pub(crate) fn mover_first(position: &Position) -> Orientation {
    let white = position.turn();
    let pawn = seen_by(position, white).pawns(Color::White).first();
    Orientation { white, mirrored: pawn.is_some_and(is_on_right_half) }
}

/// The men of king and two pawns against king, the pawns White's.
pub(crate) fn two_pawns_of(position: &Position) -> Option<(TwoPawns, bool)> {
    let strong = strong_side(position);
    let seen = seen_by(position, strong);
    let mut pawns = seen.pawns(Color::White).into_iter();
    let (first, second) = (pawns.next()?, pawns.next()?);
    let at = |square| to_left_half(first, square);
    let mut pawns = [at(first), at(second)];
    pawns.sort_by_key(|pawn| pawn.index());
    let men = TwoPawns::new(at(seen.king(Color::White)), pawns, at(seen.king(Color::Black)));
    Some((men, seen.turn() == Color::White))
}

/// The men of king and pawn against king and pawn, White to move, and whether
/// White may take en passant.
pub(crate) fn duel_of(position: &Position) -> Option<(Duel, bool)> {
    let us = position.turn();
    let turned = if us == Color::White { 0 } else { 56 };
    let pawn = position.pawns(us).first()?;
    let mirrored = if is_on_right_half(pawn) { 7 } else { 0 };
    let at = |square: Square| Square::new(square.index() ^ turned ^ mirrored);
    let men = Duel {
        king: at(position.king(us)),
        pawn: at(pawn),
        enemy: at(position.king(!us)),
        rival: at(position.pawns(!us).first()?),
    };
    Some((men, position.en_passant().is_some()))
}

/// The square, mirrored if the pawn stands on the right half of the board: the
/// rules see, and are tested on, pawns on the left half only.
fn to_left_half(pawn: Square, square: Square) -> Square {
    if is_on_right_half(pawn) { square.flip_horizontal() } else { square }
}

fn is_on_right_half(pawn: Square) -> bool {
    pawn.file() > 3
}

/// The side with pawns (White, if both have).
fn strong_side(position: &Position) -> Color {
    if position.pawns(Color::White).is_empty() { Color::Black } else { Color::White }
}

/// The position with this side as White.
fn seen_by(position: &Position, color: Color) -> Position {
    match color {
        Color::White => *position,
        Color::Black => position.swap_colors(),
    }
}

/// Bounds for the side to move. A position without legal moves is left to
/// the caller.
pub(crate) fn known(position: &Position, functions: Functions) -> Bounds {
    let us = position.turn();
    let (mine, theirs) = (position.side(us).len(), position.side(!us).len());
    let (my_pawns, their_pawns) = (position.pawns(us).len(), position.pawns(!us).len());
    let pawns = my_pawns + their_pawns;
    if mine + theirs == pawns + 2 {
        return match (my_pawns, their_pawns) {
            (0, 0) => Bounds::DRAW,
            (1, 0) | (0, 1) => know_one_pawn(position, functions),
            (2, 0) | (0, 2) => know_two_pawns(position, functions),
            (1, 1) => know_duel(position, functions),
            _ => bare_king(mine, theirs),
        };
    }
    let minor = |color| {
        position.of(Man::new(color, Role::Knight)) | position.of(Man::new(color, Role::Bishop))
    };
    if mine + theirs == 3 && !(minor(us) | minor(!us)).is_empty() {
        return Bounds::DRAW;
    }
    queen_bounds(position).meet(bare_king(mine, theirs))
}

/// A bare king cannot win.
fn bare_king(mine: usize, theirs: usize) -> Bounds {
    Bounds { low: if theirs == 1 { 0 } else { -1 }, high: if mine == 1 { 0 } else { 1 } }
}

fn know_one_pawn(position: &Position, functions: Functions) -> Bounds {
    let us = position.turn();
    let limits = bare_king(position.side(us).len(), position.side(!us).len());
    let Some((men, to_move)) = one_pawn_of(position).filter(|_| functions != Functions::None)
    else {
        return limits;
    };
    match (men.wins(to_move), to_move) {
        (false, _) => Bounds::DRAW,
        (true, true) => Bounds::exactly(1),
        (true, false) => Bounds::exactly(-1),
    }
}

fn know_two_pawns(position: &Position, functions: Functions) -> Bounds {
    let us = position.turn();
    let limits = bare_king(position.side(us).len(), position.side(!us).len());
    let Some((men, to_move)) = two_pawns_of(position).filter(|_| functions == Functions::All)
    else {
        return limits;
    };
    let finding = if to_move { men.white_to_move() } else { men.black_to_move() };
    match (finding.win, to_move) {
        (None, _) => limits,
        (Some(false), _) => Bounds::DRAW,
        (Some(true), true) => Bounds::exactly(1),
        (Some(true), false) => Bounds::exactly(-1),
    }
}

fn know_duel(position: &Position, functions: Functions) -> Bounds {
    match duel_of(position).filter(|_| functions == Functions::All) {
        Some((men, en_passant)) => {
            let found = men.judge(en_passant);
            Bounds { low: found.low, high: found.high }
        }
        None => Bounds::OPEN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mirrored_positions_are_judged_alike() {
        for (fen, mirror) in [
            ("8/8/8/8/1k6/6p1/P7/6K1 w - -", "8/8/8/8/6k1/1p6/7P/1K6 w - -"),
            ("8/8/8/3k4/8/8/5PP1/K7 b - -", "8/8/8/4k3/8/8/1PP5/7K b - -"),
            ("8/8/8/3k4/8/5P2/1P6/K7 b - -", "8/8/8/4k3/8/2P5/6P1/7K b - -"),
        ] {
            let [here, there] = [fen, mirror].map(|fen| fen.parse().expect("legal"));
            assert_eq!(duel_of(&here), duel_of(&there), "{fen}");
            assert_eq!(two_pawns_of(&here), two_pawns_of(&there), "{fen}");
        }
    }

    #[test]
    fn squares_find_their_way_back() {
        for fen in [
            "8/8/8/8/1k6/6p1/P7/6K1 w - -",
            "8/8/8/8/6k1/1p6/7P/1K6 b - -",
            "8/8/8/3k4/8/8/5PP1/K7 b - -",
            "8/1p3p2/8/3k4/8/8/8/K7 w - -",
            "8/6p1/8/3k4/8/8/8/K7 w - -",
        ] {
            let position: Position = fen.parse().expect("legal");
            let king = |color| position.king(color);
            if let Some((men, _)) = duel_of(&position) {
                let way = mover_first(&position);
                assert_eq!(way.real(men.king), king(way.white), "{fen}");
                assert!(position.pawns(way.white).contains(way.real(men.pawn)), "{fen}");
                assert!(position.pawns(!way.white).contains(way.real(men.rival)), "{fen}");
            } else {
                let way = strong_side_first(&position);
                let real = match two_pawns_of(&position) {
                    Some((men, _)) => [men.king, men.rear, men.front, men.enemy],
                    None => {
                        let (men, _) = one_pawn_of(&position).expect("a pawn");
                        [men.king, men.pawn, men.pawn, men.enemy]
                    }
                };
                let [own, rear, front, enemy] = real.map(|square| way.real(square));
                assert_eq!((own, enemy), (king(way.white), king(!way.white)), "{fen}");
                assert!(position.pawns(way.white).contains(rear), "{fen}");
                assert!(position.pawns(way.white).contains(front), "{fen}");
            }
        }
    }
}
