//! The description of a table inside its file: material, layout, metrics,
//! statistics, dictionaries (FORMAT.md, section 4).

use molien_board::{Bitboard, Color, Man, Material, Position, Role};
use molien_values::{Count, Longest, Metric, Placement, SideStats, Stats, Zugzwangs};

use crate::format::bytes::{ByteReader, ByteWriter};
use crate::format::coding::{Alphabet, Coding, Malformed};
use crate::format::layout::{Layout, MAX_BLOCK_CELLS, ScanOrder, placed_men};
use crate::format::packed_meta::PackedMeta;

/// One stored metric.
#[derive(Clone, Debug)]
pub(crate) struct MetricMeta {
    pub metric: Metric,
    pub coding: Coding,
    pub stats: Stats,
}

/// Everything a file says about itself.
#[derive(Clone, Debug)]
pub(crate) struct Meta {
    pub layout: Layout,
    /// What wrote the file: a name and a revision.
    pub writer: String,
    pub metrics: Vec<MetricMeta>,
    /// Metrics whose values are those of a stored one.
    pub aliases: Vec<(Metric, usize)>,
    /// A dictionary for each stream; empty for none.
    pub dictionaries: Vec<Vec<u8>>,
    /// What files of learnt contexts have instead.
    pub packed: Option<PackedMeta>,
}

/// Streams of a block: outcomes and each metric's depths, base side first.
pub(crate) const fn streams(metrics: usize) -> usize {
    2 + 2 * metrics
}

impl Meta {
    pub fn streams(&self) -> usize {
        streams(self.metrics.len())
    }

    /// The place of a metric among the stored ones.
    pub fn find(&self, metric: Metric) -> Option<usize> {
        let metric = if self.layout.material.has_pawns() { metric } else { metric.without_pawns() };
        let stored = self.metrics.iter().position(|stored| stored.metric == metric);
        let alias = || self.aliases.iter().find(|(alias, _)| *alias == metric).map(|(_, i)| *i);
        // Depths under the 50-move rule tell the classes.
        let told = || (metric == Metric::Wdl).then(|| self.find(Metric::Dtz50)).flatten();
        stored.or_else(alias).or_else(told)
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut out = ByteWriter::default();
        out.text(&self.layout.material.file_name());
        out.text(&self.writer);
        encode_layout(&self.layout, &mut out);
        out.u32(self.metrics.len() as u32);
        for metric in &self.metrics {
            out.u8(metric_id(metric.metric));
            out.u8(match metric.coding {
                Coding { stored: false, .. } => STATISTICS_ONLY,
                Coding { reference: None, .. } => NO_REFERENCE,
                Coding { reference: Some(place), .. } => place as u8,
            });
            for alphabet in &metric.coding.alphabets {
                for list in [&alphabet.wins, &alphabet.losses] {
                    out.u32(list.len() as u32);
                    list.iter().for_each(|&value| out.u32(value as u32));
                }
            }
            encode_stats(&metric.stats, &mut out);
        }
        encode_aliases(&self.aliases, &mut out);
        out.u32(self.dictionaries.len() as u32);
        self.dictionaries.iter().for_each(|dictionary| out.bytes(dictionary));
        out.0
    }

    pub fn decode(bytes: &[u8]) -> Result<Meta, Malformed> {
        let mut input = ByteReader(bytes);
        let material = decode_material(&mut input)?;
        let writer = input.text()?.to_owned();
        let layout = decode_layout(material, &mut input)?;
        let metrics = input.list(|input| decode_metric(material, input))?;
        check_metrics(&metrics)?;
        let aliases = decode_aliases(metrics.len(), &mut input)?;
        let dictionaries = input.list(|input| input.bytes().map(<[u8]>::to_vec))?;
        input.end()?;
        if dictionaries.len() != streams(metrics.len()) {
            return Err(Malformed("the number of dictionaries is wrong"));
        }
        Ok(Meta { layout, writer, metrics, aliases, dictionaries, packed: None })
    }
}

/// Depths are written as they are.
pub(crate) const NO_REFERENCE: u8 = 255;
/// Depths are not written at all.
pub(crate) const STATISTICS_ONLY: u8 = 254;
pub(crate) const NO_METRIC: Malformed = Malformed("no such metric");

pub(crate) fn metric_id(metric: Metric) -> u8 {
    match metric {
        Metric::Dtm => 0,
        Metric::Dtc => 1,
        Metric::Dtz => 2,
        Metric::Dtz50 => 3,
        Metric::Wdl => 4,
        Metric::Dtm50 => 5,
    }
}

pub(crate) fn metric_of(id: u8) -> Result<Metric, Malformed> {
    Metric::EVERY.into_iter().find(|&metric| metric_id(metric) == id).ok_or(NO_METRIC)
}

pub(crate) fn check_metrics(metrics: &[MetricMeta]) -> Result<(), Malformed> {
    for (i, metric) in metrics.iter().enumerate() {
        let repeated = metrics[..i].iter().any(|other| other.metric == metric.metric);
        let later = |&place: &usize| place >= i || !metrics[place].coding.stored;
        if repeated || metric.coding.reference.as_ref().is_some_and(later) {
            return Err(Malformed("the metrics are not in order"));
        }
    }
    if metrics.is_empty() { Err(NO_METRIC) } else { Ok(()) }
}

fn encode_layout(layout: &Layout, out: &mut ByteWriter) {
    let men: String = layout.men.iter().map(|man| man.letter()).collect();
    out.text(&men);
    out.u8(layout.predicted.index() as u8);
    out.u8(u8::from(layout.king_moves));
    out.u8(match layout.order {
        ScanOrder::Tiles => 0,
        ScanOrder::Rows => 1,
    });
    out.u16(layout.tiles_per_block as u16);
    encode_placements(&layout.placements, out);
}

pub(crate) fn encode_placements(placements: &[Placement], out: &mut ByteWriter) {
    out.u32(placements.len() as u32);
    for placement in placements {
        placement.bitboards().iter().for_each(|set| out.u64(set.0));
    }
}

pub(crate) fn decode_placements(
    material: Material,
    input: &mut ByteReader<'_>,
) -> Result<Vec<Placement>, Malformed> {
    let placements = input.list(|input| {
        let (white, black) = (input.u64()?, input.u64()?);
        Ok(Placement::new([Bitboard(white), Bitboard(black)]))
    })?;
    check_placements(&material, &placements)?;
    Ok(placements)
}

pub(crate) fn decode_material(input: &mut ByteReader<'_>) -> Result<Material, Malformed> {
    let name = input.text()?;
    let material: Material = name.parse().map_err(|_| Malformed("no such material"))?;
    match material.is_canonical() && material.file_name() == name {
        true => Ok(material),
        false => Err(Malformed("the material is not in canonical form")),
    }
}

pub(crate) fn encode_aliases(aliases: &[(Metric, usize)], out: &mut ByteWriter) {
    out.u32(aliases.len() as u32);
    for &(metric, stored) in aliases {
        out.u8(metric_id(metric));
        out.u8(stored as u8);
    }
}

pub(crate) fn decode_aliases(
    metrics: usize,
    input: &mut ByteReader<'_>,
) -> Result<Vec<(Metric, usize)>, Malformed> {
    input.list(|input| {
        let (metric, stored) = (metric_of(input.u8()?)?, usize::from(input.u8()?));
        if stored < metrics { Ok((metric, stored)) } else { Err(NO_METRIC) }
    })
}

/// The men of a layout, from their letters.
pub(crate) fn decode_men(
    material: &Material,
    input: &mut ByteReader<'_>,
) -> Result<Vec<Man>, Malformed> {
    let men: Option<Vec<Man>> = input.text()?.chars().map(Man::from_letter).collect();
    let men = men.ok_or(Malformed("no such man"))?;
    let sorted = |men: &[Man]| {
        let mut men = men.to_vec();
        men.sort_unstable();
        men
    };
    if men.is_empty() || sorted(&men) != sorted(&placed_men(material)) {
        return Err(Malformed("the men are not those of the material"));
    }
    Ok(men)
}

pub(crate) fn decode_side_to_move(input: &mut ByteReader<'_>) -> Result<Color, Malformed> {
    Color::BOTH.get(usize::from(input.u8()?)).copied().ok_or(Malformed("no such side"))
}

fn decode_layout(material: Material, input: &mut ByteReader<'_>) -> Result<Layout, Malformed> {
    let men = decode_men(&material, input)?;
    let predicted = decode_side_to_move(input)?;
    let king_moves = match input.u8()? {
        flag @ (0 | 1) => flag == 1,
        _ => return Err(Malformed("the king's moves are looked at or not")),
    };
    let order = *ScanOrder::BOTH.get(usize::from(input.u8()?)).ok_or(Malformed("no such order"))?;
    let tiles_per_block = usize::from(input.u16()?);
    let placements = decode_placements(material, input)?;
    let layout =
        Layout { material, men, predicted, king_moves, order, tiles_per_block, placements };
    let cells = tiles_per_block * layout.tile_cells();
    if cells == 0 || cells > MAX_BLOCK_CELLS {
        return Err(Malformed("the size of the blocks is wrong"));
    }
    Ok(layout)
}

pub(crate) fn check_placements(
    material: &Material,
    placements: &[Placement],
) -> Result<(), Malformed> {
    let edge_ranks = Bitboard::rank(0) | Bitboard::rank(7);
    let fits = |placement: &Placement| {
        let [white, black] = placement.bitboards();
        Color::BOTH.iter().zip([white, black]).all(|(&color, set)| {
            set.len() == material.count(Man::new(color, Role::Pawn))
                && (set & edge_ranks).is_empty()
        }) && (white & black).is_empty()
            && !placement.canonical().1
    };
    let sorted = placements.windows(2).all(|pair| pair[0] < pair[1]);
    if placements.is_empty() || !sorted || !placements.iter().all(fits) {
        return Err(Malformed("the placements of the pawns are wrong"));
    }
    Ok(())
}

fn decode_metric(material: Material, input: &mut ByteReader<'_>) -> Result<MetricMeta, Malformed> {
    let metric = metric_of(input.u8()?)?;
    let (stored, reference) = match input.u8()? {
        STATISTICS_ONLY => (false, None),
        NO_REFERENCE => (true, None),
        place => (true, Some(usize::from(place))),
    };
    let mut alphabet = || -> Result<Alphabet, Malformed> {
        let mut list = || input.list(|input| input.u32().map(|value| value as i32));
        let alphabet = Alphabet { wins: list()?, losses: list()? };
        let too_long = |list: &Vec<i32>| list.len() > 4096;
        if [&alphabet.wins, &alphabet.losses].into_iter().any(too_long) {
            return Err(Malformed("an alphabet is too long"));
        }
        let value = |&value: &i32| (-0x7fff..=0x7fff).contains(&value);
        let lists = alphabet.wins.iter().chain(&alphabet.losses);
        if lists.clone().all(value) { Ok(alphabet) } else { Err(Malformed("a depth is too large")) }
    };
    let alphabets = [alphabet()?, alphabet()?];
    let stats = decode_stats(material, metric, input)?;
    Ok(MetricMeta { metric, coding: Coding { stored, reference, alphabets }, stats })
}

fn encode_count(count: Count, out: &mut ByteWriter) {
    out.u64(count.unique);
    out.u64(count.nalimov);
}

fn decode_count(input: &mut ByteReader<'_>) -> Result<Count, Malformed> {
    Ok(Count { unique: input.u64()?, nalimov: input.u64()? })
}

pub(crate) fn encode_stats(stats: &Stats, out: &mut ByteWriter) {
    for side in &stats.sides {
        encode_count(side.legal, out);
        encode_count(side.broken, out);
        for histogram in [&side.wins, &side.losses] {
            out.u32(histogram.len() as u32);
            histogram.iter().for_each(|&count| encode_count(count, out));
        }
        for longest in [&side.longest_win, &side.longest_loss] {
            match longest {
                None => out.text(""),
                Some(longest) => {
                    out.text(&longest.position.to_string());
                    out.u16(longest.plies);
                }
            }
        }
    }
    let zugzwangs = &stats.zugzwangs;
    for count in [zugzwangs.white_wins, zugzwangs.black_wins, zugzwangs.full_point] {
        encode_count(count, out);
    }
}

pub(crate) fn decode_stats(
    material: Material,
    metric: Metric,
    input: &mut ByteReader<'_>,
) -> Result<Stats, Malformed> {
    let sides = [decode_side(input)?, decode_side(input)?];
    let mut count = || decode_count(input);
    let zugzwangs = Zugzwangs { white_wins: count()?, black_wins: count()?, full_point: count()? };
    Ok(Stats { material, metric, sides, zugzwangs })
}

fn decode_side(input: &mut ByteReader<'_>) -> Result<SideStats, Malformed> {
    Ok(SideStats {
        legal: decode_count(input)?,
        broken: decode_count(input)?,
        wins: input.list(decode_count)?,
        losses: input.list(decode_count)?,
        longest_win: decode_longest(input)?,
        longest_loss: decode_longest(input)?,
    })
}

fn decode_longest(input: &mut ByteReader<'_>) -> Result<Option<Longest>, Malformed> {
    let fen = input.text()?;
    if fen.is_empty() {
        return Ok(None);
    }
    let position: Position = fen.parse().map_err(|_| Malformed("a FEN is not a position"))?;
    Ok(Some(Longest { plies: input.u16()?, position }))
}
