//! Reading the depths of one side in one metric.

use std::sync::Arc;

use molien_board::Color;

use crate::classes::ClassTile;
use crate::depth::{Alphabet, KeyTile, SYMBOLS, UNKNOWN};
use crate::depth_tile::{DepthReading, DepthsOf, MAX_DEPTHS};
use crate::error::PackError;
use crate::layout::Layout;
use crate::model::Model;
use crate::question::{Question, Stage};
use crate::rans::Decoder;
use crate::read::{Streams, check_segments, take, take_number};
use crate::scan::Segments;
use crate::source::DepthTile;
use crate::walker::{Compiled, Walker};

/// The depths of a table with one side to move, read from bytes.
#[derive(Debug)]
pub struct Depths<'a> {
    layout: Arc<Layout>,
    turn: Color,
    segments: Segments,
    alphabet: Alphabet,
    model: Model,
    compiled: Compiled,
    streams: Streams<'a>,
}

/// What reading needs besides the bytes.
pub struct DepthScratch<'m> {
    walker: Walker<'m>,
    known: Box<KeyTile>,
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
            let most = u64::from(u16::MAX);
            if depth > most {
                return Err(PackError::Range { what: "a depth", most, found: depth });
            }
            alphabet.depths[sign].push(depth as u16);
        }
    }
    Ok(alphabet)
}

impl<'a> Depths<'a> {
    /// Takes depths from the front of the bytes; `earlier` as they were
    /// written.
    ///
    /// # Errors
    /// If the bytes are no depths of such a layout.
    pub fn read(
        bytes: &mut &'a [u8],
        layout: &Arc<Layout>,
        earlier: bool,
    ) -> Result<Depths<'a>, PackError> {
        let turn = match take_number(bytes, 1, "sides")? {
            0 => Color::White,
            1 => Color::Black,
            found => return Err(PackError::Range { what: "the side to move", most: 1, found }),
        };
        let segments = Segments::read(bytes)?;
        let alphabet = read_alphabet(bytes)?;
        let len = take_number(bytes, 4, "models")? as usize;
        let questions = Question::all(layout.men(), Stage::Depth { earlier });
        let model = Model::read(take(bytes, len, "models")?, questions, SYMBOLS)?;
        let compiled = Compiled::new(&model.tree, &model.questions, layout.men());
        let streams = Streams::read(bytes, layout.tiles() * segments.per_tile(layout))?;
        let layout = Arc::clone(layout);
        Ok(Depths { layout, turn, segments, alphabet, model, compiled, streams })
    }

    /// Working memory for reading.
    pub fn scratch(&self) -> DepthScratch<'_> {
        let known = Box::new([[UNKNOWN; 64]; 64]);
        DepthScratch { walker: Walker::new(&self.compiled), known }
    }

    /// The side to move.
    pub fn turn(&self) -> Color {
        self.turn
    }

    /// Number of streams.
    pub fn streams(&self) -> usize {
        self.streams.count()
    }

    /// Leaves of the tree.
    pub fn leaves(&self) -> usize {
        self.model.tree.leaves()
    }

    /// Depths in plies of a tile up to and with the segment of a row; `classes`
    /// and `earlier` give whole tiles with this side to move.
    ///
    /// # Errors
    /// If a depth does not occur, or the stream is longer than a stream may be.
    pub fn read_tile(
        &self,
        scratch: &mut DepthScratch<'_>,
        (tile, row): (usize, usize),
        mut classes: impl FnMut(usize, &mut ClassTile),
        mut earlier: impl FnMut(usize, &mut DepthTile) -> bool,
        out: &mut DepthTile,
    ) -> Result<(), PackError> {
        let per_tile = self.segments.per_tile(&self.layout);
        let wanted = tile * per_tile + self.segments.of_row(&self.layout, row);
        let Some(stream) = self.streams.of_segment(wanted) else { return Ok(()) };
        let bytes = self.streams.bytes(stream);
        let first = if bytes.is_empty() { wanted } else { self.streams.segments(stream).start };
        let mut decoder = Decoder::new(bytes);
        let mut room = Box::new([[0; 64]; 64]);
        let mut own = ClassTile::default();
        let mut count = 0;
        for segment in first..=wanted {
            classes(segment / per_tile, &mut own);
            let earlier = earlier(segment / per_tile, &mut room).then_some(&*room);
            count +=
                usize::from(self.read_segment(scratch, &mut decoder, segment, &own, earlier)?);
            check_segments(count)?;
        }
        self.plies(&scratch.known, out);
        Ok(())
    }

    /// Reads all segments of a stream.
    ///
    /// # Errors
    /// If a depth does not occur, or the stream does not end with its last
    /// segment.
    pub fn read_stream(
        &self,
        scratch: &mut DepthScratch<'_>,
        stream: usize,
        mut classes: impl FnMut(usize, &mut ClassTile),
        mut earlier: impl FnMut(usize, &mut DepthTile) -> bool,
        mut found: impl FnMut(usize, &[u8], &DepthTile),
    ) -> Result<(), PackError> {
        let per_tile = self.segments.per_tile(&self.layout);
        let mut decoder = Decoder::new(self.streams.bytes(stream));
        let mut room = Box::new([[0; 64]; 64]);
        let mut out = Box::new([[0; 64]; 64]);
        let mut own = ClassTile::default();
        for segment in self.streams.segments(stream) {
            let tile = segment / per_tile;
            classes(tile, &mut own);
            let earlier = earlier(tile, &mut room).then_some(&*room);
            if self.read_segment(scratch, &mut decoder, segment, &own, earlier)? {
                self.plies(&scratch.known, &mut out);
                found(tile, self.segments.rows(&self.layout, segment % per_tile), &out);
            }
        }
        decoder.end()
    }

    /// Whether any of the segment is stored.
    fn read_segment(
        &self,
        scratch: &mut DepthScratch<'_>,
        decoder: &mut Decoder<'_>,
        segment: usize,
        classes: &ClassTile,
        earlier: Option<&DepthTile>,
    ) -> Result<bool, PackError> {
        let per_tile = self.segments.per_tile(&self.layout);
        scratch.known.fill([UNKNOWN; 64]);
        let Some(frame) = self.layout.frame(segment / per_tile) else { return Ok(false) };
        let rows = self.segments.rows(&self.layout, segment % per_tile);
        let mut own = ClassTile::default();
        own.copy_rows(classes, rows);
        let of = DepthsOf {
            layout: &self.layout,
            frame: &frame,
            turn: self.turn,
            classes: &own,
            alphabet: &self.alphabet,
            earlier,
        };
        let mut sink = DepthReading::new(&self.model.leaves, &self.alphabet, decoder);
        of.walk(&mut scratch.walker, rows, &mut scratch.known, &mut sink);
        sink.error.map_or(Ok(true), Err)
    }

    /// Depths in plies from places; 0 where nothing is known.
    fn plies(&self, known: &KeyTile, out: &mut DepthTile) {
        for (out, key) in out.as_flattened_mut().iter_mut().zip(known.as_flattened()) {
            let depths = &self.alphabet.depths[usize::from(key & 1)];
            let depth = depths.get(usize::from(key >> 1)).copied().unwrap_or(0);
            *out = if *key == UNKNOWN { 0 } else { depth };
        }
    }
}
