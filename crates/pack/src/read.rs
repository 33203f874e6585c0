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
    /// The base side's segments of a stream.
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
        let segments = match take_number(bytes, 1, "segments")? {
            0 => Segments::Quarters,
            1 => Segments::Whole,
            found => return Err(PackError::Range { what: "the cut of tiles", most: 1, found }),
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

    /// The class of a stored cell: [`molien_values::Category`] as a number.
    /// `None` if the cell or the side is not stored.
    pub fn get(&self, scratch: &mut Scratch<'_>, at: Address, turn: Color) -> Option<u8> {
        let number = self.sides.iter().position(|side| side.turn == turn)?;
        let (per_tile, row) = (self.segments.per_tile(&self.layout), at.row.index());
        let tile = at.part * self.layout.tiles_per_part() + at.tile;
        let segment = tile * per_tile + self.segments.of_row(&self.layout, row);
        let stream = self.streams.of_segment(segment)?;
        let bytes = self.streams.bytes(stream);
        // The segments of a stream without bytes are all the likeliest.
        let first = if bytes.is_empty() { segment } else { self.streams.segments(stream).start };
        let all = first..if number == 0 || bytes.is_empty() {
            segment + 1
        } else {
            self.streams.segments(stream).end
        };
        let mut decoder = Decoder::new(bytes);
        scratch.before.clear();
        for some in all {
            let last = (number == 0 && some == segment).then_some(row);
            self.read_segment(scratch, &mut decoder, 0, some, last);
            scratch.before.push(scratch.base.clone());
        }
        if number == 0 {
            return scratch.base.get(row, at.column.index());
        }
        for (i, some) in (first..=segment).enumerate() {
            std::mem::swap(&mut scratch.base, &mut scratch.before[i]);
            let last = (some == segment).then_some(row);
            self.read_segment(scratch, &mut decoder, 1, some, last);
        }
        scratch.second.get(row, at.column.index())
    }

    /// Reads a segment, up to the row given or all of it.
    fn read_segment(
        &self,
        scratch: &mut Scratch<'_>,
        decoder: &mut Decoder<'_>,
        number: usize,
        segment: usize,
        last_row: Option<usize>,
    ) {
        let side = &self.sides[number];
        let per_tile = self.segments.per_tile(&self.layout);
        let (own, other) = match number {
            0 => (&mut scratch.base, None),
            _ => (&mut scratch.second, Some(&scratch.base)),
        };
        let Some(frame) = self.layout.frame(segment / per_tile) else { return own.clear() };
        let of = TileOf { layout: &self.layout, frame: &frame, turn: side.turn, other };
        let mut sink = Reading::new(&side.model.leaves, decoder);
        let rows = self.segments.rows(&self.layout, segment % per_tile);
        let last = last_row.and_then(|last| rows.iter().position(|&row| usize::from(row) == last));
        let rows = &rows[..last.map_or(rows.len(), |last| last + 1)];
        of.walk(&mut scratch.walkers[number], own, rows, &mut sink);
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
            let some = first..(first + step).min(all.end);
            for segment in some.clone() {
                self.read_segment(scratch, &mut decoder, 0, segment, None);
                scratch.before.push(scratch.base.clone());
            }
            for (i, segment) in some.enumerate() {
                std::mem::swap(&mut scratch.base, &mut scratch.before[i]);
                if self.sides.len() > 1 {
                    self.read_segment(scratch, &mut decoder, 1, segment, None);
                }
                let rows = self.segments.rows(&self.layout, segment % per_tile);
                found(segment / per_tile, rows, &scratch.base, &scratch.second);
            }
        }
        decoder.end()
    }
}
