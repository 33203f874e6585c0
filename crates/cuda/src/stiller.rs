//! Stiller's table of six-man endgames, solved again.

use molien_board::{Color, Material};
use molien_values::{Counting, Metric, Stats};

use crate::{Attackers, CudaEngine, CudaError, Keep, Request};

const ROWS: &str = include_str!("../../solve/data/stiller_table2.tsv");

/// One printed row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StillerRow {
    /// The material, White's men first.
    pub material: Material,
    /// Whether only bishops on squares of both colours are counted.
    pub opposite_bishops: bool,
    /// White's wins, White to move.
    pub wins: u64,
    /// Moves of the longest win.
    pub moves: u32,
    /// Mutual zugzwangs.
    pub zugzwangs: u64,
}

/// What was found for a row, in Stiller's counting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StillerFound {
    /// White's wins, White to move.
    pub wins: u64,
    /// Plies of the longest win, White to move.
    pub plies: u16,
    /// The same in moves; a line that ends with the loser's forced conversion
    /// counts one more.
    pub moves: u32,
    /// Mutual zugzwangs.
    pub zugzwangs: u64,
}

/// The 41 printed rows.
pub fn stiller_rows() -> Vec<StillerRow> {
    let row = |line: &str| -> Option<StillerRow> {
        let fields: Vec<&str> = line.split('\t').collect();
        Some(StillerRow {
            material: fields.first()?.parse().ok()?,
            opposite_bishops: *fields.get(1)? == "opposite",
            wins: fields.get(2)?.parse().ok()?,
            moves: fields.get(3)?.parse().ok()?,
            zugzwangs: fields.get(4)?.parse().ok()?,
        })
    };
    ROWS.lines().skip(1).filter_map(row).collect()
}

impl StillerFound {
    fn new(stats: &Stats, opposite_bishops: bool) -> StillerFound {
        // With bishops on both colours the two are told apart by their squares.
        let factor = if opposite_bishops { 2 } else { 1 };
        let longest = stats.sides[0].longest_win.as_ref().map_or(0, |longest| longest.plies);
        let zugzwangs = stats.zugzwangs.white_wins + stats.zugzwangs.full_point;
        StillerFound {
            wins: stats.wins(Color::White, Counting::Stiller) / factor,
            plies: longest,
            // An odd number of plies ends with White's move, an even one with
            // Black's, after which White still has to take his reward.
            moves: u32::from(longest) / 2 + 1,
            zugzwangs: stats.number(zugzwangs, Counting::Stiller) / factor,
        }
    }
}

impl CudaEngine {
    /// Solves one row of Stiller's table.
    ///
    /// # Errors
    /// If it does not fit the card.
    pub fn stiller(&self, row: &StillerRow) -> Result<StillerFound, CudaError> {
        let request = Request {
            material: row.material,
            metric: Metric::Dtc,
            keep: Keep::Outcomes,
            attackers: Attackers::White,
            opposite_bishops: row.opposite_bishops,
        };
        Ok(StillerFound::new(&self.statistics(&request)?, row.opposite_bishops))
    }
}
