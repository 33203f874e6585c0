//! Many positions at once.

use molien::{Metric, Setup, Tablebase};
use rayon::prelude::*;

use crate::columns::{Layout, Rows};
use crate::desk::Desk;
use crate::errors::Failure;
use crate::input;

/// Positions asked for in one call, in which each block of a table is decoded once
/// for all of them. Between such calls Ctrl-C is looked for.
const AT_ONCE: usize = 1 << 18;

/// What to do with a position of which nothing is known, or that is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unknown {
    /// Stop and say so.
    Raise,
    /// Go on; its row has no values.
    Null,
}

/// The class and the plies of many positions, in their order.
pub fn values(
    tables: &Tablebase,
    desk: &Desk,
    fens: &[impl AsRef<str> + Sync],
    metrics: &[Metric],
    unknown: Unknown,
) -> Result<(Layout, Rows), Failure> {
    let read = |(number, fen): (usize, &_)| match (input::setup(AsRef::as_ref(fen)), unknown) {
        (Ok(setup), _) => Ok(Some(setup)),
        (Err(_), Unknown::Null) => Ok(None),
        (Err(failure), Unknown::Raise) => Err(failure.at(number)),
    };
    let setups: Result<Vec<Option<Setup>>, Failure> =
        fens.par_iter().enumerate().map(read).collect();
    let layout = Layout { fens: false, turn: false, men: Vec::new(), metrics: metrics.to_vec() };
    let mut rows = Rows::new(&layout);
    for setups in setups?.chunks(AT_ONCE) {
        if desk.stopped() {
            break; // whoever stopped it raises
        }
        let legal: Vec<Setup> = setups.iter().flatten().copied().collect();
        let mut answers = tables.answers_at(&legal, metrics)?.into_iter();
        for setup in setups {
            let answer = match (setup.and_then(|_| answers.next()), unknown) {
                (Some(Err(error)), Unknown::Raise) => {
                    return Err(Failure::from(error).at(rows.len()));
                }
                (answer, _) => answer.and_then(Result::ok),
            };
            let plies = |metric: &Metric| answer.as_ref().and_then(|a| a.values.plies(*metric));
            rows.push_values(answer.as_ref().map(|a| a.category), metrics.iter().map(plies));
        }
    }
    Ok((layout, rows))
}
