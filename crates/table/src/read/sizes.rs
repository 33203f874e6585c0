//! What the bytes of a file are used for.

use molien_board::Color;
use molien_values::Metric;

use crate::format::coding::Malformed;
use crate::format::file::split_record;
use crate::read::packed::Packed;
use crate::{TableError, TableFile};

/// What part of a file holds what.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sizes {
    /// Bytes of the outcomes: base side, predicted side.
    pub outcomes: [u64; 2],
    /// Bytes of the depths in each stored metric: base side, predicted side. A
    /// metric may be stored as the difference to an earlier one.
    pub depths: Vec<(Metric, [u64; 2])>,
    /// Metrics that are equal to a stored one, which is named second.
    pub equal: Vec<(Metric, Metric)>,
    /// Whether the depths of one side to move can be left out (`--sides one`).
    pub sides_apart: bool,
    /// Bytes of head, description, dictionaries, index, lengths and checksums.
    pub rest: u64,
}

impl Sizes {
    /// What a metric takes, stored or equal to one that is: base side, second side.
    /// Nothing if the file does not have it.
    pub fn depths_of(&self, metric: Metric) -> Option<[u64; 2]> {
        let equal = self.equal.iter().find(|(equal, _)| *equal == metric);
        let stored = equal.map_or(metric, |(_, stored)| *stored);
        self.depths.iter().find(|(known, _)| *known == stored).map(|(_, sides)| *sides)
    }

    /// What the depths take of the side that takes more in all metrics, and so may be left
    /// out; 0 if both are needed, or only one is stored.
    pub fn larger_side(&self) -> u64 {
        let side = |side: usize| self.depths.iter().map(|(_, sides)| sides[side]).sum::<u64>();
        let [base, second] = [side(0), side(1)];
        if self.sides_apart && base.min(second) > 0 { base.max(second) } else { 0 }
    }
}

impl TableFile {
    /// What the bytes of the file are used for.
    ///
    /// # Errors
    /// If a record is damaged.
    pub fn sizes(&self) -> Result<Sizes, TableError> {
        if let Some(packed) = &self.packed {
            return Ok(self.packed_sizes(packed));
        }
        let mut streams = vec![0; self.shared.meta.streams()];
        for number in 0..self.shared.meta.layout.blocks() {
            let (contents, _) = self.record(number)?;
            let split = split_record(contents, streams.len());
            let split = split.map_err(|Malformed(why)| self.malformed(number, why))?;
            streams.iter_mut().zip(split).for_each(|(len, stream)| *len += stream.len() as u64);
        }
        let metrics = self.shared.meta.metrics.iter().map(|stored| stored.metric);
        let depths = metrics.zip(streams[2..].chunks(2).map(|pair| [pair[0], pair[1]])).collect();
        let rest = self.len_bytes() - streams.iter().sum::<u64>();
        let outcomes = [streams[0], streams[1]];
        Ok(Sizes { outcomes, depths, equal: self.equal_metrics(), sides_apart: false, rest })
    }

    fn equal_metrics(&self) -> Vec<(Metric, Metric)> {
        let meta = &self.shared.meta;
        let stored = |metric| Some((metric, meta.metrics[meta.find(metric)?].metric));
        let is_other = |(metric, stored): &(Metric, Metric)| {
            metric != stored && *metric != Metric::Wdl && *stored != Metric::Wdl
        };
        Metric::EVERY.into_iter().filter_map(stored).filter(is_other).collect()
    }

    /// The classes of both sides share their streams.
    fn packed_sizes(&self, packed: &Packed) -> Sizes {
        let metrics = self.shared.meta.metrics.iter().enumerate();
        let deep = metrics.filter(|(place, _)| self.is_deep(*place));
        let section = |place: usize, side: usize| {
            let side = packed.sides.get(side);
            let number = side.and_then(|&side| self.shared.meta.depth_section(place, side));
            number.map_or(0, |number| packed.section_len(number))
        };
        let depths: Vec<(Metric, [u64; 2])> = deep
            .map(|(place, stored)| (stored.metric, [section(place, 0), section(place, 1)]))
            .collect();
        let outcomes = [packed.section_len(0), 0];
        let deep: u64 = depths.iter().flat_map(|(_, sides)| sides).sum();
        let rest = self.len_bytes() - outcomes[0] - deep;
        Sizes { outcomes, depths, equal: self.equal_metrics(), sides_apart: true, rest }
    }

    /// The side to move that is read by itself; what is known of it helps to read the
    /// other.
    pub fn base_side(&self) -> Color {
        !self.shared.meta.layout.predicted
    }

    /// The order of the men in the file and the predicted side, in words.
    pub fn layout(&self) -> String {
        let layout = &self.shared.meta.layout;
        let men: String = layout.men.iter().map(|man| man.letter()).collect();
        if self.packed.is_some() {
            return format!("{men}, {} first", !layout.predicted);
        }
        let king = if layout.king_moves { "" } else { ", king's moves left out" };
        format!("{men}, {} predicted{king}, scanned by {:?}", layout.predicted, layout.order)
    }
}
