//! What boards take in memory, roughly, and who may take how much.
//!
//! Work in progress reserves what it takes; tables kept for later make room for
//! it. Who finds no room waits until other work has ended, and only if there is
//! none is it refused.

use std::num::NonZeroU64;
use std::sync::{Condvar, Mutex, PoisonError};

use molien_board::{Man, Material, Role};
use molien_hyper::{KING_PAIRS, OuterAxes, Tile};
use molien_solve::{Keep, Node, OwnerMap, Wanted, message_bytes};
use molien_values::{Metric, Placement, Rule};

use crate::BuildError;
use crate::cache::Key;
use crate::limits::keep_for_others;
use crate::lock;

/// What the program takes before it does anything: code, threads, buffers.
pub(crate) const PROGRAM_BYTES: u64 = 24 << 20;

/// Planes alive at the peak of a solve on top of those that stay: two waves of
/// losses, one of wins, what can be lost, stalemates, the positions of two
/// releases (a little more than a plane each), and flags.
const WORKING_PLANES: u64 = 8;
/// Planes alive at the peak of a solve in little memory.
const LEAN_PLANES: u64 = 6;
/// Planes that stay of a solved board: legal, won and lost for both sides.
pub(crate) const OUTCOME_PLANES: u64 = 6;
/// Planes of the bits of the plies after conversions under the 50-move rule.
const FIFTY_PLANES: u64 = 7;

/// Planes of depth bits, one side to move. With five men no win is longer than
/// 255 plies, with six none is longer than 1023.
pub(crate) fn depth_planes(material: Material) -> u64 {
    match material.len() {
        0..=5 => 8,
        6 => 10,
        _ => 11,
    }
}

fn planes_bytes(tiles: u64, planes: u64) -> u64 {
    tiles * size_of::<Tile>() as u64 * planes
}

/// What one plane of so many tiles takes.
pub(crate) fn plane_bytes(tiles: u64) -> u64 {
    planes_bytes(tiles, 1)
}

/// Planes that stay of a solved board without depths. Around pawns stalemates stay too.
pub(crate) fn outcome_planes(material: Material) -> u64 {
    OUTCOME_PLANES + if material.has_pawns() { 2 } else { 0 }
}

/// What stays of a solved board.
pub(crate) fn kept_bytes(material: Material, tiles: u64, keep: Keep) -> u64 {
    let depth = if keep == Keep::Depths { 2 * depth_planes(material) } else { 0 };
    planes_bytes(tiles, outcome_planes(material) + depth)
}

/// What solving a board takes on top of what stays: with the bits of two
/// releases where the count goes on after a conversion.
pub(crate) fn working_bytes(material: Material, tiles: u64, metric: Metric) -> u64 {
    let push = material.has_pawns().then(|| metric.push_rule());
    let bits = |rule: Rule| match rule {
        Rule::One => 0,
        Rule::Onward => depth_planes(material),
        Rule::Fifty => FIFTY_PLANES,
    };
    let rules = [metric.conversion_rule()].into_iter().chain(push);
    // Mate under the 50-move rule runs again from where it started.
    let runs = if metric == Metric::Dtm50 { 2 } else { 1 };
    planes_bytes(tiles, runs * (WORKING_PLANES + 2 * rules.map(bits).max().unwrap_or(0)))
}

/// What solving a board in little memory takes, what stays of it included: what is
/// open, can be lost and is held, three waves, half a plane for flags and for a wave on
/// its way to the log; and depths. In the end there are outcomes in place of these.
pub(crate) fn lean_bytes(material: Material, tiles: u64, keep: Keep) -> u64 {
    let depth = if keep == Keep::Depths { 2 * depth_planes(material) } else { 0 };
    let waves = planes_bytes(tiles, LEAN_PLANES + depth) + planes_bytes(tiles, 1) / 2;
    waves.max(kept_bytes(material, tiles, keep))
}

/// What each of several ranks takes at the most while they solve a board without
/// pawns together, for who wins: planes of its own classes of king pairs; two that
/// go on with those of others which moves lead to; and messages.
pub(crate) fn share_bytes(material: Material, metric: Metric, ranks: usize) -> u64 {
    let ranks = ranks.clamp(1, KING_PAIRS);
    let (owned, ghosts) = OwnerMap::known(ranks, material.is_symmetric()).most_held();
    let class_tiles = any_board(material).tiles() / KING_PAIRS as u64;
    let owned = owned as u64 * class_tiles;
    kept_bytes(material, owned, Keep::Outcomes)
        + working_bytes(material, owned, metric)
        + plane_bytes(ghosts as u64 * class_tiles)
        + message_bytes(owned, ranks)
}

/// What a rank takes at the most of a table without pawns that a board reads after
/// captures: only the classes of king pairs that its moves lead to.
pub(crate) fn cut_bytes(table: Material, reader: Material, metric: Metric, ranks: usize) -> u64 {
    let ranks = ranks.clamp(1, KING_PAIRS);
    let read = OwnerMap::known(ranks, reader.is_symmetric()).most_read() as u64;
    let tiles = read * any_board(table).tiles() / KING_PAIRS as u64;
    kept_bytes(table, tiles, kept_of_cut(metric))
}

/// Depths after a capture matter where the count goes on.
pub(crate) fn kept_of_cut(metric: Metric) -> Keep {
    if metric.conversion_rule() == Rule::One { Keep::Outcomes } else { Keep::Depths }
}

/// A copy of what is read of a board, one side to move.
pub(crate) fn copied_bytes(wanted: &Wanted) -> u64 {
    let material = wanted.material();
    let stalemate = u64::from(wanted.fixed.is_none());
    let depth = if wanted.depths { depth_planes(material) } else { 0 };
    let planes = OUTCOME_PLANES / 2 + stalemate + depth;
    planes_bytes(OuterAxes::new(&wanted.men).len() as u64, planes)
}

/// A board of a material, whichever placement of pawns it is around.
fn any_board(material: Material) -> Node {
    let pawns = match material.has_pawns() {
        true => Placement::all(&material).first().copied().unwrap_or(Placement::NONE),
        false => Placement::NONE,
    };
    Node { material, pawns }
}

/// What a board takes in memory, depths included.
pub(crate) fn board_bytes(material: Material) -> u64 {
    kept_bytes(material, any_board(material).tiles(), Keep::Depths)
}

/// What cutting slices from a board takes on top: without pawns its planes are
/// turned, one side to move.
pub(crate) fn cutting_bytes(material: Material) -> u64 {
    match material.has_pawns() {
        true => 0,
        false => board_bytes(material) / 2,
    }
}

/// What decoding a board of a file takes on top: a key of two bytes for each
/// cell, both sides to move. Like men have cells in every order, unlike on the board; around
/// one pawn, of six men, one side is copied to fill them.
pub(crate) fn decoding_bytes(material: Material) -> u64 {
    let placed = material.len() - material.pawns() - if material.has_pawns() { 0 } else { 2 };
    let classes = if material.has_pawns() { 1 } else { KING_PAIRS as u64 };
    let is_copied = material.has_pawns() && placed >= 5 && has_like_pieces(material);
    (classes << (6 * placed)) * 2 * (2 + u64::from(is_copied))
}

fn has_like_pieces(material: Material) -> bool {
    let pieces: Vec<Man> = material.men().filter(|man| man.role != Role::Pawn).collect();
    (1..pieces.len()).any(|i| pieces[..i].contains(&pieces[i]))
}

/// What stays of a board of a plan.
pub(crate) fn kept_for_others_bytes(node: &Node, tiles: u64, metric: Metric) -> u64 {
    kept_bytes(node.material, tiles, keep_for_others(node.material, metric))
}

/// Of the memory that may be used, what others take: one part in so many, up to so
/// many bytes; or nothing.
#[derive(Clone, Copy, Default)]
pub(crate) struct Aside {
    pub one_in: Option<NonZeroU64>,
    pub most_bytes: u64,
}

impl Aside {
    fn of(&self, whole_bytes: u64) -> u64 {
        self.one_in.map_or(0, |parts| (whole_bytes / parts).min(self.most_bytes))
    }

    /// How much memory there must be for so much to be left.
    fn whole_for(&self, bytes: u64) -> u64 {
        let Some(parts) = self.one_in else { return bytes };
        let rest = parts.get().saturating_sub(1).max(1);
        let in_parts = bytes.div_ceil(rest).saturating_mul(parts.get());
        in_parts.min(bytes.saturating_add(self.most_bytes))
    }
}

/// The memory that may be used, and what is taken of it beside tables kept for
/// later.
pub(crate) struct Budget {
    /// For tables and work.
    pub limit_bytes: u64,
    /// All there is, what the program takes beside tables and work included.
    whole_bytes: u64,
    aside: Aside,
    taken: Mutex<Taken>,
    freed: Condvar,
}

#[derive(Default)]
struct Taken {
    /// By work in progress, which ends by itself.
    by_work: u64,
    /// By what work yet to begin is going to read: no use waiting for it.
    held: u64,
}

/// For what memory is taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Work that is about to begin.
    Work,
    /// What work yet to begin is going to read.
    Holding,
}

/// Memory taken for a piece of work.
pub(crate) struct Reservation<'a> {
    budget: &'a Budget,
    bytes: u64,
    purpose: Purpose,
}

impl Taken {
    fn of(&mut self, purpose: Purpose) -> &mut u64 {
        match purpose {
            Purpose::Work => &mut self.by_work,
            Purpose::Holding => &mut self.held,
        }
    }
}

impl Budget {
    /// No limit.
    pub fn unlimited() -> Budget {
        Budget::of(u64::MAX, u64::MAX, Aside::default())
    }

    /// So much memory, of which the program and others take a part.
    pub fn new(whole_bytes: u64, aside: Aside) -> Budget {
        let others = PROGRAM_BYTES + aside.of(whole_bytes);
        Budget::of(whole_bytes.saturating_sub(others), whole_bytes, aside)
    }

    fn of(limit_bytes: u64, whole_bytes: u64, aside: Aside) -> Budget {
        Budget { limit_bytes, whole_bytes, aside, taken: Mutex::default(), freed: Condvar::new() }
    }

    /// The same memory with another part of it for others.
    pub fn with_aside(&self, aside: Aside) -> Budget {
        match self.limit_bytes {
            u64::MAX => Budget::unlimited(),
            _ => Budget::new(self.whole_bytes, aside),
        }
    }

    /// What is left beside so much more for tables kept for later.
    pub fn room(&self, needed: u64) -> u64 {
        let taken = lock(&self.taken);
        let taken = taken.by_work.saturating_add(taken.held).saturating_add(needed);
        self.limit_bytes.saturating_sub(taken)
    }

    /// Takes memory for a piece of work. `make_room` gives up what it can
    /// until at most so much is kept, and returns how much that is.
    pub fn reserve(
        &self,
        key: Key,
        needed: u64,
        purpose: Purpose,
        make_room: impl Fn(u64) -> u64,
    ) -> Result<Reservation<'_>, BuildError> {
        let mut taken = lock(&self.taken);
        loop {
            let all = needed.saturating_add(taken.by_work).saturating_add(taken.held);
            let kept = make_room(self.limit_bytes.saturating_sub(all));
            if all.saturating_add(kept) <= self.limit_bytes {
                *taken.of(purpose) += needed;
                return Ok(Reservation { budget: self, bytes: needed, purpose });
            }
            if taken.by_work == 0 {
                return Err(self.refusal(key, all.saturating_add(kept)));
            }
            taken = self.freed.wait(taken).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Takes memory that is in use already, and is no longer counted as kept for later from
    /// now on: even if there is no room for it. `found` finds it, and says how much it is; nobody
    /// else takes memory meanwhile.
    pub fn take_over<T>(
        &self,
        found: impl FnOnce() -> Option<(T, u64)>,
    ) -> Option<(T, Reservation<'_>)> {
        let mut taken = lock(&self.taken);
        let (found, bytes) = found()?;
        taken.by_work += bytes;
        Some((found, Reservation { budget: self, bytes, purpose: Purpose::Work }))
    }

    /// Why so much cannot be had.
    pub fn refusal(&self, (material, metric): Key, needed: u64) -> BuildError {
        let mib = |bytes: u64| bytes.div_ceil(1 << 20);
        let needed_mib = mib(self.aside.whole_for(needed.saturating_add(PROGRAM_BYTES)));
        let limit_mib = mib(self.whole_bytes);
        BuildError::Memory { material, metric, needed_mib, limit_mib }
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        *lock(&self.budget.taken).of(self.purpose) -= self.bytes;
        self.budget.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "KQK";

    /// Unlike men have as many cells in a file as on their board, like men more.
    #[test]
    fn decoding_counts_the_cells_of_the_file() {
        let on_board = |name: &str| any_board(name.parse().unwrap()).tiles() * 4096 * 2 * 2;
        for name in ["KQKR", "KRBKR", "KPK", "KRPKR"] {
            assert_eq!(decoding_bytes(name.parse().unwrap()), on_board(name), "{name}");
        }
        for name in ["KNNK", "KNNKN", "KNNKP"] {
            let unlike = name.replacen('N', "B", 1);
            assert_eq!(decoding_bytes(name.parse().unwrap()), on_board(&unlike), "{name}");
        }
        assert!(decoding_bytes("KNNKP".parse().unwrap()) > on_board("KNNKP"));
        let six = ["KRBNKP", "KNNNKP"].map(|name| decoding_bytes(name.parse().unwrap()));
        assert_eq!(2 * six[1], 3 * six[0], "a third copy of one side");
    }

    /// Work that does not fit beside other work waits for it; what never fits
    /// is refused.
    #[test]
    fn work_waits_for_room() {
        let key = (KEY.parse().unwrap(), Metric::Dtm);
        let budget = Budget::new(PROGRAM_BYTES + 100, Aside::default());
        let first = budget.reserve(key, 70, Purpose::Work, |_| 0).unwrap();
        std::thread::scope(|scope| {
            let second =
                scope.spawn(|| budget.reserve(key, 60, Purpose::Work, |_| 0).map(drop).is_ok());
            std::thread::yield_now();
            drop(first);
            assert!(second.join().unwrap());
        });
        assert!(budget.reserve(key, 60, Purpose::Work, |room| room.min(40)).is_ok());
        let refused = budget.reserve(key, 60, Purpose::Work, |_| 50).map(drop);
        assert!(matches!(refused, Err(BuildError::Memory { .. })));
        assert!(budget.reserve(key, 101, Purpose::Work, |_| 0).is_err());
        // What is held is not waited for.
        let held = budget.reserve(key, 50, Purpose::Holding, |_| 0).unwrap();
        assert_eq!(budget.room(10), 40);
        assert!(budget.reserve(key, 60, Purpose::Work, |_| 0).is_err());
        drop(held);
        assert!(budget.reserve(key, 60, Purpose::Work, |_| 0).is_ok());
    }

    /// What was kept counts while it is being compressed: others wait for that to end.
    #[test]
    fn what_is_taken_over_is_counted() {
        let key = (KEY.parse().unwrap(), Metric::Dtm);
        let budget = Budget::new(PROGRAM_BYTES + 100, Aside::default());
        let ((), more) = budget.take_over(|| Some(((), 120))).unwrap();
        assert_eq!(budget.room(0), 0);
        std::thread::scope(|scope| {
            let other = scope.spawn(|| {
                let _room = budget.reserve(key, 60, Purpose::Work, |_| 0);
                budget.room(0)
            });
            std::thread::yield_now();
            drop(more);
            assert_eq!(other.join().unwrap(), 40);
        });
        assert_eq!(budget.room(0), 100);
    }

    /// A limit that is said to do does.
    #[test]
    fn what_is_said_to_be_needed_will_do() {
        let key = (KEY.parse().unwrap(), Metric::Dtm);
        let aside = Aside { one_in: NonZeroU64::new(16), most_bytes: 512 << 20 };
        for needed in [1 << 20, 700 << 20, 8 << 30, 20 << 30] {
            let small = Budget::new(16 << 20, aside);
            let BuildError::Memory { needed_mib, limit_mib, .. } = small.refusal(key, needed)
            else {
                panic!("no room")
            };
            assert_eq!(limit_mib, 16);
            let budget = Budget::new(needed_mib << 20, aside);
            assert!(budget.reserve(key, needed, Purpose::Work, |_| 0).is_ok(), "{needed_mib}");
            let less = Budget::new((needed_mib - 3) << 20, aside);
            assert!(less.reserve(key, needed, Purpose::Work, |_| 0).is_err(), "{needed_mib}");
        }
    }
}
