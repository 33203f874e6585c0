//! Where the streams of a table begin and end.

use std::ops::Range;

use crate::chunk::CHUNK;
use crate::error::PackError;
use crate::index::read_rising;
use crate::layout::Layout;
use crate::read::take_number;

/// The most segments with stored cells that a stream with bytes may have: what is
/// read at once stays small, whatever a file says.
const MAX_STREAM_SEGMENTS: usize = 256;

pub(crate) fn check_segments(found: usize) -> Result<(), PackError> {
    let (most, found) = (MAX_STREAM_SEGMENTS as u64, found as u64);
    let what = "the number of segments of a stream";
    if found > most { Err(PackError::Range { what, most, found }) } else { Ok(()) }
}

/// The streams of a table. Their bytes are elsewhere.
#[derive(Debug)]
pub(crate) struct Streams {
    /// The first segment of each, rising.
    starts: Vec<u64>,
    ends: Vec<u64>,
    segments: u64,
    /// Segments of a part, and of a stretch of tiles of it.
    part: u64,
    stretch: u64,
}

impl Streams {
    /// Takes an index from the front of the bytes.
    pub fn read(bytes: &mut &[u8], layout: &Layout, per_tile: usize) -> Result<Streams, PackError> {
        let segments = (layout.tiles() * per_tile) as u64;
        let count = take_number(bytes, 4, "index")? as usize;
        let last = take_number(bytes, 8, "index")?;
        let len = take_number(bytes, 8, "index")?;
        if count as u64 > segments || last >= segments.max(1) {
            let (most, found) = (segments, last.max(count as u64));
            return Err(PackError::Range { what: "a segment in the index", most, found });
        }
        let starts = read_rising(bytes, count, last)?;
        let ends = read_rising(bytes, count, len)?;
        let (part, stretch) = (layout.tiles_per_part() * per_tile, CHUNK * per_tile);
        Ok(Streams { starts, ends, segments, part: part as u64, stretch: stretch as u64 })
    }

    pub fn count(&self) -> usize {
        self.starts.len()
    }

    pub fn data_len(&self) -> usize {
        self.ends.last().map_or(0, |&end| end as usize)
    }

    /// The stream a segment is in.
    pub fn of_segment(&self, segment: usize) -> Option<usize> {
        let stream = self.starts.partition_point(|&start| start <= segment as u64);
        stream.checked_sub(1).filter(|&stream| self.segments(stream).contains(&segment))
    }

    /// The streams that some segments are in.
    pub fn of_segments(&self, segments: Range<usize>) -> Range<usize> {
        let before = |segment: usize| self.starts.partition_point(|&s| s < segment as u64);
        let first = before(segments.start);
        let earlier = first.checked_sub(1);
        let reaches = |&stream: &usize| self.segments(stream).end > segments.start;
        earlier.filter(reaches).unwrap_or(first)..before(segments.end)
    }

    /// The segments of a stream. One with bytes ends at the latest where its
    /// stretch of tiles does.
    pub fn segments(&self, stream: usize) -> Range<usize> {
        let start = self.starts[stream];
        let next = self.starts.get(stream + 1).copied().unwrap_or(self.segments);
        if self.range(stream).is_empty() {
            return start as usize..next as usize;
        }
        let in_part = start % self.part.max(1);
        let stretch = (in_part / self.stretch + 1) * self.stretch;
        let end = start - in_part + stretch.min(self.part);
        start as usize..next.min(end) as usize
    }

    /// The segments of a stream, of one without bytes only those among others.
    pub fn part_of(&self, stream: usize, of: Range<usize>) -> Range<usize> {
        let all = self.segments(stream);
        match self.range(stream).is_empty() {
            true => all.start.max(of.start)..all.end.min(of.end),
            false => all,
        }
    }

    /// Where the bytes of a stream are.
    pub fn range(&self, stream: usize) -> Range<usize> {
        let start = stream.checked_sub(1).map_or(0, |before| self.ends[before]);
        start as usize..self.ends[stream] as usize
    }

    pub fn bytes<'a>(&self, data: &'a [u8], stream: usize) -> Result<&'a [u8], PackError> {
        data.get(self.range(stream)).ok_or(PackError::Short { part: "streams" })
    }
}
