//! One decoded block: what has been asked for so far.

use std::sync::OnceLock;

use molien_board::Color;

use crate::codec::{
    DepthContext, Malformed, SideValues, decode_base_outcomes, decode_predicted_outcomes,
};
use crate::compress::{Unpacker, bytes_to_symbols};
use crate::meta::Meta;
use crate::shape::BlockShape;

/// A block's values, decoded as they are asked for.
pub(crate) struct Block {
    shape: BlockShape,
    /// The streams, still compressed.
    streams: Vec<Box<[u8]>>,
    base_outcomes: OnceLock<Vec<u8>>,
    /// The predicted side's outcomes and those of its hints.
    predicted_outcomes: OnceLock<(Vec<u8>, Vec<u8>)>,
    /// By metric: base side, predicted side.
    depths: Vec<[OnceLock<Vec<u16>>; 2]>,
}

/// What all blocks of a file share.
pub(crate) struct Shared {
    pub meta: Meta,
    pub unpackers: Vec<Unpacker>,
}

/// Fills a cell once. Two threads may compute the same; one result stays.
fn once<T>(
    cell: &OnceLock<T>,
    compute: impl FnOnce() -> Result<T, Malformed>,
) -> Result<&T, Malformed> {
    if let Some(value) = cell.get() {
        return Ok(value);
    }
    let value = compute()?;
    Ok(cell.get_or_init(|| value))
}

impl Block {
    pub fn new(shared: &Shared, number: usize, streams: &[&[u8]]) -> Block {
        Block {
            shape: BlockShape::new(&shared.meta.layout, number),
            streams: streams.iter().map(|&stream| stream.into()).collect(),
            base_outcomes: OnceLock::new(),
            predicted_outcomes: OnceLock::new(),
            depths: shared.meta.metrics.iter().map(|_| Default::default()).collect(),
        }
    }

    pub fn shape(&self) -> &BlockShape {
        &self.shape
    }

    fn base_outcomes(&self, shared: &Shared) -> Result<&Vec<u8>, Malformed> {
        once(&self.base_outcomes, || {
            let base = shared.meta.layout.predicted.other();
            let cells = &self.shape.cells[base.index()];
            let bytes = shared.unpackers[0].unpack(&self.streams[0], cells.len().div_ceil(4))?;
            decode_base_outcomes(self.shape.len, cells, &bytes)
        })
    }

    fn predicted_outcomes(&self, shared: &Shared) -> Result<&(Vec<u8>, Vec<u8>), Malformed> {
        once(&self.predicted_outcomes, || {
            let side = shared.meta.layout.predicted;
            let cells = self.shape.cells[side.index()].len();
            let limit = self.shape.hints().div_ceil(4) + cells.div_ceil(4);
            let bytes = shared.unpackers[1].unpack(&self.streams[1], limit)?;
            decode_predicted_outcomes(&self.shape, side, self.base_outcomes(shared)?, &bytes)
        })
    }

    /// The outcomes of a side to move.
    pub fn outcomes(&self, shared: &Shared, side: Color) -> Result<&[u8], Malformed> {
        if side == shared.meta.layout.predicted {
            self.predicted_outcomes(shared).map(|(outcomes, _)| outcomes.as_slice())
        } else {
            self.base_outcomes(shared).map(Vec::as_slice)
        }
    }

    /// The depths of a side to move in the metric stored at this place.
    pub fn depths(&self, shared: &Shared, metric: usize, side: Color) -> Result<&[u16], Malformed> {
        let predicted = side == shared.meta.layout.predicted;
        let cell = &self.depths[metric][usize::from(predicted)];
        once(cell, || self.decode_depths(shared, metric, side)).map(Vec::as_slice)
    }

    fn decode_depths(
        &self,
        shared: &Shared,
        metric: usize,
        side: Color,
    ) -> Result<Vec<u16>, Malformed> {
        let stored = &shared.meta.metrics[metric];
        let reference =
            stored.reference.map(|other| self.depths(shared, other, side)).transpose()?;
        let alphabet = &stored.alphabets[side.index()];
        let outcomes = self.outcomes(shared, side)?;
        let context = DepthContext { shape: &self.shape, side, outcomes, reference, alphabet };
        let predicted = side == shared.meta.layout.predicted;
        let hints: &[u8] = if predicted { &self.predicted_outcomes(shared)?.1 } else { &[] };
        let stream = 2 + 2 * metric + usize::from(predicted);
        let width = alphabet.width();
        let limit = context.len(hints) * width;
        let bytes = shared.unpackers[stream].unpack(&self.streams[stream], limit)?;
        if bytes.len() != limit {
            return Err(Malformed("the number of depths is wrong"));
        }
        let symbols = bytes_to_symbols(&bytes, width);
        if !predicted {
            return context.decode_base(&symbols);
        }
        let base = side.other();
        let values = SideValues {
            outcomes: self.outcomes(shared, base)?,
            depths: self.depths(shared, metric, base)?,
        };
        context.decode_predicted(&symbols, &values, hints)
    }
}
