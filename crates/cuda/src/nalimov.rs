//! Table 3 of Nalimov, Wirth and Haworth (1999), KQQKQQ, solved again.
//!
//! The two columns count differently. Nalimov's DTM tells apart the mirror
//! images that arise with both kings on the long diagonal. Wirth's DTC does
//! not, and it counts moves: a line that ends with the loser's forced
//! conversion has one winner's move more, so an even number of plies to a win
//! is entered at the next odd number, and for losses the other way round.

use molien_values::{Count, Metric, Stats};

use crate::{Attackers, CudaEngine, CudaError, Keep, Request};

const ROWS: &str = include_str!("../../solve/data/nalimov_table3.tsv");

/// One printed count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NalimovRow {
    /// DTM (Nalimov's column) or DTC (Wirth's).
    pub metric: Metric,
    /// Whether White is to move (and wins) or Black (and loses).
    pub white_to_move: bool,
    /// Plies.
    pub ply: usize,
    /// Positions.
    pub count: u64,
}

/// The printed counts.
pub fn nalimov_rows() -> Vec<NalimovRow> {
    let row = |line: &str| -> Option<NalimovRow> {
        let fields: Vec<&str> = line.split('\t').collect();
        Some(NalimovRow {
            metric: fields.first()?.parse().ok()?,
            white_to_move: *fields.get(1)? == "wtm",
            ply: fields.get(2)?.parse().ok()?,
            count: fields.get(3)?.parse().ok()?,
        })
    };
    ROWS.lines().skip(1).filter_map(row).collect()
}

/// What a table's statistics say for a printed row, in its own counting.
fn found(stats: &Stats, row: &NalimovRow) -> u64 {
    let histogram = if row.white_to_move { &stats.sides[0].wins } else { &stats.sides[1].losses };
    let at = |ply: usize| histogram.get(ply).copied().unwrap_or_default();
    match row.metric {
        Metric::Dtm => at(row.ply).nalimov,
        _ => {
            let before = row.ply.checked_sub(1).map_or(Count::default(), at);
            (at(row.ply) + before).unique
        }
    }
}

impl CudaEngine {
    /// Solves KQQKQQ in one metric and returns the printed rows with what was
    /// found.
    ///
    /// # Errors
    /// If it does not fit the card.
    pub fn nalimov(&self, metric: Metric) -> Result<Vec<(NalimovRow, u64)>, CudaError> {
        let Ok(material) = "KQQKQQ".parse() else { return Ok(Vec::new()) };
        let request = Request {
            keep: Keep::Outcomes,
            attackers: Attackers::White,
            ..Request::new(material, metric)
        };
        let stats = self.statistics(&request)?;
        let rows = nalimov_rows().into_iter().filter(|row| row.metric == metric);
        Ok(rows.map(|row| (row, found(&stats, &row))).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_columns_are_whole() {
        let sum = |metric, white_to_move| -> u64 {
            let rows = nalimov_rows().into_iter();
            rows.filter(|row| row.metric == metric && row.white_to_move == white_to_move)
                .map(|row| row.count)
                .sum()
        };
        assert_eq!(sum(Metric::Dtm, true), 417_439_889);
        assert_eq!(sum(Metric::Dtc, true), 407_438_945);
        assert_eq!(sum(Metric::Dtc, false), 133_753_410);
    }
}
