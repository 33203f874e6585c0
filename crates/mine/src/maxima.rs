//! The deepest positions, all of them.

use std::ops::ControlFlow;

use molien_board::Color;
use molien_values::{Metric, Outcome};

use crate::query::{Atom, Query};
use crate::{Hit, MineError, Search, TableSet};

/// All positions with `side` to move that are won (or lost) in the greatest
/// number of plies by a metric. None if no position is won (or lost).
///
/// # Errors
/// If the metric's table is not at hand or keeps no depths.
pub fn maxima(
    tables: &TableSet,
    metric: Metric,
    side: Color,
    outcome: Outcome,
    progress: impl FnMut(u64, u64),
) -> Result<Vec<Hit>, MineError> {
    tables.check_depths(metric)?;
    let stats = &tables.stats(metric)?.sides[tables.table_color(side).index()];
    let longest = match outcome {
        Outcome::Win => &stats.longest_win,
        Outcome::Loss => &stats.longest_loss,
        Outcome::Draw => &None,
    };
    let Some(plies) = longest.as_ref().map(|longest| longest.plies) else { return Ok(Vec::new()) };
    let query = Query::atoms(&[
        Atom::Turn(side),
        Atom::Outcome(outcome),
        Atom::Depth(metric, plies, plies),
    ]);
    let mut found = Vec::new();
    Search::new(tables, &query)?.each(progress, |hit| {
        found.push(hit);
        ControlFlow::Continue(())
    })?;
    Ok(found)
}
