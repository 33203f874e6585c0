//! What one rank does of a board without pawns.

use molien_board::{Color, Material};
use molien_hyper::{Hyperboard, KING_PAIRS, Plane, Tile};
use rayon::prelude::*;

use super::{Exchange, ExchangeError, OwnerMap, ROUND_BYTES, delta};

/// A round has room for so many parts of a class that are sent as they are.
const PARTS_A_ROUND: u64 = 8;

/// The classes of king pairs that one rank owns, and those that it reads of
/// others: its *ghosts*.
///
/// A rank has no memory for other classes. Its own come first in every plane, in
/// rising order, and have the same numbers in all of them; ghosts follow only where
/// moves lead there.
pub(crate) struct Share<'a> {
    pub exchange: &'a dyn Exchange,
    /// Tiles of a class.
    pub class_tiles: usize,
    /// The classes of this rank.
    pub owned: Vec<usize>,
    /// The board of the classes of this rank.
    pub board: Hyperboard,
    /// By colour of the king that steps: the same, and then the classes of others
    /// that a step leads to.
    pub boards: [Hyperboard; 2],
    /// By colour and class, the ranks that read a class of this rank.
    readers: [Vec<Vec<usize>>; 2],
    /// Bytes of a round.
    round_bytes: u64,
}

impl<'a> Share<'a> {
    /// The share of a rank. All ranks make sure that they mean the same board.
    ///
    /// # Errors
    /// If there are more ranks than classes, or they do not mean the same.
    pub fn new(exchange: &'a dyn Exchange, board: &Hyperboard) -> Result<Share<'a>, ExchangeError> {
        let (rank, ranks) = (exchange.rank(), exchange.size());
        if ranks > KING_PAIRS {
            return Err(ExchangeError::TooMany { ranks, most: KING_PAIRS });
        }
        let map = OwnerMap::known(ranks, board.material().is_symmetric());
        let owned = map.owned(rank);
        let boards = Color::BOTH.map(|side| {
            let held: Vec<usize> = owned.iter().copied().chain(map.ghosts(rank, side)).collect();
            board.with_classes(&held)
        });
        let share = Share {
            exchange,
            class_tiles: board.axes().len(),
            board: board.with_classes(&owned),
            owned,
            boards,
            readers: Color::BOTH.map(|side| map.readers(side)),
            round_bytes: exchange.round_bytes().max(1),
        };
        share.agree("the table", map.signature() ^ name_signature(board.material()))?;
        Ok(share)
    }

    /// Makes sure that all ranks have the same number.
    ///
    /// # Errors
    /// If they do not.
    pub fn agree(&self, what: &'static str, number: u64) -> Result<(), ExchangeError> {
        // Equal if the least and the greatest are.
        let mut both = [number, !number];
        self.exchange.least(&mut both)?;
        match both == [number, !number] {
            true => Ok(()),
            false => Err(ExchangeError::Differ { what }),
        }
    }

    /// The number on the whole board of a tile of this rank.
    pub fn on_whole_board(&self, tile: usize) -> usize {
        self.owned[tile / self.class_tiles] * self.class_tiles + tile % self.class_tiles
    }

    /// The same the other way round; `None` if it is another rank's.
    pub fn own_tile(&self, on_whole_board: usize) -> Option<usize> {
        let class = on_whole_board / self.class_tiles;
        let tile = self.board.class_start(class) + on_whole_board % self.class_tiles;
        Some(tile).filter(|&tile| tile < self.board.tiles())
    }

    /// Cuts what others read by steps of this side's king into as many rounds as the
    /// rank with most to send needs, one at least.
    ///
    /// # Errors
    /// If another rank is gone.
    fn rounds(&self, plane: &Plane, side: Color) -> Result<Vec<Vec<Part>>, ExchangeError> {
        let readers = &self.readers[side.index()];
        let part_tiles = part_tiles(self.round_bytes);
        let parts = |first: usize| (first..first + self.class_tiles).step_by(part_tiles);
        let part = |first: usize| first..(first + part_tiles).min(self.class_end(first));
        let read = self.owned.iter().filter(|&&class| !readers[class].is_empty());
        let starts = read.flat_map(|&class| parts(self.board.class_start(class)));
        let parts: Vec<Part> = starts.map(part).collect();
        let bytes =
            |part: &Part| delta::delta_bytes(&plane.tiles[part.clone()], &plane.live[part.clone()]);
        let bytes: Vec<u64> = parts.par_iter().map(bytes).collect();
        let all: u64 = bytes.iter().sum();
        let mut most = [!all.div_ceil(self.round_bytes).max(1)]; // the least becomes the greatest
        self.exchange.least(&mut most)?;
        let count = !most[0];
        let mut rounds = vec![Vec::new(); count as usize];
        let mut before = 0;
        for (part, bytes) in parts.into_iter().zip(bytes).filter(|(_, bytes)| *bytes > 0) {
            rounds[(before * count / all) as usize].push(part);
            before += bytes;
        }
        Ok(rounds)
    }

    /// The end of the class of a tile of this rank.
    fn class_end(&self, tile: usize) -> usize {
        (tile / self.class_tiles + 1) * self.class_tiles
    }

    /// What is to be sent to each rank of some parts.
    fn messages(&self, plane: &Plane, side: Color, parts: &[Part]) -> Vec<Vec<u8>> {
        let coded = |part: &Part| {
            let place = (self.owned[part.start / self.class_tiles], part.start % self.class_tiles);
            let (tiles, live) = (&plane.tiles[part.clone()], &plane.live[part.clone()]);
            let mut bytes = Vec::new();
            delta::encode(place, tiles, live, &mut bytes);
            (place.0, bytes)
        };
        let coded: Vec<(usize, Vec<u8>)> = parts.par_iter().map(coded).collect();
        let mut messages = vec![Vec::new(); self.exchange.size()];
        for (class, bytes) in &coded {
            let readers = self.readers[side.index()][*class].iter();
            readers.for_each(|&rank| messages[rank].extend(bytes));
        }
        messages
    }

    /// Begins to send what this rank has in a plane to those who read it by steps
    /// of this side's king.
    ///
    /// # Errors
    /// If another rank is gone.
    pub fn post(&self, plane: &Plane, side: Color) -> Result<Posted, ExchangeError> {
        let mut rounds = self.rounds(plane, side)?.into_iter();
        let first = rounds.next().unwrap_or_default();
        self.exchange.post(self.messages(plane, side, &first))?;
        Ok(Posted { side, later: rounds.collect() })
    }

    /// Sends the rest of what was posted of a plane, and puts what others have sent
    /// into the ghosts of another one; the numbers of those tiles. The next round
    /// travels while this one is taken in.
    ///
    /// # Errors
    /// If another rank is gone.
    pub fn collect(
        &self,
        posted: Posted,
        plane: &Plane,
        into: &mut Plane,
        put: impl Fn(&mut Tile, &Tile),
    ) -> Result<Vec<usize>, ExchangeError> {
        let Posted { side, later } = posted;
        let (mut later, mut found) = (later.into_iter(), Vec::new());
        loop {
            let next = later.next().map(|parts| self.messages(plane, side, &parts));
            let (messages, last) = (self.exchange.collect()?, next.is_none());
            if let Some(next) = next {
                self.exchange.post(next)?;
            }
            for (rank, message) in messages.into_iter().enumerate() {
                let tile = |class: usize, number: usize, tile: Tile| {
                    let number = self.ghost(side, class, number)?;
                    put(&mut into.tiles[number], &tile);
                    into.live[number] = !into.tiles[number].is_empty();
                    found.push(number);
                    Some(())
                };
                let why = "it ends too early, or names a tile that is not its sender's";
                delta::decode(&message, tile).ok_or(ExchangeError::Garbled { rank, why })?;
            }
            if last {
                return Ok(found);
            }
        }
    }

    /// The number of a tile among the ghosts that this side's king reads.
    fn ghost(&self, side: Color, class: usize, number: usize) -> Option<usize> {
        let board = &self.boards[side.index()];
        let known = class < KING_PAIRS && number < self.class_tiles;
        let tile = known.then(|| board.class_start(class) + number)?;
        (self.board.tiles()..board.tiles()).contains(&tile).then_some(tile)
    }
}

/// Tiles of a class of this rank.
type Part = std::ops::Range<usize>;

/// What has been posted, and what is still to be.
pub(crate) struct Posted {
    side: Color,
    /// What goes in each round to come.
    later: Vec<Vec<Part>>,
}

/// Tiles that are coded together at most, for rounds of so many bytes.
fn part_tiles(round_bytes: u64) -> usize {
    (round_bytes / PARTS_A_ROUND / delta::dense_bytes(1)).max(1) as usize
}

/// What messages take at the most in memory, of one of several ranks that owns so many
/// tiles: what is coded, what travels, what goes next, and what has arrived, each but
/// the first to or from others.
pub fn message_bytes(owned_tiles: u64, ranks: usize) -> u64 {
    // A class has neighbours of so many ranks, with good maps.
    let others = ranks.saturating_sub(1).min(3) as u64;
    let part = delta::dense_bytes(part_tiles(ROUND_BYTES));
    (1 + 3 * others) * (ROUND_BYTES + part).min(owned_tiles * delta::dense_bytes(1))
}

fn name_signature(material: Material) -> u64 {
    let mix = |sum: u64, byte: u8| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    material.to_string().bytes().fold(0xcbf2_9ce4_8422_2325, mix)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranks::{ThreadRank, thread_ranks};
    use molien_operators::swapped_class;

    /// What the tile of a plane holds: nothing, little, or much.
    fn tile(seed: u64, number: usize) -> Tile {
        let mut state = seed << 32 | number as u64;
        let mut word = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            state ^ state >> 29
        };
        match word() % 4 {
            0 => Tile::EMPTY,
            1 => Tile::from_rows(|_| word()),
            _ => Tile::from_rows(|_| word() & word() & word() & word() & word() & word()),
        }
    }

    /// A rank holds its own classes and those it reads, and no others; what it has
    /// heard of those is what their owners have.
    fn check(exchange: &ThreadRank, board: &Hyperboard) {
        let share = Share::new(exchange, board).unwrap();
        let own = share.board.tiles();
        assert_eq!(own, share.owned.len() * board.axes().len());
        for (side, held) in Color::BOTH.into_iter().zip(&share.boards) {
            let seed = 7 + side.index() as u64;
            let plane: Vec<Tile> = (0..own).map(|t| tile(seed, share.on_whole_board(t))).collect();
            let plane = Plane::from_tiles(plane);
            let mut into = Plane::from_tiles(vec![Tile::EMPTY; held.tiles()]);
            let posted = share.post(&plane, side).unwrap();
            let put = |ghost: &mut Tile, sent: &Tile| ghost.add(sent);
            let found = share.collect(posted, &plane, &mut into, put).unwrap();
            assert!(held.tiles() > own && held.tiles() < board.tiles());
            for number in own..held.tiles() {
                let class = held.class_at(number / share.class_tiles);
                let there = class * share.class_tiles + number % share.class_tiles;
                let expected = tile(seed, there);
                assert!(into.tiles[number] == expected && into.live[number] != expected.is_empty());
                assert_eq!(share.own_tile(there), None);
            }
            let live = into.live.iter().filter(|live| **live).count();
            assert!(found.len() == live && found.iter().all(|&number| number >= own));
        }
        for number in 0..own {
            assert_eq!(share.own_tile(share.on_whole_board(number)), Some(number));
        }
        if board.material().is_symmetric() {
            assert!(share.owned.iter().all(|&c| share.owned.contains(&swapped_class(c))));
        }
    }

    #[test]
    fn ghosts_are_what_others_have() {
        for (name, ranks) in [("KRBKR", 3), ("KQKQ", 7)] {
            let board = Hyperboard::pieces(name.parse().unwrap());
            std::thread::scope(|scope| {
                for rank in thread_ranks(ranks) {
                    let board = &board;
                    scope.spawn(move || check(&rank, board));
                }
            });
        }
    }
}
