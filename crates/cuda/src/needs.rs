//! What a solve needs on the card.

use std::fmt;

use molien_board::{Color, Material};
use molien_hyper::{Hyperboard, OuterAxes, Tile};
use molien_values::{Metric, Rule};

use crate::pawn_exits::Places;

/// What is kept of a solved material.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Detail {
    /// Statistics only: the least memory.
    Counts,
    /// The outcome of every position.
    Outcomes,
    /// Outcome and depth of every position.
    Depths,
}

/// How many planes the waves work in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
pub enum Planes {
    /// Open, candidates, and the losses of two waves.
    #[default]
    Four,
    /// Open and not lost: half the memory, more work. In DTC only, without
    /// pawns.
    Two,
}

/// Bytes a solve needs on the card at its peak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CardMemory {
    /// Bytes of one plane.
    pub plane: u64,
    /// Planes that live while the waves run.
    pub working_planes: u64,
    /// Planes of outcomes and depths that stay.
    pub value_planes: u64,
    /// Flags and lists of tiles.
    pub tile_lists: u64,
    /// Of all these planes those that may lie in the memory of the host where the card is
    /// too small: when conversions fall due, and depths.
    pub seldom_planes: u64,
    /// The sub-games that captures lead to.
    pub sub_games: u64,
    /// In two planes: room for what is decided but cannot be taken off its plane
    /// yet. What is left of the card's memory is used for it; this is the
    /// least to start with.
    pub put_off: u64,
}

impl CardMemory {
    /// All of it.
    pub fn total(&self) -> u64 {
        let planes = self.plane * (self.working_planes + self.value_planes);
        planes + self.tile_lists + self.sub_games + self.put_off
    }
}

impl fmt::Display for CardMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mib = |bytes: u64| bytes.div_ceil(1 << 20);
        write!(
            f,
            "{} planes for the waves and {} for values, {} MiB each; lists {} MiB; sub-games {} MiB",
            self.working_planes,
            self.value_planes,
            mib(self.plane),
            mib(self.tile_lists),
            mib(self.sub_games)
        )?;
        if self.put_off > 0 {
            write!(f, "; put off {} MiB", mib(self.put_off))?;
        }
        Ok(())
    }
}

/// Bits of depth to expect of a material: an allowance, not a bound.
fn expected_depth_bits(material: Material) -> u64 {
    if material.len() <= 4 { 8 } else { 9 }
}

fn value_planes(material: Material, keep: Detail) -> u64 {
    match keep {
        Detail::Counts => 0,
        Detail::Outcomes => 2,
        Detail::Depths => 2 + 2 * expected_depth_bits(material),
    }
}

/// Planes that late runs under the 50-move rule need: what they start from
/// (open, candidates, mates) and what one of them leaves (open, candidates).
fn late_planes(metric: Metric) -> u64 {
    if metric == Metric::Dtm50 { 5 } else { 0 }
}

/// Bytes a tile takes in flags and lists: live, last losses and dirt; two lists;
/// when conversions fall due; of late runs the same once more.
fn bytes_a_tile(metric: Metric) -> u64 {
    let late = if metric == Metric::Dtm50 { 1 + 2 * 2 } else { 0 };
    6 + 2 * 4 + 2 * 2 + late
}

/// What sub-games must keep for a metric.
pub(crate) fn sub_detail(metric: Metric) -> Detail {
    match metric.conversion_rule() {
        Rule::One => Detail::Outcomes,
        _ => Detail::Depths,
    }
}

/// Planes that checking a table clock by clock needs: two layers of values.
pub(crate) fn clock_planes(material: Material, metric: Metric) -> u64 {
    let layer = 1 + value_planes(material, Detail::Depths) + 2; // one bit more
    if metric == Metric::Dtm50 { 2 * layer } else { 0 }
}

/// All materials captures can lead to, the material itself left out.
fn sub_materials(material: Material) -> Vec<Material> {
    reachable(material).split_off(1)
}

/// The material and all that captures and promotions can lead to, in this
/// orientation.
pub(crate) fn reachable(material: Material) -> Vec<Material> {
    let mut found: Vec<Material> = vec![material];
    let mut next = 0;
    while let Some(of) = found.get(next).copied() {
        next += 1;
        for sub in of.successors() {
            if !found.contains(&sub) {
                found.push(sub);
            }
        }
    }
    found
}

/// The planes of a material, with pawns or without: bytes of one.
fn plane_bytes(material: Material) -> u64 {
    if !material.has_pawns() {
        return Hyperboard::pieces(material).plane_bytes() as u64;
    }
    let places = Places::new(material);
    let numbers = OuterAxes::new(&places.outer).len() * places.placements.len();
    (numbers * size_of::<Tile>()) as u64
}

/// The memory for a material with pawns. Its sub-games with pawns and those
/// without keep what a table keeps.
fn pawn_memory(material: Material, metric: Metric) -> CardMemory {
    let found = reachable(material);
    let kept = |m: &Material| plane_bytes(*m) * 2 * (2 + value_planes(*m, Detail::Depths));
    let plane = plane_bytes(material);
    let release = match (metric.conversion_rule(), metric.push_rule()) {
        (Rule::One, Rule::One) => 2 * 2,
        (Rule::Fifty, _) => 2 * 8,
        _ => 2 * (1 + expected_depth_bits(material)),
    };
    CardMemory {
        plane,
        working_planes: 4 + release + late_planes(metric),
        value_planes: 2 * (2 + value_planes(material, Detail::Depths)),
        seldom_planes: 0,
        tile_lists: plane / size_of::<Tile>() as u64 * bytes_a_tile(metric),
        // Boards without pawns are read in another layout: 16 slices at most.
        sub_games: found[1..].iter().map(kept).sum::<u64>() + plane * 16,
        put_off: 0,
    }
}

/// The least room for what is put off, of a plane.
const PUT_OFF_SHARE: u64 = 32;

/// The memory for one attacker's wins in two planes.
fn two_plane_memory(material: Material, keep: Detail) -> CardMemory {
    let board = Hyperboard::pieces(material);
    let sub_plane = |m: &Material| Hyperboard::pieces(*m).plane_bytes() as u64;
    // Of the boards one capture away one or two planes are read, and three kept
    // if they are shared by like men; of those further on three are kept.
    let one_away: u64 = material.successors().iter().map(|m| 3 * sub_plane(m)).sum();
    let unlike = board.pieces_in_order().len() == material.successors().len();
    let further: u64 = sub_materials(material).iter().map(|m| 3 * sub_plane(m)).sum();
    let one_away_slim = if unlike { one_away * 2 / 3 } else { one_away };
    let sub_games = further - one_away + one_away_slim;
    let plane = board.plane_bytes() as u64;
    // The plane of losses is that of the waves, turned round.
    let kept = value_planes(material, keep).saturating_sub(1);
    // Two live flags, two of last losses, two of dirt; two lists; what is held.
    let tile_lists = board.tiles() as u64 * (6 + 2 * 4 + 2);
    let put_off = plane / PUT_OFF_SHARE;
    CardMemory {
        plane,
        working_planes: 2,
        value_planes: kept,
        seldom_planes: 0,
        tile_lists,
        sub_games,
        put_off,
    }
}

/// The memory for some attackers' wins.
pub(crate) fn card_memory(
    material: Material,
    metric: Metric,
    keep: Detail,
    attackers: &[Color],
    planes: Planes,
) -> CardMemory {
    if material.has_pawns() {
        return pawn_memory(material, metric);
    }
    let board = Hyperboard::pieces(material);
    // Whether there is a conversion, and the bits of its ply; of both sides.
    let release_bits = match metric.conversion_rule() {
        Rule::One => 0,
        Rule::Onward => 2 * expected_depth_bits(material),
        Rule::Fifty => 2 * 7,
    };
    let release = if release_bits > 0 { 2 + release_bits } else { 0 };
    let depth_bits = match keep {
        Detail::Depths => 2 * expected_depth_bits(material),
        _ => 0,
    };
    let sub_plane = |m: &Material| Hyperboard::pieces(*m).plane_bytes() as u64;
    let kept = |m: &Material| sub_plane(m) * (1 + value_planes(*m, sub_detail(metric)));
    let sub_games: u64 = sub_materials(material).iter().map(kept).sum();
    if planes == Planes::Two {
        let needs = two_plane_memory(material, keep);
        let before = (attackers.len() as u64 - 1) * (1 + value_planes(material, keep)).max(2);
        return CardMemory { value_planes: needs.value_planes + before, ..needs };
    }
    // An attacker solved before the other leaves its open plane and values.
    let before = (attackers.len() as u64 - 1) * (1 + value_planes(material, keep));
    CardMemory {
        plane: board.plane_bytes() as u64,
        // Open, candidates, two waves of losses.
        working_planes: 4 + release + late_planes(metric),
        value_planes: value_planes(material, keep) + before,
        seldom_planes: release_bits + depth_bits,
        tile_lists: board.tiles() as u64 * bytes_a_tile(metric),
        sub_games: sub_games * attackers.len() as u64,
        put_off: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seven unlike men on a card of 141 GB: two planes fit, four do not.
    #[test]
    fn seven_unlike_men() {
        const CARD_MIB: u64 = 142_626;
        let material = "KQNKRBN".parse().unwrap();
        let mib = |planes| {
            let needs = card_memory(material, Metric::Dtc, Detail::Counts, &[Color::White], planes);
            assert_eq!(needs.plane >> 20, 59_136);
            needs.total() >> 20
        };
        assert!(mib(Planes::Four) > CARD_MIB);
        assert!(mib(Planes::Two) < CARD_MIB, "{}", mib(Planes::Two));
    }

    /// Six men without pawns on a card of 24 GB, each material for either side's wins:
    /// in DTC all of them fit, in four planes as in two; in DTM not half of them do as a whole.
    #[test]
    fn six_men_on_a_small_card() {
        const CARD_BYTES: u64 = 24_000_000_000;
        let materials: Vec<Material> = Material::all(6)
            .into_iter()
            .filter(|material| material.len() == 6 && !material.has_pawns())
            .flat_map(|material| [material, material.swap_colors()])
            .collect();
        let of = |m: &Material, metric, planes| {
            card_memory(*m, metric, Detail::Counts, &[Color::White], planes)
        };
        let fitting = |metric, planes| {
            materials.iter().filter(|m| of(m, metric, planes).total() <= CARD_BYTES).count()
        };
        assert_eq!(materials.len(), 340);
        assert_eq!(fitting(Metric::Dtc, Planes::Four), 340);
        assert_eq!(fitting(Metric::Dtc, Planes::Two), 340);
        assert_eq!(fitting(Metric::Dtm, Planes::Four), 152);
        // With the plies of conversions beside the card all do.
        let least = |m: &Material| {
            let needs = of(m, Metric::Dtm, Planes::Four);
            needs.total() - needs.seldom_planes * needs.plane
        };
        assert!(materials.iter().all(|m| least(m) < CARD_BYTES / 2));
    }

    /// With the depths that large tables with pawns read they need more.
    #[test]
    fn six_men_with_depths() {
        let gib = |name: &str, metric| {
            let (material, depths) = (name.parse().unwrap(), sub_detail(metric));
            let white = &[Color::White];
            card_memory(material, metric, depths, white, Planes::Four).total() >> 30
        };
        assert_eq!(gib("KQRKBN", Metric::Dtm), 40);
        assert_eq!(gib("KQRKBN", Metric::Dtz50), 37);
        assert_eq!(gib("KRRKBB", Metric::Dtm), 20);
    }
}
