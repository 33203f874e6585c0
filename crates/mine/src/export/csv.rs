//! Comma-separated values. No field needs quotes.

use std::io::Write;

use super::{Columns, RowWriter, category, turn_letter};
use crate::{Hit, MineError};

/// Writes CSV with a header line.
pub struct CsvWriter<W: Write> {
    out: W,
    columns: Columns,
}

impl<W: Write> CsvWriter<W> {
    /// Begins a file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(mut out: W, columns: Columns) -> Result<CsvWriter<W>, MineError> {
        writeln!(out, "{}", columns.names().join(","))?;
        Ok(CsvWriter { out, columns })
    }
}

impl<W: Write> RowWriter for CsvWriter<W> {
    fn write(&mut self, hit: &Hit) -> Result<(), MineError> {
        write!(self.out, "{},{},{}", hit.position, turn_letter(hit), category(hit))?;
        for square in self.columns.squares(hit) {
            write!(self.out, ",{square}")?;
        }
        for plies in self.columns.plies(hit) {
            match plies {
                Some(plies) => write!(self.out, ",{plies}")?,
                None => write!(self.out, ",")?,
            }
        }
        writeln!(self.out)?;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), MineError> {
        Ok(self.out.flush()?)
    }
}
