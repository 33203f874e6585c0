//! Writing tables: what is written (`solved`, `classes`), how (`choose`), the
//! blocks (`streams`, `block_encoder`), the file (`records`, `atomic`); and tables
//! that never were in memory as a whole (`assemble`).

pub(crate) mod assemble;
pub(crate) mod atomic;
pub(crate) mod block_encoder;
mod choose;
pub(crate) mod classes;
pub(crate) mod held;
pub(crate) mod packed;
pub(crate) mod parts;
mod records;
pub(crate) mod solved;
mod spare;
mod streams;
pub(crate) mod unwritable;

use std::io;
use std::path::Path;

use molien_board::Material;
use molien_values::{Metric, Table};
use rayon::prelude::*;

use crate::format::coding::{Coding, DifferenceRange};
use crate::format::compress::Packer;
use crate::format::layout::Layout;
use crate::format::meta::{Meta, MetricMeta, streams};
use crate::write::atomic::AtomicFile;
use crate::write::block_encoder::{BlockEncoder, BlockSample, SolvedMaterial, all_differences};
use crate::write::choose::{
    KING_MOVES_CELLS, SampleSize, best_layout, best_references, plain_coding, samples,
};
use crate::write::packed::PackedWriter;
use crate::write::parts::TableParts;
use crate::write::records::FileFront;
use crate::write::solved::SolvedMetric;
use crate::write::streams::{Coder, raw_streams};
use crate::write::unwritable::Unwritable;
use crate::{TableError, TableFile};

/// How values are coded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pack {
    /// By learnt contexts: small files that are read fast.
    Fast,
    /// The same with larger models, learnt from more positions.
    Small,
    /// By moves and zstd: the largest files, written and read the fastest. Tables
    /// too large for memory are always written so.
    Quick {
        /// The zstd level, 1 to 22.
        level: i32,
    },
}

/// How a table is written.
#[derive(Clone, Debug, Default)]
pub struct WriteOptions {
    /// How values are coded; if nothing is said, as in the file that is added to.
    pub pack: Option<Pack>,
    /// How they are coded in a new file if nothing is said.
    pub new_pack: Pack,
    /// The sides to move whose depths are stored; if nothing is said, as in the
    /// file that is added to, and both in a new one.
    pub sides: Option<Sides>,
}

/// The sides to move whose depths are stored. Who wins is stored for both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sides {
    /// Both.
    Both,
    /// The one that takes fewer bytes, where values are coded by learnt contexts.
    /// The other's follow from these, one move on, and from the tables that
    /// captures and promotions lead to.
    One,
}

/// One or two percent larger than level 9 in less than half of the time.
const DEFAULT_LEVEL: i32 = 6;

impl Default for Pack {
    fn default() -> Pack {
        Pack::QUICK
    }
}

impl Pack {
    /// Quick coding with the usual level.
    pub const QUICK: Pack = Pack::Quick { level: DEFAULT_LEVEL };

    /// How a new file with these metrics is coded best. Learnt contexts write who wins in a
    /// third of the bytes, but the depths of both sides to move in no fewer.
    pub fn for_new(metrics: &[Metric]) -> Pack {
        if metrics == [Metric::Wdl] { Pack::Fast } else { Pack::QUICK }
    }

    /// The zstd level of quick coding, where there is no choice.
    pub(crate) fn level(self) -> i32 {
        if let Pack::Quick { level } = self { level } else { DEFAULT_LEVEL }
    }
}

impl WriteOptions {
    /// Coded in this way.
    pub const fn packed(pack: Pack) -> WriteOptions {
        WriteOptions { pack: Some(pack), new_pack: pack, sides: None }
    }

    /// How values are coded, those of an earlier file in this way.
    pub(crate) fn pack(&self, earlier: Option<Pack>) -> Pack {
        self.pack.or(earlier).unwrap_or(self.new_pack)
    }

    /// Coded quickly, with this zstd level.
    pub const fn quick(level: i32) -> WriteOptions {
        WriteOptions::packed(Pack::Quick { level })
    }

    /// The same, with depths of these sides to move.
    #[must_use]
    pub const fn with_sides(mut self, sides: Sides) -> WriteOptions {
        self.sides = Some(sides);
        self
    }

    /// Whether values are coded by learnt contexts, where tables allow it.
    pub fn is_packed(&self) -> bool {
        !matches!(self.pack(None), Pack::Quick { .. })
    }

    /// What is said, the rest as in an earlier file.
    #[must_use]
    pub fn following(&self, earlier: Option<&TableFile>) -> WriteOptions {
        let one = |file: &TableFile| if file.is_one_sided() { Sides::One } else { Sides::Both };
        WriteOptions {
            pack: Some(self.pack(earlier.map(TableFile::pack))),
            sides: self.sides.or(earlier.map(one)),
            ..*self
        }
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
    let parts: Vec<&dyn TableParts> = tables.iter().map(|&table| table as _).collect();
    write_parts(path, &parts, options, &WritingRoom::default())
}

/// What a writer may take, and for how long.
pub(crate) struct WritingRoom<'a> {
    /// Cells whose keys may be held at a time, if there is a limit.
    pub cells: Option<usize>,
    /// Memory for learnt contexts, if there is a limit.
    pub bytes: Option<u64>,
    /// Says whether writing is to end; learnt contexts ask.
    pub is_stopped: &'a (dyn Fn() -> bool + Sync),
}

impl Default for WritingRoom<'_> {
    fn default() -> Self {
        WritingRoom { cells: None, bytes: None, is_stopped: &|| false }
    }
}

/// The same, of tables that need not be in memory.
pub(crate) fn write_parts(
    path: &Path,
    tables: &[&dyn TableParts],
    options: &WriteOptions,
    room: &WritingRoom<'_>,
) -> Result<(), TableError> {
    let material = tables.first().map_or(Material::KINGS, |table| table.stats().material);
    let solved: Vec<_> = tables.iter().map(|table| SolvedMetric::by_part(*table)).collect();
    let pack = options.pack(None);
    let whole = solved.iter().all(SolvedMetric::keeps_depths);
    let sides = options.sides.unwrap_or(Sides::Both);
    let written = match PackedWriter::new(pack, sides).filter(|_| whole) {
        Some(writer) => {
            let (source, aliases) = arrange(solved, PACKED_ORDER)?;
            writer.write(path, &source, aliases, room)
        }
        None => {
            let (source, aliases) = arrange(solved, STORED_ORDER)?;
            write_source(path, &source, aliases, pack.level(), room.cells)
        }
    };
    written.map_err(|why| why.at(material, path))
}

/// Writes what has been arranged.
pub(crate) fn write_source(
    path: &Path,
    source: &SolvedMaterial<'_>,
    aliases: Aliases,
    level: i32,
    room_cells: Option<usize>,
) -> Result<(), Unwritable> {
    expecting(|wanted| {
        let (meta, codings) = describe(source, aliases.clone(), level, wanted)?;
        let dictionaries = &meta.dictionaries;
        let mut encoder = BlockEncoder::new(source, &meta.layout, &codings, dictionaries, level);
        encoder.room_cells = encoder.room_cells.min(room_cells.unwrap_or(usize::MAX));
        let mut file = AtomicFile::create(path)?;
        let front = FileFront::new(&meta)?;
        front.complete(file.writer(), front.begin(), &encoder, |_| true)?;
        Ok(file.commit()?)
    })
}

/// Writes with the differences of metrics that are to be expected, which spares
/// a pass over all values; if others turn up, writes again with all.
pub(crate) fn expecting<T>(
    attempt: impl Fn(DifferenceRange) -> Result<T, Unwritable>,
) -> Result<T, Unwritable> {
    match attempt(DifferenceRange::Expected) {
        Err(Unwritable::UnexpectedDifference) => attempt(DifferenceRange::Possible),
        other => other,
    }
}

fn unfit(material: Material, why: &'static str) -> TableError {
    TableError::Unfit { material, why }
}

/// Who writes: equal tables give equal files as long as this stays. To be
/// raised when the layouts, codings or frames chosen for a table change, by a
/// new version of zstd for instance; the golden files tell.
const WRITER: &str = "molien 1";

/// The description of a file, and how its metrics are written.
pub(crate) fn describe(
    source: &SolvedMaterial<'_>,
    aliases: Aliases,
    level: i32,
    differences: DifferenceRange,
) -> Result<(Meta, Vec<Coding>), Unwritable> {
    let layout = best_layout(source)?;
    let references = best_references(source, &layout)?;
    let codings = find_codings(source, &layout, &references, differences)?;
    let dictionaries = train(source, &layout, &codings, level)?;
    let metric = |(solved, coding): (&SolvedMetric<'_>, &Coding)| MetricMeta {
        metric: solved.metric,
        coding: coding.clone(),
        stats: solved.stats.clone(),
    };
    let metrics = source.metrics.iter().zip(&codings).map(metric).collect();
    let writer = WRITER.to_owned();
    Ok((Meta { layout, writer, metrics, aliases, dictionaries, packed: None }, codings))
}

/// The order in which metrics are stored: those others may count from first.
pub(crate) const STORED_ORDER: [Metric; 6] =
    [Metric::Dtz, Metric::Dtc, Metric::Dtz50, Metric::Wdl, Metric::Dtm, Metric::Dtm50];
/// The same where values are coded by learnt contexts: a metric is told the one before it, and
/// where the 50-move rule spoils few wins DTZ50 hardly differs from DTZ.
const PACKED_ORDER: [Metric; 6] =
    [Metric::Dtz, Metric::Dtz50, Metric::Dtc, Metric::Wdl, Metric::Dtm, Metric::Dtm50];

/// Metrics whose values are those of a stored one.
pub(crate) type Aliases = Vec<(Metric, usize)>;

/// The tables in the order in which they are stored, without those equal to an earlier one.
pub(crate) fn arrange<'a>(
    mut tables: Vec<SolvedMetric<'a>>,
    order: [Metric; 6],
) -> Result<(SolvedMaterial<'a>, Aliases), TableError> {
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
    let mut source = SolvedMaterial { metrics: Vec::new(), king_moves_cells: KING_MOVES_CELLS };
    let mut aliases = Vec::new();
    for metric in order {
        let given = tables.iter().position(|table| table.metric == metric);
        let Some(table) = given.map(|place| tables.swap_remove(place)) else { continue };
        let is_told = |known: Metric| matches!((metric, known), (Metric::Wdl, Metric::Dtz50));
        let mut known = source.metrics.iter().map(|known| known.metric);
        if known.any(is_told) || aliases.iter().any(|&(known, _)| is_told(known)) {
            continue;
        }
        let mut equal = None;
        for (place, stored) in source.metrics.iter().enumerate() {
            if equal.is_none() && stored.same_values(&table)? {
                equal = Some(place);
            }
        }
        match equal {
            Some(stored) => aliases.push((metric, stored)),
            None => {
                let table = match source.metrics.first() {
                    Some(first) => table.stored_behind(first),
                    None => table,
                };
                source.metrics.push(table);
            }
        }
    }
    Ok((source, aliases))
}

/// The codings with the references chosen.
fn find_codings(
    source: &SolvedMaterial<'_>,
    layout: &Layout,
    references: &[Option<usize>],
    differences: DifferenceRange,
) -> Result<Vec<Coding>, TableError> {
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
    source: &SolvedMaterial<'_>,
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
    let raw = |sample: &BlockSample| {
        let mut coders: Vec<Coder> =
            codings.iter().map(|coding| Coder::new(coding, layout.predicted)).collect();
        raw_streams(layout, &sample.shape, &mut sample.keys(), &mut coders)
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
