//! The values of one material, read in the file's order and encoded.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use molien_board::Color;
use rayon::prelude::*;

use crate::TableError;
use crate::format::coding::{Coding, SeenDifferences};
use crate::format::compress::Packer;
use crate::format::file::encode_record;
use crate::format::layout::Layout;
use crate::format::predict::Room;
use crate::format::shape::BlockShape;
use crate::keys::key::{NONE_KEY, ValueKey};
use crate::write::solved::SolvedMetric;
use crate::write::spare::{HeldKeys, SpareKeys};
use crate::write::streams::{BlockKeys, Coder, raw_streams};
use crate::write::unwritable::Unwritable;

/// The same material solved in several metrics.
pub(crate) struct SolvedMaterial<'a> {
    pub metrics: Vec<SolvedMetric<'a>>,
    /// The king's moves are looked at in parts of at most this many cells.
    pub king_moves_cells: usize,
}

/// A block of all metrics, read on its own.
pub(crate) struct BlockSample {
    pub shape: BlockShape,
    base_after: Vec<Vec<ValueKey>>,
    own: Vec<Vec<ValueKey>>,
    best: Vec<Vec<ValueKey>>,
}

impl BlockSample {
    pub fn keys(&self) -> Vec<BlockKeys<'_>> {
        let all = self.base_after.iter().zip(&self.own).zip(&self.best);
        all.map(|((base_after, own), best)| BlockKeys { base_after, own, best: best.clone() })
            .collect()
    }

    /// The stored positions of both sides.
    pub fn positions(&self) -> usize {
        Color::BOTH.into_iter().map(|turn| self.shape.stored(turn).len).sum()
    }

    /// Adds the differences of a metric to another, base side to move.
    pub fn differences(&self, base: Color, metric: usize, from: usize, seen: &mut SeenDifferences) {
        for cell in self.shape.cells(base) {
            let key = |metric: usize| crate::keys::key::before(self.base_after[metric][cell]);
            seen.add(key(metric), key(from));
        }
    }
}

impl SolvedMaterial<'_> {
    /// Reads a range of cells of a part.
    fn read(
        &self,
        layout: &Layout,
        part: usize,
        metric: usize,
        side: Color,
        cells: Range<usize>,
    ) -> Result<Vec<ValueKey>, TableError> {
        let mut keys = vec![NONE_KEY; cells.len()];
        self.metrics[metric].read(layout, part, side, cells.start, &mut keys)?;
        Ok(keys)
    }

    /// Reads some blocks, best next to each other, in some of the metrics,
    /// neighbours included.
    ///
    /// # Errors
    /// If the values cannot be read.
    pub fn samples(
        &self,
        layout: &Layout,
        blocks: &[usize],
        metrics: &[usize],
    ) -> Result<Vec<BlockSample>, TableError> {
        let tiles = Tiles::new(self, layout);
        let samples = blocks.iter().map(|&block| tiles.sample(block, metrics)).collect();
        match tiles.failed.into_inner() {
            None => Ok(samples),
            Some(error) => Err(error),
        }
    }
}

/// Which stretch of tiles: part, metric, side to move, number.
type Stretch = (usize, usize, Color, usize);

/// Reads single tiles, each stretch that is read together once.
struct Tiles<'a> {
    source: &'a SolvedMaterial<'a>,
    layout: &'a Layout,
    /// Tiles in a stretch.
    together: usize,
    known: RefCell<HashMap<Stretch, Vec<ValueKey>>>,
    failed: RefCell<Option<TableError>>,
}

impl<'a> Tiles<'a> {
    fn new(source: &'a SolvedMaterial<'a>, layout: &'a Layout) -> Tiles<'a> {
        let together = source.metrics.first().map_or(1, |first| first.tiles_together(layout));
        let together = together.min(layout.tiles_per_part());
        Tiles { source, layout, together, known: RefCell::default(), failed: RefCell::default() }
    }

    /// The keys of a tile; nothing if they cannot be read, which is noted.
    fn tile(&self, part: usize, metric: usize, side: Color, tile: usize) -> Vec<ValueKey> {
        let tile_cells = self.layout.tile_cells();
        let (number, start) = (tile / self.together, tile % self.together * tile_cells);
        let mut known = self.known.borrow_mut();
        let keys = known.entry((part, metric, side, number)).or_insert_with(|| {
            let first = number * self.together * tile_cells;
            let cells = first..first + self.together * tile_cells;
            let read = self.source.read(self.layout, part, metric, side, cells.clone());
            read.unwrap_or_else(|error| {
                *self.failed.borrow_mut() = Some(error);
                vec![NONE_KEY; cells.len()]
            })
        });
        keys[start..start + tile_cells].to_vec()
    }

    fn sample(&self, block: usize, metrics: &[usize]) -> BlockSample {
        let shape = BlockShape::new(self.layout, block);
        let (part, numbers) = self.layout.block_tiles(block);
        let (side, tile_cells) = (self.layout.predicted, self.layout.tile_cells());
        let whole = |side: Color| -> Vec<Vec<ValueKey>> {
            let tiles = |&metric: &usize| -> Vec<ValueKey> {
                numbers.clone().flat_map(|tile| self.tile(part, metric, side, tile)).collect()
            };
            metrics.iter().map(tiles).collect()
        };
        let mut room = Room::new();
        let best = |&metric: &usize| {
            let look = |tile: usize| Cow::Owned(self.tile(part, metric, !side, tile));
            let mut best = vec![NONE_KEY; shape.len];
            for tile in &shape.tiles {
                room.predict(self.layout, tile, &look);
                best[tile.range()].copy_from_slice(&room.best.as_flattened()[..tile_cells]);
            }
            best
        };
        let best = metrics.iter().map(best).collect();
        let (base_after, own) = (whole(!side), whole(side));
        BlockSample { shape, base_after, own, best }
    }
}

/// What a thread needs to encode blocks.
struct Kit {
    packers: Vec<Packer<'static>>,
    coders: Vec<Coder>,
    room: Room,
}

/// Encodes all blocks of a file.
pub(crate) struct BlockEncoder<'a> {
    pub source: &'a SolvedMaterial<'a>,
    pub layout: &'a Layout,
    pub codings: &'a [Coding],
    pub dictionaries: &'a [Vec<u8>],
    pub level: i32,
    /// Cells whose values are held at a time, in all metrics together.
    pub room_cells: usize,
    /// Whether there is room to get the next parts ready while some are encoded.
    pub looks_ahead: bool,
    kits: Mutex<Vec<Kit>>,
    spare: SpareKeys,
}

/// The values of the base side in some cells of a part, in each metric.
struct Held<'e> {
    first: usize,
    base_after: Vec<HeldKeys<'e>>,
}

impl<'a> BlockEncoder<'a> {
    pub fn new(
        source: &'a SolvedMaterial<'a>,
        layout: &'a Layout,
        codings: &'a [Coding],
        dictionaries: &'a [Vec<u8>],
        level: i32,
    ) -> BlockEncoder<'a> {
        let kits = Mutex::new(Vec::new());
        BlockEncoder {
            source,
            layout,
            codings,
            dictionaries,
            level,
            room_cells: 1 << 27,
            looks_ahead: false,
            kits,
            spare: SpareKeys::default(),
        }
    }

    fn kit(&self) -> Result<Kit, Unwritable> {
        let used = self.kits.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some(kit) = used {
            return Ok(kit);
        }
        let packers = self.dictionaries.iter().map(|bytes| Packer::new(self.level, bytes));
        let coder = |coding: &Coding| Coder::new(coding, self.layout.predicted);
        Ok(Kit {
            packers: packers.collect::<Result<_, _>>()?,
            coders: self.codings.iter().map(coder).collect(),
            room: Room::new(),
        })
    }

    /// Cells that keep all threads busy: a part each, or as many small ones as usual.
    pub fn cells_worth_holding(&self) -> usize {
        self.room_cells.max(rayon::current_num_threads() * self.part_cells())
    }

    fn part_cells(&self) -> usize {
        self.layout.tiles_per_part() * self.layout.tile_cells()
    }

    /// The cells of a chunk: what is read and encoded at a time. Whole
    /// blocks, and whole words of the hyperboard.
    fn chunk_cells(&self) -> usize {
        let block = self.layout.tiles_per_block * self.layout.tile_cells();
        block.max(1 << (6 * self.layout.men.len().min(3)))
    }

    fn hold(&self, part: usize, cells: Range<usize>) -> Result<Held<'_>, TableError> {
        let (side, step) = (!self.layout.predicted, self.chunk_cells());
        let read = |metric: &SolvedMetric<'_>| {
            let mut keys = self.spare.take(cells.len());
            keys.par_chunks_mut(step).enumerate().try_for_each(|(i, keys)| {
                metric.read(self.layout, part, side, cells.start + i * step, keys)
            })?;
            Ok(keys)
        };
        let base_after = self.source.metrics.iter().map(read).collect::<Result<_, _>>()?;
        Ok(Held { first: cells.start, base_after })
    }

    fn chunks(&self) -> Vec<Range<usize>> {
        let (cells, step) = (self.part_cells(), self.chunk_cells());
        (0..cells).step_by(step).map(|first| first..(first + step).min(cells)).collect()
    }

    /// The part and its chunk a block lies in.
    fn chunk_of(&self, block: usize) -> (usize, usize) {
        let block_cells = self.layout.tiles_per_block * self.layout.tile_cells();
        let per_part = self.layout.blocks_per_part();
        (block / per_part, block % per_part / (self.chunk_cells() / block_cells))
    }

    /// The first block of the chunk a block lies in: where encoding can begin.
    pub fn beginning(&self, block: usize) -> usize {
        let block_cells = self.layout.tiles_per_block * self.layout.tile_cells();
        let (part, chunk) = self.chunk_of(block);
        part * self.layout.blocks_per_part() + chunk * (self.chunk_cells() / block_cells)
    }

    /// Encodes all blocks from `first` on, the beginning of a chunk, and hands
    /// their records over in order.
    pub fn encode(
        &self,
        first: usize,
        mut sink: impl FnMut(Vec<u8>) -> Result<(), Unwritable>,
    ) -> Result<(), Unwritable> {
        let (first_part, first_chunk) = self.chunk_of(first);
        let parts: Vec<usize> = (first_part..self.layout.placements.len()).collect();
        let all = self.chunks();
        let chunks = |part: usize| &all[if part == first_part { first_chunk } else { 0 }..];
        if !self.layout.king_moves {
            // Nothing outside a chunk is looked at. Parts can be of one chunk:
            // those of several are worked on together.
            let of_part = |&part: &usize| chunks(part).iter().map(move |chunk| (part, chunk));
            let pairs: Vec<(usize, &Range<usize>)> = parts.iter().flat_map(of_part).collect();
            let at_once = (self.room_cells / self.chunk_cells()).max(1);
            for (i, some) in pairs.chunks(at_once).enumerate() {
                let alone = |&(part, chunk): &(usize, &Range<usize>)| {
                    self.encode_chunk(part, chunk.clone(), &self.hold(part, chunk.clone())?)
                };
                let next = pairs.iter().skip((i + 1) * at_once).take(at_once);
                let mut next: Vec<usize> = next.map(|(part, _)| *part).collect();
                next.dedup();
                let encode = || some.par_iter().map(alone).collect::<Result<Vec<_>, Unwritable>>();
                let records = self.while_looking_ahead(&next, encode)?;
                records.into_iter().flatten().try_for_each(&mut sink)?;
            }
            return Ok(());
        }
        let at_once = (self.room_cells / self.part_cells()).max(1);
        for (i, some) in parts.chunks(at_once).enumerate() {
            let part = |&part: &usize| -> Result<Vec<Vec<Vec<u8>>>, Unwritable> {
                let held = self.hold(part, 0..self.part_cells())?;
                let chunks = chunks(part).par_iter();
                chunks.map(|chunk| self.encode_chunk(part, chunk.clone(), &held)).collect()
            };
            let next: Vec<usize> =
                parts.iter().skip((i + 1) * at_once).take(at_once).copied().collect();
            let encode = || some.par_iter().map(part).collect::<Result<Vec<_>, Unwritable>>();
            let records = self.while_looking_ahead(&next, encode)?;
            records.into_iter().flatten().flatten().try_for_each(&mut sink)?;
        }
        Ok(())
    }

    /// Encodes something while the parts that come next are read, if there is room for
    /// them: a part is brought back by one thread, and who needs it would wait.
    fn while_looking_ahead<T: Send>(&self, next: &[usize], encode: impl FnOnce() -> T + Send) -> T {
        if !self.looks_ahead {
            return encode();
        }
        let read = |&part: &usize| self.source.metrics.iter().for_each(|m| m.look_ahead(part));
        rayon::join(encode, || next.par_iter().for_each(read)).0
    }

    /// The records of the blocks in some cells of a part.
    fn encode_chunk(
        &self,
        part: usize,
        cells: Range<usize>,
        held: &Held<'_>,
    ) -> Result<Vec<Vec<u8>>, Unwritable> {
        let own = |metric: &SolvedMetric<'_>| {
            let mut keys = self.spare.take(cells.len());
            metric.read(self.layout, part, self.layout.predicted, cells.start, &mut keys)?;
            Ok(keys)
        };
        let own = self.source.metrics.iter().map(own).collect::<Result<Vec<_>, TableError>>()?;
        let block_cells = self.layout.tiles_per_block * self.layout.tile_cells();
        let mut kit = self.kit()?;
        let mut raw = Vec::new();
        for first in cells.clone().step_by(block_cells) {
            let number = part * self.layout.blocks_per_part() + first / block_cells;
            let own: Vec<&[ValueKey]> =
                own.iter().map(|keys| &keys[first - cells.start..]).collect();
            raw.push(self.raw_block(number, first, &own, held, &mut kit)?);
        }
        let first = part * self.layout.blocks_per_part() + cells.start / block_cells;
        let packed = pack_blocks(&raw, &mut kit.packers)?.into_iter().enumerate();
        let record = |(i, streams): (usize, Vec<Vec<u8>>)| {
            let record = encode_record(&streams, (first + i) as u64);
            record.ok_or_else(|| io::Error::other("a stream is too long"))
        };
        let records = packed.map(record).collect::<io::Result<_>>()?;
        self.kits.lock().unwrap_or_else(PoisonError::into_inner).push(kit);
        Ok(records)
    }

    fn raw_block(
        &self,
        number: usize,
        first: usize,
        own: &[&[ValueKey]],
        held: &Held<'_>,
        kit: &mut Kit,
    ) -> Result<Vec<Vec<u8>>, Unwritable> {
        let shape = BlockShape::new(self.layout, number);
        let tile_cells = self.layout.tile_cells();
        let mut metrics = Vec::with_capacity(own.len());
        for (own, base_after) in own.iter().zip(&held.base_after) {
            let look = |tile: usize| {
                let start = tile * tile_cells - held.first;
                Cow::Borrowed(&base_after[start..start + tile_cells])
            };
            let mut best = vec![NONE_KEY; shape.len];
            for tile in &shape.tiles {
                kit.room.predict(self.layout, tile, &look);
                best[tile.range()].copy_from_slice(&kit.room.best.as_flattened()[..tile_cells]);
            }
            let start = first - held.first;
            let base_after = &base_after[start..start + shape.len];
            metrics.push(BlockKeys { base_after, own: &own[..shape.len], best });
        }
        raw_streams(self.layout, &shape, &mut metrics, &mut kit.coders)
    }
}

/// The packed streams of some blocks. All of one kind come one after the other: what
/// their packer looks up stays near the processor.
fn pack_blocks(
    raw: &[Vec<Vec<u8>>],
    packers: &mut [Packer<'static>],
) -> io::Result<Vec<Vec<Vec<u8>>>> {
    let mut packed: Vec<Vec<Vec<u8>>> =
        raw.iter().map(|streams| Vec::with_capacity(streams.len())).collect();
    for (stream, packer) in packers.iter_mut().enumerate() {
        for (packed, raw) in packed.iter_mut().zip(raw) {
            packed.push(packer.pack(&raw[stream])?);
        }
    }
    Ok(packed)
}

/// The differences of a metric to another that occur at all, base side to
/// move.
///
/// # Errors
/// If the values cannot be read.
pub(crate) fn all_differences(
    source: &SolvedMaterial<'_>,
    layout: &Layout,
    metric: usize,
    from: usize,
) -> Result<SeenDifferences, TableError> {
    let cells = layout.tiles_per_part() * layout.tile_cells();
    let step = (1 << (6 * layout.men.len().min(3))).min(cells);
    let starts = cells.div_ceil(step);
    let stretches = (0..layout.placements.len() * starts).into_par_iter();
    let add = |mut seen: SeenDifferences, number: usize| {
        let (part, first) = (number / starts, number % starts * step);
        let read = |metric: usize| {
            let cells = first..(first + step).min(cells);
            source.read(layout, part, metric, !layout.predicted, cells)
        };
        for (key, reference) in read(metric)?.into_iter().zip(read(from)?) {
            if key != NONE_KEY {
                seen.add(crate::keys::key::before(key), crate::keys::key::before(reference));
            }
        }
        Ok(seen)
    };
    let new = SeenDifferences::new;
    stretches.try_fold(new, add).try_reduce(new, |a, b| Ok(a.absorb(&b)))
}
