//! Conversions and planes that wait outside of memory.
//!
//! A conversion decides a position at one ply, and is not looked at before. So
//! what conversions do is put away ply by ply, for stretches of tiles, and brought
//! back a stretch at a time when its ply has come. In memory stay the positions
//! that a conversion still holds, and for each tile when it is due next.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use molien_board::Square;
use molien_hyper::Tile;
use molien_operators::{Backend, Plies, Release};
use rayon::prelude::*;

use super::pending::NEVER;

/// A place outside of memory for bytes.
pub trait Spill: Send + Sync {
    /// Puts bytes away; the number by which they are asked for.
    ///
    /// # Errors
    /// If there is no room for them.
    fn put(&self, bytes: &[u8]) -> io::Result<u64>;

    /// The bytes with a number.
    ///
    /// # Errors
    /// If they cannot be read.
    fn get(&self, number: u64) -> io::Result<Vec<u8>>;
}

/// Tiles of a stretch.
pub(crate) const STRETCH_TILES: usize = 512;

/// Bytes of an entry before its words: the tile's number in the stretch, when it
/// is due next, and which of its rows follow.
const ENTRY_BYTES: usize = 12;

/// A plane, put away in stretches.
pub(crate) struct Away {
    stretches: Vec<u64>,
}

impl Away {
    /// Puts a plane away.
    pub fn put(tiles: &[Tile], spill: &dyn Spill) -> io::Result<Away> {
        let put = |tiles: &[Tile]| put_stretch(tiles, spill);
        let stretches = tiles.par_chunks(STRETCH_TILES).map(put).collect::<io::Result<_>>()?;
        Ok(Away { stretches })
    }

    /// A plane of stretches that have been put away, in order.
    pub fn of(stretches: Vec<u64>) -> Away {
        Away { stretches }
    }

    /// The plane, which has so many tiles.
    pub fn bring_back(&self, tiles: usize, spill: &dyn Spill) -> io::Result<Vec<Tile>> {
        let mut plane = molien_operators::empty_tiles(tiles);
        let all = plane.par_chunks_mut(STRETCH_TILES).zip(&self.stretches);
        all.try_for_each(|(into, &stretch)| {
            let bytes = spill.get(stretch)?;
            let into: &mut [u8] = bytemuck::cast_slice_mut(into);
            if bytes.len() != into.len() {
                return Err(io::Error::from(io::ErrorKind::InvalidData));
            }
            into.copy_from_slice(&bytes);
            Ok(())
        })?;
        Ok(plane)
    }
}

/// Puts one stretch of a plane away.
pub(crate) fn put_stretch(tiles: &[Tile], spill: &dyn Spill) -> io::Result<u64> {
    spill.put(bytemuck::cast_slice(tiles))
}

/// What conversions do to one side's positions, put away ply by ply.
#[derive(Clone)]
pub(crate) struct DueLog {
    spill: Arc<dyn Spill>,
    /// By stretch, the plies at which something is due, in order, and where that is.
    stretches: Arc<Vec<Vec<(u16, u64)>>>,
}

impl DueLog {
    pub fn new(spill: Arc<dyn Spill>, stretches: Vec<Vec<(u16, u64)>>) -> DueLog {
        DueLog { spill, stretches: Arc::new(stretches) }
    }

    /// What is due in a stretch at a ply.
    pub fn at(&self, stretch: usize, ply: u16) -> io::Result<Due> {
        let plies = &self.stretches[stretch];
        match plies.binary_search_by_key(&ply, |(ply, _)| *ply) {
            Ok(place) => Due::decode(&self.spill.get(plies[place].1)?),
            Err(_) => Ok(Due::default()),
        }
    }
}

/// What conversions do to the tiles of a stretch, before it is put away.
#[derive(Default)]
pub(crate) struct DueStretch {
    plies: BTreeMap<u16, Vec<u8>>,
}

impl DueStretch {
    /// Adds what is due in a tile; returns when that is first.
    pub fn add(&mut self, backend: &dyn Backend, tile: usize, release: &Release) -> u16 {
        let mut left = release.some;
        let least = |left: &Tile| {
            let plies = Plies { some: left, bits: &release.bits };
            backend.release_least(plies, left).unwrap_or(NEVER)
        };
        let first = least(&left);
        let mut ply = first;
        while ply != NEVER {
            let due = backend.release_at(Plies { some: &left, bits: &release.bits }, ply);
            left = left.minus(&due);
            let next = if left.is_empty() { NEVER } else { least(&left) };
            encode(self.plies.entry(ply).or_default(), tile, next, &due);
            ply = next;
        }
        first
    }

    /// Puts it away: by ply, where it is.
    pub fn put(self, spill: &dyn Spill) -> io::Result<Vec<(u16, u64)>> {
        self.plies.into_iter().map(|(ply, bytes)| Ok((ply, spill.put(&bytes)?))).collect()
    }
}

fn encode(out: &mut Vec<u8>, tile: usize, next: u16, due: &Tile) {
    let rows: Vec<u64> = Square::all().map(|row| due.row(row)).collect();
    let mask = rows.iter().enumerate().filter(|(_, word)| **word != 0);
    let mask = mask.fold(0u64, |mask, (row, _)| mask | 1 << row);
    out.extend_from_slice(&(tile as u16).to_le_bytes());
    out.extend_from_slice(&next.to_le_bytes());
    out.extend_from_slice(&mask.to_le_bytes());
    rows.iter().filter(|word| **word != 0).for_each(|word| out.extend(word.to_le_bytes()));
}

/// What is due in a stretch at one ply.
#[derive(Default)]
pub(crate) struct Due {
    /// Tiles by their numbers in the stretch, ascending, and when each is due next.
    tiles: Vec<(u16, u16, Tile)>,
    /// Those before have been asked for.
    place: usize,
}

impl Due {
    fn decode(mut bytes: &[u8]) -> io::Result<Due> {
        let damaged = || io::Error::from(io::ErrorKind::InvalidData);
        let mut tiles = Vec::new();
        while !bytes.is_empty() {
            let (entry, rest) = bytes.split_at_checked(ENTRY_BYTES).ok_or_else(damaged)?;
            let number = |at: usize| u16::from_le_bytes([entry[at], entry[at + 1]]);
            let mut mask = [0; 8];
            mask.copy_from_slice(&entry[4..]);
            let mut mask = u64::from_le_bytes(mask);
            let len = mask.count_ones() as usize * 8;
            let (words, rest) = rest.split_at_checked(len).ok_or_else(damaged)?;
            let mut tile = Tile::EMPTY;
            let (words, _) = words.as_chunks::<8>();
            for word in words {
                let row = Square::new(mask.trailing_zeros() as usize);
                mask &= mask - 1;
                *tile.row_mut(row) = u64::from_le_bytes(*word);
            }
            tiles.push((number(0), number(2), tile));
            bytes = rest;
        }
        Ok(Due { tiles, place: 0 })
    }

    /// What is due in a tile, and when it is due next. Tiles are asked for in
    /// ascending order.
    pub fn take(&mut self, tile: usize) -> (&Tile, u16) {
        let before = |(number, ..): &&(u16, u16, Tile)| usize::from(*number) < tile;
        self.place += self.tiles[self.place..].iter().take_while(before).count();
        match self.tiles.get(self.place) {
            Some((number, next, due)) if usize::from(*number) == tile => (due, *next),
            _ => (&Tile::EMPTY, NEVER),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use molien_operators::fastest;
    use std::sync::Mutex;

    /// Outside of nothing but the solver.
    #[derive(Default)]
    pub struct InMemory(Mutex<Vec<Vec<u8>>>);

    impl Spill for InMemory {
        fn put(&self, bytes: &[u8]) -> io::Result<u64> {
            let mut all = self.0.lock().unwrap();
            all.push(bytes.to_vec());
            Ok(all.len() as u64 - 1)
        }

        fn get(&self, number: u64) -> io::Result<Vec<u8>> {
            Ok(self.0.lock().unwrap()[number as usize].clone())
        }
    }

    /// Row r of a tile is due at ply r / 3, every other tile of the stretch has none.
    #[test]
    fn what_is_put_away_is_due_in_time() {
        let bits: Vec<Tile> = (0..5)
            .map(|bit| {
                let mut tile = Tile::EMPTY;
                for row in Square::all() {
                    *tile.row_mut(row) =
                        if (row.index() / 3) >> bit & 1 == 1 { u64::MAX } else { 0 };
                }
                tile
            })
            .collect();
        let release = Release { some: Tile::FULL, bits };
        let mut stretch = DueStretch::default();
        for tile in (1..9).step_by(2) {
            assert_eq!(stretch.add(fastest(), tile, &release), 0);
        }
        let spill: Arc<dyn Spill> = Arc::new(InMemory::default());
        let plies = stretch.put(&*spill).unwrap();
        assert_eq!(plies.len(), 22);
        let log = DueLog::new(spill, vec![plies]);
        for ply in 0..22u16 {
            let mut due = log.at(0, ply).unwrap();
            for tile in 0..9 {
                let (found, next) = due.take(tile);
                let rows = Square::all().filter(|row| found.row(*row) == u64::MAX);
                let rows: Vec<usize> = rows.map(Square::index).collect();
                let expected: Vec<usize> = match tile % 2 {
                    0 => Vec::new(),
                    _ => (0..64).filter(|row| row / 3 == usize::from(ply)).collect(),
                };
                assert_eq!(rows, expected, "tile {tile} at {ply}");
                let last = tile % 2 == 0 || ply == 21;
                assert_eq!(next, if last { NEVER } else { ply + 1 });
            }
        }
        assert!(log.at(0, 30).unwrap().tiles.is_empty());
        assert!(Due::decode(&[1, 2, 3]).is_err());
    }
}
