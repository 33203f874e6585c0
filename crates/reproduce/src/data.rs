//! The published figures: rows of fields separated by tabs, `#` for comments,
//! `-` for what is not printed.

use std::str::FromStr;

use crate::ReproduceError;

/// A data file.
#[derive(Clone, Copy)]
pub(crate) struct Data {
    pub file: &'static str,
    pub text: &'static str,
}

/// Takes a file of the data folder into the program.
macro_rules! data {
    ($file:literal) => {
        crate::data::Data { file: $file, text: include_str!(concat!("../data/", $file)) }
    };
}
pub(crate) use data;

/// One row.
pub(crate) struct Row {
    file: &'static str,
    number: usize,
    fields: Vec<&'static str>,
}

impl Data {
    /// The rows, comments left out.
    pub fn rows(self) -> impl Iterator<Item = Row> {
        let lines = self.text.lines().enumerate();
        lines.filter(|(_, line)| !line.starts_with('#') && !line.is_empty()).map(
            move |(i, line)| Row {
                file: self.file,
                number: i + 1,
                fields: line.split('\t').collect(),
            },
        )
    }
}

impl Row {
    pub fn damaged(&self, problem: String) -> ReproduceError {
        ReproduceError::Data { file: self.file, row: self.number, problem }
    }

    /// A field as text.
    pub fn text(&self, field: usize) -> Result<&'static str, ReproduceError> {
        let missing = || self.damaged(format!("field {} is missing", field + 1));
        self.fields.get(field).copied().ok_or_else(missing)
    }

    /// A field as a number, a position, a material.
    pub fn get<T: FromStr>(&self, field: usize) -> Result<T, ReproduceError>
    where
        T::Err: std::fmt::Display,
    {
        let text = self.text(field)?;
        text.parse().map_err(|error| self.damaged(format!("'{text}': {error}")))
    }
}
