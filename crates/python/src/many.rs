//! Many positions at once.

use molien::{FenOptions, Metric, Tablebase};

use crate::columns::{Layout, Rows};
use crate::desk::Desk;
use crate::errors::Failure;

/// Positions asked for in one call, in which each block of a table is decoded once
/// for all of them. Between such calls Ctrl-C is looked for.
const AT_ONCE: usize = 1 << 20;

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
    let layout = Layout { fens: false, turn: false, men: Vec::new(), metrics: metrics.to_vec() };
    let mut rows = Rows::new(&layout);
    for fens in fens.chunks(AT_ONCE) {
        if desk.stopped() {
            break; // whoever stopped it raises
        }
        for answer in tables.answer_fens(fens, metrics, FenOptions::default()) {
            let answer = match (answer, unknown) {
                (Err(error), Unknown::Raise) => return Err(Failure::from(error).at(rows.len())),
                (answer, _) => answer.ok().map(|(_, answer)| answer),
            };
            let plies = |metric: &Metric| answer.as_ref().and_then(|a| a.values.plies(*metric));
            rows.push_values(answer.as_ref().map(|a| a.category), metrics.iter().map(plies));
        }
    }
    Ok((layout, rows))
}
