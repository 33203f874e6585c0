//! Parquet, row group by row group.

use std::io::Write;
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, Int32Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use super::{Columns, RowWriter, category, turn_letter};
use crate::{Hit, MineError};

/// Rows kept in memory until they are written together.
const GROUP_ROWS: usize = 1 << 18;

/// Writes Parquet: strings for the position, nullable 32-bit plies.
pub struct ParquetWriter<W: Write + Send> {
    file: SerializedFileWriter<W>,
    columns: Columns,
    /// FEN, turn, category, the men's squares.
    texts: Vec<Vec<ByteArray>>,
    plies: Vec<Vec<Option<i32>>>,
}

impl<W: Write + Send> ParquetWriter<W> {
    /// Begins a file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(out: W, columns: Columns) -> Result<ParquetWriter<W>, MineError> {
        let names = columns.names();
        let text_columns = names.len() - columns.metrics.len();
        let field = |(i, name): (usize, &String)| {
            if i < text_columns {
                format!("REQUIRED BYTE_ARRAY {name} (STRING);")
            } else {
                format!("OPTIONAL INT32 {name};")
            }
        };
        let fields: String = names.iter().enumerate().map(field).collect();
        let schema = Arc::new(parse_message_type(&format!("message positions {{ {fields} }}"))?);
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        Ok(ParquetWriter {
            file: SerializedFileWriter::new(out, schema, Arc::new(properties))?,
            texts: vec![Vec::new(); text_columns],
            plies: vec![Vec::new(); columns.metrics.len()],
            columns,
        })
    }

    /// Writes the rows gathered so far as one group.
    fn write_group(&mut self) -> Result<(), ParquetError> {
        let mut group = self.file.next_row_group()?;
        for texts in &mut self.texts {
            write_texts(&mut group, texts)?;
            texts.clear();
        }
        for plies in &mut self.plies {
            write_plies(&mut group, plies)?;
            plies.clear();
        }
        group.close()?;
        Ok(())
    }
}

fn missing_column() -> ParquetError {
    ParquetError::General("the schema has too few columns".to_owned())
}

fn write_texts<W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    texts: &[ByteArray],
) -> Result<(), ParquetError> {
    let mut column = group.next_column()?.ok_or_else(missing_column)?;
    column.typed::<ByteArrayType>().write_batch(texts, None, None)?;
    column.close()
}

fn write_plies<W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    plies: &[Option<i32>],
) -> Result<(), ParquetError> {
    let mut column = group.next_column()?.ok_or_else(missing_column)?;
    let values: Vec<i32> = plies.iter().flatten().copied().collect();
    let levels: Vec<i16> = plies.iter().map(|plies| i16::from(plies.is_some())).collect();
    column.typed::<Int32Type>().write_batch(&values, Some(&levels), None)?;
    column.close()
}

impl<W: Write + Send> RowWriter for ParquetWriter<W> {
    fn write(&mut self, hit: &Hit) -> Result<(), MineError> {
        let fixed = [hit.position.to_string(), turn_letter(hit).into(), category(hit).into()];
        let squares = self.columns.squares(hit).into_iter().map(|square| square.to_string());
        for (column, text) in self.texts.iter_mut().zip(fixed.into_iter().chain(squares)) {
            column.push(ByteArray::from(text.into_bytes()));
        }
        for (column, plies) in self.plies.iter_mut().zip(self.columns.plies(hit)) {
            column.push(plies);
        }
        if self.texts[0].len() == GROUP_ROWS {
            self.write_group()?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), MineError> {
        if !self.texts[0].is_empty() {
            self.write_group()?;
        }
        self.file.close()?;
        Ok(())
    }
}
