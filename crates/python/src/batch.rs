//! Record batches handed to Python without a copy.

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchIterator, StringArray, StructArray};
use arrow_schema::DataType;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};

use crate::columns;
use crate::errors::Failure;

/// Rows in columns, readable by everything that speaks Arrow.
#[pyclass(frozen, module = "molien._molien")]
pub struct Batch {
    batch: RecordBatch,
}

impl Batch {
    /// Wraps rows.
    pub fn new(batch: RecordBatch) -> Batch {
        Batch { batch }
    }
}

#[pymethods]
impl Batch {
    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    /// The names of the columns.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.batch.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The memory of all columns.
    #[getter]
    fn nbytes(&self) -> usize {
        self.batch.get_array_memory_size()
    }

    /// One column by its name.
    fn column(&self, name: &str) -> PyResult<Column> {
        let column = self.batch.column_by_name(name);
        let missing = || PyKeyError::new_err(name.to_owned());
        Ok(Column { array: column.ok_or_else(missing)?.clone() })
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.batch.schema().as_ref());
        PyCapsule::new_with_value(py, schema.map_err(Failure::from)?, c"arrow_schema")
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        // The protocol lets a producer ignore the request.
        let _ = requested_schema;
        let rows = StructArray::from(self.batch.clone());
        let array = FFI_ArrowArray::new(&rows.to_data());
        Ok((self.__arrow_c_schema__(py)?, PyCapsule::new_with_value(py, array, c"arrow_array")?))
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let schema = self.batch.schema();
        let reader = RecordBatchIterator::new([Ok(self.batch.clone())], schema);
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}

/// One column, for NumPy.
#[pyclass(frozen, module = "molien._molien")]
pub struct Column {
    array: ArrayRef,
}

#[pymethods]
impl Column {
    fn __len__(&self) -> usize {
        self.array.len()
    }

    /// The words that its numbers stand for; none if it has plain values.
    #[getter]
    fn names(&self) -> Option<Vec<String>> {
        columns::names(&self.array)
    }

    /// A byte for each row: 1 where it has no value.
    #[getter]
    fn nulls(&self) -> Vec<u8> {
        (0..self.array.len()).map(|i| u8::from(self.array.is_null(i))).collect()
    }

    /// The texts of a column of texts.
    #[getter]
    fn texts(&self) -> Option<Vec<String>> {
        let texts = self.array.as_any().downcast_ref::<StringArray>()?;
        Some(texts.iter().flatten().map(str::to_owned).collect())
    }

    /// Where its numbers are: NumPy reads them there, and keeps this object, which
    /// keeps the memory.
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let interface = PyDict::new(py);
        let unfit = || Failure::invalid("a column of texts is no array of numbers");
        debug_assert!(self.array.data_type() != &DataType::Utf8 || self.names().is_none());
        let (address, kind) = columns::numbers(&self.array).ok_or_else(unfit)?;
        let read_only = true;
        interface.set_item("version", 3)?;
        interface.set_item("shape", (self.array.len(),))?;
        interface.set_item("typestr", kind)?;
        interface.set_item("data", (address, read_only))?;
        Ok(interface)
    }
}
