//! x
#![allow(missing_docs, dead_code)]
pub mod geometry;
pub mod duel;
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

pub fn dev_duel(wk: usize, wp: usize, bk: usize, bp: usize) -> (i8, i8, String) {
    let s = Square::new;
    let b = duel::Duel { king: s(wk), pawn: s(wp), enemy: s(bk), rival: s(bp) }.judge(false);
    (b.low, b.high, format!("{:?}", b.rule))
}
pub mod error;
pub mod queen;
pub mod value;
pub fn dev_queen(p: &molien_board::Position) -> (i8, i8) { let b = queen::queen_bounds(p); (b.low, b.high) }
pub mod knowledge;
pub mod search;
pub use value::Value;
pub use search::{Limits, Options, Searcher, SearchResult};
