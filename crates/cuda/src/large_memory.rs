//! How large the parts of a large table are.

use molien_values::{Metric, Rule};

/// Bits of depth to expect: an allowance, not a bound.
const DEPTH_BITS: u64 = 9;
/// Planes of a part take this share of the card, at most: the rest is for the boards
/// that they read, sub-games and slices.
const PART_SHARE: u64 = 6;

/// Planes on the card at the peak of solving a part: those of the waves, and both
/// attackers' values.
pub(crate) fn part_planes(metric: Metric) -> u64 {
    // Candidates and the losses of two waves; when conversions fall due.
    let release = match (metric.conversion_rule(), metric.push_rule()) {
        (Rule::One, Rule::One) => 1,
        (Rule::Fifty, _) => 7,
        _ => DEPTH_BITS + 1,
    };
    let waves = 3 + 2 * (1 + release);
    // Open, won, lost and stalemates.
    let values = 4 + 2 * DEPTH_BITS;
    waves + 2 * values
}

/// The most bytes a plane of a part should have on a card.
pub(crate) fn part_most_bytes(metric: Metric, card_bytes: u64) -> u64 {
    card_bytes / PART_SHARE / part_planes(metric)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::split::Split;

    const GIB: u64 = 1 << 30;

    /// One board of three pieces and a pawn, whose plane takes 128 MiB, fits a card
    /// of 24 GB with what it reads; a card of 139 GiB takes two at a time, and of
    /// smaller boards whole levels.
    #[test]
    fn parts_on_two_cards() {
        for (card_bytes, largest_boards) in [(24_000_000_000, 1), (139 * GIB, 2)] {
            for metric in Metric::ALL {
                let most = part_most_bytes(metric, card_bytes);
                let large = Split::new("KRBPKN".parse().unwrap(), most);
                assert_eq!(large.part_bytes() >> 27, largest_boards, "{metric}");
                assert!(large.part_bytes() * part_planes(metric) < card_bytes / 2);
                let small = Split::new("KRPKRP".parse().unwrap(), most);
                assert!(small.part_bytes() <= most);
            }
        }
        let most = part_most_bytes(Metric::Dtm, 139 * GIB);
        let levels = Split::new("KPPKPP".parse().unwrap(), most).parts.len();
        assert_eq!(levels, 21);
    }
}
