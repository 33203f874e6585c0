//! Writing tables.

use std::io;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use molien_board::Material;
use molien_values::{Metric, Table};
use rayon::prelude::*;

use crate::TableError;
use crate::atomic::AtomicFile;
use crate::choose::{
    KING_MOVES_CELLS, SampleSize, Unwritable, best_layout, best_references, plain_coding, samples,
};
use crate::coding::{Coding, Wanted};
use crate::compress::Packer;
use crate::encode::{Coder, raw_streams};
use crate::layout::Layout;
use crate::meta::{Meta, MetricMeta, streams};
use crate::records::Front;
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
    pub(crate) fn date(&self) -> u64 {
        let from_environment =
            || std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|text| text.parse().ok());
        let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        self.date.or_else(from_environment).unwrap_or_else(now)
    }
}

/// Below this many blocks a dictionary costs more than it saves.
const DICTIONARY_BLOCKS: usize = 256;
/// Blocks a dictionary is trained on.
const TRAINING_SAMPLE: SampleSize = SampleSize { places: 20, blocks: 8 };
/// The largest dictionary, in bytes.
const DICTIONARY_LEN: usize = 16384;

/// Writes the tables of one material, each in another metric, to a file. The
/// file appears complete or not at all.
///
/// # Errors
/// If the tables do not belong together, or the disk refuses.
pub fn write(path: &Path, tables: &[&Table], options: &WriteOptions) -> Result<(), TableError> {
    let solved = tables.iter().map(|table| Solved::whole(table)).collect();
    let (source, aliases) = arrange(solved, path)?;
    write_source(path, &source, aliases, options)
}

/// Writes what has been arranged.
pub(crate) fn write_source(
    path: &Path,
    source: &Source<'_>,
    aliases: Aliases,
    options: &WriteOptions,
) -> Result<(), TableError> {
    // What is expected spares a pass over all values.
    match write_coded(path, source, aliases.clone(), options, Wanted::Expected) {
        Err(error) if is_unexpected(&error) => {
            write_coded(path, source, aliases, options, Wanted::Possible)
        }
        other => other,
    }
}

/// Whether a difference of metrics was not to be expected.
pub(crate) fn is_unexpected(error: &TableError) -> bool {
    matches!(error, TableError::Io { source, .. } if source.kind() == io::ErrorKind::InvalidData)
}

fn write_coded(
    path: &Path,
    source: &Source<'_>,
    aliases: Aliases,
    options: &WriteOptions,
    differences: Wanted,
) -> Result<(), TableError> {
    let (meta, codings) = describe(source, aliases, options.level, differences, path)?;
    let encoder = Encoder::new(source, &meta.layout, &codings, &meta.dictionaries, options.level);
    let mut file = AtomicFile::create(path)?;
    let front = Front::new(&meta).map_err(io_error(path))?;
    let written = front.complete(file.writer(), front.begin(), &encoder, options.date(), |_| true);
    written.map_err(io_error(path))?;
    file.commit()
}

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> TableError {
    move |source| TableError::Io { path: path.to_owned(), doing: "writing", source }
}

fn unfit(material: Material, why: &'static str) -> TableError {
    TableError::Unfit { material, why }
}

/// The description of a file, and how its metrics are written.
pub(crate) fn describe(
    source: &Source<'_>,
    aliases: Aliases,
    level: i32,
    differences: Wanted,
    path: &Path,
) -> Result<(Meta, Vec<Coding>), TableError> {
    let unwritable = |reason: Unwritable| match reason {
        Unwritable::Disagree => {
            unfit(source.metrics[0].material, "its tables disagree on who wins")
        }
        other => io_error(path)(other.into()),
    };
    let layout = best_layout(source).map_err(unwritable)?;
    let references = best_references(source, &layout).map_err(unwritable)?;
    let codings =
        find_codings(source, &layout, &references, differences).map_err(io_error(path))?;
    let dictionaries = train(source, &layout, &codings, level).map_err(unwritable)?;
    let metric = |(solved, coding): (&Solved<'_>, &Coding)| MetricMeta {
        metric: solved.metric,
        coding: coding.clone(),
        stats: solved.stats.clone(),
    };
    let metrics = source.metrics.iter().zip(&codings).map(metric).collect();
    let solver_version = env!("CARGO_PKG_VERSION").to_owned();
    Ok((Meta { layout, solver_version, metrics, aliases, dictionaries }, codings))
}

/// The order in which metrics are stored: those others may count from first.
const STORED_ORDER: [Metric; 4] = [Metric::Dtz, Metric::Dtc, Metric::Dtz50, Metric::Dtm];

/// Metrics whose values are those of a stored one.
pub(crate) type Aliases = Vec<(Metric, usize)>;

/// The tables in stored order, without those equal to an earlier one.
pub(crate) fn arrange<'a>(
    mut tables: Vec<Solved<'a>>,
    path: &Path,
) -> Result<(Source<'a>, Aliases), TableError> {
    let Some(first) = tables.first() else {
        return Err(unfit(Material::KINGS, "no table was given"));
    };
    let material = first.material;
    if material.len() < 3 || !material.is_canonical() {
        return Err(unfit(material, "only canonical materials of three men and more are stored"));
    }
    if tables.iter().any(|table| table.material != material || table.boards() != first.boards()) {
        return Err(unfit(material, "its tables are not of the same positions"));
    }
    let mut source = Source { metrics: Vec::new(), king_moves_cells: KING_MOVES_CELLS };
    let mut aliases = Vec::new();
    for metric in STORED_ORDER {
        let given = tables.iter().position(|table| table.metric == metric);
        let Some(table) = given.map(|place| tables.swap_remove(place)) else { continue };
        let mut equal = None;
        for (place, stored) in source.metrics.iter().enumerate() {
            if equal.is_none() && stored.same_values(&table).map_err(io_error(path))? {
                equal = Some(place);
            }
        }
        match equal {
            Some(stored) => aliases.push((metric, stored)),
            None => source.metrics.push(table),
        }
    }
    Ok((source, aliases))
}

/// The codings with the references chosen.
fn find_codings(
    source: &Source<'_>,
    layout: &Layout,
    references: &[Option<usize>],
    differences: Wanted,
) -> io::Result<Vec<Coding>> {
    let base = (!layout.predicted).index();
    let coding = |(metric, reference): (usize, &Option<usize>)| {
        let mut coding = plain_coding(&source.metrics[metric]);
        let Some(from) = *reference else { return Ok(coding) };
        let other = &plain_coding(&source.metrics[from]).alphabets[base];
        let few = coding.alphabets[base].few_differences(other, differences);
        coding.alphabets[base] = match few {
            Some(alphabet) => alphabet,
            None => all_differences(source, layout, metric, from)?.alphabet(),
        };
        coding.reference = Some(from);
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
    let blocks = samples(source, layout, TRAINING_SAMPLE, &all)?;
    let raw = |sample: &Sample| {
        let mut coders: Vec<Coder> =
            codings.iter().map(|coding| Coder::new(coding, layout.predicted)).collect();
        Ok(raw_streams(layout, &sample.shape, &mut sample.keys(), &mut coders)?)
    };
    let raw: Vec<Vec<Vec<u8>>> = blocks.par_iter().map(raw).collect::<Result<_, Unwritable>>()?;
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
