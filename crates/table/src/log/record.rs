//! The records of a wave log: one wave each, in sections that can be read alone.
//!
//! ```text
//! record   u32 bytes of each section, u64 xxh3 of these (seed: number of the
//!          record), the sections
//! section  one king class; nothing if nothing in it was decided, else
//!          u32 bytes after decompression, zstd frame, u64 xxh3 of both (seed:
//!          number of the record)
//! frame    lost, then won: u32 number of tiles, then for each tile
//!          u32 its number in the class, u64 the rows that are not empty, and for each of these
//!          u8 the bytes that are not 0, and these bytes
//! ```

use molien_hyper::{Plane, Tile};
use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64_with_seed;
use zstd::bulk::Compressor;

use crate::format::bytes::{ByteReader, ByteWriter};
use crate::format::coding::Malformed;
use crate::log::planes::decompressed;

/// A quick level: a log lives for minutes.
const LEVEL: i32 = 1;
/// Bytes of a checksum.
const SUM_LEN: usize = 8;
/// More than the longest section of eight men.
const MAX_RAW_LEN: u32 = 1 << 31;

/// How the tiles of a run are cut into sections.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Sections {
    pub count: usize,
    /// Tiles of a section.
    pub tiles: usize,
}

impl Sections {
    /// Bytes of a record before its sections.
    pub fn head_len(&self) -> usize {
        4 * self.count + SUM_LEN
    }

    /// Reads the head of a record: where each section begins, counted from the
    /// end of the head, and where the last one ends.
    pub fn decode_head(&self, head: &[u8], record: u64) -> Result<Vec<u64>, Malformed> {
        let mut fields = ByteReader(head);
        let lengths = fields.take(4 * self.count)?;
        if xxh3_64_with_seed(lengths, record) != fields.u64()? {
            return Err(WRONG_SUM);
        }
        let mut lengths = ByteReader(lengths);
        let (mut starts, mut end) = (vec![0], 0);
        for _ in 0..self.count {
            end += u64::from(lengths.u32()?);
            starts.push(end);
        }
        Ok(starts)
    }

    /// A wave as a record.
    pub fn encode(&self, lost: &Plane, won: &Plane, record: u64) -> std::io::Result<Vec<u8>> {
        let sections = self.encode_sections(lost, won, record, Some)?;
        let lengths: Vec<u64> = sections.iter().map(|section| section.len() as u64).collect();
        let mut out = self.encode_head(&lengths, record);
        sections.iter().for_each(|section| out.extend(section));
        Ok(out)
    }

    /// What comes before sections of these lengths.
    pub fn encode_head(&self, lengths: &[u64], record: u64) -> Vec<u8> {
        let mut out = ByteWriter::default();
        lengths.iter().for_each(|&length| out.u32(length as u32));
        out.u64(xxh3_64_with_seed(&out.0, record));
        out.0
    }

    /// The sections of a record; `place` says where in the planes a section is, and
    /// those that are not there are left empty.
    pub fn encode_sections(
        &self,
        lost: &Plane,
        won: &Plane,
        record: u64,
        place: impl Fn(usize) -> Option<usize> + Sync,
    ) -> std::io::Result<Vec<Vec<u8>>> {
        let part = |plane: &Plane, place: usize| {
            let tiles = place * self.tiles..(place + 1) * self.tiles;
            encode_tiles(&plane.tiles[tiles.clone()], &plane.live[tiles])
        };
        let section = |compressor: &mut std::io::Result<Compressor<'_>>, number: usize| {
            let Some(place) = place(number) else { return Ok(Vec::new()) };
            let raw = [part(lost, place), part(won, place)].concat();
            if raw.iter().all(|&byte| byte == 0) {
                return Ok(Vec::new());
            }
            let compressor =
                compressor.as_mut().map_err(|error| std::io::Error::from(error.kind()))?;
            let mut out = ByteWriter::default();
            out.u32(raw.len() as u32);
            out.0.extend(compressor.compress(&raw)?);
            out.u64(xxh3_64_with_seed(&out.0, record));
            Ok(out.0)
        };
        let sections = (0..self.count).into_par_iter();
        sections.map_init(|| Compressor::new(LEVEL), section).collect()
    }

    /// Replaces the contents of two planes by sections of a record, one for each
    /// place.
    pub fn decode(
        &self,
        sections: &[Vec<u8>],
        record: u64,
        lost: &mut Plane,
        won: &mut Plane,
    ) -> Result<(), Malformed> {
        let n = self.tiles;
        let lost = lost.tiles.par_chunks_mut(n).zip(lost.live.par_chunks_mut(n));
        let won = won.tiles.par_chunks_mut(n).zip(won.live.par_chunks_mut(n));
        let planes = lost.zip(won).zip(sections);
        planes.try_for_each(|(((lost, lost_live), (won, won_live)), section)| {
            for (tiles, live) in [(&mut *lost, &mut *lost_live), (&mut *won, &mut *won_live)] {
                for (tile, live) in tiles.iter_mut().zip(live).filter(|(_, live)| **live) {
                    *tile = Tile::EMPTY;
                    *live = false;
                }
            }
            decode_section(section, record, |won_now, number, words| {
                let (tiles, live) = match won_now {
                    false => (&mut *lost, &mut *lost_live),
                    true => (&mut *won, &mut *won_live),
                };
                *tiles.get_mut(number).ok_or(NO_TILE)? = *words;
                live[number] = true;
                Ok(())
            })
        })
    }
}

const WRONG_SUM: Malformed = Malformed("a checksum does not match");
const SHORT: Malformed = Malformed("it ends too early");
const NO_TILE: Malformed = Malformed("no such tile");

fn encode_tiles(tiles: &[Tile], live: &[bool]) -> Vec<u8> {
    let mut out = ByteWriter::default();
    out.u32(live.iter().filter(|&&live| live).count() as u32);
    for (number, tile) in tiles.iter().enumerate().filter(|(i, _)| live[*i]) {
        out.u32(number as u32);
        let words = tile.0.as_flattened();
        out.u64(words.iter().rev().fold(0, |mask, &word| mask << 1 | u64::from(word != 0)));
        for word in words.iter().filter(|&&word| word != 0).map(|word| word.to_le_bytes()) {
            out.u8(word.iter().rev().fold(0, |mask, &byte| mask << 1 | u8::from(byte != 0)));
            out.0.extend(word.iter().filter(|&&byte| byte != 0));
        }
    }
    out.0
}

fn decode_tile(input: &mut ByteReader<'_>) -> Result<Tile, Malformed> {
    let rows = input.u64()?;
    let mut tile = Tile::EMPTY;
    for (row, word) in tile.0.as_flattened_mut().iter_mut().enumerate() {
        if rows >> row & 1 == 0 {
            continue;
        }
        let mask = input.u8()?;
        for byte in (0..8).filter(|byte| mask >> byte & 1 != 0) {
            *word |= u64::from(input.u8()?) << (8 * byte);
        }
    }
    Ok(tile)
}

/// Reads one section. `take` gets every tile that has something in it: whether
/// it is won (or lost), its number in the section, the positions.
pub(crate) fn decode_section(
    section: &[u8],
    record: u64,
    mut take: impl FnMut(bool, usize, &Tile) -> Result<(), Malformed>,
) -> Result<(), Malformed> {
    if section.is_empty() {
        return Ok(());
    }
    let (contents, sum) = section.split_last_chunk::<SUM_LEN>().ok_or(SHORT)?;
    if xxh3_64_with_seed(contents, record) != u64::from_le_bytes(*sum) {
        return Err(WRONG_SUM);
    }
    let mut input = ByteReader(contents);
    let raw_len = input.u32()?;
    if raw_len > MAX_RAW_LEN {
        return Err(SHORT);
    }
    let raw = decompressed(input.0, raw_len as usize).map_err(|_| NO_FRAME)?;
    let mut input = ByteReader(&raw);
    for won in [false, true] {
        for _ in 0..input.u32()? {
            let number = input.u32()? as usize;
            take(won, number, &decode_tile(&mut input)?)?;
        }
    }
    input.end()
}

const NO_FRAME: Malformed = Malformed("not a zstd frame of the right size");

#[cfg(test)]
mod tests {
    use super::*;
    use molien_testing::Random;

    const SECTIONS: Sections = Sections { count: 5, tiles: 7 };

    /// Tiles of all densities, and a section with nothing in it.
    fn plane(seed: u64) -> Plane {
        let mut random = Random::new(seed);
        let mut word = |rarity: usize| (0..rarity).fold(!0, |word, _| word & random.number());
        let mut tile = |number: usize| match number {
            14..21 => Tile::EMPTY,
            n if n % 3 == 0 => Tile::from_rows(|_| word(1)),
            n if n % 3 == 1 => Tile::from_rows(|_| word(4)),
            _ => Tile::EMPTY,
        };
        Plane::from_tiles((0..SECTIONS.count * SECTIONS.tiles).map(&mut tile).collect())
    }

    fn split(starts: &[u64], body: &[u8]) -> Vec<Vec<u8>> {
        let section = |ends: &[u64]| body[ends[0] as usize..ends[1] as usize].to_vec();
        starts.windows(2).map(section).collect()
    }

    #[test]
    fn records_round_trip_and_damage_is_seen() {
        let (lost, won) = (plane(1), plane(2));
        let record = SECTIONS.encode(&lost, &won, 9).unwrap();
        let (head, body) = record.split_at(SECTIONS.head_len());
        let starts = SECTIONS.decode_head(head, 9).unwrap();
        assert_eq!(starts[2], starts[3]);
        let (mut a, mut b) = (plane(3), plane(4));
        let sections = split(&starts, body);
        SECTIONS.decode(&sections, 9, &mut a, &mut b).unwrap();
        assert!(a.tiles == lost.tiles && a.live == lost.live && b.tiles == won.tiles);
        assert!(SECTIONS.decode_head(head, 8).is_err());
        assert!(SECTIONS.decode(&sections, 8, &mut a, &mut b).is_err());
        for at in (0..body.len()).step_by(97) {
            let mut damaged = body.to_vec();
            damaged[at] ^= 1;
            assert!(SECTIONS.decode(&split(&starts, &damaged), 9, &mut a, &mut b).is_err());
        }
    }
}
