//! Reading the classes of a table.

use std::sync::Arc;

use molien_board::Color;

use crate::classes::{CLASSES, ClassTile};
use crate::error::PackError;
use crate::index::read_rising;
use crate::layout::{Address, Layout};
use crate::model::Model;
use crate::pack::stored_sides;
use crate::question::{Question, Stage};
use crate::rans::Decoder;
use crate::scan::Segments;
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

/// The most segments with stored cells that a stream with bytes may have: what is
/// read at once stays small, whatever a file says.
const MAX_STREAM_SEGMENTS: usize = 256;

pub(crate) fn check_segments(found: usize) -> Result<(), PackError> {
    let (most, found) = (MAX_STREAM_SEGMENTS as u64, found as u64);
    let what = "the number of segments of a stream";
    if found > most { Err(PackError::Range { what, most, found }) } else { Ok(()) }
}

/// The streams of a table.
#[derive(Debug)]
pub(crate) struct Streams<'a> {
    /// The first segment of each, rising.
    starts: Vec<u64>,
    ends: Vec<u64>,
    data: &'a [u8],
    segments: u64,
}

impl<'a> Streams<'a> {
    pub fn read(bytes: &mut &'a [u8], segments: usize) -> Result<Streams<'a>, PackError> {
        let count = take_number(bytes, 4, "index")? as usize;
        let last = take_number(bytes, 8, "index")?;
        let len = take_number(bytes, 8, "index")?;
        if count > segments || last >= segments.max(1) as u64 {
            let (most, found) = (segments as u64, last.max(count as u64));
            return Err(PackError::Range { what: "a segment in the index", most, found });
        }
        let starts = read_rising(bytes, count, last)?;
        let ends = read_rising(bytes, count, len)?;
        let data = take(bytes, usize::try_from(len).unwrap_or(usize::MAX), "streams")?;
        Ok(Streams { starts, ends, data, segments: segments as u64 })
    }

    pub fn count(&self) -> usize {
        self.starts.len()
    }

    /// The stream a segment is in.
    pub fn of_segment(&self, segment: usize) -> Option<usize> {
        self.starts.partition_point(|&start| start <= segment as u64).checked_sub(1)
    }

    /// The segments of a stream.
    pub fn segments(&self, stream: usize) -> std::ops::Range<usize> {
        let end = self.starts.get(stream + 1).copied().unwrap_or(self.segments);
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
    segments: Segments,
    sides: Vec<Side>,
    streams: Streams<'a>,
}

/// What reading needs besides the bytes; kept from one call to the next it
/// saves the time of making it.
pub struct Scratch<'m> {
    walkers: Vec<Walker<'m>>,
    base: ClassTile,
    second: ClassTile,
    /// The base side's segments of a stream, with their numbers.
    before: Vec<(usize, ClassTile)>,
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
            sides.push(Side { turn, model, compiled });
        }
        let streams = Streams::read(bytes, layout.tiles() * segments.per_tile(layout))?;
        Ok(Classes { layout: Arc::clone(layout), segments, sides, streams })
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

    /// The class of a stored cell, from 0, a loss, to 4, a win.
    /// `None` if the cell or the side is not stored.
    ///
    /// # Errors
    /// If the stream holds more segments than a stream may.
    pub fn get(
        &self,
        scratch: &mut Scratch<'_>,
        at: Address,
        turn: Color,
    ) -> Result<Option<u8>, PackError> {
        let (per_tile, row) = (self.segments.per_tile(&self.layout), at.row.index());
        let tile = at.part * self.layout.tiles_per_part() + at.tile;
        let Some(number) = self.sides.iter().position(|side| side.turn == turn) else {
            return Ok(None);
        };
        let segment = tile * per_tile + self.segments.of_row(&self.layout, row);
        let stream = self.streams.of_segment(segment).filter(|_| tile < self.layout.tiles());
        let Some(stream) = stream else { return Ok(None) };
        let bytes = self.streams.bytes(stream);
        // The segments of a stream without bytes are all the likeliest.
        let all =
            if bytes.is_empty() { segment..segment + 1 } else { self.streams.segments(stream) };
        let mut decoder = Decoder::new(bytes);
        let last = |some: usize, side: usize| (some == segment && side == number).then_some(row);
        let base_end = if number == 0 { segment + 1 } else { all.end };
        scratch.before.clear();
        for some in all.start..base_end {
            self.read_base(scratch, &mut decoder, some, last(some, 0))?;
        }
        if number == 0 {
            return Ok(scratch.base.get(row, at.column.index()));
        }
        scratch.second.clear();
        for i in 0..scratch.before.len() {
            let some = self.read_second(scratch, &mut decoder, i, |some| last(some, 1));
            if some == segment {
                return Ok(scratch.second.get(row, at.column.index()));
            }
        }
        Ok(None)
    }

    /// Reads a segment of the base side and keeps it, unless nothing of it is
    /// stored.
    fn read_base(
        &self,
        scratch: &mut Scratch<'_>,
        decoder: &mut Decoder<'_>,
        segment: usize,
        last_row: Option<usize>,
    ) -> Result<(), PackError> {
        if self.read_segment(scratch, decoder, 0, segment, last_row) {
            scratch.before.push((segment, scratch.base.clone()));
        }
        check_segments(scratch.before.len())
    }

    /// Reads a segment of the second side, the base side's being kept; its
    /// number.
    fn read_second(
        &self,
        scratch: &mut Scratch<'_>,
        decoder: &mut Decoder<'_>,
        place: usize,
        last_row: impl Fn(usize) -> Option<usize>,
    ) -> usize {
        let (segment, base) = &mut scratch.before[place];
        let segment = *segment;
        std::mem::swap(&mut scratch.base, base);
        self.read_segment(scratch, decoder, 1, segment, last_row(segment));
        segment
    }

    /// Reads a segment, up to the row given or all of it; whether any of it is
    /// stored.
    fn read_segment(
        &self,
        scratch: &mut Scratch<'_>,
        decoder: &mut Decoder<'_>,
        number: usize,
        segment: usize,
        last_row: Option<usize>,
    ) -> bool {
        let side = &self.sides[number];
        let per_tile = self.segments.per_tile(&self.layout);
        let (own, other) = match number {
            0 => (&mut scratch.base, None),
            _ => (&mut scratch.second, Some(&scratch.base)),
        };
        own.clear();
        let Some(frame) = self.layout.frame(segment / per_tile) else { return false };
        let of = TileOf { layout: &self.layout, frame: &frame, turn: side.turn, other };
        let mut sink = Reading::new(&side.model.leaves, decoder);
        let rows = self.segments.rows(&self.layout, segment % per_tile);
        let last = last_row.and_then(|last| rows.iter().position(|&row| usize::from(row) == last));
        let rows = &rows[..last.map_or(rows.len(), |last| last + 1)];
        of.walk(&mut scratch.walkers[number], own, rows, &mut sink);
        true
    }

    /// Reads all segments of a stream: the tile, its rows that make up the
    /// segment, the base side's classes, the second side's (nothing where one
    /// side stands for both).
    ///
    /// # Errors
    /// If the stream does not end with its last segment.
    pub fn read_stream(
        &self,
        scratch: &mut Scratch<'_>,
        stream: usize,
        mut found: impl FnMut(usize, &[u8], &ClassTile, &ClassTile),
    ) -> Result<(), PackError> {
        let all = self.streams.segments(stream);
        let bytes = self.streams.bytes(stream);
        let mut decoder = Decoder::new(bytes);
        let per_tile = self.segments.per_tile(&self.layout);
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
                let rows = self.segments.rows(&self.layout, segment % per_tile);
                found(segment / per_tile, rows, &scratch.base, &scratch.second);
            }
        }
        decoder.end()
    }
}
