//! Files of learnt contexts.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use molien_board::Color;
use molien_pack::{ClassPacker, Classes, DepthPacker, Depths, PackError, Profile, Tables, choose};
use molien_values::{Metric, Placement, Table};

use crate::TableError;
use crate::format::coding::{Alphabet, Coding};
use crate::format::compress::Packer;
use crate::format::file::{GROUP_LEN, HEAD_LEN, Head, VERSION, head_sum, record_sum, records_sum};
use crate::format::meta::{Meta, MetricMeta};
use crate::format::packed_meta::{
    PackedMeta, SectionLen, depth_sides, is_derivable, packed_layout,
};
use crate::write::atomic::AtomicFile;
use crate::write::block_encoder::SolvedMaterial;
use crate::write::solved::SolvedMetric;
use crate::write::unwritable::Unwritable;
use crate::write::{Aliases, Pack, Sides};

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

/// A section: all its bytes, and how many of them are data.
struct Section {
    bytes: Vec<u8>,
    data_len: usize,
}

impl From<PackError> for Unwritable {
    fn from(_: PackError) -> Unwritable {
        Unwritable::TooLarge
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
    ) -> Result<(), Unwritable> {
        let profile = self.profile;
        let found = source.metrics.iter().map(SolvedMetric::table);
        let found = found.collect::<Result<Vec<Option<Table>>, TableError>>()?;
        let all: Vec<&Table> = found.iter().flatten().collect();
        let Some((tables, fifty)) = told(&all, &aliases) else { return Err(Unwritable::Disagree) };
        let (layout, base) = find_layout(&tables, &profile);
        let layout = Arc::new(layout);
        let mut sections = vec![classes(&tables, &layout, base, profile)?];
        let derived = self.derived(&tables, &layout);
        let chain = self.chain(&tables, &layout, base, derived);
        for (table, &metric) in tables.metrics.iter().zip(&chain) {
            for side in depth_sides(layout.material(), base, derived, table.metric) {
                sections.push(depths(&tables, &layout, side, metric, profile)?);
            }
        }
        let len = |section: &Section| SectionLen {
            front: (section.bytes.len() - section.data_len) as u64,
            data: section.data_len as u64,
        };
        let packed = PackedMeta { fifty, derived, sections: sections.iter().map(len).collect() };
        let meta = Meta {
            layout: packed_layout(&layout, base),
            writer: self.name.to_owned(),
            metrics: metrics(source, &chain),
            aliases,
            dictionaries: Vec::new(),
            packed: Some(packed.clone()),
        };
        write_file(path, &meta.encode_packed(&packed), &sections)
    }

    /// How each metric is coded: with the one before it, where that is worth it.
    fn chain(
        &self,
        tables: &Tables<'_>,
        layout: &molien_pack::Layout,
        base: Color,
        derived: Option<Color>,
    ) -> Vec<molien_pack::Metric> {
        let choose = |number: usize| {
            let alone = molien_pack::Metric { number, earlier: None };
            let chained = coded(tables, number, derived);
            let sides =
                depth_sides(layout.material(), base, derived, tables.metrics[number].metric);
            let cost = |metric: molien_pack::Metric| -> u64 {
                let estimate = |&side: &Color| {
                    DepthPacker::new(tables, layout, side, metric, self.profile.trial()).estimate()
                };
                sides.iter().map(estimate).sum()
            };
            let percent = 100 - self.profile.earlier_percent;
            let pays = chained != alone && cost(chained) < cost(alone) / 100 * percent;
            if pays { chained } else { alone }
        };
        (0..tables.metrics.len()).map(choose).collect()
    }

    /// The side to move whose depths are left out: the one that would take more.
    fn derived(&self, tables: &Tables<'_>, layout: &molien_pack::Layout) -> Option<Color> {
        let derivable = |number: &usize| is_derivable(tables.metrics[*number].metric);
        let has_some = (0..tables.metrics.len()).any(|number| derivable(&number));
        if self.sides == Sides::Both || layout.material().is_symmetric() || !has_some {
            return None;
        }
        let cost = |side: Color| -> u64 {
            let numbers = (0..tables.metrics.len()).filter(derivable);
            let estimate = |number: usize| {
                let metric = coded(tables, number, Some(side));
                DepthPacker::new(tables, layout, side, metric, self.profile.trial()).estimate()
            };
            numbers.map(estimate).sum()
        };
        let [white, black] = Color::BOTH.map(cost);
        Some(if white > black { Color::White } else { Color::Black })
    }
}

/// A metric and the one that its depths can be coded with, which is stored for the
/// same sides to move.
fn coded(tables: &Tables<'_>, number: usize, derived: Option<Color>) -> molien_pack::Metric {
    let is_told = |&before: &usize| {
        let derivable = |number: usize| is_derivable(tables.metrics[number].metric);
        derived.is_none() || derivable(before) == derivable(number)
    };
    let earlier = number.checked_sub(1).filter(is_told);
    molien_pack::Metric { number, earlier }
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

/// The tables as they are coded, and whether they tell the classes of the
/// 50-move rule. `None` if they disagree on who wins.
fn told<'a>(all: &[&'a Table], aliases: &Aliases) -> Option<(Tables<'a>, bool)> {
    let is_fifty = |metric: Metric| matches!(metric, Metric::Dtz50 | Metric::Wdl);
    let alias = aliases.iter().find(|(metric, _)| is_fifty(*metric)).map(|(_, place)| *place);
    let fifty = all.iter().position(|table| is_fifty(table.metric)).or(alias);
    let classes: &Table = all.get(fifty.unwrap_or(0))?;
    let same = |table: &&Table| {
        table.parts.iter().zip(&classes.parts).all(|(a, b)| {
            let mut sides = a.values.iter().zip(&b.values);
            sides.all(|(a, b)| a.legal == b.legal && a.won == b.won && a.lost == b.lost)
        })
    };
    let deep = all.iter().copied().filter(|table| table.metric != Metric::Wdl).collect();
    let tables = Tables { classes, fifty: fifty.is_some(), metrics: deep };
    all.iter().all(same).then_some((tables, fifty.is_some()))
}

fn find_layout(tables: &Tables<'_>, profile: &Profile) -> (molien_pack::Layout, Color) {
    let table = tables.classes;
    let pawns = |part: &Arc<molien_values::BoardValues>| {
        Placement::new(Color::BOTH.map(|color| part.board.pawns(color)))
    };
    let placements: Vec<Placement> = table.parts.iter().map(pawns).collect();
    let near = table.parts.first().and_then(|part| part.board.column());
    choose(tables, table.material, &placements, near, tables.metrics.len(), profile)
}

fn classes(
    tables: &Tables<'_>,
    layout: &Arc<molien_pack::Layout>,
    base: Color,
    profile: Profile,
) -> Result<Section, Unwritable> {
    let bytes = ClassPacker::new(tables, layout, base, profile).pack()?;
    let data_len = Classes::read(&mut &bytes[..], layout)?.data_len();
    Ok(Section { bytes, data_len })
}

fn depths(
    tables: &Tables<'_>,
    layout: &Arc<molien_pack::Layout>,
    side: Color,
    metric: molien_pack::Metric,
    profile: Profile,
) -> Result<Section, Unwritable> {
    let bytes = DepthPacker::new(tables, layout, side, metric, profile).pack()?;
    let data_len = Depths::read(&mut &bytes[..], layout, metric.earlier.is_some())?.data_len();
    Ok(Section { bytes, data_len })
}

/// Head, description, checksums, sections.
fn write_file(path: &Path, description: &[u8], sections: &[Section]) -> Result<(), Unwritable> {
    let packed = Packer::new(19, &[])?.pack(description)?;
    let body: Vec<u8> = sections.iter().flat_map(|section| &section.bytes).copied().collect();
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
