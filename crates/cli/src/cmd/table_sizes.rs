//! What the bytes of stored tables are used for: `molien tables --sizes`.

use molien_schema::TableSizesJson;
use molien_table::{ListedTable, Sizes, TableFile};
use molien_values::Metric;

use crate::text::{grouped, print_line};

/// What the bytes of a table are used for.
struct Used {
    /// Legal positions, both sides to move.
    positions: u64,
    sizes: Sizes,
}

impl Used {
    /// `None` if the table cannot be read.
    fn of(entry: &ListedTable) -> Option<Used> {
        let file = TableFile::open(&entry.path).ok()?;
        let stats = file.stats(*file.solved_metrics().first()?).ok()?;
        let positions = stats.sides.iter().map(|side| side.legal.unique).sum();
        Some(Used { positions, sizes: file.sizes().ok()? })
    }

    fn outcomes(&self) -> u64 {
        self.sizes.outcomes.iter().sum()
    }
}

/// The same as types of the schema; nothing if the table cannot be read.
pub fn to_json(entry: &ListedTable) -> Option<TableSizesJson> {
    let used = Used::of(entry)?;
    let depths = used.sizes.depths.iter();
    Some(TableSizesJson {
        positions: used.positions,
        wdl_bytes: used.outcomes(),
        depth_bytes: depths.map(|(metric, sides)| (metric.name(), sides.iter().sum())).collect(),
    })
}

/// The metrics that have a column, and DTM50 where it is stored.
const COLUMNS: [Metric; 4] = [Metric::Dtz, Metric::Dtc, Metric::Dtz50, Metric::Dtm];

fn holds(entry: &ListedTable, metric: Metric) -> bool {
    entry.metrics.as_ref().is_ok_and(|held| held.contains(&metric))
}

/// Prints a markdown table of bytes and bits per position.
pub fn print<'a>(entries: impl Iterator<Item = &'a ListedTable>) -> anyhow::Result<()> {
    let entries: Vec<&ListedTable> = entries.collect();
    let mut columns = COLUMNS.to_vec();
    columns
        .extend(entries.iter().any(|entry| holds(entry, Metric::Dtm50)).then_some(Metric::Dtm50));
    let names = columns.iter().map(|metric| format!(" {} | bits |", metric.name()));
    let names: String = names.collect();
    print_line(&format!("| table | positions | wdl | bits |{names} file | bits |"))?;
    print_line(&format!("|---|{}", "--:|".repeat(5 + 2 * columns.len())))?;
    let mut totals = [Total::new(&columns), Total::new(&columns)];
    for entry in entries {
        let Some(used) = Used::of(entry) else { continue };
        print_line(&row(entry, &used, &columns))?;
        for (total, one_side) in totals.iter_mut().zip([false, true]) {
            total.add(entry, &used, &columns, one_side);
        }
    }
    let [both, one] = totals;
    print_line(&both.row("all"))?;
    if one.file_bytes < both.file_bytes { print_line(&one.row("all, one side")) } else { Ok(()) }
}

/// What the files of many tables take together.
struct Total {
    positions: u64,
    outcomes: u64,
    /// By column; nothing if a table lacks the metric.
    depths: Vec<Option<u64>>,
    file_bytes: u64,
}

impl Total {
    fn new(columns: &[Metric]) -> Total {
        Total { positions: 0, outcomes: 0, depths: vec![Some(0); columns.len()], file_bytes: 0 }
    }

    fn add(&mut self, entry: &ListedTable, used: &Used, columns: &[Metric], one_side: bool) {
        self.positions += used.positions;
        self.outcomes += used.outcomes();
        self.file_bytes += entry.len_bytes;
        if one_side {
            self.file_bytes -= used.sizes.larger_side();
        }
        for (sum, &metric) in self.depths.iter_mut().zip(columns) {
            let [base, second] = match used.sizes.depths_of(metric) {
                Some(sides) => sides,
                None if holds(entry, metric) => [0; 2],
                None => {
                    *sum = None;
                    continue;
                }
            };
            // A side that takes nothing is not stored.
            let can_drop = one_side && used.sizes.sides_apart && base.min(second) > 0;
            let bytes = if can_drop { base.min(second) } else { base + second };
            *sum = sum.map(|sum| sum + bytes);
        }
    }

    fn row(&self, name: &str) -> String {
        let mut cells = vec![name.to_owned(), grouped(self.positions)];
        cells.push(bytes_and_bits(self.outcomes, self.positions));
        let depths = self.depths.iter();
        cells.extend(depths.map(|depths| match depths {
            Some(bytes) => bytes_and_bits(*bytes, self.positions),
            None => "- | -".to_owned(),
        }));
        cells.push(bytes_and_bits(self.file_bytes, self.positions));
        format!("| {} |", cells.join(" | "))
    }
}

fn bytes_and_bits(bytes: u64, positions: u64) -> String {
    format!("{} | {:.3}", grouped(bytes), bytes as f64 * 8.0 / positions.max(1) as f64)
}

fn row(entry: &ListedTable, used: &Used, columns: &[Metric]) -> String {
    let name = entry.material.file_name();
    let mut cells =
        vec![name, grouped(used.positions), bytes_and_bits(used.outcomes(), used.positions)];
    for &metric in columns {
        let stored = used.sizes.depths.iter().find(|(stored, _)| *stored == metric);
        cells.push(match stored {
            Some((_, sides)) => bytes_and_bits(sides.iter().sum(), used.positions),
            None if holds(entry, metric) => "= | =".to_owned(),
            None => "- | -".to_owned(),
        });
    }
    cells.push(bytes_and_bits(entry.len_bytes, used.positions));
    format!("| {} |", cells.join(" | "))
}
