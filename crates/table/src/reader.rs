//! Reading tables.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use molien_board::{Man, Material, Position, Role, Square, attacks};
use molien_values::{Metric, Outcome, Stats, Value};
use rayon::prelude::*;

use crate::TableError;
use crate::block::{Block, Shared};
use crate::cache::Cache;
use crate::coding::Malformed;
use crate::compress::Unpacker;
use crate::decode::PartDecoder;
use crate::file::{
    HEAD_LEN, Head, MAGIC, OLDEST_VERSION, SUM_LEN, VERSION, head_sum, record_sum, records_sum,
    split_record,
};
use crate::key::{DRAW, Key, NONE_KEY, WIN, after, outcome, plies};
use crate::layout::Address;
use crate::meta::Meta;
use crate::mmap::Mapped;

/// Decoded blocks kept by default: at most some 80 MiB.
const CACHED_BLOCKS: usize = 512;

/// The longest description, in bytes: placements of eight men's pawns and more.
const MAX_META_LEN: u32 = 256 << 20;

/// An open table: all values of one material, in one or more metrics.
///
/// Opening reads the description and the index and checks their checksum;
/// blocks are checked and decoded when first asked for and kept in a bounded
/// cache. Threads may share a table.
pub struct TableFile {
    path: PathBuf,
    mapped: Mapped,
    head: Head,
    pub(crate) shared: Shared,
    cache: Cache,
}

fn read_u64(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..at + 8)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
}

impl TableFile {
    /// Opens a table.
    ///
    /// # Errors
    /// If there is none, or the file is not a table, of a later version, or
    /// damaged in head, description or index.
    pub fn open(path: impl AsRef<Path>) -> Result<TableFile, TableError> {
        TableFile::open_with_cache(path, CACHED_BLOCKS)
    }

    /// Opens a table that keeps this many decoded blocks (of up to 160 KiB).
    ///
    /// # Errors
    /// As [`TableFile::open`].
    pub fn open_with_cache(path: impl AsRef<Path>, blocks: usize) -> Result<TableFile, TableError> {
        let path = path.as_ref().to_owned();
        let io_error = |source: io::Error| match source.kind() {
            io::ErrorKind::NotFound => TableError::Missing { path: path.clone() },
            _ => TableError::Io { path: path.clone(), doing: "opening", source: Arc::new(source) },
        };
        let file = File::open(&path).map_err(io_error)?;
        let found = file.metadata().map_err(io_error)?;
        if !found.is_file() || found.len() < HEAD_LEN as u64 {
            return Err(TableError::Foreign { path });
        }
        let mapped = Mapped::new(&file).map_err(io_error)?;
        let (head, meta) = read_front(&path, mapped.bytes())?;
        let unpackers = meta.dictionaries.iter().map(|bytes| Unpacker::new(bytes)).collect();
        let shared = Shared { meta, unpackers };
        Ok(TableFile { path, mapped, head, shared, cache: Cache::new(blocks) })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The material, stronger side first.
    pub fn material(&self) -> Material {
        self.shared.meta.layout.material
    }

    /// The metrics in which depths can be asked for.
    pub fn metrics(&self) -> Vec<Metric> {
        Metric::ALL.into_iter().filter(|&metric| self.find_depths(metric).is_ok()).collect()
    }

    /// The metrics in which the table was solved. Large tables keep outcomes
    /// and statistics, but no depths.
    pub fn solved_metrics(&self) -> Vec<Metric> {
        Metric::ALL.into_iter().filter(|&metric| self.find(metric).is_ok()).collect()
    }

    /// Bytes of the file.
    pub fn len_bytes(&self) -> u64 {
        self.head.file_len
    }

    /// The version of its format.
    pub fn version(&self) -> u16 {
        self.head.version
    }

    /// What wrote it: a name and a revision. The same writer makes equal files
    /// of equal tables.
    pub fn writer(&self) -> &str {
        &self.shared.meta.writer
    }

    /// A number that identifies the contents: the checksum of everything but
    /// the date that old files have.
    pub fn signature(&self) -> u64 {
        let undated = self.head.encode_unsummed();
        let front = self.head.records_start().unwrap_or(0) as usize;
        head_sum(&undated, self.mapped.bytes().get(HEAD_LEN..front).unwrap_or_default())
    }

    /// Statistics in one metric, without decoding anything.
    ///
    /// # Errors
    /// If the metric is not stored.
    pub fn stats(&self, metric: Metric) -> Result<Stats, TableError> {
        let stored = &self.shared.meta.metrics[self.find(metric)?];
        Ok(Stats { metric, ..stored.stats.clone() })
    }

    pub(crate) fn find(&self, metric: Metric) -> Result<usize, TableError> {
        let none = || TableError::NoMetric { path: self.path.clone(), metric };
        self.shared.meta.find(metric).ok_or_else(none)
    }

    fn find_depths(&self, metric: Metric) -> Result<usize, TableError> {
        let place = self.find(metric)?;
        match self.shared.meta.metrics[place].coding.stored {
            true => Ok(place),
            false => Err(TableError::NoMetric { path: self.path.clone(), metric }),
        }
    }

    /// Who wins a position of this material, in either orientation.
    ///
    /// # Errors
    /// If the position is not in the table, or its block is damaged.
    pub fn outcome(&self, position: &Position) -> Result<Outcome, TableError> {
        Ok(self.look_up(position, None)?.outcome())
    }

    /// The value of a position of this material, in either orientation. En
    /// passant is ignored: the caller looks one move ahead for it.
    ///
    /// # Errors
    /// If the metric or the position is not in the table, or its block is
    /// damaged.
    pub fn get(&self, position: &Position, metric: Metric) -> Result<Value, TableError> {
        self.look_up(position, Some(self.find_depths(metric)?))
    }

    /// The value in the metric stored at this place; without a metric, with
    /// depth 0.
    fn look_up(&self, position: &Position, metric: Option<usize>) -> Result<Value, TableError> {
        let none =
            || TableError::NoPosition { path: self.path.clone(), position: position.to_string() };
        let material = self.material();
        let own = position.material() == material;
        let position = if own { *position } else { position.swap_colors() };
        if !own && position.material() != material {
            return Err(none());
        }
        let (address, image) = self.shared.meta.layout.locate_image(&position).ok_or_else(none)?;
        let key = match position.turn() == self.shared.meta.layout.predicted {
            false => self.base_key(address, metric)?,
            true => self.own_key(address, &image, metric)?,
        };
        match (key, outcome(key)) {
            (NONE_KEY, _) => Err(none()),
            (_, WIN) => Ok(Value::Win(plies(key))),
            (_, DRAW) => Ok(Value::Draw),
            _ => Ok(Value::Loss(plies(key))),
        }
    }

    fn base_key(&self, address: Address, metric: Option<usize>) -> Result<Key, TableError> {
        let key = self.block(address.block)?.base_key(&self.shared, metric, address.cell);
        key.map_err(|Malformed(why)| self.malformed(address.block, why))
    }

    /// The predicted side's value of a position given as the file holds it.
    fn own_key(
        &self,
        address: Address,
        position: &Position,
        metric: Option<usize>,
    ) -> Result<Key, TableError> {
        let block = self.block(address.block)?;
        let malformed = |Malformed(why)| self.malformed(address.block, why);
        let layout = &self.shared.meta.layout;
        let Some(rank) = block.shape.rank(layout.predicted, address.cell) else {
            return Ok(NONE_KEY);
        };
        if let Some(key) = block.remembered(metric, rank) {
            return Ok(key);
        }
        let Some(tile) = block.shape.tile_of(address.cell) else { return Ok(NONE_KEY) };
        let in_tile = address.cell - block.shape.tiles[tile].first_cell;
        let mut best = self.best_quiet_move(&block, tile, in_tile, position, metric)?;
        let hint = block.best_hint(&self.shared, metric, tile, in_tile).map_err(malformed)?;
        best = best.max(hint);
        let key = block.own_key(&self.shared, metric, rank, best).map_err(malformed)?;
        block.remember(&self.shared, metric, rank, key);
        Ok(key)
    }

    /// What the quiet moves that are looked at promise.
    fn best_quiet_move(
        &self,
        block: &Block,
        tile: usize,
        in_tile: usize,
        position: &Position,
        metric: Option<usize>,
    ) -> Result<Key, TableError> {
        let layout = &self.shared.meta.layout;
        let shape = &block.shape.tiles[tile];
        let occupied = position.occupied();
        let (row, column) = (in_tile >> 6, in_tile & 63);
        let own = |man: &Man| man.color == layout.predicted;
        let mut best = NONE_KEY;
        // The tile's men stay in the tile. If each of its cells is another
        // position, the cell can be told at once.
        for (man, by_row) in [(layout.row(), true), (layout.column(), false)] {
            let Some(man) = man.filter(own) else { continue };
            let (from, other) = if by_row { (row, column) } else { (column, row) };
            let from = Square::new(from);
            for to in attacks::attacks(man.role, from, occupied) - occupied {
                let key = if shape.frame.is_plain() {
                    let cell = shape.first_cell + shape.cell(by_row, to.index(), other);
                    let key = block.base_key(&self.shared, metric, cell);
                    key.map_err(|Malformed(why)| self.malformed(block.number, why))?
                } else {
                    self.key_of_move(position, from, to, metric)?
                };
                best = best.max(after(key));
            }
        }
        let king = Man::new(layout.predicted, Role::King);
        if layout.king_moves && layout.row() != Some(king) && layout.column() != Some(king) {
            let from = position.king(layout.predicted);
            for to in attacks::king(from) - occupied {
                best = best.max(after(self.key_of_move(position, from, to, metric)?));
            }
        }
        Ok(best)
    }

    /// The base side's value after a move of the other; nothing if the move
    /// leaves the king in check.
    fn key_of_move(
        &self,
        position: &Position,
        from: Square,
        to: Square,
        metric: Option<usize>,
    ) -> Result<Key, TableError> {
        let layout = &self.shared.meta.layout;
        let men = position.men().map(|(m, square)| (m, if square == from { to } else { square }));
        // A cell that is not legal is not stored: no need to look.
        let moved = Position::placement(men, !layout.predicted);
        match moved.and_then(|moved| layout.locate(&moved)) {
            None => Ok(NONE_KEY),
            Some(address) => self.base_key(address, metric),
        }
    }

    pub(crate) fn malformed(&self, block: usize, why: &'static str) -> TableError {
        TableError::Malformed { path: self.path.clone(), what: format!("block {block}"), why }
    }

    /// Forgets all decoded blocks.
    pub fn clear_cache(&self) {
        self.cache.clear();
    }

    fn block(&self, number: usize) -> Result<Arc<Block>, TableError> {
        if let Some(block) = self.cache.get(number) {
            return Ok(block);
        }
        let block = Arc::new(self.read_block(number)?);
        Ok(self.cache.insert(number, block))
    }

    /// Reads a block past the cache, checking its checksum.
    pub(crate) fn read_block(&self, number: usize) -> Result<Block, TableError> {
        let (contents, _) = self.record(number)?;
        let streams = split_record(contents, self.shared.meta.streams());
        let streams = streams.map_err(|Malformed(why)| self.malformed(number, why))?;
        Ok(Block::new(&self.shared, number, &streams))
    }

    /// The contents of a record, and its checksum, which matches.
    fn record(&self, number: usize) -> Result<(&[u8], u64), TableError> {
        let bytes = self.mapped.bytes();
        let start = self.head.index_start() as usize + 8 * number;
        let offset = |i: usize| match i as u64 {
            i if i == self.head.blocks => Some(self.head.file_len),
            i => read_u64(bytes, start + 8 * (i as usize - number)),
        };
        let range = offset(number).zip(offset(number + 1));
        let record = range.and_then(|(from, to)| bytes.get(from as usize..to as usize));
        let split = record.and_then(<[u8]>::split_last_chunk::<SUM_LEN>);
        let (contents, sum) =
            split.ok_or_else(|| self.malformed(number, "an index entry is out of range"))?;
        let (expected, found) = (u64::from_le_bytes(*sum), record_sum(contents, number as u64));
        if expected != found {
            let what = format!("block {number}");
            return Err(TableError::Checksum { path: self.path.clone(), what, expected, found });
        }
        Ok((contents, found))
    }

    /// Checks every checksum and that every block can be decoded.
    ///
    /// # Errors
    /// The first damage found.
    pub fn verify(&self) -> Result<(), TableError> {
        let blocks = 0..self.head.blocks as usize;
        let check = |number: usize| self.record(number).map(|(_, sum)| sum);
        let sums = blocks.into_par_iter().map(check).collect::<Result<Vec<u64>, _>>()?;
        let (expected, found) = (self.head.records_sum, records_sum(&sums));
        if expected != found {
            let what = "the whole file".to_owned();
            return Err(TableError::Checksum { path: self.path.clone(), what, expected, found });
        }
        let stored = |place: &usize| self.shared.meta.metrics[*place].coding.stored;
        let depths = (0..self.shared.meta.metrics.len()).filter(stored).map(Some);
        let metrics: Vec<Option<usize>> = depths.collect();
        let metrics = if metrics.is_empty() { vec![None] } else { metrics };
        for metric in metrics {
            let decoder = PartDecoder { file: self, metric };
            let parts = (0..self.shared.meta.layout.placements.len()).into_par_iter();
            parts.try_for_each(|part| decoder.check(part))?;
        }
        Ok(())
    }
}

/// Reads and checks head, description and index.
fn read_front(path: &Path, bytes: &[u8]) -> Result<(Head, Meta), TableError> {
    let path_buf = || path.to_owned();
    if !bytes.starts_with(&MAGIC) {
        return Err(TableError::Foreign { path: path_buf() });
    }
    let malformed = |what: &str, Malformed(why): Malformed| TableError::Malformed {
        path: path_buf(),
        what: what.to_owned(),
        why,
    };
    let version = u16::from_le_bytes([bytes[8], bytes[9]]);
    if !(OLDEST_VERSION..=VERSION).contains(&version) {
        return Err(TableError::Version { path: path_buf(), found: version });
    }
    let head = Head::decode(&bytes[..HEAD_LEN]).map_err(|error| malformed("the head", error))?;
    let (expected, found) = (head.file_len, bytes.len() as u64);
    if expected != found {
        return Err(TableError::Length { path: path_buf(), expected, found });
    }
    let front = head.records_start().filter(|&start| start <= found);
    let front = front.ok_or_else(|| malformed("the head", Malformed("the index is too long")))?;
    let after_head = &bytes[HEAD_LEN..front as usize];
    let sum = head_sum(&bytes[..HEAD_LEN - SUM_LEN], after_head);
    if sum != head.head_sum {
        let what = "head, description or index".to_owned();
        let (expected, found) = (head.head_sum, sum);
        return Err(TableError::Checksum { path: path_buf(), what, expected, found });
    }
    if head.meta_raw_len > MAX_META_LEN {
        return Err(malformed("the head", Malformed("the description is too long")));
    }
    let packed = &after_head[..head.meta_len as usize];
    let raw = Unpacker::new(&[]).unpack(packed, head.meta_raw_len as usize);
    let meta = raw.and_then(|raw| Meta::decode(&raw));
    let meta = meta.map_err(|error| malformed("the description", error))?;
    if meta.layout.blocks() as u64 != head.blocks {
        return Err(malformed("the head", Malformed("the number of blocks is wrong")));
    }
    Ok((head, meta))
}

/// What part of a file holds what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Bytes of the outcomes: base side, predicted side.
    pub outcomes: [u64; 2],
    /// Bytes of the depths in each stored metric: base side, predicted side. A
    /// metric may be stored as the difference to an earlier one.
    pub depths: Vec<(Metric, [u64; 2])>,
    /// Bytes of head, description, dictionaries, index, lengths and checksums.
    pub rest: u64,
}

impl TableFile {
    /// What the bytes of the file are used for.
    ///
    /// # Errors
    /// If a record is damaged.
    pub fn sizes(&self) -> Result<Sizes, TableError> {
        let mut streams = vec![0; self.shared.meta.streams()];
        for number in 0..self.head.blocks as usize {
            let (contents, _) = self.record(number)?;
            let split = split_record(contents, streams.len());
            let split = split.map_err(|Malformed(why)| self.malformed(number, why))?;
            streams.iter_mut().zip(split).for_each(|(len, stream)| *len += stream.len() as u64);
        }
        let metrics = self.shared.meta.metrics.iter().map(|stored| stored.metric);
        let depths = metrics.zip(streams[2..].chunks(2).map(|pair| [pair[0], pair[1]])).collect();
        let rest = self.head.file_len - streams.iter().sum::<u64>();
        Ok(Sizes { outcomes: [streams[0], streams[1]], depths, rest })
    }

    /// The order of the men in the file and the predicted side, in words.
    pub fn layout(&self) -> String {
        let layout = &self.shared.meta.layout;
        let men: String = layout.men.iter().map(|man| man.letter()).collect();
        let king = if layout.king_moves { "" } else { ", king's moves left out" };
        format!("{men}, {} predicted{king}, scanned by {:?}", layout.predicted, layout.order)
    }
}
