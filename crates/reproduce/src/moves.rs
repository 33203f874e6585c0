//! Plies as moves of the winner.

use molien_values::{Count, Longest};

/// The winner's moves in a win (the winner to move) or a loss of so many plies.
pub(crate) fn winner_moves(plies: u16) -> u16 {
    plies.div_ceil(2)
}

/// The same of a longest win or loss; 0 if there is none.
pub(crate) fn longest_moves(longest: &Option<Longest>) -> u16 {
    longest.as_ref().map_or(0, |longest| winner_moves(longest.plies))
}

/// A share in percent, with so many decimals.
pub(crate) fn percent(part: u64, whole: u64, decimals: usize) -> String {
    match whole {
        0 => "-".to_owned(),
        _ => format!("{:.decimals$}", part as f64 * 100.0 / whole as f64),
    }
}

/// The count at a ply.
pub(crate) fn at_ply(histogram: &[Count], ply: usize) -> Count {
    histogram.get(ply).copied().unwrap_or_default()
}
