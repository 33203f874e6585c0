//! Segments joined to streams, and the index of the streams.

use crate::index::write_rising;
use crate::learn::BIT;
use crate::profile::Profile;
use crate::rans::encode;
use crate::tile::symbol_bits;

/// Joins segments to streams.
pub(crate) struct StreamBuilder {
    profile: Profile,
    /// The most segments of a stream.
    most: usize,
    done: Vec<(usize, Vec<u8>)>,
    first: usize,
    segments: usize,
    bits: u64,
    /// The symbols of the open stream, by side: none if all are the likeliest.
    symbols: Vec<Vec<(u16, u16)>>,
}

impl StreamBuilder {
    /// Streams of tiles with so many rows: small tiles make small segments.
    pub fn new(profile: Profile, rows: usize, sides: usize) -> StreamBuilder {
        let (symbols, most) = (vec![Vec::new(); sides], profile.stream_segments * 64 / rows);
        StreamBuilder { profile, most, done: Vec::new(), first: 0, segments: 0, bits: 0, symbols }
    }

    /// Adds a segment. If all its symbols are the likeliest, it needs no bytes;
    /// any number of such segments make one stream.
    pub fn push(&mut self, segment: usize, symbols: Vec<Vec<(u16, u16)>>) {
        let empty = symbols.iter().flatten().all(|symbol| symbol.0 == 0);
        let done = if self.is_empty() { !empty } else { self.is_full() };
        if self.segments > 0 && done {
            self.close();
        }
        if self.segments == 0 {
            self.first = segment;
        }
        self.segments += 1;
        if empty && self.is_empty() {
            return;
        }
        for (all, symbols) in self.symbols.iter_mut().zip(symbols) {
            self.bits += symbol_bits(&symbols);
            all.extend(symbols);
        }
    }

    fn is_full(&self) -> bool {
        self.segments >= self.most || self.bits >= self.profile.stream_bytes as u64 * 8 * BIT
    }

    fn is_empty(&self) -> bool {
        self.symbols.iter().all(Vec::is_empty)
    }

    fn close(&mut self) {
        self.done.push((self.first, encode(self.symbols.iter().flatten())));
        self.symbols.iter_mut().for_each(Vec::clear);
        (self.segments, self.bits) = (0, 0);
    }

    pub fn finish(mut self) -> Vec<(usize, Vec<u8>)> {
        if self.segments > 0 {
            self.close();
        }
        self.done
    }
}

/// Streams without bytes need not be told apart from each other.
pub(crate) fn join_empty(streams: Vec<(usize, Vec<u8>)>) -> Vec<(usize, Vec<u8>)> {
    let mut joined: Vec<(usize, Vec<u8>)> = Vec::new();
    for stream in streams {
        let after_empty = joined.last().is_none_or(|last| last.1.is_empty());
        if !(stream.1.is_empty() && after_empty && !joined.is_empty()) {
            joined.push(stream);
        }
    }
    joined
}

pub(crate) fn write_streams(streams: &[(usize, Vec<u8>)], bytes: &mut Vec<u8>) {
    let starts: Vec<u64> = streams.iter().map(|stream| stream.0 as u64).collect();
    let mut end = 0;
    let ends: Vec<u64> = streams
        .iter()
        .map(|stream| {
            end += stream.1.len() as u64;
            end
        })
        .collect();
    bytes.extend((streams.len() as u32).to_le_bytes());
    bytes.extend(starts.last().copied().unwrap_or(0).to_le_bytes());
    bytes.extend(end.to_le_bytes());
    bytes.extend(write_rising(&starts));
    bytes.extend(write_rising(&ends));
    streams.iter().for_each(|stream| bytes.extend(&stream.1));
}
