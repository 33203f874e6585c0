//! What storing a material takes in memory.

use molien_board::Material;
use molien_solve::Keep;
use molien_table::WriteOptions;
use molien_values::Metric;

use crate::memory::{OUTCOME_PLANES, board_bytes, decoding_bytes, depth_planes, outcome_planes};
use crate::waiting::Waiting;
use crate::whole::table_bytes;

/// What a compressor takes: a thread that writes has one for each stream.
const COMPRESSOR_BYTES: u64 = 7 << 19;
/// What the sample of a metric takes on which ways to write are tried, and what
/// that takes however many there are.
const SAMPLE_BYTES: u64 = 32 << 20;
const TRIAL_BYTES: u64 = 16 << 20;

/// Planes of the classes of both sides to move, with those beyond the 50-move rule.
const CLASS_PLANES: u64 = OUTCOME_PLANES + 2;

/// What storing a material takes.
pub(crate) struct StoreCost {
    tables: u64,
    /// The planes of one metric.
    planes: u64,
    /// What trying things out takes, or the threads that write, of what writing takes.
    pub encoding: u64,
    /// To write all of them from files without a name.
    pub writing: u64,
    /// To write all of them, their planes being in memory.
    pub beside: u64,
    /// Whether tables can wait in such files.
    pub sets_aside: bool,
}

impl StoreCost {
    pub fn new(
        material: Material,
        metrics: &[Metric],
        threads: u64,
        options: &WriteOptions,
    ) -> StoreCost {
        // Without pawns DTZ50 is DTC up to five men: no capture leads to where
        // the 50-move rule matters.
        let both = [Metric::Dtc, Metric::Dtz50].iter().all(|metric| metrics.contains(metric));
        let tables = (metrics.len() - usize::from(both && !material.has_pawns())) as u64;
        let planes = table_bytes(material, Keep::Depths);
        let own = StoreCost {
            tables,
            planes,
            encoding: 0,
            writing: 0,
            beside: 0,
            sets_aside: material.has_pawns(),
        };
        own.packed(material, metrics, options).unwrap_or_else(|| own.quick(material, threads))
    }

    /// Where values are coded by moves and zstd.
    fn quick(self, material: Material, threads: u64) -> StoreCost {
        let part = if material.has_pawns() { board_bytes(material) } else { 0 };
        // Who wins and depths, both sides to move; and one to try things out.
        let streams = 2 + 2 * self.tables;
        let compressors = threads * (streams + 1) * COMPRESSOR_BYTES;
        let encoding = TRIAL_BYTES + compressors.max(self.tables * SAMPLE_BYTES);
        // Keys of one side to move, and of the other of what is being encoded.
        let writing = self.tables * (part + decoding_bytes(material) / 2) + encoding;
        StoreCost { encoding, writing, beside: writing, ..self }
    }

    /// Where they are coded by learnt contexts: the classes are held, and the depths of
    /// two metrics with one side to move, or of one with both.
    fn packed(
        &self,
        material: Material,
        metrics: &[Metric],
        options: &WriteOptions,
    ) -> Option<StoreCost> {
        let plane = table_bytes(material, Keep::Outcomes) / outcome_planes(material);
        let learning = options.learning(plane * u64::from(u8::BITS))?;
        let depths = depth_planes(material);
        let writing = (CLASS_PLANES * plane + learning.classes)
            .max((CLASS_PLANES + 2 * depths) * plane + learning.depths);
        // A table that is one board comes to memory whole before half of it is kept.
        let whole = if material.has_pawns() { 0 } else { self.planes };
        let writing = writing.max((CLASS_PLANES + depths) * plane + whole);
        // Mate under the 50-move rule is written with the draws of the rule as depths: a copy
        // of a table that is in memory.
        let under_the_rule = metrics.len() > 1 && metrics.contains(&Metric::Dtm50);
        let copy = if under_the_rule { (CLASS_PLANES + 2 * depths) * plane } else { 0 };
        let beside = learning.classes.max(learning.depths) + learning.kept + copy;
        Some(StoreCost { encoding: 0, writing, beside, sets_aside: true, ..*self })
    }

    /// To write those that wait, beside what these take.
    pub fn to_write(&self, waiting: &Waiting<'_>) -> u64 {
        match (waiting.is_any_aside(), self.sets_aside) {
            (false, _) => self.beside,
            (true, true) => self.writing,
            (true, false) => self.beside + waiting.aside_bytes(),
        }
    }

    /// The most that is of use to write them together with so many metrics of an earlier file.
    pub fn at_ease(&self, waiting: &Waiting<'_>, kept: u64) -> u64 {
        match kept {
            0 if !waiting.is_any_aside() => self.beside,
            0 => u64::MAX,
            _ => self.writing.max(self.beside) + kept * self.planes,
        }
    }

    /// All planes, and to write them.
    pub fn together(&self) -> u64 {
        self.tables * self.planes + self.beside
    }
}
