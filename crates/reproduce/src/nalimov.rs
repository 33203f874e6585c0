//! E. V. Nalimov, C. Wirth, G. McC. Haworth, KQQKQQ and the Kasparov-World
//! Game, 1999: tables.

use std::collections::BTreeMap;

use molien_board::Material;
use molien_values::{Count, Counting, Metric, Stats};

use crate::data::{Data, data};
use crate::moves::{at_ply, percent};
use crate::report::{Cell, Section};
use crate::{Lab, ReproduceError};

pub(crate) const PAPER: &str = "nalimov";
const TABLE2: Data = data!("nalimov_table2.tsv");
const TABLE3: Data = data!("nalimov_table3.tsv");
const TABLE5: Data = data!("nalimov_table5.tsv");
const TOTALS5: Data = data!("nalimov_table5_totals.tsv");

const SIX_MEN: &str = "six men: left out unless the full table is asked for";
const INDEX: &str = "depends on the index, not on chess";

/// One column of figures: whose, how counted, in which metric.
struct Column {
    name: &'static str,
    counting: Counting,
    metric: Metric,
    /// Whether depths are the winner's moves rather than plies. A line that
    /// ends with the loser's forced conversion has one winner's move more: a
    /// win in an even number of plies is entered one ply later, and so is a
    /// loss in an odd number.
    in_moves: bool,
}

impl Column {
    const fn new(name: &'static str, counting: Counting, metric: Metric, in_moves: bool) -> Column {
        Column { name, counting, metric, in_moves }
    }

    /// The positions entered at a ply of a histogram, whose own plies are odd
    /// (wins) or even (losses).
    fn entered(&self, histogram: &[Count], ply: usize, parity: usize) -> Count {
        match (self.in_moves, ply % 2 == parity) {
            (false, _) => at_ply(histogram, ply),
            (true, false) => Count::default(),
            (true, true) => {
                let before = ply.checked_sub(1).map(|ply| at_ply(histogram, ply));
                at_ply(histogram, ply) + before.unwrap_or_default()
            }
        }
    }
}

const WINS: usize = 1;
const LOSSES: usize = 0;

const TABLE3_COLUMNS: [Column; 2] = [
    Column::new("nalimov_dtm", Counting::Nalimov, Metric::Dtm, false),
    Column::new("wirth_dtc", Counting::Unique, Metric::Dtc, true),
];
const TABLE5_COLUMNS: [Column; 2] = [
    Column::new("nalimov", Counting::Nalimov, Metric::Dtm, false),
    Column::new("wirth", Counting::Unique, Metric::Dtm, false),
];

fn material(name: &str) -> Result<Material, ReproduceError> {
    name.parse().map_err(|error| ReproduceError::Data {
        file: TABLE2.file,
        row: 0,
        problem: format!("{name}: {error}"),
    })
}

/// What is neither won nor lost but not resolved by a search of so many plies,
/// of all that is not resolved: the horizon column.
struct Horizon {
    decided: u64,
    positions: u64,
}

impl Horizon {
    fn new(stats: &Stats, counting: Counting) -> Horizon {
        let side = &stats.sides[0];
        let number = |count| stats.number(count, counting);
        Horizon {
            decided: number(side.total_wins()) + number(side.total_losses()),
            positions: number(side.legal),
        }
    }

    /// After so many positions have been resolved.
    fn after(&self, resolved: u64) -> String {
        percent(self.decided.saturating_sub(resolved), self.positions.saturating_sub(resolved), 2)
    }
}

/// The histograms of a symmetric material, White's wins with either side to
/// move, and the horizon after every ply.
fn histograms(
    data: Data,
    columns: &[Column],
    stats: impl Fn(Metric) -> Result<Stats, ReproduceError>,
) -> Result<Vec<Cell>, ReproduceError> {
    let mut cells = Vec::new();
    for column in columns {
        let stats = stats(column.metric)?;
        let horizon = Horizon::new(&stats, column.counting);
        let [white, black] = &stats.sides;
        let number = |count| stats.number(count, column.counting);
        // With equal forces Black's chances are White's: the losses of a side
        // to move are those of the other.
        let mut resolved = BTreeMap::new();
        let mut sum = 0;
        // One ply beyond the last, for what is entered late.
        for ply in 0..=white.wins.len().max(black.losses.len()).max(110) {
            let decided =
                column.entered(&white.wins, ply, WINS) + column.entered(&black.losses, ply, LOSSES);
            sum += number(decided);
            resolved.insert(ply, sum);
        }
        for row in data.rows() {
            if row.text(0)? != column.name {
                continue;
            }
            let (side, ply): (&str, usize) = (row.text(1)?, row.get(2)?);
            let name = format!("{} {side} {ply} plies", column.name);
            let ours = number(match side {
                "wtm" => column.entered(&white.wins, ply, WINS),
                _ => column.entered(&black.losses, ply, LOSSES),
            });
            cells.push(Cell::compare(&name, "positions", row.text(3)?, ours));
            let printed = format!("{:.2}", row.get::<f64>(4)?);
            let share = horizon.after(resolved.get(&ply).copied().unwrap_or(sum));
            cells.push(Cell::compare(&name, "horizon %", printed, share));
        }
    }
    Ok(cells)
}

/// Table 5: KQKQ in the counting of both authors.
///
/// # Errors
/// If it cannot be solved.
pub fn table5(lab: &Lab) -> Result<Section, ReproduceError> {
    let kqkq = material("KQKQ")?;
    let stats = |metric| Ok(lab.tables().stats(kqkq, metric)?);
    let mut cells = histograms(TABLE5, &TABLE5_COLUMNS, stats)?;
    let stats = lab.tables().stats(kqkq, Metric::Dtm)?;
    for row in TOTALS5.rows() {
        for (field, column) in TABLE5_COLUMNS.iter().enumerate() {
            let cell = Cell::compare(column.name, row.text(0)?, row.text(field + 1)?, "");
            cells.push(match total(&stats, row.text(0)?, column.counting) {
                Some(ours) => Cell::compare(column.name, row.text(0)?, row.text(field + 1)?, ours),
                None => cell.beside(INDEX),
            });
        }
    }
    Ok(Section { paper: PAPER, table: "5", title: "KQKQ, White's wins by plies to mate", cells })
}

/// A total by its name in the tables.
fn total(stats: &Stats, name: &str, counting: Counting) -> Option<u64> {
    let side = &stats.sides[0];
    let number = |count| stats.number(count, counting);
    let (legal, wins) = (number(side.legal), number(side.total_wins()));
    let losses = number(side.total_losses());
    match name {
        "wins" | "W" => Some(wins),
        "losses" | "L" => Some(losses),
        "draws" | "D" => Some(legal.saturating_sub(wins + losses)),
        "unbroken" | "U" => Some(legal),
        _ => None,
    }
}

/// Tables 2 and 3: KQQKQQ, totals, histograms and zugzwangs. Six men.
///
/// # Errors
/// If it cannot be solved.
pub fn tables2_and_3(lab: &Lab, full: bool) -> Result<Vec<Section>, ReproduceError> {
    let titles = ["KQQKQQ, totals", "KQQKQQ, White's wins by plies"];
    if !full {
        let skipped = || vec![Cell::skipped("KQQKQQ", "all figures", "", SIX_MEN)];
        let section = |(table, title)| Section { paper: PAPER, table, title, cells: skipped() };
        return Ok([("2", titles[0]), ("3", titles[1])].map(section).into());
    }
    let kqqkqq = material("KQQKQQ")?;
    let solve = |metric| Ok::<Stats, ReproduceError>(lab.tables().stats(kqqkqq, metric)?);
    let (dtm, dtc) = (solve(Metric::Dtm)?, solve(Metric::Dtc)?);
    let mut cells = Vec::new();
    for row in TABLE2.rows() {
        let symbol = row.text(0)?;
        for (field, counting) in [(1, Counting::Nalimov), (2, Counting::Unique)] {
            let column = if field == 1 { "nalimov" } else { "wirth" };
            let printed = row.text(field)?;
            cells.push(match total(&dtm, symbol, counting) {
                Some(ours) => Cell::compare(symbol, column, printed, ours),
                None => Cell::compare(symbol, column, printed, "").beside(INDEX),
            });
        }
    }
    let zugzwangs = dtm.zugzwangs.white_wins.unique;
    cells.push(Cell::compare("zugzwangs", "White wins", 8, zugzwangs));
    let table2 = Section { paper: PAPER, table: "2", title: titles[0], cells };
    let stats = |metric| Ok(if metric == Metric::Dtm { dtm.clone() } else { dtc.clone() });
    let cells = histograms(TABLE3, &TABLE3_COLUMNS, stats)?;
    Ok(vec![table2, Section { paper: PAPER, table: "3", title: titles[1], cells }])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Row;

    /// The sums of the columns as the paper prints them.
    #[test]
    fn both_columns_of_table_3_are_whole() {
        let sum = |column: &str, side: &str| -> u64 {
            let text = |row: &Row, field| row.text(field).unwrap();
            let own = TABLE3.rows().filter(|row| text(row, 0) == column && text(row, 1) == side);
            own.map(|row| row.get::<u64>(3).unwrap()).sum()
        };
        assert_eq!(sum("nalimov_dtm", "wtm"), 417_439_889);
        assert_eq!(sum("wirth_dtc", "wtm"), 407_438_945);
        assert_eq!(sum("wirth_dtc", "btm"), 133_753_410);
    }
}
