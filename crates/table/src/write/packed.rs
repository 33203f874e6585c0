//! Files of learnt contexts.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use molien_board::Color;
use molien_pack::{ClassPacker, Classes, DepthPacker, Depths, PackError, Profile, Tables, choose};
use molien_values::{BoardValues, Metric, Placement, Table};

use crate::format::coding::{Alphabet, Coding};
use crate::format::compress::Packer;
use crate::format::file::{GROUP_LEN, HEAD_LEN, Head, VERSION, head_sum, record_sum, records_sum};
use crate::format::meta::{Meta, MetricMeta};
use crate::format::packed_meta::{
    PackedMeta, SectionLen, depth_sides, is_derivable, packed_layout,
};
use crate::write::atomic::AtomicFile;
use crate::write::block_encoder::SolvedMaterial;
use crate::write::held::Held;
use crate::write::unwritable::Unwritable;
use crate::write::{Aliases, Pack, Sides, WriteOptions, WritingRoom};

/// Who writes: equal tables give equal files as long as this stays. To be
/// raised when what is learnt or chosen changes; the golden files tell.
const WRITERS: [(&str, Pack, Profile); 2] =
    [("molien 7 fast", Pack::Fast, Profile::FAST), ("molien 7 small", Pack::Small, Profile::SMALL)];

/// How a file of learnt contexts was coded, from the name of its writer; fast if
/// that is another program.
pub(crate) fn pack_of(writer: &str) -> Pack {
    // Earlier revisions named how they coded by the same last word.
    let how = writer.rsplit(' ').next();
    let known = WRITERS.iter().find(|(name, ..)| name.rsplit(' ').next() == how);
    known.map_or(Pack::Fast, |(_, pack, _)| *pack)
}

/// What learning takes in memory beside the values, about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Learning {
    /// For the classes of both sides to move.
    pub classes: u64,
    /// For the depths of one side.
    pub depths: u64,
    /// To keep what is found while cells are counted, so that it is not found twice.
    pub kept: u64,
}

impl WriteOptions {
    /// What learning takes in memory where values are coded by learnt contexts, with so many
    /// cells of each side to move.
    pub fn learning(&self, cells: u64) -> Option<Learning> {
        let (_, _, profile) = WRITERS.iter().find(|(_, known, _)| *known == self.pack(None))?;
        Some(Learning {
            classes: profile.class_learning_bytes(cells),
            depths: profile.depth_learning_bytes(cells),
            kept: Profile::kept_bytes(cells),
        })
    }
}

/// A section: all its bytes, and how many of them are data.
struct Section {
    bytes: Vec<u8>,
    data_len: usize,
}

impl From<PackError> for Unwritable {
    fn from(error: PackError) -> Unwritable {
        match error {
            PackError::Stopped => Unwritable::Stopped,
            PackError::UncountedDepth { .. } => Unwritable::UncountedDepth,
            _ => Unwritable::TooLarge,
        }
    }
}

/// Writes tables that are in memory.
pub(crate) struct PackedWriter {
    name: &'static str,
    profile: Profile,
    sides: Sides,
}

impl PackedWriter {
    /// `None` if learnt contexts are not what is asked for.
    pub fn new(pack: Pack, sides: Sides) -> Option<PackedWriter> {
        let wanted = WRITERS.iter().find(|(_, known, _)| *known == pack);
        wanted.map(|&(name, _, profile)| PackedWriter { name, profile, sides })
    }

    /// Writes a file.
    pub fn write(
        &self,
        path: &Path,
        source: &SolvedMaterial<'_>,
        aliases: Aliases,
        room: &WritingRoom<'_>,
    ) -> Result<(), Unwritable> {
        let room_bytes = room.bytes.unwrap_or(u64::MAX);
        let held = Held::new(source, &aliases, room_bytes, room.is_stopped)?;
        let (layout, base) = self.find_layout(&held)?;
        let layout = Arc::new(layout);
        let classes = self.classes(&held, &layout, base)?;
        let derived = self.derived(&held, &layout)?;
        let chain = self.chain(&held, &layout, base, derived)?;
        let sections = self.depths(&held, &layout, (base, derived), &chain, classes)?;
        let len = |section: &Section| SectionLen {
            front: (section.bytes.len() - section.data_len) as u64,
            data: section.data_len as u64,
        };
        let packed =
            PackedMeta { fifty: held.fifty, derived, sections: sections.iter().map(len).collect() };
        let meta = Meta {
            layout: packed_layout(&layout, base),
            writer: self.name.to_owned(),
            metrics: metrics(source, &chain),
            aliases,
            dictionaries: Vec::new(),
            packed: Some(packed.clone()),
        };
        write_file(path, &meta.encode_packed(&packed), sections)
    }

    fn find_layout(&self, held: &Held<'_>) -> Result<(molien_pack::Layout, Color), Unwritable> {
        let table = held.classes();
        let pawns = |part: &Arc<BoardValues>| {
            Placement::new(Color::BOTH.map(|color| part.board.pawns(color)))
        };
        let placements: Vec<Placement> = table.parts.iter().map(pawns).collect();
        let near = table.parts.first().and_then(|part| part.board.column());
        let first = (held.len() > 0).then(|| held.depths(0, &Color::BOTH)).transpose()?;
        let tables = held.tables(first.iter().collect());
        let metrics = held.len();
        Ok(choose(&tables, table.material, &placements, near, metrics, &self.profile)?)
    }

    fn classes(
        &self,
        held: &Held<'_>,
        layout: &Arc<molien_pack::Layout>,
        base: Color,
    ) -> Result<Section, Unwritable> {
        let tables = held.tables(Vec::new());
        let learning = self.profile.class_learning_bytes(layout.cells() as u64);
        let each_side = held.room_beside(&[], learning) / 2;
        let packer = ClassPacker::new(&tables, layout, base, self.profile).keeping(each_side);
        let bytes = packer.pack()?;
        let data_len = Classes::read(&mut &bytes[..], layout)?.data_len();
        Ok(Section { bytes, data_len })
    }

    /// Behind the classes the depths of all metrics, in stored order, with each side to move
    /// that is stored.
    fn depths(
        &self,
        held: &Held<'_>,
        layout: &Arc<molien_pack::Layout>,
        (base, derived): (Color, Option<Color>),
        chain: &[molien_pack::Metric],
        classes: Section,
    ) -> Result<Vec<Section>, Unwritable> {
        let sides =
            |number: usize| depth_sides(layout.material(), base, derived, held.metric(number));
        let mut found: BTreeMap<(usize, usize), Section> = BTreeMap::new();
        held.each(sides, |number, side, before, own| {
            let before = before.filter(|_| chain[number].earlier.is_some());
            let (tables, metric) = with_earlier(held, before, own);
            let learning = self.profile.depth_learning_bytes(layout.cells() as u64);
            let sections = found.values().chain([&classes]).map(|done| done.bytes.len() as u64);
            let taken = learning + sections.sum::<u64>();
            let room = held.room_beside(&tables.metrics, taken);
            let packer = DepthPacker::new(&tables, layout, side, metric, self.profile);
            let bytes = packer.keeping(room).pack()?;
            let data_len = Depths::read(&mut &bytes[..], layout, before.is_some())?.data_len();
            let place = sides(number).iter().position(|known| *known == side).unwrap_or(0);
            found.insert((number, place), Section { bytes, data_len });
            Ok(())
        })?;
        Ok([classes].into_iter().chain(found.into_values()).collect())
    }

    /// About what depths take.
    fn estimate(
        &self,
        held: &Held<'_>,
        layout: &molien_pack::Layout,
        side: Color,
        (before, own): (Option<&Table>, &Table),
    ) -> Result<u64, Unwritable> {
        let (tables, metric) = with_earlier(held, before, own);
        Ok(DepthPacker::new(&tables, layout, side, metric, self.profile.trial()).estimate()?)
    }

    /// How each metric is coded: with the one before it, where that is worth it.
    fn chain(
        &self,
        held: &Held<'_>,
        layout: &molien_pack::Layout,
        base: Color,
        derived: Option<Color>,
    ) -> Result<Vec<molien_pack::Metric>, Unwritable> {
        let sides =
            |number: usize| depth_sides(layout.material(), base, derived, held.metric(number));
        let earlier = |number: usize| earlier_of(held, number, derived);
        // What each metric takes alone, and with the one before it.
        let mut costs = vec![[0; 2]; held.len()];
        if (0..held.len()).any(|number| earlier(number).is_some()) {
            held.each(sides, |number, side, before, own| {
                if let Some(before) = before.filter(|_| earlier(number).is_some()) {
                    for (cost, before) in costs[number].iter_mut().zip([None, Some(before)]) {
                        *cost += self.estimate(held, layout, side, (before, own))?;
                    }
                }
                Ok(())
            })?;
        }
        let percent = 100 - self.profile.earlier_percent;
        let choose = |number: usize| {
            let [alone, chained] = costs[number];
            let pays = chained < alone / 100 * percent;
            molien_pack::Metric { number, earlier: earlier(number).filter(|_| pays) }
        };
        Ok((0..held.len()).map(choose).collect())
    }

    /// The side to move whose depths are left out: the one that would take more.
    fn derived(
        &self,
        held: &Held<'_>,
        layout: &molien_pack::Layout,
    ) -> Result<Option<Color>, Unwritable> {
        let derivable = |number: usize| is_derivable(held.metric(number));
        let has_some = (0..held.len()).any(derivable);
        if self.sides == Sides::Both || layout.material().is_symmetric() || !has_some {
            return Ok(None);
        }
        let sides = |number| if derivable(number) { Color::BOTH.to_vec() } else { Vec::new() };
        let mut costs = [0; 2];
        held.each(sides, |number, side, before, own| {
            let before = before.filter(|_| earlier_of(held, number, Some(side)).is_some());
            costs[side.index()] += self.estimate(held, layout, side, (before, own))?;
            Ok(())
        })?;
        let [white, black] = costs;
        Ok(Some(if white > black { Color::White } else { Color::Black }))
    }
}

/// The metric that the depths of another can be coded with, if it is stored for the same
/// sides to move.
fn earlier_of(held: &Held<'_>, number: usize, derived: Option<Color>) -> Option<usize> {
    let derivable = |number: usize| is_derivable(held.metric(number));
    let is_told = |&before: &usize| derived.is_none() || derivable(before) == derivable(number);
    number.checked_sub(1).filter(is_told)
}

/// A metric, and the one before it if its depths are coded with that: as a source, and by
/// the numbers they have there.
fn with_earlier<'a>(
    held: &'a Held<'_>,
    before: Option<&'a Table>,
    own: &'a Table,
) -> (Tables<'a>, molien_pack::Metric) {
    let metrics: Vec<&Table> = before.into_iter().chain([own]).collect();
    let metric =
        molien_pack::Metric { number: metrics.len() - 1, earlier: before.is_some().then_some(0) };
    (held.tables(metrics), metric)
}

/// What the metrics say about themselves.
fn metrics(source: &SolvedMaterial<'_>, chain: &[molien_pack::Metric]) -> Vec<MetricMeta> {
    let mut deep: Vec<usize> = Vec::new();
    let mut described = Vec::new();
    for (place, table) in source.metrics.iter().enumerate() {
        let number = (table.metric != Metric::Wdl).then_some(deep.len());
        let earlier = number.and_then(|number| chain[number].earlier);
        let reference = earlier.map(|number| deep[number]);
        deep.extend(number.map(|_| place));
        let alphabets = [Alphabet::default(), Alphabet::default()];
        let coding = Coding { stored: true, reference, alphabets };
        described.push(MetricMeta { metric: table.metric, coding, stats: table.stats.clone() });
    }
    described
}

/// Head, description, checksums, sections.
fn write_file(path: &Path, description: &[u8], sections: Vec<Section>) -> Result<(), Unwritable> {
    let packed = Packer::new(19, &[])?.pack(description)?;
    let body = joined(sections);
    let groups = body.chunks(GROUP_LEN).zip(0..);
    let sums: Vec<u64> = groups.map(|(group, number)| record_sum(group, number)).collect();
    let head = Head {
        version: VERSION,
        meta_len: packed.len() as u32,
        meta_raw_len: description.len() as u32,
        blocks: sums.len() as u64,
        file_len: (HEAD_LEN + packed.len() + 8 * sums.len() + body.len()) as u64,
        records_sum: records_sum(&sums),
        head_sum: 0,
    };
    let mut after_head = packed;
    after_head.extend(sums.iter().flat_map(|sum| sum.to_le_bytes()));
    let unsummed = head.encode_unsummed();
    let mut file = AtomicFile::create(path)?;
    let out = file.writer();
    out.write_all(&unsummed)?;
    out.write_all(&head_sum(&unsummed, &after_head).to_le_bytes())?;
    out.write_all(&after_head)?;
    out.write_all(&body)?;
    out.flush()?;
    Ok(file.commit()?)
}

/// The bytes of all sections, one of which is there twice at a time.
fn joined(sections: Vec<Section>) -> Vec<u8> {
    let all: usize = sections.iter().map(|section| section.bytes.len()).sum();
    let mut sections = sections.into_iter().map(|section| section.bytes);
    let mut body = sections.next().unwrap_or_default();
    body.reserve_exact(all - body.len());
    sections.for_each(|bytes| body.extend_from_slice(&bytes));
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A metric is added to a file in the coding it has, whichever revision wrote it.
    #[test]
    fn the_name_of_a_writer_tells_the_coding() {
        for (name, pack, _) in WRITERS {
            assert_eq!(pack_of(name), pack);
        }
        assert_eq!(pack_of("molien 5 small"), Pack::Small);
        assert_eq!(pack_of("molien 5 fast"), Pack::Fast);
        assert_eq!(pack_of("another program"), Pack::Fast);
    }
}
