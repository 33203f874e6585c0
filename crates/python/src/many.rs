//! Many positions at once.

use molien::{Answer, Metric, ProbeError, Setup, Tablebase};
use rayon::prelude::*;

use crate::columns::{Layout, Rows};
use crate::desk::Desk;
use crate::errors::Failure;
use crate::input;

/// Positions read together: each block of a table is decoded once for all of
/// them. Between such chunks Ctrl-C is looked for.
const CHUNK: usize = 1 << 15;

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
    let setups = setups?;
    let legal: Vec<usize> = (0..setups.len()).filter(|&i| setups[i].is_some()).collect();
    let order = by_table(&setups, legal);
    let chunk_len = CHUNK.min(order.len().div_ceil(rayon::current_num_threads())).max(1);
    let answer = |numbers: &[usize]| {
        if desk.stopped() {
            return Ok(Vec::new()); // whoever stopped it raises
        }
        let asked: Vec<Setup> = numbers.iter().filter_map(|&i| setups[i]).collect();
        Ok(tables.answers_at(&asked, metrics)?)
    };
    let answers: Result<Vec<Vec<Result<Answer, ProbeError>>>, Failure> =
        order.par_chunks(chunk_len).map(answer).collect();
    let mut found: Vec<Option<Answer>> = vec![None; setups.len()];
    for (&number, answer) in order.iter().zip(answers?.into_iter().flatten()) {
        found[number] = match (answer, unknown) {
            (Ok(answer), _) => Some(answer),
            (Err(_), Unknown::Null) => None,
            (Err(error), Unknown::Raise) => return Err(Failure::from(error).at(number)),
        };
    }
    let layout = Layout { fens: false, turn: false, men: Vec::new(), metrics: metrics.to_vec() };
    let mut rows = Rows::new(&layout);
    for answer in &found {
        let plies = |metric: &Metric| answer.as_ref().and_then(|a| a.values.plies(*metric));
        rows.push_values(answer.as_ref().map(|a| a.category), metrics.iter().map(plies));
    }
    Ok((layout, rows))
}

/// Positions of one table side by side: the threads then read different tables,
/// or different parts of one.
fn by_table(setups: &[Option<Setup>], mut numbers: Vec<usize>) -> Vec<usize> {
    let material =
        |&i: &usize| setups[i].map(|setup| setup.position.material().canonical().to_string());
    numbers.sort_by_cached_key(material);
    numbers
}
