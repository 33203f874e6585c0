//! Files of learnt contexts: their sections, read when first asked for.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use molien_board::Color;
use molien_pack::{Classes, DepthScratch, Depths, PackError, Scratch};
use molien_values::Metric;

use crate::format::file::{GROUP_LEN, record_sum};
use crate::format::meta::Meta;
use crate::format::packed_meta::{PackedMeta, sides};
use crate::{TableError, TableFile};

/// A section: models and index as read, and where the bytes of its streams are
/// in the file.
pub(crate) struct Section<T> {
    pub table: T,
    pub data: Range<usize>,
}

/// Memory for reading, used again and again.
#[derive(Default)]
pub(crate) struct Scratches {
    pub classes: Scratch,
    pub depths: DepthScratch,
}

/// What an open file of learnt contexts knows.
pub(crate) struct Packed {
    pub layout: Arc<molien_pack::Layout>,
    /// The stored sides, the base side first.
    pub sides: Vec<Color>,
    /// Where the first section begins in the file.
    body: usize,
    /// Where the sections are: their fronts and their data.
    places: Vec<[Range<usize>; 2]>,
    classes: OnceLock<Section<Classes>>,
    depths: Vec<OnceLock<Section<Depths>>>,
    /// A bit for each group whose checksum has been found right. Nothing else
    /// depends on when a thread sees it.
    checked: Vec<AtomicU64>,
    scratches: Mutex<Vec<Box<Scratches>>>,
}

impl Packed {
    /// `None` if the men are too many, which the description has ruled out.
    pub fn new(meta: &Meta, described: &PackedMeta, body: usize) -> Option<Packed> {
        let (material, layout) = (meta.layout.material, &meta.layout);
        let layout = molien_pack::Layout::new(material, &layout.men, layout.placements.clone())?;
        let mut end = body;
        let mut next = |len: u64| {
            let start = end;
            end += len as usize;
            start..end
        };
        let places: Vec<[Range<usize>; 2]> =
            described.sections.iter().map(|s| [next(s.front), next(s.data)]).collect();
        let groups = (end - body).div_ceil(GROUP_LEN);
        Some(Packed {
            layout: Arc::new(layout),
            sides: sides(material, !meta.layout.predicted),
            body,
            classes: OnceLock::new(),
            depths: places[1..].iter().map(|_| OnceLock::new()).collect(),
            places,
            checked: (0..groups.div_ceil(64)).map(|_| AtomicU64::new(0)).collect(),
            scratches: Mutex::default(),
        })
    }

    /// Which of the stored sides this is.
    pub fn side(&self, turn: Color) -> Option<usize> {
        self.sides.iter().position(|side| *side == turn)
    }

    /// Lends memory for reading.
    pub fn with_scratch<T>(&self, work: impl FnOnce(&mut Scratches) -> T) -> T {
        let lock = || self.scratches.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lock().pop();
        let mut scratches = known.unwrap_or_default();
        let found = work(&mut scratches);
        lock().push(scratches);
        found
    }

    /// Bytes of a section.
    pub fn section_len(&self, number: usize) -> u64 {
        self.places[number].iter().map(|range| range.len() as u64).sum()
    }
}

impl TableFile {
    /// What is wrong with a section.
    pub(crate) fn bad_section(&self, error: &PackError) -> TableError {
        let (path, why) = (self.path().to_owned(), error.to_string());
        TableError::Unreadable { path, why }
    }

    /// Some bytes of the file, their checksums right.
    pub(crate) fn checked_bytes(
        &self,
        packed: &Packed,
        range: Range<usize>,
    ) -> Result<&[u8], TableError> {
        let groups =
            (range.start - packed.body) / GROUP_LEN..(range.end - packed.body).div_ceil(GROUP_LEN);
        for group in groups {
            let (word, bit) = (&packed.checked[group / 64], 1 << (group % 64));
            if word.load(Relaxed) & bit == 0 {
                self.check_group(packed, group)?;
                word.fetch_or(bit, Relaxed);
            }
        }
        Ok(&self.bytes()[range])
    }

    /// The checksum of a group, which is right.
    pub(crate) fn check_group(&self, packed: &Packed, group: usize) -> Result<u64, TableError> {
        let bytes = self.bytes();
        let start = packed.body + group * GROUP_LEN;
        let found = record_sum(&bytes[start..bytes.len().min(start + GROUP_LEN)], group as u64);
        let expected = self.index_entry(group).unwrap_or(!found);
        if expected != found {
            let (path, what) = (self.path().to_owned(), format!("block {group}"));
            return Err(TableError::Checksum { path, what, expected, found });
        }
        Ok(found)
    }

    /// The classes.
    pub(crate) fn classes<'a>(
        &'a self,
        packed: &'a Packed,
    ) -> Result<&'a Section<Classes>, TableError> {
        if let Some(known) = packed.classes.get() {
            return Ok(known);
        }
        let mut front = self.checked_bytes(packed, packed.places[0][0].clone())?;
        let table = Classes::read(&mut front, &packed.layout);
        let table = table.map_err(|error| self.bad_section(&error))?;
        let fits = table.data_len() == packed.places[0][1].len() && front.is_empty();
        let base = table.sides().next() == packed.sides.first().copied();
        let data = self.fitting(fits && base, &packed.places[0])?;
        Ok(packed.classes.get_or_init(|| Section { table, data }))
    }

    /// The number of the section of depths in the metric at a place with a side to
    /// move.
    pub(crate) fn depth_section(&self, metric: usize, side: Color) -> Result<usize, TableError> {
        let stored = self.shared.meta.depth_section(metric, side);
        stored.ok_or_else(|| self.other_side(metric))
    }

    /// Why depths in the metric at a place cannot be read with one side to move.
    pub(crate) fn other_side(&self, metric: usize) -> TableError {
        let metric = self.shared.meta.metrics[metric].metric;
        TableError::OtherSide { path: self.path().to_owned(), metric }
    }

    /// The depths in the metric at a place with one of the stored sides to
    /// move.
    pub(crate) fn depths<'a>(
        &'a self,
        packed: &'a Packed,
        metric: usize,
        side: Color,
    ) -> Result<&'a Section<Depths>, TableError> {
        let number = self.depth_section(metric, side)?;
        if let Some(known) = packed.depths[number - 1].get() {
            return Ok(known);
        }
        let place = &packed.places[number];
        let mut front = self.checked_bytes(packed, place[0].clone())?;
        let earlier = self.earlier(metric).is_some();
        let table = Depths::read(&mut front, &packed.layout, earlier);
        let table = table.map_err(|error| self.bad_section(&error))?;
        let fits = table.data_len() == place[1].len() && front.is_empty();
        let data = self.fitting(fits && table.turn() == side, place)?;
        Ok(packed.depths[number - 1].get_or_init(|| Section { table, data }))
    }

    /// The metric that has to be known before this one.
    pub(crate) fn earlier(&self, metric: usize) -> Option<usize> {
        self.shared.meta.metrics[metric].coding.reference
    }

    /// Whether a metric has sections of depths.
    pub(crate) fn is_deep(&self, metric: usize) -> bool {
        self.shared.meta.metrics[metric].metric != Metric::Wdl
    }

    fn fitting(&self, fits: bool, place: &[Range<usize>; 2]) -> Result<Range<usize>, TableError> {
        let why = || "it is not what the description says".to_owned();
        let wrong = || TableError::Unreadable { path: self.path().to_owned(), why: why() };
        fits.then(|| place[1].clone()).ok_or_else(wrong)
    }
}
