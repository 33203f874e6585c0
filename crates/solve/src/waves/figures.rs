//! The statistics of a finished board around pawns, from its values alone.
//!
//! The waves count what they decide. Where they ran elsewhere, on a card for
//! instance, and the values have been copied here, this counts once more.

use molien_board::{Color, Square};
use molien_hyper::{Index, Tile};
use molien_operators::{Backend, valid};
use molien_values::{BoardValues, Graded, Longest, Metric, Stats};
use rayon::prelude::*;

use super::CHUNK_TILES;
use super::counter::{Counter, Raw, finish_stats};
use crate::SolveError;

/// What [`crate::BoardSolve`] would have counted on the way to these values, whose
/// depths are kept.
///
/// # Errors
/// None as long as one process counts all of it.
pub fn board_stats(
    backend: &dyn Backend,
    values: &BoardValues,
    metric: Metric,
) -> Result<Stats, SolveError> {
    let (board, material) = (&values.board, values.board.material());
    let counter = Counter::new(backend, board, None);
    let mut stats = Stats::new(material, metric);
    for (turn, (side, graded)) in
        Color::BOTH.into_iter().zip(stats.sides.iter_mut().zip(&values.values))
    {
        for (set, counts, longest) in [
            (&graded.won, &mut side.wins, &mut side.longest_win),
            (&graded.lost, &mut side.losses, &mut side.longest_loss),
        ] {
            let found = histogram(&counter, set, graded);
            *counts = found.iter().map(|raw| counter.finish(*raw)).collect();
            let plies = found.len().checked_sub(1);
            *longest = plies.and_then(|plies| {
                let index = first(set, graded, plies)?;
                let position = board.decode(index, turn)?;
                Some(Longest { plies: plies as u16, position })
            });
        }
    }
    finish_stats(&mut stats, &counter, values, |cell| valid(board, cell))
        .map_err(|source| SolveError::Ranks { material, source })?;
    Ok(stats)
}

/// The words of a tile in the order of its rows.
fn words(tile: &Tile) -> &[u64] {
    tile.0.as_flattened()
}

/// The addresses of a set by their plies.
fn histogram(counter: &Counter<'_>, set: &[Tile], graded: &Graded) -> Vec<Raw> {
    let count = |mut found: Vec<Raw>, number: usize| {
        if !set[number].is_empty() {
            count_tile(counter, set, graded, number, &mut found);
        }
        found
    };
    let add = |mut into: Vec<Raw>, from: Vec<Raw>| {
        into.resize(into.len().max(from.len()), Raw::default());
        into.iter_mut().zip(from).for_each(|(a, b)| *a = a.add(b));
        into
    };
    let tiles = (0..set.len()).into_par_iter().with_min_len(CHUNK_TILES);
    tiles.fold(Vec::new, count).reduce(Vec::new, add)
}

fn count_tile(
    counter: &Counter<'_>,
    set: &[Tile],
    graded: &Graded,
    number: usize,
    found: &mut Vec<Raw>,
) {
    let bits: Vec<&[u64]> = graded.depth.iter().map(|plane| words(&plane[number])).collect();
    let mask = counter.representatives(number).map(words);
    for (row, &word) in words(&set[number]).iter().enumerate().filter(|(_, word)| **word != 0) {
        let kept = mask.map(|mask| mask[row]);
        let mut tell = |plies: usize, addresses: u64| {
            found.resize(found.len().max(plies + 1), Raw::default());
            found[plies].count_word(addresses, kept);
        };
        // Whoever wins nearly always moves last: the lowest bit hardly splits anything, and
        // is looked at once rather than for every depth.
        let odd = bits.first().map_or(0, |lowest| lowest[row]);
        for (addresses, lowest) in [(word & odd, 1), (word & !odd, 0)] {
            if addresses != 0 {
                split(addresses, bits.len(), lowest, &|bit| bits[bit][row], &mut tell);
            }
        }
    }
}

/// Splits the addresses of a word by their plies, the highest bit first, as far as the
/// lowest, which all have in common.
fn split(
    word: u64,
    bits: usize,
    plies: usize,
    plane: &impl Fn(usize) -> u64,
    found: &mut impl FnMut(usize, u64),
) {
    let bit = bits.saturating_sub(1);
    if bit == 0 {
        return found(plies, word);
    }
    let set = plane(bit);
    if word & set != 0 {
        split(word & set, bit, plies | 1 << bit, plane, found);
    }
    if word & !set != 0 {
        split(word & !set, bit, plies, plane, found);
    }
}

/// The first address of a set with so many plies.
fn first(set: &[Tile], graded: &Graded, plies: usize) -> Option<Index> {
    let here = |number: usize| {
        let row_of = |(row, &word): (usize, &u64)| {
            let equal = graded.depth.iter().enumerate().fold(word, |left, (bit, plane)| {
                let set = words(&plane[number])[row];
                left & if plies >> bit & 1 == 1 { set } else { !set }
            });
            (equal != 0).then(|| (row, equal.trailing_zeros() as usize))
        };
        let (row, column) = words(&set[number]).iter().enumerate().find_map(row_of)?;
        Some(Index { tile: number, row: Square::new(row), column: Square::new(column) })
    };
    let tiles = (0..set.len()).into_par_iter().with_min_len(CHUNK_TILES);
    tiles.filter_map(here).find_first(|_| true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use molien_build::Build;
    use molien_operators::fastest;

    /// What is counted of finished boards is what the waves have counted: of pawns of
    /// both sides, of placements that are their own mirror images, of like pieces.
    #[test]
    fn finished_boards_have_the_figures_of_the_waves() {
        let build = Build::new();
        for (name, metric) in [
            ("KPK", Metric::Dtm),
            ("KPKP", Metric::Dtz50),
            ("KPPK", Metric::Dtm),
            ("KRPK", Metric::Dtc),
        ] {
            let table = build.table(name.parse().unwrap(), metric).unwrap();
            let mut found = Stats::new(table.material, metric);
            for part in &table.parts {
                found.absorb(&board_stats(fastest(), part, metric).unwrap());
            }
            assert_eq!(found, table.stats, "{name} {metric}");
        }
    }
}
