//! Reading the classes of a table.

use std::ops::Range;
use std::sync::Arc;

use molien_board::Color;

use crate::classes::{CLASSES, ClassTile};
use crate::depth::has_depth;
use crate::error::PackError;
use crate::layout::{Address, Layout};
use crate::leaf::LeafTable;
use crate::model::Model;
use crate::pack::stored_sides;
use crate::question::{Question, Stage};
use crate::rans::Decoder;
use crate::scan::{Segments, upto};
use crate::stream_index::{Streams, check_segments};
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

impl Segments {
    pub(crate) fn read(bytes: &mut &[u8]) -> Result<Segments, PackError> {
        match take_number(bytes, 1, "segments")? {
            0 => Ok(Segments::Quarters),
            1 => Ok(Segments::Whole),
            found => Err(PackError::Range { what: "the cut of tiles", most: 1, found }),
        }
    }
}

/// How far a tile is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// Up to the row that is asked for.
    Row,
    /// Up to that row; to the end, if the cell in this column has a depth, which is read
    /// with all classes of the tile.
    Depth(usize),
    /// To its end.
    Tile,
}

impl Reach {
    /// The row to stop at.
    pub(crate) fn stop(self, row: usize) -> Option<usize> {
        (self != Reach::Tile).then_some(row)
    }
}

#[derive(Debug)]
struct Side {
    turn: Color,
    leaves: LeafTable,
    compiled: Compiled,
}

/// The classes of a table: models and index, read from bytes. The bytes of
/// the streams, [`Classes::data_len`] of them, follow those; they are handed in
/// whenever something is read.
#[derive(Debug)]
pub struct Classes {
    layout: Arc<Layout>,
    segments: Segments,
    sides: Vec<Side>,
    streams: Streams,
}

/// What reading needs besides the bytes; kept from one call to the next it
/// saves the time of making it. It serves any table.
pub struct Scratch {
    walkers: [Walker; 2],
    base: ClassTile,
    second: ClassTile,
    /// The base side's segments of a stream, with their numbers.
    before: Vec<(usize, ClassTile)>,
}

impl Default for Scratch {
    fn default() -> Scratch {
        Scratch {
            walkers: [Walker::new(), Walker::new()],
            base: ClassTile::default(),
            second: ClassTile::default(),
            before: Vec::new(),
        }
    }
}

impl Classes {
    /// Takes models and index from the front of the bytes.
    ///
    /// # Errors
    /// If the bytes are no classes of such a layout.
    pub fn read(bytes: &mut &[u8], layout: &Arc<Layout>) -> Result<Classes, PackError> {
        let base = match take_number(bytes, 1, "sides")? {
            0 => Color::White,
            1 => Color::Black,
            found => return Err(PackError::Range { what: "the base side", most: 1, found }),
        };
        let segments = Segments::read(bytes)?;
        let turns = stored_sides(layout, base);
        let lens: Vec<u64> =
            turns.iter().map(|_| take_number(bytes, 4, "models")).collect::<Result<_, _>>()?;
        let mut sides = Vec::new();
        for (number, (&turn, len)) in turns.iter().zip(lens).enumerate() {
            let stage = if number == 0 { Stage::Base } else { Stage::Second };
            let own = take(bytes, len as usize, "models")?;
            let model = Model::read(own, Question::all(layout.men(), stage), CLASSES)?;
            let compiled = Compiled::new(&model.tree, &model.questions, layout.men());
            let leaves = LeafTable::new(&model.leaves);
            sides.push(Side { turn, leaves, compiled });
        }
        let streams = Streams::read(bytes, layout, segments.per_tile(layout))?;
        Ok(Classes { layout: Arc::clone(layout), segments, sides, streams })
    }

    /// Number of streams.
    pub fn streams(&self) -> usize {
        self.streams.count()
    }

    /// Bytes of all streams.
    pub fn data_len(&self) -> usize {
        self.streams.data_len()
    }

    /// Where the bytes of a stream are.
    pub fn range(&self, stream: usize) -> Range<usize> {
        self.streams.range(stream)
    }

    /// The stream that holds a row of a tile, if one does.
    pub fn stream_of(&self, tile: usize, row: usize) -> Option<usize> {
        let segment = tile * self.per_tile() + self.segments.of_row(&self.layout, row);
        self.streams.of_segment(segment)
    }

    /// The streams that hold anything of some tiles.
    pub fn streams_of(&self, tiles: Range<usize>) -> Range<usize> {
        self.streams.of_segments(tiles.start * self.per_tile()..tiles.end * self.per_tile())
    }

    fn per_tile(&self) -> usize {
        self.segments.per_tile(&self.layout)
    }

    /// Leaves of each side's tree.
    pub fn leaves(&self) -> Vec<usize> {
        self.sides.iter().map(|side| side.leaves.len()).collect()
    }

    /// The sides stored, the base side first.
    pub fn sides(&self) -> impl Iterator<Item = Color> + '_ {
        self.sides.iter().map(|side| side.turn)
    }

    /// The class of a stored cell, from 0, a loss, to 4, a win.
    /// `None` if the cell or the side is not stored.
    ///
    /// # Errors
    /// If the stream holds more segments than a stream may.
    pub fn get(
        &self,
        scratch: &mut Scratch,
        data: &[u8],
        at: Address,
        turn: Color,
    ) -> Result<Option<u8>, PackError> {
        let tile = at.part * self.layout.tiles_per_part() + at.tile;
        if tile >= self.layout.tiles() {
            return Ok(None);
        }
        let mut found = ClassTile::default();
        self.read_rows(scratch, data, (tile, turn), at.row.index(), Reach::Row, &mut found)?;
        Ok(found.get(at.row.index(), at.column.index()))
    }

    /// Reads a row of a tile with a side to move, and what is coded before it or
    /// with it: the rows that are read, as a set.
    ///
    /// # Errors
    /// If the stream holds more segments than a stream may.
    pub fn read_rows(
        &self,
        scratch: &mut Scratch,
        data: &[u8],
        (tile, turn): (usize, Color),
        row: usize,
        reach: Reach,
        out: &mut ClassTile,
    ) -> Result<u64, PackError> {
        out.clear();
        let segment = tile * self.per_tile() + self.segments.of_row(&self.layout, row);
        let number = self.sides.iter().position(|side| side.turn == turn);
        let (Some(number), Some(stream)) = (number, self.streams.of_segment(segment)) else {
            return Ok(!0);
        };
        let bytes = self.streams.bytes(data, stream)?;
        // The segments of a stream without bytes are all the likeliest.
        let all =
            if bytes.is_empty() { segment..segment + 1 } else { self.streams.segments(stream) };
        let mut decoder = Decoder::new(bytes);
        let mut stop = reach.stop(row);
        let last = |some: usize, side: usize| stop.filter(|_| some == segment && side == number);
        let base_end = if number == 0 { segment + 1 } else { all.end };
        scratch.before.clear();
        for some in all.start..base_end {
            // Where all that follows is the likeliest, nobody needs other segments.
            if some == segment || !decoder.is_at_end() {
                self.read_base(scratch, &mut decoder, some, last(some, 0))?;
            }
        }
        for i in 0..scratch.before.len() * number {
            let some = scratch.before[i].0;
            if some == segment || !decoder.is_at_end() {
                self.read_second(scratch, &mut decoder, i, |some| last(some, 1));
            }
            if some == segment {
                break;
            }
        }
        // If nothing of the tile is stored, what was read last is another.
        if self.layout.frame(tile).is_none() {
            return Ok(!0);
        }
        let own = if number == 0 { &scratch.base } else { &scratch.second };
        if matches!(reach, Reach::Depth(column) if has_depth(own, row, column)) {
            let rest = &self.rows(segment, None)[self.rows(segment, stop).len()..];
            self.read_segment(scratch, &mut decoder, number, (segment, rest), true);
            stop = None;
        }
        *out = if number == 0 { scratch.base.clone() } else { scratch.second.clone() };
        Ok(self.rows(segment, stop).iter().fold(0, |set, row| set | 1 << row))
    }

    /// The rows of a segment in order, up to the row given or all of them.
    fn rows(&self, segment: usize, last_row: Option<usize>) -> &'static [u8] {
        let rows = self.segments.rows(&self.layout, segment % self.per_tile());
        upto(rows, last_row)
    }

    /// Reads a segment of the base side and keeps it, unless nothing of it is
    /// stored.
    fn read_base(
        &self,
        scratch: &mut Scratch,
        decoder: &mut Decoder<'_>,
        segment: usize,
        last_row: Option<usize>,
    ) -> Result<(), PackError> {
        let rows = self.rows(segment, last_row);
        if self.read_segment(scratch, decoder, 0, (segment, rows), false) {
            scratch.before.push((segment, scratch.base.clone()));
        }
        check_segments(scratch.before.len())
    }

    /// Reads a segment of the second side, the base side's being kept; its
    /// number.
    fn read_second(
        &self,
        scratch: &mut Scratch,
        decoder: &mut Decoder<'_>,
        place: usize,
        last_row: impl Fn(usize) -> Option<usize>,
    ) -> usize {
        let (segment, base) = &mut scratch.before[place];
        let segment = *segment;
        std::mem::swap(&mut scratch.base, base);
        let rows = self.rows(segment, last_row(segment));
        self.read_segment(scratch, decoder, 1, (segment, rows), false);
        segment
    }

    /// Reads some rows of a segment, its first ones or (`more`) those behind what was
    /// read last; whether any of it is stored.
    fn read_segment(
        &self,
        scratch: &mut Scratch,
        decoder: &mut Decoder<'_>,
        number: usize,
        (segment, rows): (usize, &[u8]),
        more: bool,
    ) -> bool {
        let Side { turn, leaves, compiled } = &self.sides[number];
        let (own, other) = match number {
            0 => (&mut scratch.base, None),
            _ => (&mut scratch.second, Some(&scratch.base)),
        };
        if !more {
            own.clear();
        }
        let Some(frame) = self.layout.frame(segment / self.per_tile()) else { return false };
        let of = TileOf { layout: &self.layout, frame: &frame, turn: *turn, compiled, other };
        let mut sink = Reading::new(leaves, decoder);
        of.walk_on(&mut scratch.walkers[number], own, rows, &mut sink);
        true
    }

    /// Reads the segments of a stream that lie in some tiles (those of a stream
    /// with bytes all): the tile, its rows that make up the segment, the base
    /// side's classes, the second side's (nothing where one side stands for
    /// both).
    ///
    /// # Errors
    /// If the stream does not end with its last segment.
    pub fn read_stream(
        &self,
        scratch: &mut Scratch,
        data: &[u8],
        stream: usize,
        tiles: Range<usize>,
        mut found: impl FnMut(usize, &[u8], &ClassTile, &ClassTile),
    ) -> Result<(), PackError> {
        let bytes = self.streams.bytes(data, stream)?;
        let mut decoder = Decoder::new(bytes);
        let per_tile = self.per_tile();
        let all = self.streams.part_of(stream, tiles.start * per_tile..tiles.end * per_tile);
        // Streams without bytes can have any number of segments: one at a time.
        let step = if bytes.is_empty() { 1 } else { all.len().max(1) };
        for first in all.clone().step_by(step) {
            scratch.before.clear();
            for segment in first..(first + step).min(all.end) {
                self.read_base(scratch, &mut decoder, segment, None)?;
            }
            for i in 0..scratch.before.len() {
                let segment = match self.sides.len() {
                    1 => {
                        std::mem::swap(&mut scratch.base, &mut scratch.before[i].1);
                        scratch.before[i].0
                    }
                    _ => self.read_second(scratch, &mut decoder, i, |_| None),
                };
                let rows = self.rows(segment, None);
                found(segment / per_tile, rows, &scratch.base, &scratch.second);
            }
        }
        decoder.end()
    }
}
