//! How many men are too many, and for what: the one place that knows.

use molien_board::Material;
use molien_solve::Keep;
use molien_values::{Metric, Rule};

/// Up to so many men a table is solved in memory as a whole, with its depths,
/// and stored.
const WHOLE_MEN: usize = 5;
/// Tables of so many men are too large for memory: they are solved and stored a
/// part at a time.
const LOGGED_MEN: usize = 6;
/// A single position with pawns solves its whole table up to so many men;
/// beyond, only what the position can turn into.
const WHOLE_PAWN_TABLE_MEN: usize = 4;
/// Tables of so many men are solved side by side; larger ones are parallel
/// inside, and one at a time is enough to hold.
const SMALL_MEN: usize = 4;

/// How the table of a material is stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Storage {
    /// Solved as a whole, then written.
    Whole,
    /// Too large for memory: solved for its waves, and assembled from their
    /// log.
    FromLog,
    /// Too large for memory: solved and written board by board.
    ByPart,
    /// Not stored: solved for its figures only.
    None,
}

/// How the table of a material is stored. Two kings alone need no table.
pub fn storage(material: Material) -> Storage {
    match material.len() {
        0..=2 => Storage::None,
        3..=WHOLE_MEN => Storage::Whole,
        LOGGED_MEN if !material.has_pawns() => Storage::FromLog,
        LOGGED_MEN => Storage::ByPart,
        _ => Storage::None,
    }
}

/// Tables of so many men and more are never in memory as a whole.
pub(crate) const BY_PART_MEN: usize = LOGGED_MEN;

/// Several ranks make tables of so many men and more together: all there are.
pub(crate) const TOGETHER_MEN: usize = 3;

/// Whether a stored table may be brought into memory as a whole.
pub(crate) fn is_loaded(material: Material) -> bool {
    material.len() <= WHOLE_MEN
}

/// Whether solving a table takes less time than decoding its file: KRPKR took six CPU seconds
/// more with the four tables it promotes to read from files than with all of them solved.
pub(crate) fn is_sooner_solved(material: Material) -> bool {
    !material.has_pawns() && material.len() <= WHOLE_MEN
}

/// Whether the whole table is made for a single position of this material.
pub fn is_whole_for_position(material: Material) -> bool {
    let most = if material.has_pawns() { WHOLE_PAWN_TABLE_MEN } else { WHOLE_MEN };
    material.len() <= most
}

/// Whether its table is small enough to be solved beside others.
pub(crate) fn is_small(material: Material) -> bool {
    material.len() <= SMALL_MEN
}

/// Whether the waves of a material are worth a log while its table is made.
pub(crate) const LOGGED_ON_THE_WAY_MEN: usize = WHOLE_MEN;

/// What a table of this material keeps when nothing else depends on it.
pub(crate) fn keep_alone(material: Material) -> Keep {
    let small = material.has_pawns() || material.len() <= WHOLE_MEN;
    if small { Keep::Depths } else { Keep::Outcomes }
}

/// What it keeps when others read it: where a capture or promotion goes on
/// counting, who wins is not enough.
pub(crate) fn keep_for_others(material: Material, metric: Metric) -> Keep {
    let goes_on = metric.conversion_rule() != Rule::One;
    if goes_on { Keep::Depths } else { keep_alone(material) }
}

/// What larger tables need of one that they read after captures and promotions: where
/// depths do not count then, who wins. With pawns, pushes within the table must not count on
/// either.
pub(crate) fn keep_for_conversions(material: Material, metric: Metric) -> Keep {
    let within = if material.has_pawns() { metric.push_rule() } else { Rule::One };
    match (metric.conversion_rule(), within) {
        (Rule::One, Rule::One) => Keep::Winners,
        _ => keep_for_others(material, metric),
    }
}

/// What a table keeps that is made only because larger ones read it. Small ones are often
/// asked for themselves, too: their depths take little, and none is solved twice.
pub(crate) fn keep_on_the_way(material: Material, metric: Metric) -> Keep {
    if is_small(material) {
        keep_for_others(material, metric)
    } else {
        keep_for_conversions(material, metric)
    }
}
