//! Reading the depths of one side in one metric.

use std::ops::Range;
use std::sync::Arc;

use molien_board::Color;

use crate::classes::ClassTile;
use crate::depth::{Alphabet, MAX_DEPTH};
use crate::depth_model::{DepthLeaves, DepthTrees, read_models};
use crate::depth_tile::{DepthReading, DepthRoom, DepthsOf, MAX_DEPTHS, rows_of};
use crate::error::PackError;
use crate::layout::Layout;
use crate::question::{Question, Stage};
use crate::rans::Decoder;
use crate::read::{Reach, take_number};
use crate::scan::{Segments, upto};
use crate::source::DepthTile;
use crate::stream_index::{Streams, check_segments};

/// The depths of a table with one side to move: model and index, read from
/// bytes. The bytes of the streams follow those, as with
/// [`Classes`](crate::Classes).
#[derive(Debug)]
pub struct Depths {
    layout: Arc<Layout>,
    turn: Color,
    segments: Segments,
    alphabet: Alphabet,
    trees: DepthTrees,
    leaves: DepthLeaves,
    streams: Streams,
}

/// What reading needs besides the bytes. It serves any table.
pub struct DepthScratch {
    room: DepthRoom,
    classes: ClassTile,
}

impl Default for DepthScratch {
    fn default() -> DepthScratch {
        DepthScratch { room: DepthRoom::new(), classes: ClassTile::default() }
    }
}

/// What has to be known of a tile before its depths are read.
pub trait Known {
    /// The classes of the whole tile with this side to move.
    fn classes(&mut self, tile: usize) -> &ClassTile;

    /// Its depths in the earlier metric, if depths were written with one.
    fn earlier(&mut self, tile: usize) -> Option<&DepthTile>;
}

fn read_alphabet(bytes: &mut &[u8]) -> Result<Alphabet, PackError> {
    const PART: &str = "depths that occur";
    let mut alphabet = Alphabet::default();
    for sign in 0..2 {
        let count = take_number(bytes, 2, PART)?;
        if count > MAX_DEPTHS as u64 {
            let most = MAX_DEPTHS as u64;
            return Err(PackError::Range { what: "the number of depths", most, found: count });
        }
        let start = take_number(bytes, 2, PART)?;
        if start > count.saturating_sub(1) {
            let most = count.saturating_sub(1);
            return Err(PackError::Range { what: "the first place", most, found: start });
        }
        alphabet.start[sign] = start as u16;
        let mut depth = 0;
        for _ in 0..count {
            let step = match take_number(bytes, 1, PART)? {
                0xff => take_number(bytes, 2, PART)?,
                step => step,
            };
            depth += step;
            let most = u64::from(MAX_DEPTH);
            if depth > most {
                return Err(PackError::Range { what: "a depth", most, found: depth });
            }
            alphabet.depths[sign].push(depth as u16);
        }
    }
    Ok(alphabet)
}

impl Depths {
    /// Takes depths from the front of the bytes; `earlier` as they were
    /// written.
    ///
    /// # Errors
    /// If the bytes are no depths of such a layout.
    pub fn read(
        bytes: &mut &[u8],
        layout: &Arc<Layout>,
        earlier: bool,
    ) -> Result<Depths, PackError> {
        let turn = match take_number(bytes, 1, "sides")? {
            0 => Color::White,
            1 => Color::Black,
            found => return Err(PackError::Range { what: "the side to move", most: 1, found }),
        };
        let segments = Segments::read(bytes)?;
        let alphabet = read_alphabet(bytes)?;
        let questions = Question::all(layout.men(), Stage::Depth { earlier });
        let (trees, leaves) = read_models(bytes, &questions, layout.men())?;
        let streams = Streams::read(bytes, layout, segments.per_tile(layout))?;
        let layout = Arc::clone(layout);
        Ok(Depths { layout, turn, segments, alphabet, trees, leaves, streams })
    }

    /// The side to move.
    pub fn turn(&self) -> Color {
        self.turn
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

    /// The tiles whose classes have to be known to read a row of a tile.
    pub fn tiles_before(&self, tile: usize, row: usize) -> Range<usize> {
        let stream = self.stream_of(tile, row);
        let stream = stream.filter(|&stream| !self.range(stream).is_empty());
        let first =
            stream.map_or(tile, |stream| self.streams.segments(stream).start / self.per_tile());
        first..tile + 1
    }

    fn per_tile(&self) -> usize {
        self.segments.per_tile(&self.layout)
    }

    /// Leaves of both trees.
    pub fn leaves(&self) -> usize {
        self.trees.near.leaves_len() + self.trees.far.leaves_len()
    }

    /// Depths in plies of a row of a tile, and of what is coded before it or with
    /// it; `classes` and `earlier` give whole tiles with this side to move.
    /// Returns the rows that are read, as a set.
    ///
    /// # Errors
    /// If a depth does not occur, or the stream is longer than a stream may be.
    pub fn read_rows(
        &self,
        scratch: &mut DepthScratch,
        data: &[u8],
        (tile, row): (usize, usize),
        reach: Reach,
        known: &mut dyn Known,
        out: &mut DepthTile,
    ) -> Result<u64, PackError> {
        let wanted = tile * self.per_tile() + self.segments.of_row(&self.layout, row);
        let Some(stream) = self.streams.of_segment(wanted) else { return Ok(!0) };
        let bytes = self.streams.bytes(data, stream)?;
        let first = if bytes.is_empty() { wanted } else { self.streams.segments(stream).start };
        let mut decoder = Decoder::new(bytes);
        let stop = reach.stop(row);
        let mut count = 0;
        for segment in first..=wanted {
            let last = stop.filter(|_| segment == wanted);
            let read = self.read_segment(scratch, &mut decoder, (segment, last), known, out)?;
            count += usize::from(read);
            check_segments(count)?;
        }
        Ok(self.rows(wanted, stop).iter().fold(0, |set, row| set | 1 << row))
    }

    /// Reads the segments of a stream that lie in some tiles (those of a stream
    /// with bytes all).
    ///
    /// # Errors
    /// If a depth does not occur, or the stream does not end with its last
    /// segment.
    pub fn read_stream(
        &self,
        scratch: &mut DepthScratch,
        data: &[u8],
        (stream, tiles): (usize, Range<usize>),
        known: &mut dyn Known,
        mut found: impl FnMut(usize, &[u8], &DepthTile),
    ) -> Result<(), PackError> {
        let per_tile = self.per_tile();
        let mut decoder = Decoder::new(self.streams.bytes(data, stream)?);
        let mut out = Box::new([[0; 64]; 64]);
        let of = tiles.start * per_tile..tiles.end * per_tile;
        for segment in self.streams.part_of(stream, of) {
            if self.read_segment(scratch, &mut decoder, (segment, None), known, &mut out)? {
                found(segment / per_tile, self.rows(segment, None), &out);
            }
        }
        decoder.end()
    }

    /// The rows of a segment in order, up to the row given or all of them.
    fn rows(&self, segment: usize, last_row: Option<usize>) -> &'static [u8] {
        upto(self.segments.rows(&self.layout, segment % self.per_tile()), last_row)
    }

    /// Reads the depths of a segment, up to the row given or all of them: 0 where
    /// there is none. Whether any of the segment is stored.
    fn read_segment(
        &self,
        scratch: &mut DepthScratch,
        decoder: &mut Decoder<'_>,
        (segment, last_row): (usize, Option<usize>),
        known: &mut dyn Known,
        out: &mut DepthTile,
    ) -> Result<bool, PackError> {
        out.fill([0; 64]);
        let tile = segment / self.per_tile();
        let Some(frame) = self.layout.frame(tile) else { return Ok(false) };
        let DepthScratch { room, classes } = scratch;
        classes.clear();
        classes.copy_rows(known.classes(tile), self.rows(segment, None));
        let of = DepthsOf {
            layout: &self.layout,
            frame: &frame,
            turn: self.turn,
            rows: rows_of(self.rows(segment, None)),
            classes,
            alphabet: &self.alphabet,
            earlier: known.earlier(tile),
        };
        let model = (&self.trees, &self.leaves);
        let mut sink = DepthReading::new(model, &self.alphabet, decoder, out);
        of.walk(&self.trees.asked, self.rows(segment, last_row), room, &mut sink);
        sink.error.map_or(Ok(true), Err)
    }
}
