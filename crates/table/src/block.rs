//! One decoded block: what has been asked for so far.

use std::sync::OnceLock;

use molien_board::Color;

use crate::codec::{DepthContext, Malformed, SideValues};
use crate::compress::{Unpacker, bytes_to_symbols};
use crate::meta::Meta;
use crate::outcomes::{Outcomes, decode_base, decode_predicted};
use crate::shape::BlockShape;

/// What all blocks of a file share.
pub(crate) struct Shared {
    pub meta: Meta,
    pub unpackers: Vec<Unpacker>,
}

/// A block's values, decoded as they are asked for.
pub(crate) struct Block {
    pub shape: BlockShape,
    /// The streams, still compressed.
    streams: Vec<Box<[u8]>>,
    base_outcomes: OnceLock<Outcomes>,
    /// The predicted side's outcomes, and which hints win.
    predicted_outcomes: OnceLock<(Outcomes, Vec<bool>)>,
    depths: Vec<MetricDepths>,
}

/// The depths in one metric.
struct MetricDepths {
    base: OnceLock<Vec<u16>>,
    /// The predicted side's hints (as keys) and symbols by cell.
    symbols: OnceLock<(Vec<u16>, Vec<u16>)>,
    /// The predicted side's depths, tile by tile.
    tiles: Vec<OnceLock<Vec<u16>>>,
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
        let shape = BlockShape::new(&shared.meta.layout, number);
        let depths = || MetricDepths {
            base: OnceLock::new(),
            symbols: OnceLock::new(),
            tiles: shape.tiles.iter().map(|_| OnceLock::new()).collect(),
        };
        Block {
            streams: streams.iter().map(|&stream| stream.into()).collect(),
            base_outcomes: OnceLock::new(),
            predicted_outcomes: OnceLock::new(),
            depths: shared.meta.metrics.iter().map(|_| depths()).collect(),
            shape,
        }
    }

    fn base_outcomes(&self, shared: &Shared) -> Result<&Outcomes, Malformed> {
        once(&self.base_outcomes, || {
            let cells = self.shape.cells(shared.meta.layout.predicted.other());
            let bytes = shared.unpackers[0].unpack(&self.streams[0], cells.len().div_ceil(4))?;
            decode_base(self.shape.len, cells, &bytes)
        })
    }

    fn predicted_outcomes(&self, shared: &Shared) -> Result<&(Outcomes, Vec<bool>), Malformed> {
        once(&self.predicted_outcomes, || {
            let side = shared.meta.layout.predicted;
            let cells = self.shape.cells(side).len();
            let limit = self.shape.hints.div_ceil(8) + cells.div_ceil(4);
            let bytes = shared.unpackers[1].unpack(&self.streams[1], limit)?;
            let base = &self.base_outcomes(shared)?.of;
            decode_predicted(&self.shape, side, base, &bytes)
        })
    }

    /// The outcome of a cell with this side to move.
    pub fn outcome(&self, shared: &Shared, side: Color, cell: usize) -> Result<u8, Malformed> {
        Ok(self.outcomes(shared, side)?.of[cell])
    }

    fn outcomes(&self, shared: &Shared, side: Color) -> Result<&Outcomes, Malformed> {
        if side == shared.meta.layout.predicted {
            self.predicted_outcomes(shared).map(|(outcomes, _)| outcomes)
        } else {
            self.base_outcomes(shared)
        }
    }

    /// The depth of a decided cell in the metric stored at this place.
    pub fn depth(
        &self,
        shared: &Shared,
        metric: usize,
        side: Color,
        cell: usize,
    ) -> Result<u16, Malformed> {
        if side != shared.meta.layout.predicted {
            return Ok(self.base_depths(shared, metric)?[cell]);
        }
        let tile = self.shape.tile_of(cell).ok_or(Malformed("no such cell"))?;
        let depths = self.tile_depths(shared, metric, tile)?;
        let in_tile = cell - self.shape.tiles[tile].first_cell;
        depths.get(in_tile).copied().ok_or(Malformed("no such cell"))
    }

    /// The symbols of a stream of depths, their number checked.
    fn symbols(
        &self,
        shared: &Shared,
        metric: usize,
        context: &DepthContext<'_>,
        winning: &[bool],
    ) -> Result<Vec<u16>, Malformed> {
        let predicted = context.side == shared.meta.layout.predicted;
        let stream = 2 + 2 * metric + usize::from(predicted);
        let width = context.alphabet.width();
        let len = context.len(winning) * width;
        let bytes = shared.unpackers[stream].unpack(&self.streams[stream], len)?;
        if bytes.len() != len {
            return Err(Malformed("the number of depths is wrong"));
        }
        Ok(bytes_to_symbols(&bytes, width))
    }

    fn base_depths(&self, shared: &Shared, metric: usize) -> Result<&Vec<u16>, Malformed> {
        once(&self.depths[metric].base, || {
            let side = shared.meta.layout.predicted.other();
            let stored = &shared.meta.metrics[metric];
            let reference = stored.coding.reference.map(|other| self.base_depths(shared, other));
            let context = DepthContext {
                shape: &self.shape,
                side,
                outcomes: self.base_outcomes(shared)?,
                reference: reference.transpose()?.map(Vec::as_slice),
                alphabet: &stored.coding.alphabets[side.index()],
            };
            context.decode_base(&self.symbols(shared, metric, &context, &[])?)
        })
    }

    /// The predicted side's depths in one tile.
    pub fn tile_depths(
        &self,
        shared: &Shared,
        metric: usize,
        tile: usize,
    ) -> Result<&Vec<u16>, Malformed> {
        once(&self.depths[metric].tiles[tile], || {
            let side = shared.meta.layout.predicted;
            let stored = &shared.meta.metrics[metric];
            let (outcomes, winning) = self.predicted_outcomes(shared)?;
            let context = DepthContext {
                shape: &self.shape,
                side,
                outcomes,
                reference: None,
                alphabet: &stored.coding.alphabets[side.index()],
            };
            let (hints, by_cell) = once(&self.depths[metric].symbols, || {
                context.spread(&self.symbols(shared, metric, &context, winning)?, winning)
            })?;
            let reference =
                stored.coding.reference.map(|other| self.tile_depths(shared, other, tile));
            let reference = reference.transpose()?.map(Vec::as_slice);
            let base = SideValues {
                outcomes: &self.base_outcomes(shared)?.of,
                depths: self.base_depths(shared, metric)?,
            };
            context.decode_tile(&self.shape.tiles[tile], by_cell, base, hints, reference)
        })
    }

    /// Decodes everything.
    pub fn decode_all(&self, shared: &Shared) -> Result<(), Malformed> {
        self.predicted_outcomes(shared)?;
        for metric in (0..self.depths.len()).filter(|&i| shared.meta.metrics[i].coding.stored) {
            self.base_depths(shared, metric)?;
            for tile in 0..self.shape.tiles.len() {
                self.tile_depths(shared, metric, tile)?;
            }
        }
        Ok(())
    }
}
