//! The description of files of learnt contexts (FORMAT.md, section 4).

use molien_board::{Color, Material};

use crate::format::bytes::{ByteReader, ByteWriter};
use crate::format::coding::{Alphabet, Coding, Malformed};
use crate::format::layout::{Layout, ScanOrder};
use crate::format::meta::{
    Meta, MetricMeta, NO_REFERENCE, check_metrics, decode_aliases, decode_material, decode_men,
    decode_placements, decode_side_to_move, decode_stats, encode_aliases, encode_placements,
    encode_stats, metric_id, metric_of,
};
use molien_values::Metric;

/// What a section takes: models and index, then the bytes of its streams.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SectionLen {
    pub front: u64,
    pub data: u64,
}

/// What only files of learnt contexts say about themselves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PackedMeta {
    /// Whether the classes are those of the 50-move rule.
    pub fifty: bool,
    /// The classes, then depths metric by metric, side by side.
    pub sections: Vec<SectionLen>,
}

/// The addressing of a file of learnt contexts. What only the other coding
/// needs says nothing.
pub(crate) fn packed_layout(layout: &molien_pack::Layout, base: Color) -> Layout {
    Layout {
        material: layout.material(),
        men: layout.placed().to_vec(),
        predicted: !base,
        king_moves: false,
        order: ScanOrder::Tiles,
        tiles_per_block: 1,
        placements: layout.placements().to_vec(),
    }
}

/// The stored sides, the base side first; one stands for both where they have
/// the same men.
pub(crate) fn sides(material: Material, base: Color) -> Vec<Color> {
    if material.is_symmetric() { vec![base] } else { vec![base, !base] }
}

impl Meta {
    /// The description of a file of learnt contexts.
    pub fn encode_packed(&self, packed: &PackedMeta) -> Vec<u8> {
        let mut out = ByteWriter::default();
        out.text(&self.layout.material.file_name());
        out.text(&self.writer);
        let men: String = self.layout.men.iter().map(|man| man.letter()).collect();
        out.text(&men);
        out.u8((!self.layout.predicted).index() as u8);
        out.u8(u8::from(packed.fifty));
        encode_placements(&self.layout.placements, &mut out);
        out.u32(self.metrics.len() as u32);
        for metric in &self.metrics {
            out.u8(metric_id(metric.metric));
            out.u8(metric.coding.reference.map_or(NO_REFERENCE, |place| place as u8));
            encode_stats(&metric.stats, &mut out);
        }
        encode_aliases(&self.aliases, &mut out);
        out.u32(packed.sections.len() as u32);
        for section in &packed.sections {
            out.u64(section.front);
            out.u64(section.data);
        }
        out.0
    }

    /// Reads what [`Meta::encode_packed`] wrote.
    pub fn decode_packed(bytes: &[u8]) -> Result<Meta, Malformed> {
        let mut input = ByteReader(bytes);
        let material = decode_material(&mut input)?;
        let writer = input.text()?.to_owned();
        let men = decode_men(&material, &mut input)?;
        let base = decode_side_to_move(&mut input)?;
        if material.is_symmetric() && base != Color::White {
            return Err(Malformed("no such side"));
        }
        let fifty = match input.u8()? {
            flag @ (0 | 1) => flag == 1,
            _ => return Err(Malformed("the classes are neither three nor five")),
        };
        let placements = decode_placements(material, &mut input)?;
        let layout = molien_pack::Layout::new(material, &men, placements);
        let layout = layout.ok_or(Malformed("the men are too many"))?;
        let metrics = input.list(|input| decode_metric(material, input))?;
        check_metrics(&metrics)?;
        let mut references = metrics.iter().filter_map(|metric| metric.coding.reference);
        if references.any(|place| metrics[place].metric == Metric::Wdl) {
            return Err(Malformed("depths count from classes"));
        }
        let aliases = decode_aliases(metrics.len(), &mut input)?;
        let section =
            |input: &mut ByteReader<'_>| Ok(SectionLen { front: input.u64()?, data: input.u64()? });
        let sections = input.list(section)?;
        input.end()?;
        let deep = metrics.iter().filter(|metric| metric.metric != Metric::Wdl).count();
        if sections.len() != 1 + deep * sides(material, base).len() {
            return Err(Malformed("the number of sections is wrong"));
        }
        let named = metrics.iter().map(|metric| metric.metric);
        let mut named = named.chain(aliases.iter().map(|alias| alias.0));
        if named.any(|metric| matches!(metric, Metric::Wdl | Metric::Dtz50)) && !fifty {
            return Err(Malformed("classes are told without the 50-move rule"));
        }
        let (layout, packed) = (packed_layout(&layout, base), PackedMeta { fifty, sections });
        Ok(Meta {
            layout,
            writer,
            metrics,
            aliases,
            dictionaries: Vec::new(),
            packed: Some(packed),
        })
    }

    /// The section of the depths of a metric with a side to move; the first of
    /// all sections are the classes.
    pub fn depth_section(&self, place: usize, side: usize) -> usize {
        let deep = |metric: &&MetricMeta| metric.metric != Metric::Wdl;
        let before = self.metrics[..place].iter().filter(deep).count();
        1 + before * sides(self.layout.material, !self.layout.predicted).len() + side
    }
}

fn decode_metric(material: Material, input: &mut ByteReader<'_>) -> Result<MetricMeta, Malformed> {
    let metric = metric_of(input.u8()?)?;
    let reference = match input.u8()? {
        NO_REFERENCE => None,
        place => Some(usize::from(place)),
    };
    if metric == Metric::Wdl && reference.is_some() {
        return Err(Malformed("classes count from nothing"));
    }
    let stats = decode_stats(material, metric, input)?;
    let alphabets = [Alphabet::default(), Alphabet::default()];
    Ok(MetricMeta { metric, coding: Coding { stored: true, reference, alphabets }, stats })
}
