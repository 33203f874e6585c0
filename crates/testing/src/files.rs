//! Tables of text.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use flate2::read::GzDecoder;

/// The rows of a table with a header.
pub struct Rows {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// One row.
pub struct Row<'a> {
    header: &'a [String],
    cells: &'a [String],
}

impl Row<'_> {
    /// The text in a column.
    ///
    /// # Panics
    /// If the table has no such column.
    pub fn text(&self, name: &str) -> &str {
        let column = self.header.iter().position(|column| column == name);
        &self.cells[column.unwrap_or_else(|| panic!("no column {name}"))]
    }

    /// The number in a column.
    ///
    /// # Panics
    /// If the table has no such column, or there is no number in it.
    pub fn number(&self, name: &str) -> i64 {
        self.text(name).parse().unwrap_or_else(|_| panic!("{name} is {}", self.text(name)))
    }
}

impl Rows {
    /// The rows in order.
    pub fn iter(&self) -> impl Iterator<Item = Row<'_>> {
        self.rows.iter().map(|cells| Row { header: &self.header, cells })
    }
}

fn read(reader: impl Read) -> Rows {
    let mut lines = BufReader::new(reader)
        .lines()
        .map(|line| line.expect("readable text").split('\t').map(str::to_owned).collect());
    let header = lines.next().unwrap_or_default();
    Rows { header, rows: lines.collect() }
}

/// Reads tab-separated values with a header.
///
/// # Panics
/// If the file cannot be read.
pub fn read_tsv(path: &Path) -> Rows {
    read(File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

/// Reads gzipped tab-separated values with a header.
///
/// # Panics
/// If the file cannot be read.
pub fn read_gz_tsv(path: &Path) -> Rows {
    let file = File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    read(GzDecoder::new(file))
}
