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
    /// The side to move whose depths are not stored: they follow from the other's
    /// and from those of smaller tables.
    pub derived: Option<Color>,
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

/// The sides to move whose depths are stored in a metric, the base side first.
pub(crate) fn depth_sides(
    material: Material,
    base: Color,
    derived: Option<Color>,
    metric: Metric,
) -> Vec<Color> {
    let derived = derived.filter(|_| is_derivable(metric));
    let all = if metric == Metric::Wdl { Vec::new() } else { sides(material, base) };
    all.into_iter().filter(|side| Some(*side) != derived).collect()
}

/// Whether values follow from those one move on. Mate under the 50-move rule, the
/// count being 0, does not: one move on it is 1.
pub(crate) fn is_derivable(metric: Metric) -> bool {
    metric != Metric::Dtm50
}

/// What the byte of flags says: classes of the 50-move rule, and for White and for
/// Black to move that depths are not stored.
const FIFTY: u8 = 1;
const DERIVED: [u8; 2] = [2, 4];

fn encode_flags(packed: &PackedMeta) -> u8 {
    let derived = packed.derived.map_or(0, |side| DERIVED[side.index()]);
    derived | if packed.fifty { FIFTY } else { 0 }
}

fn decode_flags(flags: u8, material: Material) -> Result<(bool, Option<Color>), Malformed> {
    let derived = match flags & !FIFTY {
        0 => None,
        flag if material.is_symmetric() || !DERIVED.contains(&flag) => {
            return Err(Malformed("the flags are wrong"));
        }
        flag => Some(if flag == DERIVED[0] { Color::White } else { Color::Black }),
    };
    Ok((flags & FIFTY != 0, derived))
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
        out.u8(encode_flags(packed));
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
        let (fifty, derived) = decode_flags(input.u8()?, material)?;
        let placements = decode_placements(material, &mut input)?;
        let layout = molien_pack::Layout::new(material, &men, placements);
        let layout = layout.ok_or(Malformed("the men are too many"))?;
        let metrics = input.list(|input| decode_metric(material, input))?;
        check_metrics(&metrics)?;
        let stored = |metric: &MetricMeta| depth_sides(material, base, derived, metric.metric);
        // What depths are read with is stored for the same sides.
        let is_told = |metric: &MetricMeta| {
            let earlier = metric.coding.reference.map(|place| stored(&metrics[place]));
            earlier.is_none_or(|earlier| earlier == stored(metric))
        };
        if !metrics.iter().all(is_told) {
            return Err(Malformed("depths count from some that are not stored"));
        }
        let aliases = decode_aliases(metrics.len(), &mut input)?;
        let section =
            |input: &mut ByteReader<'_>| Ok(SectionLen { front: input.u64()?, data: input.u64()? });
        let sections = input.list(section)?;
        input.end()?;
        if sections.len() != 1 + metrics.iter().map(|metric| stored(metric).len()).sum::<usize>() {
            return Err(Malformed("the number of sections is wrong"));
        }
        let named = metrics.iter().map(|metric| metric.metric);
        let mut named = named.chain(aliases.iter().map(|alias| alias.0));
        if named.any(|metric| matches!(metric, Metric::Wdl | Metric::Dtz50)) && !fifty {
            return Err(Malformed("classes are told without the 50-move rule"));
        }
        let (layout, packed) =
            (packed_layout(&layout, base), PackedMeta { fifty, derived, sections });
        Ok(Meta {
            layout,
            writer,
            metrics,
            aliases,
            dictionaries: Vec::new(),
            packed: Some(packed),
        })
    }

    /// The side to move whose depths in a metric are not stored.
    pub fn derived(&self, place: usize) -> Option<Color> {
        let derived = self.packed.as_ref().and_then(|packed| packed.derived);
        let metric = self.metrics[place].metric;
        derived.filter(|_| is_derivable(metric) && metric != Metric::Wdl)
    }

    /// The section of the depths of a metric with a side to move, if they are
    /// stored; the first of all sections are the classes.
    pub fn depth_section(&self, place: usize, side: Color) -> Option<usize> {
        let (material, base) = (self.layout.material, !self.layout.predicted);
        let derived = self.packed.as_ref().and_then(|packed| packed.derived);
        let stored = |metric: &MetricMeta| depth_sides(material, base, derived, metric.metric);
        let before: usize = self.metrics[..place].iter().map(|metric| stored(metric).len()).sum();
        let own = stored(&self.metrics[place]).iter().position(|known| *known == side)?;
        Some(1 + before + own)
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
