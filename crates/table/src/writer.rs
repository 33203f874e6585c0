//! Writing tables.

use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use molien_board::Material;
use molien_solve::{Metric, Table};
use rayon::prelude::*;

use crate::TableError;
use crate::atomic::AtomicFile;
use crate::choose::{Unwritable, best_layout, best_references, plain_coding, samples};
use crate::coding::Coding;
use crate::compress::Packer;
use crate::encode::{Coder, raw_streams};
use crate::file::{HEAD_LEN, Head, SUM_LEN, VERSION, head_sum, records_sum};
use crate::layout::Layout;
use crate::meta::{Meta, MetricMeta, streams};
use crate::source::{Encoder, Sample, Source, all_differences};
use crate::values::Solved;

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

/// One or two percent larger than level 9 in less than half of the time.
const DEFAULT_LEVEL: i32 = 6;

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

/// Below this many blocks a dictionary costs more than it saves.
const DICTIONARY_BLOCKS: usize = 256;
/// Blocks a dictionary is trained on.
const TRAINING_BLOCKS: usize = 160;
/// The largest dictionary, in bytes.
const DICTIONARY_LEN: usize = 16384;

/// Writes the tables of one material, each in another metric, to a file. The
/// file appears complete or not at all.
///
/// # Errors
/// If the tables do not belong together, or the disk refuses.
pub fn write(path: &Path, tables: &[&Table], options: &WriteOptions) -> Result<(), TableError> {
    let (source, aliases) = arrange(tables)?;
    let material = source.metrics[0].material;
    let io_error = |source| TableError::Io { path: path.to_owned(), doing: "writing", source };
    let unwritable = |reason: Unwritable| match reason {
        Unwritable::Disagree => unfit(material, "its tables disagree on who wins"),
        Unwritable::Io(source) => io_error(source),
    };
    let layout = best_layout(&source).map_err(unwritable)?;
    let references = best_references(&source, &layout).map_err(unwritable)?;
    let codings = find_codings(&source, &layout, &references).map_err(io_error)?;
    let dictionaries = train(&source, &layout, &codings, options.level).map_err(unwritable)?;
    let metric = |(solved, coding): (&Solved<'_>, &Coding)| MetricMeta {
        metric: solved.metric,
        coding: coding.clone(),
        stats: solved.stats.clone(),
    };
    let metrics = source.metrics.iter().zip(&codings).map(metric).collect();
    let solver_version = env!("CARGO_PKG_VERSION").to_owned();
    let meta = Meta { layout, solver_version, metrics, aliases, dictionaries };
    let encoder = Encoder::new(&source, &meta.layout, &codings, &meta.dictionaries, options.level);
    let mut file = AtomicFile::create(path)?;
    write_file(file.writer(), &meta, &encoder, options.date()).map_err(io_error)?;
    file.commit()
}

fn unfit(material: Material, why: &'static str) -> TableError {
    TableError::Unfit { material, why }
}

/// The order in which metrics are stored: those others may count from first.
const STORED_ORDER: [Metric; 4] = [Metric::Dtz, Metric::Dtc, Metric::Dtz50, Metric::Dtm];

/// The tables in stored order, without those equal to an earlier one.
fn arrange<'a>(tables: &[&'a Table]) -> Result<(Source<'a>, Vec<(Metric, usize)>), TableError> {
    let Some(first) = tables.first() else {
        return Err(unfit(Material::KINGS, "no table was given"));
    };
    let material = first.material;
    if material.len() < 3 || !material.is_canonical() {
        return Err(unfit(material, "only canonical materials of three men and more are stored"));
    }
    let mut source = Source { metrics: Vec::new() };
    let mut aliases = Vec::new();
    for metric in STORED_ORDER {
        let Some(&table) = tables.iter().find(|table| table.metric == metric) else { continue };
        check_fit(first, table)?;
        let solved = Solved::whole(table);
        match source.metrics.iter().position(|stored| stored.same_values(&solved)) {
            Some(stored) => aliases.push((metric, stored)),
            None => source.metrics.push(solved),
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

/// The codings with the references chosen.
fn find_codings(
    source: &Source<'_>,
    layout: &Layout,
    references: &[Option<usize>],
) -> io::Result<Vec<Coding>> {
    let base = !layout.predicted;
    let coding = |(metric, reference): (usize, &Option<usize>)| {
        let mut coding = plain_coding(&source.metrics[metric]);
        if let Some(from) = *reference {
            let reference = plain_coding(&source.metrics[from]);
            let [own, other] = [&coding, &reference].map(|c| &c.alphabets[base.index()]);
            coding.alphabets[base.index()] = match own.all_differences(other) {
                Some(alphabet) => alphabet,
                None => all_differences(source, layout, metric, from)?.alphabet(),
            };
            coding.reference = Some(from);
        }
        Ok(coding)
    };
    references.iter().enumerate().map(coding).collect()
}

/// A dictionary for each stream, empty where it would not pay.
fn train(
    source: &Source<'_>,
    layout: &Layout,
    codings: &[Coding],
    level: i32,
) -> Result<Vec<Vec<u8>>, Unwritable> {
    let streams = streams(codings.len());
    if layout.blocks() < DICTIONARY_BLOCKS {
        return Ok(vec![Vec::new(); streams]);
    }
    let all: Vec<usize> = (0..codings.len()).collect();
    let blocks = samples(source, layout, TRAINING_BLOCKS, &all)?;
    let raw = |sample: &Sample| {
        let mut coders: Vec<Coder> =
            codings.iter().map(|coding| Coder::new(coding, layout.predicted)).collect();
        let raw = raw_streams(layout, &sample.shape, &mut sample.keys(), &mut coders);
        raw.map_err(|_| Unwritable::Disagree)
    };
    let raw: Vec<Vec<Vec<u8>>> = blocks.par_iter().map(raw).collect::<Result<_, _>>()?;
    let dictionary = |stream: usize| {
        let samples: Vec<&[u8]> = raw.iter().map(|block| block[stream].as_slice()).collect();
        paying_dictionary(&samples, level).unwrap_or_default()
    };
    Ok((0..streams).into_par_iter().map(dictionary).collect())
}

/// Trains on three samples of four, keeps the dictionary if it shortens the rest.
fn paying_dictionary(samples: &[&[u8]], level: i32) -> Option<Vec<u8>> {
    let (exam, lesson): (Vec<_>, Vec<_>) =
        samples.iter().enumerate().partition(|(i, _)| i % 4 == 0);
    let lesson: Vec<&[u8]> = lesson.iter().map(|(_, sample)| **sample).collect();
    let dictionary = zstd::dict::from_samples(&lesson, DICTIONARY_LEN).ok()?;
    let cost = |dictionary: &[u8]| -> io::Result<usize> {
        let mut packer = Packer::new(level, dictionary)?;
        let mut cost = 0;
        for (_, sample) in &exam {
            cost += packer.pack(sample)?.len();
        }
        Ok(cost)
    };
    let (with, without) = (cost(&dictionary).ok()?, cost(&[]).ok()?);
    (with * 100 < without * 99).then_some(dictionary)
}

/// Writes head, description, index and records.
fn write_file(
    mut out: impl Write + Seek,
    meta: &Meta,
    encoder: &Encoder<'_>,
    date: u64,
) -> io::Result<()> {
    let meta_raw = meta.encode();
    let meta_packed = Packer::new(19, &[])?.pack(&meta_raw)?;
    let blocks = meta.layout.blocks();
    let mut offset = (HEAD_LEN + meta_packed.len() + 8 * blocks) as u64;
    out.seek(SeekFrom::Start(offset))?;
    let (mut offsets, mut sums) = (Vec::with_capacity(blocks), Vec::with_capacity(blocks));
    encoder.encode(|record| {
        out.write_all(&record)?;
        offsets.push(offset);
        offset += record.len() as u64;
        let sum = record.last_chunk::<SUM_LEN>().copied().unwrap_or_default();
        sums.push(u64::from_le_bytes(sum));
        Ok(())
    })?;
    let head = Head {
        version: VERSION,
        meta_len: meta_packed.len() as u32,
        meta_raw_len: meta_raw.len() as u32,
        blocks: blocks as u64,
        file_len: offset,
        records_sum: records_sum(&sums),
        date,
        head_sum: 0,
    };
    let mut meta_and_index = meta_packed;
    meta_and_index.extend(offsets.iter().flat_map(|offset| offset.to_le_bytes()));
    let unsummed = head.encode_unsummed();
    out.seek(SeekFrom::Start(0))?;
    out.write_all(&unsummed)?;
    out.write_all(&head_sum(&unsummed, &meta_and_index).to_le_bytes())?;
    out.write_all(&meta_and_index)?;
    out.flush()
}
