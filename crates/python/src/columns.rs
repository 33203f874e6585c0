//! Rows of positions and values, gathered as Arrow columns.
//!
//! The names are those of all exports (`molien::mine::export`): `fen`, `turn`,
//! `category`, a column for the square of every man, and plies by metric. Words
//! of which there are few are dictionary-encoded: a byte a row.

use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::types::Int8Type;
use arrow_array::{
    Array, ArrayRef, DictionaryArray, Int8Array, Int16Array, RecordBatch, StringArray,
};
use arrow_buffer::{NullBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use molien::{Category, Color, Metric, Square};

/// Which columns there are.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The positions as text.
    pub fens: bool,
    /// The side to move and nothing else of the position, if false.
    pub turn: bool,
    /// The names of the men's columns; may be none.
    pub men: Vec<String>,
    /// The metrics.
    pub metrics: Vec<Metric>,
}

fn words() -> DataType {
    DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8))
}

impl Layout {
    /// The columns' names and types.
    pub fn schema(&self) -> SchemaRef {
        let mut fields = Vec::new();
        fields.extend(self.fens.then(|| Field::new("fen", DataType::Utf8, false)));
        fields.extend(self.turn.then(|| Field::new("turn", words(), false)));
        fields.push(Field::new("category", words(), true));
        fields.extend(self.men.iter().map(|name| Field::new(name, words(), false)));
        let plies = |metric: &Metric| Field::new(metric.name(), DataType::Int16, true);
        fields.extend(self.metrics.iter().map(plies));
        Arc::new(Schema::new(fields))
    }
}

/// Plies of one metric; what is drawn or not known has none.
#[derive(Clone, Debug, Default)]
struct Plies {
    numbers: Vec<i16>,
    known: Vec<bool>,
}

/// Some rows.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    fens: Vec<u8>,
    fen_ends: Vec<usize>,
    turns: Vec<i8>,
    categories: Vec<i8>,
    men: Vec<Vec<i8>>,
    plies: Vec<Plies>,
}

/// Marks a row without a class.
const NO_CATEGORY: i8 = -1;

impl Rows {
    /// No rows yet.
    pub fn new(layout: &Layout) -> Rows {
        Rows {
            men: vec![Vec::new(); layout.men.len()],
            plies: vec![Plies::default(); layout.metrics.len()],
            ..Rows::default()
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.categories.len()
    }

    /// Adds the position of the next row.
    pub fn push_fen(&mut self, fen: &str) {
        self.fens.extend_from_slice(fen.as_bytes());
        self.fen_ends.push(self.fens.len());
    }

    /// Adds the side to move of the next row.
    pub fn push_turn(&mut self, turn: Color) {
        self.turns.push(turn.index() as i8);
    }

    /// Adds the squares of the next row's men.
    pub fn push_squares(&mut self, squares: impl IntoIterator<Item = Square>) {
        for (column, square) in self.men.iter_mut().zip(squares) {
            column.push(square.index() as i8);
        }
    }

    /// Adds class and plies of the next row; none where nothing is known.
    pub fn push_values(
        &mut self,
        category: Option<Category>,
        plies: impl IntoIterator<Item = Option<i32>>,
    ) {
        let number = |category| Category::ALL.iter().position(|&known| known == category);
        let number = category.and_then(number).map_or(NO_CATEGORY, |number| number as i8);
        self.categories.push(number);
        for (column, plies) in self.plies.iter_mut().zip(plies) {
            // Depths have at most 15 bits and a sign.
            let plies = plies.and_then(|plies| i16::try_from(plies).ok());
            column.numbers.push(plies.unwrap_or(0));
            column.known.push(plies.is_some());
        }
    }

    /// Adds the rows of others.
    pub fn append(&mut self, others: &Rows) {
        let before = self.fens.len();
        self.fens.extend_from_slice(&others.fens);
        self.fen_ends.extend(others.fen_ends.iter().map(|end| before + end));
        self.turns.extend_from_slice(&others.turns);
        self.categories.extend_from_slice(&others.categories);
        for (own, other) in self.men.iter_mut().zip(&others.men) {
            own.extend_from_slice(other);
        }
        for (own, other) in self.plies.iter_mut().zip(&others.plies) {
            own.numbers.extend_from_slice(&other.numbers);
            own.known.extend_from_slice(&other.known);
        }
    }

    /// The rows as a record batch.
    pub fn finish(self, layout: &Layout) -> Result<RecordBatch, ArrowError> {
        let mut columns: Vec<ArrayRef> = Vec::new();
        if layout.fens {
            columns.push(Arc::new(texts(&self.fens, &self.fen_ends)));
        }
        if layout.turn {
            columns.push(coded(self.turns, None, &["w", "b"])?);
        }
        let known = self.categories.iter().map(|&number| number != NO_CATEGORY).collect();
        let names = Category::ALL.map(Category::name);
        let numbers = self.categories.into_iter().map(|number| number.max(0)).collect();
        columns.push(coded(numbers, Some(known), &names)?);
        let squares: Vec<String> = Square::all().map(|square| square.to_string()).collect();
        let squares: Vec<&str> = squares.iter().map(String::as_str).collect();
        for column in self.men {
            columns.push(coded(column, None, &squares)?);
        }
        for Plies { numbers, known } in self.plies {
            columns.push(Arc::new(Int16Array::new(ScalarBuffer::from(numbers), nulls(known))));
        }
        RecordBatch::try_new(layout.schema(), columns)
    }
}

/// Which rows are known; none if all are.
fn nulls(known: Vec<bool>) -> Option<NullBuffer> {
    let nulls = NullBuffer::from(known);
    (nulls.null_count() > 0).then_some(nulls)
}

fn texts(bytes: &[u8], ends: &[usize]) -> StringArray {
    let mut builder = StringBuilder::with_capacity(ends.len(), bytes.len());
    let mut start = 0;
    for &end in ends {
        // Only whole strings were added.
        builder.append_value(std::str::from_utf8(&bytes[start..end]).unwrap_or_default());
        start = end;
    }
    builder.finish()
}

/// Words by their numbers.
fn coded(
    numbers: Vec<i8>,
    known: Option<Vec<bool>>,
    names: &[&str],
) -> Result<ArrayRef, ArrowError> {
    let keys = Int8Array::new(ScalarBuffer::from(numbers), known.and_then(nulls));
    let names: ArrayRef = Arc::new(StringArray::from(names.to_vec()));
    Ok(Arc::new(DictionaryArray::<Int8Type>::try_new(keys, names)?))
}

/// The memory of a column of numbers, or of the numbers of words.
pub fn numbers(column: &ArrayRef) -> Option<(usize, &'static str)> {
    let any = column.as_any();
    if let Some(plies) = any.downcast_ref::<Int16Array>() {
        return Some((plies.values().as_ptr() as usize, "<i2"));
    }
    let words = any.downcast_ref::<DictionaryArray<Int8Type>>()?;
    Some((words.keys().values().as_ptr() as usize, "|i1"))
}

/// The words that numbers of a column stand for; none if it has plain values.
pub fn names(column: &ArrayRef) -> Option<Vec<String>> {
    let words = column.as_any().downcast_ref::<DictionaryArray<Int8Type>>()?;
    let names = words.values().as_any().downcast_ref::<StringArray>()?;
    Some(names.iter().flatten().map(str::to_owned).collect())
}
