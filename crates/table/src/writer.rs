//! Writing tables.

use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use molien_board::{Color, Material};
use molien_solve::{Metric, Table};
use rayon::prelude::*;

use crate::TableError;
use crate::atomic::AtomicFile;
use crate::choose::{best_layout, best_references, keeps_depths, sampled};
use crate::codec::Coding;
use crate::compress::Packer;
use crate::encode::{Found, depth_streams, outcome_streams};
use crate::file::{HEAD_LEN, Head, SUM_LEN, VERSION, encode_record, head_sum, records_sum};
use crate::layout::Layout;
use crate::meta::{Meta, MetricMeta};
use crate::shape::BlockShape;
use crate::source::{BlockValues, Source};

/// How a table is written.
#[derive(Clone, Debug)]
pub struct WriteOptions {
    /// The zstd level, 1 to 22.
    pub level: i32,
    /// The date in the header, in seconds since 1970. By default that of the
    /// environment variable `SOURCE_DATE_EPOCH`, else now. Everything else in
    /// the file follows from the values alone.
    pub date: Option<u64>,
}

/// A good compromise of size and time; see the sizes in README.
const DEFAULT_LEVEL: i32 = 15;

impl Default for WriteOptions {
    fn default() -> WriteOptions {
        WriteOptions { level: DEFAULT_LEVEL, date: None }
    }
}

impl WriteOptions {
    fn date(&self) -> u64 {
        let from_environment =
            || std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|text| text.parse().ok());
        let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        self.date.or_else(from_environment).unwrap_or_else(now)
    }
}

/// Blocks encoded at a time.
const BATCH: usize = 256;
/// Below this many blocks a dictionary costs more than it saves.
const DICTIONARY_BLOCKS: usize = 256;
/// Blocks a dictionary is trained on.
const TRAINING_BLOCKS: usize = 384;
/// The largest dictionary, in bytes.
const DICTIONARY_LEN: usize = 16384;

/// Writes the tables of one material, each in another metric, to a file. The
/// file appears complete or not at all.
///
/// # Errors
/// If the tables do not belong together, or the disk refuses.
pub fn write(path: &Path, tables: &[&Table], options: &WriteOptions) -> Result<(), TableError> {
    let (source, aliases) = arrange(tables)?;
    let material = source.tables[0].material;
    let disagree = || unfit(material, "its tables disagree on who wins");
    let layout = best_layout(&source).ok_or_else(disagree)?;
    let references = best_references(&source, &layout).ok_or_else(disagree)?;
    let codings = find_codings(&source, &layout, &references).ok_or_else(disagree)?;
    let metric = |(table, coding): (&&Table, &Coding)| MetricMeta {
        metric: table.metric,
        coding: coding.clone(),
        stats: table.stats.clone(),
    };
    let mut meta = Meta {
        layout,
        solver_version: env!("CARGO_PKG_VERSION").to_owned(),
        metrics: source.tables.iter().zip(&codings).map(metric).collect(),
        aliases,
        dictionaries: Vec::new(),
    };
    let io_error = |source| TableError::Io { path: path.to_owned(), doing: "writing", source };
    meta.dictionaries = train(&source, &meta, &codings, options.level).ok_or_else(disagree)?;
    let mut file = AtomicFile::create(path)?;
    let writer = FileWriter { source: &source, meta: &meta, codings: &codings, options };
    writer.write(file.writer()).map_err(io_error)?;
    file.commit()
}

fn unfit(material: Material, why: &'static str) -> TableError {
    TableError::Unfit { material, why }
}

/// The order in which metrics are stored: those others may count from first.
const STORED_ORDER: [Metric; 4] = [Metric::Dtz, Metric::Dtz50, Metric::Dtc, Metric::Dtm];

fn same_values(a: &Table, b: &Table) -> bool {
    a.parts.iter().zip(&b.parts).all(|(a, b)| a.values == b.values)
}

/// The tables in stored order, without those equal to an earlier one.
fn arrange<'a>(tables: &[&'a Table]) -> Result<(Source<'a>, Vec<(Metric, usize)>), TableError> {
    let Some(first) = tables.first() else {
        return Err(unfit(Material::KINGS, "no table was given"));
    };
    let material = first.material;
    if material.len() < 3 || !material.is_canonical() {
        return Err(unfit(material, "only canonical materials of three men and more are stored"));
    }
    let mut source = Source { tables: Vec::new() };
    let mut aliases = Vec::new();
    for metric in STORED_ORDER {
        let Some(&table) = tables.iter().find(|table| table.metric == metric) else { continue };
        check_fit(first, table)?;
        match source.tables.iter().position(|stored| same_values(stored, table)) {
            Some(stored) => aliases.push((metric, stored)),
            None => source.tables.push(table),
        }
    }
    Ok((source, aliases))
}

fn check_fit(first: &Table, table: &Table) -> Result<(), TableError> {
    let boards = first.parts.iter().zip(&table.parts).all(|(a, b)| a.board == b.board);
    if table.material != first.material || table.parts.len() != first.parts.len() || !boards {
        return Err(unfit(first.material, "its tables are not of the same positions"));
    }
    Ok(())
}

/// Goes through all blocks for the depths that occur.
fn find_codings(
    source: &Source<'_>,
    layout: &Layout,
    references: &[Option<usize>],
) -> Option<Vec<Coding>> {
    type All = Vec<[Found; 2]>;
    let empty = || -> All { references.iter().map(|_| Default::default()).collect() };
    let add = |mut all: All, block: usize| {
        let shape = BlockShape::new(layout, block);
        let values = source.block(layout, &shape, block)?;
        for (metric, found) in all.iter_mut().enumerate() {
            for side in Color::BOTH {
                let predicted = side == layout.predicted;
                let found = &mut found[side.index()];
                found.add(&shape, side, &values, metric, references[metric], predicted);
            }
        }
        Some(all)
    };
    let merge = |mut a: All, b: All| {
        for (a, b) in a.iter_mut().flatten().zip(b.iter().flatten()) {
            a.absorb(b);
        }
        Some(a)
    };
    let blocks = (0..layout.blocks()).into_par_iter();
    let all = blocks.try_fold(empty, add).try_reduce(empty, merge)?;
    let coding = |(metric, found): (usize, &[Found; 2])| Coding {
        stored: keeps_depths(source.tables[metric]),
        reference: references[metric],
        alphabets: [found[0].alphabet(), found[1].alphabet()],
    };
    Some(all.iter().enumerate().map(coding).collect())
}

/// All streams of a block, before compression.
fn raw_streams(
    meta: &Meta,
    codings: &[Coding],
    shape: &BlockShape,
    values: &BlockValues,
) -> Option<Vec<Vec<u8>>> {
    let mut streams = outcome_streams(&meta.layout, shape, values).to_vec();
    for (metric, coding) in codings.iter().enumerate() {
        streams.extend(depth_streams(&meta.layout, shape, values, metric, coding).ok()?);
    }
    Some(streams)
}

/// A dictionary for each stream, empty where it would not pay. `None` if the
/// tables disagree.
fn train(source: &Source<'_>, meta: &Meta, codings: &[Coding], level: i32) -> Option<Vec<Vec<u8>>> {
    let none = vec![Vec::new(); meta.streams()];
    if meta.layout.blocks() < DICTIONARY_BLOCKS {
        return Some(none);
    }
    let blocks = sampled(source, &meta.layout, TRAINING_BLOCKS)?;
    let streams: Vec<Vec<Vec<u8>>> = blocks
        .par_iter()
        .map(|(shape, values)| raw_streams(meta, codings, shape, values))
        .collect::<Option<_>>()?;
    let dictionary = |stream: usize| {
        let samples: Vec<&[u8]> = streams.iter().map(|block| block[stream].as_slice()).collect();
        paying_dictionary(&samples, level).unwrap_or_default()
    };
    Some((0..none.len()).into_par_iter().map(dictionary).collect())
}

/// Trains on every other sample, keeps the dictionary if it shortens the rest.
fn paying_dictionary(samples: &[&[u8]], level: i32) -> Option<Vec<u8>> {
    let (even, odd): (Vec<_>, Vec<_>) = samples.iter().enumerate().partition(|(i, _)| i % 2 == 0);
    let lesson: Vec<&[u8]> = even.iter().map(|(_, sample)| **sample).collect();
    let dictionary = zstd::dict::from_samples(&lesson, DICTIONARY_LEN).ok()?;
    let cost = |dictionary: &[u8]| -> io::Result<usize> {
        let mut packer = Packer::new(level, dictionary)?;
        let mut cost = 0;
        for (_, sample) in &odd {
            cost += packer.pack(sample)?.len();
        }
        Ok(cost)
    };
    let (with, without) = (cost(&dictionary).ok()?, cost(&[]).ok()?);
    (with * 100 < without * 99).then_some(dictionary)
}

struct FileWriter<'a> {
    source: &'a Source<'a>,
    meta: &'a Meta,
    codings: &'a [Coding],
    options: &'a WriteOptions,
}

impl FileWriter<'_> {
    fn record(&self, packers: &mut [Packer<'_>], block: usize) -> io::Result<Vec<u8>> {
        let broken = || io::Error::other("a block does not fit the format");
        let shape = BlockShape::new(&self.meta.layout, block);
        let values = self.source.block(&self.meta.layout, &shape, block).ok_or_else(broken)?;
        let raw = raw_streams(self.meta, self.codings, &shape, &values).ok_or_else(broken)?;
        let packed = raw.iter().zip(packers).map(|(raw, packer)| packer.pack(raw));
        let streams = packed.collect::<io::Result<Vec<_>>>()?;
        encode_record(&streams, block as u64).ok_or_else(broken)
    }

    fn packers(&self) -> io::Result<Vec<Packer<'static>>> {
        let dictionaries = self.meta.dictionaries.iter();
        dictionaries.map(|dictionary| Packer::new(self.options.level, dictionary)).collect()
    }

    fn write(&self, mut out: impl Write + Seek) -> io::Result<()> {
        let meta_raw = self.meta.encode();
        let meta = Packer::new(19, &[])?.pack(&meta_raw)?;
        let blocks = self.meta.layout.blocks();
        let mut offset = (HEAD_LEN + meta.len() + 8 * blocks) as u64;
        out.seek(SeekFrom::Start(offset))?;
        let (mut offsets, mut sums) = (Vec::with_capacity(blocks), Vec::with_capacity(blocks));
        for first in (0..blocks).step_by(BATCH) {
            let batch = (first..(first + BATCH).min(blocks)).into_par_iter();
            let init = || self.packers();
            let records: Vec<Vec<u8>> = batch
                .map_init(init, |packers, block| match packers {
                    Ok(packers) => self.record(packers, block),
                    Err(error) => Err(io::Error::new(error.kind(), error.to_string())),
                })
                .collect::<io::Result<_>>()?;
            for record in records {
                out.write_all(&record)?;
                offsets.push(offset);
                offset += record.len() as u64;
                let sum = record.last_chunk::<SUM_LEN>().copied().unwrap_or_default();
                sums.push(u64::from_le_bytes(sum));
            }
        }
        let head = Head {
            version: VERSION,
            meta_len: meta.len() as u32,
            meta_raw_len: meta_raw.len() as u32,
            blocks: blocks as u64,
            file_len: offset,
            records_sum: records_sum(&sums),
            date: self.options.date(),
            head_sum: 0,
        };
        let mut meta_and_index = meta;
        meta_and_index.extend(offsets.iter().flat_map(|offset| offset.to_le_bytes()));
        let unsummed = head.encode_unsummed();
        out.seek(SeekFrom::Start(0))?;
        out.write_all(&unsummed)?;
        out.write_all(&head_sum(&unsummed, &meta_and_index).to_le_bytes())?;
        out.write_all(&meta_and_index)?;
        out.flush()
    }
}
