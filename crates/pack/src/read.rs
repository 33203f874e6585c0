//! Reading the classes of a table.

use std::sync::Arc;

use molien_board::{Color, Square};

use crate::classes::{CLASSES, ClassTile};
use crate::error::PackError;
use crate::index::read_rising;
use crate::layout::{Address, Layout};
use crate::model::Model;
use crate::pack::stored_sides;
use crate::question::{Question, Stage};
use crate::rans::Decoder;
use crate::tile::{Reading, TileOf};
use crate::walker::{Compiled, Walker};

/// Takes bytes from the front.
pub(crate) fn take<'a>(
    bytes: &mut &'a [u8],
    len: usize,
    part: &'static str,
) -> Result<&'a [u8], PackError> {
    let (taken, rest) = bytes.split_at_checked(len).ok_or(PackError::Short { part })?;
    *bytes = rest;
    Ok(taken)
}

/// Takes a little-endian number of so many bytes from the front.
pub(crate) fn take_number(
    bytes: &mut &[u8],
    len: usize,
    part: &'static str,
) -> Result<u64, PackError> {
    let taken = take(bytes, len, part)?;
    Ok(taken.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

/// The streams of a table.
#[derive(Debug)]
pub(crate) struct Streams<'a> {
    /// The first tile of each, rising.
    starts: Vec<u64>,
    ends: Vec<u64>,
    data: &'a [u8],
    tiles: u64,
}

impl<'a> Streams<'a> {
    pub fn read(bytes: &mut &'a [u8], tiles: usize) -> Result<Streams<'a>, PackError> {
        let count = take_number(bytes, 4, "index")? as usize;
        let last = take_number(bytes, 8, "index")?;
        let len = take_number(bytes, 8, "index")?;
        if count > tiles || last >= tiles.max(1) as u64 {
            let (most, found) = (tiles as u64, last.max(count as u64));
            return Err(PackError::Range { what: "a tile in the index", most, found });
        }
        let starts = read_rising(bytes, count, last)?;
        let ends = read_rising(bytes, count, len)?;
        let data = take(bytes, usize::try_from(len).unwrap_or(usize::MAX), "streams")?;
        Ok(Streams { starts, ends, data, tiles: tiles as u64 })
    }

    pub fn count(&self) -> usize {
        self.starts.len()
    }

    /// The stream a tile is in.
    pub fn of_tile(&self, tile: usize) -> Option<usize> {
        self.starts.partition_point(|&start| start <= tile as u64).checked_sub(1)
    }

    /// The tiles of a stream.
    pub fn tiles(&self, stream: usize) -> std::ops::Range<usize> {
        let end = self.starts.get(stream + 1).copied().unwrap_or(self.tiles);
        self.starts[stream] as usize..end as usize
    }

    pub fn bytes(&self, stream: usize) -> &'a [u8] {
        let start = stream.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.data.get(start as usize..self.ends[stream] as usize).unwrap_or(&[])
    }
}

#[derive(Debug)]
struct Side {
    turn: Color,
    model: Model,
    compiled: Compiled,
}

/// The classes of a table, read from bytes.
#[derive(Debug)]
pub struct Classes<'a> {
    layout: Arc<Layout>,
    sides: Vec<Side>,
    streams: Streams<'a>,
}

/// What reading needs besides the bytes; kept from one call to the next it
/// saves the time of making it.
pub struct Scratch<'m> {
    walkers: Vec<Walker<'m>>,
    base: ClassTile,
    second: ClassTile,
    /// Base tiles of a stream before the one wanted.
    before: Vec<ClassTile>,
}

impl<'a> Classes<'a> {
    /// Takes classes from the front of the bytes.
    ///
    /// # Errors
    /// If the bytes are no classes of such a layout.
    pub fn read(bytes: &mut &'a [u8], layout: &Arc<Layout>) -> Result<Classes<'a>, PackError> {
        let base = match take_number(bytes, 1, "sides")? {
            0 => Color::White,
            1 => Color::Black,
            found => return Err(PackError::Range { what: "the base side", most: 1, found }),
        };
        let turns = stored_sides(layout, base);
        let lens: Vec<u64> =
            turns.iter().map(|_| take_number(bytes, 4, "models")).collect::<Result<_, _>>()?;
        let mut sides = Vec::new();
        for (number, (&turn, len)) in turns.iter().zip(lens).enumerate() {
            let stage = if number == 0 { Stage::Base } else { Stage::Second };
            let own = take(bytes, len as usize, "models")?;
            let model = Model::read(own, Question::all(layout.men(), stage), CLASSES)?;
            let compiled = Compiled::new(&model.tree, &model.questions, layout.men());
            sides.push(Side { turn, model, compiled });
        }
        let streams = Streams::read(bytes, layout.tiles())?;
        Ok(Classes { layout: Arc::clone(layout), sides, streams })
    }

    /// Working memory for reading.
    pub fn scratch(&self) -> Scratch<'_> {
        Scratch {
            walkers: self.sides.iter().map(|side| Walker::new(&side.compiled)).collect(),
            base: ClassTile::default(),
            second: ClassTile::default(),
            before: Vec::new(),
        }
    }

    /// Number of streams.
    pub fn streams(&self) -> usize {
        self.streams.count()
    }

    /// Leaves of each side's tree.
    pub fn leaves(&self) -> Vec<usize> {
        self.sides.iter().map(|side| side.model.tree.leaves()).collect()
    }

    /// The sides stored, the base side first.
    pub fn sides(&self) -> impl Iterator<Item = Color> + '_ {
        self.sides.iter().map(|side| side.turn)
    }

    /// The class of a stored cell: [`molien_values::Category`] as a number.
    /// `None` if the cell or the side is not stored.
    pub fn get(&self, scratch: &mut Scratch<'_>, at: Address, turn: Color) -> Option<u8> {
        let number = self.sides.iter().position(|side| side.turn == turn)?;
        let tile = at.part * self.layout.tiles_per_part() + at.tile;
        let stream = self.streams.of_tile(tile)?;
        let bytes = self.streams.bytes(stream);
        // All tiles of a stream without bytes are the likeliest ones.
        let tiles = if bytes.is_empty() { tile..tile + 1 } else { self.streams.tiles(stream) };
        let mut decoder = Decoder::new(bytes);
        self.read_until(scratch, &mut decoder, tiles, tile, number, at.row);
        let own = if number == 0 { &scratch.base } else { &scratch.second };
        own.get(at.row.index(), at.column.index())
    }

    /// Reads a stream up to a row of a tile with one side to move.
    fn read_until(
        &self,
        scratch: &mut Scratch<'_>,
        decoder: &mut Decoder<'_>,
        tiles: std::ops::Range<usize>,
        wanted: usize,
        number: usize,
        row: Square,
    ) {
        let last_row = |tile: usize, side: usize| {
            (tile == wanted && side == number).then_some(row.index())
        };
        scratch.before.clear();
        for tile in tiles.clone() {
            if number == 0 && tile > wanted {
                return;
            }
            self.read_tile(scratch, decoder, 0, tile, last_row(tile, 0));
            if number == 1 {
                scratch.before.push(scratch.base.clone());
            }
        }
        if number == 1 {
            for (i, tile) in (tiles.start..=wanted).enumerate() {
                std::mem::swap(&mut scratch.base, &mut scratch.before[i]);
                self.read_tile(scratch, decoder, 1, tile, last_row(tile, 1));
                std::mem::swap(&mut scratch.base, &mut scratch.before[i]);
            }
        }
    }

    fn read_tile(
        &self,
        scratch: &mut Scratch<'_>,
        decoder: &mut Decoder<'_>,
        number: usize,
        tile: usize,
        last_row: Option<usize>,
    ) {
        let side = &self.sides[number];
        let (own, other) = match number {
            0 => (&mut scratch.base, None),
            _ => (&mut scratch.second, Some(&scratch.base)),
        };
        let Some(frame) = self.layout.frame(tile) else { return own.clear() };
        let of = TileOf { layout: &self.layout, frame: &frame, turn: side.turn, other };
        let mut sink = Reading::new(&side.model.leaves, decoder);
        of.walk(&mut scratch.walkers[number], own, last_row, &mut sink);
    }

    /// Reads all tiles of a stream: the base side's tile, then the second
    /// side's of the same number (empty where one side stands for both).
    ///
    /// # Errors
    /// If the stream does not end with its last tile.
    pub fn read_stream(
        &self,
        scratch: &mut Scratch<'_>,
        stream: usize,
        mut found: impl FnMut(usize, &ClassTile, &ClassTile),
    ) -> Result<(), PackError> {
        let tiles = self.streams.tiles(stream);
        let bytes = self.streams.bytes(stream);
        let mut decoder = Decoder::new(bytes);
        // Streams without bytes can hold any number of tiles: one at a time.
        let step = if bytes.is_empty() { 1 } else { tiles.len().max(1) };
        for first in tiles.clone().step_by(step) {
            scratch.before.clear();
            let some = first..(first + step).min(tiles.end);
            for tile in some.clone() {
                self.read_tile(scratch, &mut decoder, 0, tile, None);
                scratch.before.push(scratch.base.clone());
            }
            for (i, tile) in some.enumerate() {
                std::mem::swap(&mut scratch.base, &mut scratch.before[i]);
                if self.sides.len() > 1 {
                    self.read_tile(scratch, &mut decoder, 1, tile, None);
                }
                found(tile, &scratch.base, &scratch.second);
            }
        }
        decoder.end()
    }
}
