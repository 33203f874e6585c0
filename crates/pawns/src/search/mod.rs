//! The search program.
mod effort;
mod hash;
mod prover;
pub use prover::Oracle;
use molien_board::Position;
use crate::knowledge::Functions;
pub fn dev_prove(p: &Position, functions: Functions, max: usize) -> (i8, i8, String, u32, usize) {
    let judge = prover::Judge { functions, oracle: None };
    let mut pr = prover::Prover::new(p, judge);
    loop {
        let w = pr.round(max, &mut || false);
        if w != prover::Progress::Open { break; }
    }
    let b = pr.root_bounds();
    (b.low, b.high, pr.best().map(|m| m.to_string()).unwrap_or_default(), pr.depth(), pr.judged() as usize)
}
