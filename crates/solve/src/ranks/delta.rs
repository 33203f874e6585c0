//! What was decided in a class, as bytes.
//!
//! ```text
//! message   for each class, or part of a large one, in which something was decided
//!           u32 its number, u32 tiles, the tiles
//! tile      u32 its number in the class, u16 n, then
//!           n < 256   n positions, u16 each: 64 * row + column
//!           n = 256   all 64 words
//! ```
//!
//! So a tile takes two bytes for each position, or 512, whichever is less. Numbers
//! are little-endian.

use molien_hyper::Tile;

/// Positions from which on a tile is sent as it is.
const DENSE: u16 = 256;
/// Bytes before the tiles of a class, and before what a tile holds.
const CLASS_HEAD_BYTES: usize = 8;
const TILE_HEAD_BYTES: usize = 6;

/// Adds the live tiles of a class, or of a part of it that begins with this tile, to a
/// message; nothing if there are none.
pub(super) fn encode(
    (class, first): (usize, usize),
    tiles: &[Tile],
    live: &[bool],
    out: &mut Vec<u8>,
) {
    let count = live.iter().filter(|&&live| live).count();
    if count == 0 {
        return;
    }
    out.extend((class as u32).to_le_bytes());
    out.extend((count as u32).to_le_bytes());
    for (number, tile) in tiles.iter().enumerate().filter(|(number, _)| live[*number]) {
        out.extend(((first + number) as u32).to_le_bytes());
        if tile.len() < u64::from(DENSE) {
            out.extend((tile.len() as u16).to_le_bytes());
            for (row, column) in tile.pairs() {
                out.extend(((row.index() << 6 | column.index()) as u16).to_le_bytes());
            }
        } else {
            out.extend(DENSE.to_le_bytes());
            tile.0.as_flattened().iter().for_each(|word| out.extend(word.to_le_bytes()));
        }
    }
}

/// What sending the live tiles of a class, or of a part of it, takes.
pub fn delta_bytes(tiles: &[Tile], live: &[bool]) -> u64 {
    let tile = |(tile, live): (&Tile, &bool)| match live {
        false => 0,
        true => TILE_HEAD_BYTES as u64 + 2 * tile.len().min(u64::from(DENSE)),
    };
    let bytes: u64 = tiles.iter().zip(live).map(tile).sum();
    if bytes == 0 { 0 } else { bytes + CLASS_HEAD_BYTES as u64 }
}

/// What sending a class as it is would take.
pub fn dense_bytes(tiles: usize) -> u64 {
    (tiles * size_of::<Tile>()) as u64
}

fn take<'a>(input: &mut &'a [u8], len: usize) -> Option<&'a [u8]> {
    let (head, rest) = input.split_at_checked(len)?;
    *input = rest;
    Some(head)
}

fn number(input: &mut &[u8], bytes: usize) -> Option<usize> {
    Some(take(input, bytes)?.iter().rev().fold(0, |number, &byte| number << 8 | usize::from(byte)))
}

/// Reads a message: `tile` gets the class and the number of each tile in it.
/// `None` if it ends too early.
pub(super) fn decode(
    mut message: &[u8],
    mut tile: impl FnMut(usize, usize, Tile) -> Option<()>,
) -> Option<()> {
    while !message.is_empty() {
        let (class, tiles) = (number(&mut message, 4)?, number(&mut message, 4)?);
        for _ in 0..tiles {
            let place = number(&mut message, 4)?;
            tile(class, place, decode_tile(&mut message)?)?;
        }
    }
    Some(())
}

fn decode_tile(input: &mut &[u8]) -> Option<Tile> {
    let mut tile = Tile::EMPTY;
    let words = tile.0.as_flattened_mut();
    match number(input, 2)? {
        count if count < usize::from(DENSE) => {
            for pair in take(input, 2 * count)?.as_chunks::<2>().0 {
                let pair = u16::from_le_bytes(*pair);
                *words.get_mut(usize::from(pair >> 6))? |= 1 << (pair & 63);
            }
        }
        _ => {
            let bytes = take(input, size_of::<Tile>())?.as_chunks::<8>().0;
            words
                .iter_mut()
                .zip(bytes)
                .for_each(|(word, bytes)| *word = u64::from_le_bytes(*bytes));
        }
    }
    Some(tile)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tiles of all densities come back, a cut message is noticed.
    #[test]
    fn messages_round_trip() {
        let mut seed = 1u64;
        let mut random = || {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            seed ^ seed >> 31
        };
        let mut word = |rarity: usize| (0..rarity).fold(!0, |word, _| word & random());
        let tiles: Vec<Tile> = (0..40).map(|i| Tile::from_rows(|_| word(i % 10))).collect();
        let live: Vec<bool> = tiles.iter().map(|tile| !tile.is_empty()).collect();
        let mut message = Vec::new();
        encode((300, 5), &tiles, &live, &mut message);
        assert_eq!(message.len() as u64, delta_bytes(&tiles, &live));
        let mut found = vec![Tile::EMPTY; tiles.len()];
        let put = |class, number: usize, tile| {
            assert_eq!(class, 300);
            found[number - 5] = tile;
            Some(())
        };
        decode(&message, put).unwrap();
        assert!(found == tiles);
        assert_eq!(decode(&message[..message.len() - 1], |_, _, _| Some(())), None);
        let mut nothing = Vec::new();
        encode((7, 0), &tiles, &vec![false; tiles.len()], &mut nothing);
        assert!(nothing.is_empty() && delta_bytes(&tiles, &vec![false; tiles.len()]) == 0);
    }
}
