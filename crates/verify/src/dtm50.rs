//! Mate under the 50-move rule against other metrics and its definition.
//!
//! The value at clock zero does not follow from values at clock zero one move
//! on, so that neither planes nor the referee can look one move ahead. But who
//! wins is what DTZ50 says, mate comes no sooner than DTM says, and as soon
//! where the rule has no time to interfere. Up to three men every value is also
//! compared with the definition.

use molien_board::{Color, Material};
use molien_build::{Build, BuildError};
use molien_hyper::Index;
use molien_solve::{Consistency, Inconsistency, Law, SolveError};
use molien_values::{FIFTY_MOVES_PLIES, Metric, Outcome, Place, Table, Value};
use rayon::prelude::*;

use crate::clocked::ClockedValues;

/// Up to this many men every value is compared with the definition.
const DEFINED_MEN: usize = 3;

/// Checks a table in DTM50.
pub(crate) fn check_dtm50(build: &Build, material: Material) -> Result<Consistency, BuildError> {
    let [dtm50, dtm, dtz50] =
        [Metric::Dtm50, Metric::Dtm, Metric::Dtz50].map(|metric| build.table(material, metric));
    let (dtm50, dtm, dtz50) = (dtm50?, dtm?, dtz50?);
    let defined = match material.len() {
        0..=DEFINED_MEN => Some(ClockedValues::new(build, [0]).of(material)?),
        _ => None,
    };
    let holds = |place: Place| {
        let value = dtm50.at(place);
        let expected = defined.as_ref().and_then(|defined| defined.at(place, 0));
        follows(value, dtm.at(place), dtz50.at(place)) && expected.is_none_or(|e| e == value)
    };
    let tiles = dtm50.parts.iter().enumerate().flat_map(|(part, game)| {
        (0..game.board.tiles()).map(move |tile| (part, tile)).collect::<Vec<_>>()
    });
    let tiles: Vec<(usize, usize)> = tiles.collect();
    let check = |&(part, tile): &(usize, usize)| check_tile(&dtm50, part, tile, holds);
    let progress = build.progress();
    let unless_cancelled = |tile: &(usize, usize)| match progress.cancelled() {
        true => Err(SolveError::Cancelled { material }),
        false => Ok(check(tile)),
    };
    let found = tiles.par_iter().map(unless_cancelled);
    Ok(found.try_reduce(Consistency::default, |a, b| Ok(a.merge(b)))?)
}

/// Whether a value is one that the other metrics allow.
fn follows(value: Value, dtm: Value, dtz50: Value) -> bool {
    let in_time = dtz50.plies().is_some_and(|plies| plies <= FIFTY_MOVES_PLIES);
    let expected = if in_time { dtz50.outcome() } else { Outcome::Draw };
    let depths = match (value.plies(), dtm.plies()) {
        (Some(plies), Some(free)) if free <= FIFTY_MOVES_PLIES => plies == free,
        (Some(plies), Some(free)) => plies >= free,
        _ => true,
    };
    value.outcome() == expected && depths
}

fn check_tile(
    table: &Table,
    part: usize,
    tile: usize,
    holds: impl Fn(Place) -> bool,
) -> Consistency {
    let game = &table.parts[part];
    let mut found = Consistency::default();
    for turn in Color::BOTH {
        for (row, column) in game.values[turn.index()].legal[tile].pairs() {
            let place = Place { part, turn, index: Index { tile, row, column } };
            found.checked += 1;
            if !holds(place) {
                let position = game.board.decode(place.index, turn);
                let first = vec![Inconsistency { law: Law::UnderTheRule, position }];
                found = found.merge(Consistency { checked: 0, failures: 1, first });
            }
        }
    }
    found
}
