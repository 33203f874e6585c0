//! What one rank does of a board without pawns.

use molien_board::{Color, Material};
use molien_hyper::{Hyperboard, KING_PAIRS, Plane};
use rayon::prelude::*;

use super::{Exchange, ExchangeError, OwnerMap, delta};

/// The classes of king pairs that one rank owns, and those that it reads of
/// others: its *ghosts*.
pub(crate) struct Share<'a> {
    pub exchange: &'a dyn Exchange,
    /// Tiles of a class.
    pub class_tiles: usize,
    /// By class, whether it is this rank's.
    pub owned: Vec<bool>,
    /// By colour of the king that steps and by class, whether a step from a class
    /// of this rank leads to this one, of another rank.
    ghosts: [Vec<bool>; 2],
    /// The same, the other way round: the ranks that read a class of this rank.
    readers: [Vec<Vec<usize>>; 2],
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
        let owned: Vec<bool> = (0..KING_PAIRS).map(|class| map.owner(class) == rank).collect();
        let readers = Color::BOTH.map(|side| map.readers(side));
        let ghosts = readers.each_ref().map(|readers| {
            readers.iter().map(|readers: &Vec<usize>| readers.contains(&rank)).collect()
        });
        let share = Share { exchange, class_tiles: board.axes().len(), owned, ghosts, readers };
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

    /// Whether a tile is this rank's.
    pub fn owns(&self, tile: usize) -> bool {
        self.owned[tile / self.class_tiles]
    }

    /// Whether a tile is this rank's or read of another.
    pub fn sees(&self, tile: usize) -> bool {
        let class = tile / self.class_tiles;
        self.owned[class] || self.ghosts.iter().any(|ghosts| ghosts[class])
    }

    /// The classes that are this rank's or read of others.
    pub fn seen(&self) -> Vec<bool> {
        (0..KING_PAIRS).map(|class| self.sees(class * self.class_tiles)).collect()
    }

    /// Empties what a plane has of others.
    pub fn clear_ghosts(&self, plane: &mut Plane) {
        let classes = plane.live.chunks_mut(self.class_tiles).zip(&self.owned);
        classes.filter(|(_, owned)| !**owned).for_each(|(live, _)| live.fill(false));
    }

    /// Begins to send what this rank has in a plane to those who read it by steps
    /// of this side's king.
    ///
    /// # Errors
    /// If another rank is gone.
    pub fn post(&self, plane: &Plane, side: Color) -> Result<(), ExchangeError> {
        let readers = &self.readers[side.index()];
        let coded = |class: usize| {
            let tiles = class * self.class_tiles..(class + 1) * self.class_tiles;
            let mut bytes = Vec::new();
            delta::encode(class, &plane.tiles[tiles.clone()], &plane.live[tiles], &mut bytes);
            (class, bytes)
        };
        let read = |class: &usize| self.owned[*class] && !readers[*class].is_empty();
        let coded: Vec<(usize, Vec<u8>)> =
            (0..KING_PAIRS).into_par_iter().filter(read).map(coded).collect();
        let mut messages = vec![Vec::new(); self.exchange.size()];
        for (class, bytes) in &coded {
            readers[*class].iter().for_each(|&rank| messages[rank].extend(bytes));
        }
        self.exchange.post(messages)
    }

    /// Puts what others have sent into a plane; the numbers of those tiles.
    ///
    /// # Errors
    /// If another rank is gone.
    pub fn collect(&self, plane: &mut Plane) -> Result<Vec<usize>, ExchangeError> {
        let mut found = Vec::new();
        for (rank, message) in self.exchange.collect()?.into_iter().enumerate() {
            let put = |class: usize, number: usize, tile| {
                let number = class * self.class_tiles + number;
                *plane.tiles.get_mut(number).filter(|_| !self.owns(number))? = tile;
                plane.live[number] = true;
                found.push(number);
                Some(())
            };
            let why = "it ends too early, or names a tile that is not its sender's";
            delta::decode(&message, put).ok_or(ExchangeError::Garbled { rank, why })?;
        }
        Ok(found)
    }

    /// The tiles of others that a plane has: those of a wave that was logged.
    pub fn ghosts_in(&self, plane: &Plane) -> Vec<usize> {
        let live = plane.live.iter().enumerate().filter(|(_, live)| **live);
        live.map(|(number, _)| number).filter(|&number| !self.owns(number)).collect()
    }
}

fn name_signature(material: Material) -> u64 {
    let mix = |sum: u64, byte: u8| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    material.to_string().bytes().fold(0xcbf2_9ce4_8422_2325, mix)
}
