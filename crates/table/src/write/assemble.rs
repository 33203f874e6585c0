//! Tables that never were in memory as a whole: written from wave logs, one
//! class of king pairs after the other, or from board logs, part by part.

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use molien_hyper::KING_PAIRS;
use molien_values::{Metric, Stats};

use crate::format::coding::DifferenceRange;
use crate::read::file_classes::FileClasses;
use crate::write::atomic::publish;
use crate::write::block_encoder::{BlockEncoder, SolvedMaterial};
use crate::write::classes::{ClassCache, Classes};
use crate::write::parts::TableParts;
use crate::write::records::FileFront;
use crate::write::solved::SolvedMetric;
use crate::write::unwritable::Unwritable;
use crate::write::{Aliases, STORED_ORDER, arrange, describe, expecting};
use crate::{Logged, TableError, TableFile, WriteOptions};

/// Classes that are kept: those on which layouts are tried ...
const ENOUGH_CLASSES: u64 = 72;
/// ... and more if they take no more than this.
const SMALL_BYTES: u64 = 1 << 28;

/// The ending of the name under which a table is assembled.
pub(crate) const PART: &str = "part";

/// How a table is assembled.
pub struct Assembly<'a> {
    /// As for any other table.
    pub options: &'a WriteOptions,
    /// What may be kept in memory of the values.
    pub memory_bytes: u64,
    /// Told how many of how many blocks are written; says whether to continue.
    pub watch: &'a (dyn Fn(usize, usize) -> bool + Sync),
}

/// One metric of a material: its statistics, its values, and what a class of
/// them takes in memory.
pub(crate) struct MetricValues {
    pub stats: Stats,
    pub classes: Arc<dyn Classes>,
    pub class_bytes: u64,
    /// Whether the depth of each position is known, or only their number.
    pub keeps_depths: bool,
}

impl From<&Logged> for MetricValues {
    fn from(logged: &Logged) -> MetricValues {
        let (stats, classes) = (logged.stats.clone(), logged.waves.clone());
        MetricValues { stats, classes, class_bytes: logged.class_bytes(), keeps_depths: true }
    }
}

/// Some metrics of a file, class by class, or as a whole if it is small. Those
/// of which a large file has only statistics keep them.
pub(crate) fn kept_parts(
    file: TableFile,
    metrics: &[Metric],
) -> Result<Vec<MetricValues>, TableError> {
    let file = Arc::new(file);
    let mut parts: Vec<MetricValues> = Vec::new();
    let mut places = Vec::new();
    for &metric in metrics.iter().filter(|metric| **metric == metric.without_pawns()) {
        let (place, stats) = (file.find(metric)?, file.stats(metric)?);
        let known = places.iter().position(|known| *known == place).map(|i| &parts[i]);
        let (classes, class_bytes): (Arc<dyn Classes>, u64) = match known {
            Some(known) => (known.classes.clone(), known.class_bytes),
            None => match FileClasses::new(file.clone(), metric, true) {
                Some(classes) => {
                    let class_bytes = classes.class_bytes();
                    (Arc::new(classes), class_bytes)
                }
                None => {
                    let table = Arc::new(file.load(metric)?);
                    let class_bytes = (table.len_bytes() / KING_PAIRS) as u64;
                    (Arc::new(table), class_bytes)
                }
            },
        };
        let keeps_depths = file.metrics().contains(&metric);
        parts.push(MetricValues { stats, classes, class_bytes, keeps_depths });
        places.push(place);
    }
    Ok(parts)
}

/// Writes a table. If an earlier process has left a part of it under the
/// temporary name, writing resumes there; what is written stays if this fails.
pub(crate) fn assemble(
    path: &Path,
    temporary: &Path,
    parts: &[MetricValues],
    assembly: &Assembly<'_>,
) -> Result<(), TableError> {
    let share = assembly.memory_bytes / parts.len().max(1) as u64;
    let solved = |part: &MetricValues| -> ClassCache {
        let enough = SMALL_BYTES.max(ENOUGH_CLASSES * part.class_bytes);
        let capacity = share.min(enough) / part.class_bytes.max(1);
        ClassCache::new(part.classes.clone(), capacity as usize)
    };
    let by_class = parts
        .iter()
        .map(|part| SolvedMetric::by_class(&part.stats, solved(part), part.keeps_depths));
    let (source, aliases) = arrange(by_class.collect(), STORED_ORDER)?;
    complete(path, temporary, &source, aliases, None, assembly)
}

/// The room for writing tables that give their parts.
#[derive(Clone, Copy)]
pub(crate) struct PartsRoom {
    /// Cells whose keys are held at a time.
    pub cells: usize,
    /// Whether twice as many parts are kept as these are of.
    pub for_next: bool,
}

/// The same of tables that give their parts.
pub(crate) fn assemble_parts(
    path: &Path,
    temporary: &Path,
    tables: &[&dyn TableParts],
    room: PartsRoom,
    assembly: &Assembly<'_>,
) -> Result<(), TableError> {
    let by_part = tables.iter().map(|table| SolvedMetric::by_part(*table));
    let (source, aliases) = arrange(by_part.collect(), STORED_ORDER)?;
    complete(path, temporary, &source, aliases, Some(room), assembly)
}

/// Completes the file under its temporary name, then gives it its own.
fn complete(
    path: &Path,
    temporary: &Path,
    source: &SolvedMaterial<'_>,
    aliases: Aliases,
    room: Option<PartsRoom>,
    assembly: &Assembly<'_>,
) -> Result<(), TableError> {
    let file =
        expecting(|wanted| add_records(temporary, source, aliases.clone(), room, assembly, wanted));
    let material = source.metrics[0].material;
    let file = file.map_err(|why| match why {
        Unwritable::Stopped => why.at(material, path),
        _ => why.at(material, temporary),
    })?;
    publish(&file, temporary, path)
}

/// Adds the records that the file lacks.
fn add_records(
    temporary: &Path,
    source: &SolvedMaterial<'_>,
    aliases: Aliases,
    room: Option<PartsRoom>,
    assembly: &Assembly<'_>,
    wanted: DifferenceRange,
) -> Result<File, Unwritable> {
    let level = assembly.options.pack(None).level();
    let (meta, codings) = describe(source, aliases, level, wanted)?;
    let mut encoder = BlockEncoder::new(source, &meta.layout, &codings, &meta.dictionaries, level);
    if let Some(room) = room {
        encoder.room_cells = room.cells.min(encoder.cells_worth_holding());
        encoder.looks_ahead = room.for_next;
    }
    let front = FileFront::new(&meta)?;
    let mut how = OpenOptions::new();
    let file = how.read(true).write(true).create(true).truncate(false).open(temporary)?;
    let records = front.find(BufReader::with_capacity(1 << 20, &file))?;
    file.set_len(records.end())?;
    let mut out = BufWriter::with_capacity(1 << 16, file);
    front.mark(&mut out)?;
    let blocks = meta.layout.blocks();
    front.complete(&mut out, records, &encoder, |written| (assembly.watch)(written, blocks))?;
    Ok(out.into_inner().map_err(io::IntoInnerError::into_error)?)
}

/// Where a table is assembled. Another version of the program does not resume
/// there: it may have other values.
pub(crate) fn temporary(folder: &Path, name: &str, metrics: &[Metric], level: i32) -> PathBuf {
    let metrics: Vec<&str> = metrics.iter().map(|metric| metric.name()).collect();
    let version = env!("CARGO_PKG_VERSION");
    folder.join(format!("{name}.{}.{level}.v{version}.{PART}", metrics.join("-")))
}
