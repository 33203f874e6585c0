//! An open file.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use molien_board::Material;
use molien_values::{Metric, Stats};
use rayon::prelude::*;

use crate::format::coding::Malformed;
use crate::format::compress::Unpacker;
use crate::format::file::{
    HEAD_LEN, Head, SUM_LEN, head_sum, record_sum, records_sum, split_record,
};
use crate::format::meta::Meta;
use crate::read::block::{Block, Shared};
use crate::read::block_cache::{BlockCache, FileBlocks};
use crate::read::cut::CutCells;
use crate::read::decode::PartDecoder;
use crate::read::front::read_front;
use crate::read::mmap::Mapped;
use crate::read::packed::Packed;
use crate::read::packed_load::Told;
use crate::read::stop::Stop;
use crate::write::packed::pack_of;
use crate::{Pack, TableError};

/// An open table: all values of one material, in one or more metrics.
///
/// Opening reads the description and the index and checks their checksum;
/// blocks are checked and decoded when first asked for and kept in a
/// [`BlockCache`]. Threads may share a table.
pub struct TableFile {
    path: PathBuf,
    mapped: Mapped,
    head: Head,
    pub(crate) shared: Shared,
    /// For each metric the place of its depths, if they are stored.
    places: [Option<usize>; Metric::EVERY.len()],
    pub(crate) blocks: FileBlocks,
    /// Of files of learnt contexts.
    pub(crate) packed: Option<Packed>,
    /// Whether long reading is to end.
    pub(crate) stop: Stop,
}

fn read_u64(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..at + 8)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
}

fn place_of_depths(meta: &Meta, metric: Metric) -> Option<usize> {
    meta.find(metric).filter(|&place| meta.metrics[place].coding.stored)
}

impl TableFile {
    /// Opens a table with a cache of its own.
    ///
    /// # Errors
    /// If there is none, or the file is not a table, of a version that is not
    /// read, or damaged in head, description or index.
    pub fn open(path: impl AsRef<Path>) -> Result<TableFile, TableError> {
        TableFile::open_with_cache(path, &BlockCache::default())
    }

    /// Opens a table that keeps its decoded blocks in this cache.
    ///
    /// # Errors
    /// As [`TableFile::open`].
    pub fn open_with_cache(
        path: impl AsRef<Path>,
        cache: &BlockCache,
    ) -> Result<TableFile, TableError> {
        let path = path.as_ref().to_owned();
        let io_error = |source: io::Error| match source.kind() {
            // Nor is there a table below what is no folder.
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
                TableError::Missing { path: path.clone() }
            }
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
        let places = Metric::EVERY.map(|metric| place_of_depths(&meta, metric));
        let shared = Shared { meta, unpackers };
        let blocks = FileBlocks::new(cache.clone());
        let body = head.records_start().unwrap_or(0) as usize;
        let described = shared.meta.packed.as_ref();
        let packed = described.and_then(|packed| Packed::new(&shared.meta, packed, body));
        let stop = Stop::default();
        Ok(TableFile { path, mapped, head, shared, places, blocks, packed, stop })
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.mapped.bytes()
    }

    /// An entry of the index.
    pub(crate) fn index_entry(&self, number: usize) -> Option<u64> {
        read_u64(self.mapped.bytes(), self.head.index_start() as usize + 8 * number)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The material, stronger side first.
    pub fn material(&self) -> Material {
        self.shared.meta.layout.material
    }

    /// The metrics in which values can be asked for. The classes of a file that
    /// holds DTZ50 too are not named: it tells them.
    pub fn metrics(&self) -> Vec<Metric> {
        self.named(|metric| self.holds(metric))
    }

    fn named(&self, has: impl Fn(Metric) -> bool) -> Vec<Metric> {
        let own = |metric| metric != Metric::Wdl || self.shared.meta.find(Metric::Dtz50).is_none();
        Metric::EVERY.into_iter().filter(|&metric| own(metric) && has(metric)).collect()
    }

    /// Whether values can be asked for in a metric.
    pub fn holds(&self, metric: Metric) -> bool {
        self.places[metric as usize].is_some()
    }

    /// The metrics in which the table was solved. Large tables keep outcomes
    /// and statistics, but no depths.
    pub fn solved_metrics(&self) -> Vec<Metric> {
        self.named(|metric| self.has(metric))
    }

    /// Whether the table was solved in a metric.
    pub fn has(&self, metric: Metric) -> bool {
        self.shared.meta.find(metric).is_some()
    }

    /// Bytes of the file.
    pub fn len_bytes(&self) -> u64 {
        self.head.file_len
    }

    /// Lets go of the memory that holds what has been read of the file, for who is done with
    /// a part of it: until then it counts as the process's. Nothing that others read changes.
    pub fn let_go(&self) {
        self.mapped.let_go();
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

    /// Whether depths are stored for one side to move only.
    pub fn is_one_sided(&self) -> bool {
        self.shared.meta.packed.as_ref().is_some_and(|packed| packed.derived.is_some())
    }

    /// How its values are coded, or as good as.
    pub fn pack(&self) -> Pack {
        if self.packed.is_some() { pack_of(self.writer()) } else { Pack::QUICK }
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
        Ok(match metric {
            Metric::Wdl => stored.stats.as_classes(),
            _ => Stats { metric, ..stored.stats.clone() },
        })
    }

    pub(crate) fn find(&self, metric: Metric) -> Result<usize, TableError> {
        let none = || TableError::NoMetric { path: self.path.clone(), metric };
        self.shared.meta.find(metric).ok_or_else(none)
    }

    /// The place of a metric whose depths are stored.
    pub(crate) fn find_depths(&self, metric: Metric) -> Result<usize, TableError> {
        let none = || TableError::NoMetric { path: self.path.clone(), metric };
        self.places[metric as usize].ok_or_else(none)
    }

    pub(crate) fn malformed(&self, block: usize, why: &'static str) -> TableError {
        TableError::Malformed { path: self.path.clone(), what: format!("block {block}"), why }
    }

    /// Gives up all decoded blocks of this file.
    pub fn clear_cache(&self) {
        self.blocks.clear();
    }

    /// Reads a block past the cache, checking its checksum.
    pub(crate) fn read_block(&self, number: usize) -> Result<Block, TableError> {
        let (contents, _) = self.record(number)?;
        let streams = split_record(contents, self.shared.meta.streams());
        let streams = streams.map_err(|Malformed(why)| self.malformed(number, why))?;
        Ok(Block::new(&self.shared, number, &streams))
    }

    /// The contents of a record, and its checksum, which matches.
    pub(crate) fn record(&self, number: usize) -> Result<(&[u8], u64), TableError> {
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
        let check = |number: usize| {
            self.go_on()?;
            match &self.packed {
                Some(packed) => self.check_group(packed, number),
                None => self.record(number).map(|(_, sum)| sum),
            }
        };
        let sums = blocks.into_par_iter().map(check).collect::<Result<Vec<u64>, _>>()?;
        let (expected, found) = (self.head.records_sum, records_sum(&sums));
        if expected != found {
            let what = "the whole file".to_owned();
            return Err(TableError::Checksum { path: self.path.clone(), what, expected, found });
        }
        let metrics = self.shared.meta.metrics.iter().enumerate();
        let stored = metrics.filter(|(_, stored)| stored.coding.stored);
        let depths: Vec<Told> = stored.map(|(place, _)| Told::Depths(place)).collect();
        for told in if depths.is_empty() { vec![Told::Outcomes] } else { depths } {
            let decoder = PartDecoder { file: self, told, cells: CutCells::ALL };
            let parts = (0..self.shared.meta.layout.placements.len()).into_par_iter();
            parts.try_for_each(|part| decoder.check(part))?;
        }
        Ok(())
    }
}
