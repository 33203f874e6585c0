//! How large the parts of a large table are, and what is kept between tables.

use std::collections::HashSet;

use molien_board::{Color, Man, Material, Role};
use molien_hyper::Tile;
use molien_values::{Metric, Rule};

use crate::beside::beside_bytes;
use crate::host_planes::Form;
use crate::layout::binomial;
use crate::needs::{card_memory, sub_detail};
use crate::unit::Unit;
use crate::{CardMemory, Planes};

/// Bits of depth to expect: an allowance, not a bound.
const DEPTH_BITS: u64 = 9;
/// Planes of a part take this share of the card, at most: the rest is for the boards
/// that they read, sub-games and slices.
const PART_SHARE: u64 = 6;

/// What solving a part takes at its peak, besides what it reads: the planes of the waves,
/// and both attackers' values.
pub(crate) fn part_memory(metric: Metric, plane: u64) -> CardMemory {
    let release_bits = match (metric.conversion_rule(), metric.push_rule()) {
        (Rule::One, Rule::One) => 1,
        (Rule::Fifty, _) => 7,
        _ => DEPTH_BITS + 1,
    };
    CardMemory {
        plane,
        // Candidates and the losses of two waves; when conversions fall due.
        working_planes: 3 + 2 * (1 + release_bits),
        // Open, won, lost and stalemates.
        value_planes: 2 * (4 + 2 * DEPTH_BITS),
        // Of the attacker who is solved.
        seldom_planes: 2 * release_bits + 2 * DEPTH_BITS,
        tile_lists: 0,
        sub_games: 0,
        put_off: 0,
    }
}

/// Planes of a part.
fn part_planes(metric: Metric) -> u64 {
    part_memory(metric, 1).total()
}

/// The most bytes a plane of a part should have on a card.
pub(crate) fn part_most_bytes(metric: Metric, card_bytes: u64) -> u64 {
    card_bytes / PART_SHARE / part_planes(metric)
}

/// A lone pawn of a canonical placement is on the first files.
pub(crate) const LONE_PAWN_FILES: usize = 4;
/// Squares of a promotion rank.
const PROMOTION_SQUARES: u64 = 8;
/// Squares of a pawn.
const PAWN_SQUARES: u64 = 48;

/// What a material reads after a promotion: the other material, as it sees it, and the
/// new man.
pub(crate) fn promotions(reader: Material) -> Vec<(Material, Man)> {
    let mut found = Vec::new();
    for color in Color::BOTH {
        let Some(less) = reader.without(Man::new(color, Role::Pawn)) else { continue };
        found.extend(Role::PROMOTIONS.map(|role| {
            let promoted = Man::new(color, role);
            (less.with(promoted), promoted)
        }));
    }
    found
}

/// What a table reads after promotions.
pub(crate) struct Promotion {
    /// The other material, as the table sees it.
    pub read: Material,
    /// Boards with the new man on one square.
    pub boards: u64,
}

/// What a whole table reads after promotions.
fn all_promotions(reader: Material) -> Vec<Promotion> {
    let boards = |read: Material| {
        let count = |color| read.count(Man::new(color, Role::Pawn)) as u64;
        let (white, black) = (count(Color::White), count(Color::Black));
        if !read.has_pawns() {
            return LONE_PAWN_FILES as u64;
        }
        let all = binomial(PAWN_SQUARES, white) * binomial(PAWN_SQUARES - white, black);
        all.div_ceil(2) * PROMOTION_SQUARES
    };
    let promoted = promotions(reader).into_iter();
    promoted.map(|(read, _)| Promotion { read, boards: boards(read) }).collect()
}

/// Bytes of the slices that a material reads of another, of both attackers.
fn slices_bytes(reader: Material, Promotion { read, boards }: &Promotion, metric: Metric) -> u64 {
    let (read, boards) = (*read, *boards);
    let mut numbers = 1;
    for color in Color::BOTH {
        let pieces = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];
        let of = |role| binomial(64, reader.count(Man::new(color, role)) as u64);
        numbers *= pieces.map(of).iter().product::<u64>();
    }
    let depths = match metric.conversion_rule() {
        Rule::One => 0,
        Rule::Onward => DEPTH_BITS,
        Rule::Fifty => 1,
    };
    // Losses of the one, and what the other has not won, and his wins.
    let attackers = Color::BOTH.into_iter().filter(|color| !Unit::is_bare(read, *color)).count();
    let planes = if attackers == 2 { 3 + 2 * depths } else { 2 + depths };
    boards * numbers * size_of::<Tile>() as u64 * planes
}

/// What is done with the slices of tables without pawns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PieceSlices {
    /// Cut for all that read them: the table is solved once.
    Shared,
    /// Cut for one reader: the table is solved again for the next.
    ForOne,
}

/// The most bytes of slices that are kept at a time, while tables with pawns are
/// solved in this order.
fn slices_peak_bytes(
    order: &[Material],
    promotions: &dyn Fn(Material) -> Vec<Promotion>,
    metric: Metric,
    pieces: PieceSlices,
) -> u64 {
    let at = |material: Material| order.iter().position(|m| *m == material);
    let reads = |reader: &Material, table: Material| {
        promotions(*reader).iter().any(|promotion| promotion.read.canonical() == table)
    };
    let mut kept = vec![0; order.len()];
    for (end, reader) in order.iter().enumerate() {
        for promotion in promotions(*reader) {
            let table = promotion.read.canonical();
            let first = match (table.has_pawns(), pieces) {
                (true, _) => at(table),
                (false, PieceSlices::Shared) => order.iter().position(|m| reads(m, table)),
                (false, PieceSlices::ForOne) => Some(end),
            };
            let bytes = slices_bytes(*reader, &promotion, metric);
            kept[first.unwrap_or(end)..=end].iter_mut().for_each(|sum| *sum += bytes);
        }
    }
    kept.into_iter().max().unwrap_or(0)
}

/// The part of the card that is for slices: the rest is for the table at hand and
/// its sub-games.
const SLICE_SHARE: u64 = 2;
/// Quarters of the card that slices may take for a while if that saves solving tables
/// again.
const SHARED_QUARTERS: u64 = 3;

/// How much smaller slices are expected to be once they are compressed. What they take is
/// seen on the way, and a solve that takes more is given up.
const PACKED_RATIO: u64 = 4;

/// What is done with slices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SlicePlan {
    pub pieces: PieceSlices,
    /// How those are kept for which the card has no room.
    pub form: Form,
    /// Memory of the host that is left to planes of tables without pawns, which a small
    /// card has beside it.
    pub beside_bytes: u64,
}

/// The most bytes that any table without pawns has beside a card while it is solved for its
/// slices.
fn pieces_beside_bytes(
    order: &[Material],
    promotions: &dyn Fn(Material) -> Vec<Promotion>,
    metric: Metric,
    card_bytes: u64,
) -> u64 {
    let own = metric.without_pawns();
    let beside = |read: Material| {
        let needs = card_memory(read, own, sub_detail(own), &[Color::White], Planes::Four);
        beside_bytes(&needs, card_bytes)
    };
    let read = order.iter().flat_map(|reader| promotions(*reader)).map(|p| p.read.canonical());
    let pieces: HashSet<Material> = read.filter(|read| !read.has_pawns()).collect();
    pieces.into_iter().map(beside).max().unwrap_or(0)
}

/// What is done with slices on a card and beside so much memory of the host; or how much
/// both would have to hold. A table without pawns is solved in less time than its slices
/// take to the host and back, so only the card counts for sharing them.
pub(crate) fn slice_plan(
    order: &[Material],
    metric: Metric,
    card_bytes: u64,
    host_bytes: u64,
) -> Result<SlicePlan, u64> {
    slice_plan_of(order, &all_promotions, metric, (card_bytes, host_bytes))
}

/// The same where tables read no more than said.
pub(crate) fn slice_plan_of(
    order: &[Material],
    promotions: &dyn Fn(Material) -> Vec<Promotion>,
    metric: Metric,
    (card_bytes, host_bytes): (u64, u64),
) -> Result<SlicePlan, u64> {
    let shared = slices_peak_bytes(order, promotions, metric, PieceSlices::Shared);
    let beside_bytes = pieces_beside_bytes(order, promotions, metric, card_bytes);
    let plan = |pieces, form| Ok(SlicePlan { pieces, form, beside_bytes });
    let host_bytes = host_bytes.checked_sub(beside_bytes);
    if shared <= card_bytes / 4 * SHARED_QUARTERS && host_bytes.is_some() {
        return plan(PieceSlices::Shared, Form::Plain);
    }
    let least = slices_peak_bytes(order, promotions, metric, PieceSlices::ForOne);
    let on_host = least.saturating_sub(card_bytes / SLICE_SHARE);
    match host_bytes {
        Some(room) if on_host <= room => plan(PieceSlices::ForOne, Form::Plain),
        Some(room) if on_host / PACKED_RATIO <= room => plan(PieceSlices::ForOne, Form::Packed),
        _ => Err(least + beside_bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::split::Split;
    use molien_build::order;

    fn planned(name: &str) -> Vec<Material> {
        let mut found = order(&[name.parse().unwrap()], |material| material.len() < 6);
        found.retain(Material::has_pawns);
        found
    }

    /// The rook ending shares its tables without pawns where the card has room for all
    /// slices, and solves them again where not; four pawns in DTM are packed, or too much.
    #[test]
    fn slices_on_two_machines() {
        let large = (139 * GIB, 100 * GIB);
        let small = (24_000_000_000, 96 * GIB);
        let plan =
            |name: &str, metric, (card, host)| slice_plan(&planned(name), metric, card, host);
        let with = |pieces, form| Ok(SlicePlan { pieces, form, beside_bytes: 0 });
        let plain = |pieces| with(pieces, Form::Plain);
        let beside_gib = |name, metric| {
            plan(name, metric, small).map(|plan| (plan.pieces, plan.form, plan.beside_bytes >> 30))
        };
        assert_eq!(planned("KRPKRP").len(), 5);
        assert_eq!(plan("KRPKRP", Metric::Dtm, large), plain(PieceSlices::ForOne));
        let for_one = |form, gib| Ok((PieceSlices::ForOne, form, gib));
        assert_eq!(beside_gib("KRPKRP", Metric::Dtm), for_one(Form::Packed, 19));
        assert_eq!(plan("KRPKRP", Metric::Dtz50, large), plain(PieceSlices::Shared));
        assert_eq!(beside_gib("KRPKRP", Metric::Dtz50), for_one(Form::Plain, 15));
        assert_eq!(plan("KBPPKP", Metric::Dtz50, large), plain(PieceSlices::Shared));
        assert_eq!(beside_gib("KPPKPP", Metric::Dtz50), for_one(Form::Plain, 15));
        assert_eq!(plan("KPPKPP", Metric::Dtm, large), with(PieceSlices::ForOne, Form::Packed));
        assert!(plan("KPPKPP", Metric::Dtm, (24_000_000_000, 32 * GIB)).is_err());
    }

    const GIB: u64 = 1 << 30;

    /// How many of the tables of six men with pawns can be solved beside so much host
    /// memory: those whose tables without pawns fit the card and what is beside it, and whose
    /// slices have room.
    fn solvable(card_bytes: u64, host_bytes: u64, metric: Metric) -> usize {
        let mut tables = Material::all(6);
        tables.retain(|material| material.len() == 6 && material.has_pawns());
        assert_eq!(tables.len(), 195);
        let (own, white) = (metric.without_pawns(), &[Color::White]);
        let mut known = std::collections::HashMap::new();
        let mut fits = |read: Material| {
            let needs = || card_memory(read, own, sub_detail(own), white, Planes::Four);
            let fits =
                |needs: CardMemory| needs.total() - needs.seldom_planes * needs.plane <= card_bytes;
            *known.entry(read).or_insert_with(|| fits(needs()))
        };
        let solvable = |table: &&Material| {
            let order = planned(&table.to_string());
            let mut pieces = order.iter().flat_map(|reader| promotions(*reader));
            pieces.all(|(read, _)| read.has_pawns() || fits(read.canonical()))
                && slice_plan(&order, metric, card_bytes, host_bytes).is_ok()
        };
        tables.iter().filter(solvable).count()
    }

    #[test]
    fn solvable_tables_on_two_cards() {
        let counts = |card, host| {
            [Metric::Dtm, Metric::Dtz50, Metric::Dtc].map(|metric| solvable(card, host, metric))
        };
        assert_eq!(counts(139 * GIB, 96 * GIB), [195, 195, 195]);
        assert_eq!(counts(24_000_000_000, 96 * GIB), [193, 195, 195]);
        assert_eq!(counts(24_000_000_000, 48 * GIB), [185, 195, 195]);
    }

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
