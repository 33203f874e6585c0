//! x
#![allow(missing_docs, dead_code)]
pub mod geometry;
pub mod one_pawn;
pub mod two_pawns;
use molien_board::Square;
pub fn dev_kpk(wk: usize, p: usize, bk: usize, w: bool) -> bool {
    one_pawn::OnePawn { king: Square::new(wk), pawn: Square::new(p), enemy: Square::new(bk) }.wins(w)
}
pub fn dev_kppk(wk: usize, p: usize, q: usize, bk: usize, w: bool) -> Option<(bool, String)> {
    let s = Square::new;
    let t = two_pawns::TwoPawns::new(s(wk), [s(p), s(q)], s(bk));
    let r = if w { t.white_to_move() } else { t.black_to_move() };
    Some((r.win?, String::new()))
}
