//! Which rank owns which classes of king pairs.
//!
//! A class goes, whenever something in it is decided, to every rank that owns a
//! class one step of a king away; so a good map keeps neighbours together. It is
//! found by exchanging classes between ranks at random, from a map in which each
//! rank owns a connected region: an exchange stays if the busiest ranks send and
//! receive less, or not much more, and ever less more is let pass. There is nothing
//! in it but whole numbers, so all ranks find the same map.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use molien_board::Color;
use molien_hyper::KING_PAIRS;
use molien_operators::{king_neighbours, swapped_class};

/// Exchanges that are tried, in all.
const TRIALS: u64 = 120_000;
/// What is let pass at first, in the unit of [`Search::cost`].
const FIRST_TOLERANCE: u64 = 160;

/// The owners of the classes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OwnerMap {
    ranks: usize,
    /// By class.
    owners: Vec<usize>,
}

impl OwnerMap {
    /// A map for so many ranks, at most [`KING_PAIRS`]. Where colours can be
    /// exchanged (`symmetric`), a class and the one it becomes have one owner.
    ///
    /// # Panics
    /// If there are no ranks.
    pub fn new(ranks: usize, symmetric: bool) -> OwnerMap {
        let units = units(symmetric);
        let mut search = Search::new(ranks, regions(ranks, &units));
        if ranks > 1 {
            search.improve(&units);
        }
        OwnerMap { ranks, owners: search.owners }
    }

    /// As [`OwnerMap::new`], found once in a process.
    pub fn known(ranks: usize, symmetric: bool) -> Arc<OwnerMap> {
        type Maps = Mutex<Option<HashMap<(usize, bool), Arc<OwnerMap>>>>;
        static KNOWN: Maps = Mutex::new(None);
        let maps = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (ranks, symmetric);
        if let Some(map) = maps().as_ref().and_then(|maps| maps.get(&key)) {
            return map.clone();
        }
        // Whoever looks for it at the same time finds the same.
        let map = Arc::new(OwnerMap::new(ranks, symmetric));
        maps().get_or_insert_default().insert(key, map.clone());
        map
    }

    /// The owner of a class.
    pub fn owner(&self, class: usize) -> usize {
        self.owners[class]
    }

    /// The classes of a rank, in rising order.
    pub fn owned(&self, rank: usize) -> Vec<usize> {
        (0..KING_PAIRS).filter(|&class| self.owners[class] == rank).collect()
    }

    /// The classes of others one step of this side's king away from those of a rank,
    /// in rising order.
    pub fn ghosts(&self, rank: usize, side: Color) -> Vec<usize> {
        let is_near =
            |class: &usize| king_neighbours(*class, side).any(|near| self.owners[near] == rank);
        (0..KING_PAIRS).filter(|&class| self.owners[class] != rank).filter(is_near).collect()
    }

    /// The classes that the moves of a rank's positions lead to, captures included, in
    /// rising order: its own and those a step of either king away.
    pub fn read(&self, rank: usize) -> Vec<usize> {
        let ghosts = Color::BOTH.into_iter().flat_map(|side| self.ghosts(rank, side));
        let mut read: Vec<usize> = self.owned(rank).into_iter().chain(ghosts).collect();
        read.sort_unstable();
        read.dedup();
        read
    }

    /// The most classes that a rank reads, its own included.
    pub fn most_read(&self) -> usize {
        (0..self.ranks).map(|rank| self.read(rank).len()).max().unwrap_or(0)
    }

    /// The most classes that a rank owns, and that it reads of others: those by moves
    /// of White's king and those by Black's, added up.
    pub fn most_held(&self) -> (usize, usize) {
        let held = |rank: usize| {
            let ghosts = Color::BOTH.map(|side| self.ghosts(rank, side).len());
            (self.owned(rank).len(), ghosts[0] + ghosts[1])
        };
        let most = |a: (usize, usize), b: (usize, usize)| (a.0.max(b.0), a.1.max(b.1));
        (0..self.ranks).map(held).fold((0, 0), most)
    }

    /// By class, the other ranks that own a class one step of this side's king
    /// away.
    pub fn readers(&self, side: Color) -> Vec<Vec<usize>> {
        let readers = |class: usize| {
            let mut found: Vec<usize> = king_neighbours(class, side)
                .map(|near| self.owners[near])
                .filter(|&rank| rank != self.owners[class])
                .collect();
            found.sort_unstable();
            found.dedup();
            found
        };
        (0..KING_PAIRS).map(readers).collect()
    }

    /// Classes that each rank sends and receives when everything changes, after one
    /// half of a wave: that in which this side's king is going to move.
    pub fn traffic(&self, side: Color) -> Vec<(usize, usize)> {
        let mut traffic = vec![(0, 0); self.ranks];
        for (class, readers) in self.readers(side).iter().enumerate() {
            traffic[self.owners[class]].0 += readers.len();
            readers.iter().for_each(|&rank| traffic[rank].1 += 1);
        }
        traffic
    }

    /// A number that other maps do not have.
    pub(super) fn signature(&self) -> u64 {
        let mix = |sum: u64, &owner: &usize| {
            (sum ^ owner as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23)
        };
        self.owners.iter().fold(self.ranks as u64, mix)
    }
}

/// What has to stay together: single classes, or pairs.
fn units(symmetric: bool) -> Vec<Vec<usize>> {
    let unit = |class: usize| match swapped_class(class) {
        other if !symmetric || other == class => Some(vec![class]),
        other => (class < other).then(|| vec![class, other]),
    };
    (0..KING_PAIRS).filter_map(unit).collect()
}

/// A map in which each rank owns a region as connected as it gets: the unit with
/// the most neighbours in a region is added until it is full.
fn regions(ranks: usize, units: &[Vec<usize>]) -> Vec<usize> {
    const FREE: usize = usize::MAX;
    let mut owners = vec![FREE; KING_PAIRS];
    let near = |class: usize| Color::BOTH.into_iter().flat_map(move |s| king_neighbours(class, s));
    let mut left = KING_PAIRS;
    for rank in 0..ranks {
        let mut room = left.div_ceil(ranks - rank);
        while room > 0 {
            let free = units.iter().filter(|unit| owners[unit[0]] == FREE);
            let fits = free.filter(|unit| unit.len() <= room);
            let score = |unit: &&Vec<usize>| {
                let inside = |owner: usize| {
                    let all = unit.iter().flat_map(|&class| near(class));
                    all.filter(|&other| owners[other] == owner).count()
                };
                // Few free neighbours: else it would be left over, alone.
                (inside(rank), usize::MAX - inside(FREE), usize::MAX - unit[0])
            };
            let Some(unit) = fits.max_by_key(score) else { break };
            unit.iter().for_each(|&class| owners[class] = rank);
            (room, left) = (room - unit.len(), left - unit.len());
        }
    }
    // Pairs that found no room.
    let mut owned = vec![0; ranks];
    owners.iter().filter(|&&owner| owner != FREE).for_each(|&owner| owned[owner] += 1);
    for unit in units {
        if owners[unit[0]] == FREE {
            let least = (0..ranks).min_by_key(|&rank| owned[rank]).unwrap_or(0);
            unit.iter().for_each(|&class| owners[class] = least);
            owned[least] += unit.len();
        }
    }
    owners
}

/// A map that is being improved.
struct Search {
    ranks: usize,
    owners: Vec<usize>,
    /// By class, the classes one step of a side's king away.
    near: [Vec<Vec<usize>>; 2],
    /// By side, class and rank: how many of the neighbours the rank owns.
    owned_near: [Vec<u8>; 2],
    /// What each rank sends and receives, for each side's king.
    traffic: Vec<[[u64; 2]; 2]>,
    random: u64,
}

impl Search {
    fn new(ranks: usize, owners: Vec<usize>) -> Search {
        let near = Color::BOTH.map(|side| {
            (0..KING_PAIRS).map(|class| king_neighbours(class, side).collect()).collect()
        });
        let mut search = Search {
            ranks,
            owners,
            near,
            owned_near: [0, 1].map(|_| vec![0; KING_PAIRS * ranks]),
            traffic: vec![[[0; 2]; 2]; ranks],
            random: 1,
        };
        for side in 0..2 {
            for class in 0..KING_PAIRS {
                for near in search.near[side][class].clone() {
                    let owner = search.owners[near];
                    search.owned_near[side][class * ranks + owner] += 1;
                }
                search.count_routes(side, class, 1);
            }
        }
        search
    }

    /// Adds the route of a class to a rank to the traffic, or takes it away, if
    /// there is one.
    fn count_route(&mut self, side: usize, class: usize, rank: usize, change: i64) {
        let owner = self.owners[class];
        if rank != owner && self.owned_near[side][class * self.ranks + rank] > 0 {
            let [sent, received] = [owner, rank];
            let sent = &mut self.traffic[sent][side][0];
            *sent = sent.wrapping_add_signed(change);
            let received = &mut self.traffic[received][side][1];
            *received = received.wrapping_add_signed(change);
        }
    }

    /// The same for all routes of a class.
    fn count_routes(&mut self, side: usize, class: usize, change: i64) {
        let near = &self.near[side][class];
        let owner = |i: usize| self.owners[near[i]];
        let mut ranks = [usize::MAX; 8];
        for i in (0..near.len()).filter(|&i| (0..i).all(|before| owner(before) != owner(i))) {
            ranks[i] = owner(i);
        }
        for rank in ranks.into_iter().filter(|&rank| rank != usize::MAX) {
            self.count_route(side, class, rank, change);
        }
    }

    /// Gives a class to another rank.
    fn give(&mut self, class: usize, to: usize) {
        let from = self.owners[class];
        for side in 0..2 {
            self.count_routes(side, class, -1);
            for i in 0..self.near[side][class].len() {
                let near = self.near[side][class][i];
                for (rank, change) in [(from, -1i8), (to, 1)] {
                    self.count_route(side, near, rank, -1);
                    let owned = &mut self.owned_near[side][near * self.ranks + rank];
                    *owned = owned.wrapping_add_signed(change);
                    self.count_route(side, near, rank, 1);
                }
            }
        }
        self.owners[class] = to;
        for side in 0..2 {
            self.count_routes(side, class, 1);
        }
    }

    /// The squares of what each rank sends and receives in half a wave: little in
    /// all, and no rank with much more than others.
    fn cost(&self) -> u64 {
        self.traffic.iter().flatten().flatten().map(|traffic| traffic * traffic).sum()
    }

    fn random(&mut self, below: usize) -> usize {
        let mut x = self.random;
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        self.random = x;
        (((x >> 33) * below as u64) >> 31) as usize
    }

    fn improve(&mut self, units: &[Vec<usize>]) {
        let mut cost = self.cost();
        let (mut best, mut best_owners) = (cost, self.owners.clone());
        for trial in 0..TRIALS {
            let tolerance = FIRST_TOLERANCE * (TRIALS - trial) / TRIALS;
            let Some((a, b)) = self.candidates(units) else { continue };
            let (rank_a, rank_b) = (self.owners[a[0]], self.owners[b[0]]);
            let exchange = |search: &mut Search, [a_to, b_to]: [usize; 2]| {
                a.iter().for_each(|&class| search.give(class, a_to));
                b.iter().for_each(|&class| search.give(class, b_to));
            };
            exchange(self, [rank_b, rank_a]);
            let changed = self.cost();
            if changed > cost + tolerance {
                exchange(self, [rank_a, rank_b]);
                continue;
            }
            cost = changed;
            if cost < best {
                (best, best_owners) = (cost, self.owners.clone());
            }
        }
        self.owners = best_owners;
    }

    /// Two units of one size and different owners, the second one next to
    /// something that the first one's owner has.
    fn candidates<'a>(&mut self, units: &'a [Vec<usize>]) -> Option<(&'a [usize], &'a [usize])> {
        let (a, b) = (self.random(units.len()), self.random(units.len()));
        let (a, b) = (&units[a], &units[b]);
        let (rank_a, rank_b) = (self.owners[a[0]], self.owners[b[0]]);
        let meets = |class: usize, rank: usize| {
            (0..2).any(|side| self.owned_near[side][class * self.ranks + rank] > 0)
        };
        let good = rank_a != rank_b && a.len() == b.len() && meets(b[0], rank_a);
        good.then_some((a, b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(ranks: usize, symmetric: bool) {
        let map = OwnerMap::new(ranks, symmetric);
        assert_eq!(map, OwnerMap::new(ranks, symmetric));
        let mut owned = vec![0; ranks];
        (0..KING_PAIRS).for_each(|class| owned[map.owner(class)] += 1);
        let (least, most) = (owned.iter().min().unwrap(), owned.iter().max().unwrap());
        assert!(most - least <= 1 + usize::from(symmetric), "{ranks}: {owned:?}");
        if symmetric {
            assert!((0..KING_PAIRS).all(|c| map.owner(c) == map.owner(swapped_class(c))));
        }
    }

    #[test]
    fn every_rank_has_its_share() {
        for ranks in [1, 2, 3, 7, 16, 100] {
            check(ranks, false);
            check(ranks, true);
        }
    }

    /// Numbered in turn, 16 ranks send some 2,270 classes in half a wave, the
    /// busiest 160. The search counts what the map does.
    #[test]
    fn neighbours_are_kept_together() {
        let map = OwnerMap::new(16, false);
        for side in Color::BOTH {
            let traffic = map.traffic(side);
            let sent: usize = traffic.iter().map(|(sent, _)| sent).sum();
            let received: usize = traffic.iter().map(|(_, received)| received).sum();
            assert_eq!(sent, received);
            assert!(sent < 1000, "{side}: {sent}");
            let busiest = traffic.iter().map(|&(sent, received)| sent.max(received)).max();
            assert!(busiest < Some(90), "{side}: {sent}, {busiest:?}");
        }
        let search = Search::new(16, map.owners.clone());
        let both = Color::BOTH.map(|side| map.traffic(side));
        for rank in 0..16 {
            for side in 0..2 {
                let (sent, received) = both[side][rank];
                assert_eq!(search.traffic[rank][side], [sent as u64, received as u64]);
            }
        }
    }
}
