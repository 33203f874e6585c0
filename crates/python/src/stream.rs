//! The positions of a material, batch after batch.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use molien::mine::export::Columns;
use molien::mine::{Hit, Query, Search, TableSet};
use molien::{Metric, Value};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::batch::Batch;
use crate::columns::{Layout, Rows};
use crate::errors::Failure;

/// How often Ctrl-C is looked for.
const TICK: Duration = Duration::from_millis(50);
/// Batches made ahead of the reader.
const AHEAD: usize = 1;

type Made = Result<RecordBatch, Failure>;

/// What is searched, and in which form it is handed over.
pub struct StreamPlan {
    /// The tables.
    pub tables: TableSet,
    /// Which positions.
    pub query: Query,
    /// Which columns.
    pub layout: Layout,
    /// The squares of the men.
    pub columns: Columns,
    /// Rows of a batch.
    pub batch_rows: usize,
}

impl StreamPlan {
    fn rows(&self, hits: &[Hit]) -> Rows {
        let mut rows = Rows::new(&self.layout);
        for hit in hits {
            if self.layout.fens {
                rows.push_fen(&hit.position.to_string());
            }
            if self.layout.turn {
                rows.push_turn(hit.position.turn());
            }
            if !self.layout.men.is_empty() {
                rows.push_squares(self.columns.squares(hit));
            }
            let plies =
                |metric: &Metric| hit.values[*metric as usize].and_then(Value::signed_plies);
            rows.push_values(Some(hit.category), self.layout.metrics.iter().map(plies));
        }
        rows
    }

    /// Searches and sends, until nobody receives any more.
    fn send(&self, to: &SyncSender<Made>) -> Result<(), Failure> {
        let mut gathered = Rows::new(&self.layout);
        let full = |gathered: &mut Rows| {
            let rows = std::mem::replace(gathered, Rows::new(&self.layout));
            to.send(rows.finish(&self.layout).map_err(Failure::from)).is_ok()
        };
        let mut wanted = true;
        Search::new(&self.tables, &self.query)?.each_tile(
            |_, _| {},
            |hits| self.rows(hits),
            |rows| {
                gathered.append(&rows);
                wanted = gathered.len() < self.batch_rows || full(&mut gathered);
                if wanted { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            },
        )?;
        if wanted && gathered.len() > 0 {
            full(&mut gathered);
        }
        Ok(())
    }
}

/// Batches as they are made by a thread of their own, which ends when nobody
/// reads them any more.
struct Reader {
    schema: SchemaRef,
    made: Receiver<Made>,
}

impl Reader {
    fn start(plan: Arc<StreamPlan>) -> Reader {
        let (to, made) = sync_channel(AHEAD);
        let schema = plan.layout.schema();
        std::thread::spawn(move || {
            if let Err(failure) = plan.send(&to) {
                // Nobody is there to be told if this fails.
                let _ = to.send(Err(failure));
            }
        });
        Reader { schema, made }
    }
}

impl Iterator for Reader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let made = self.made.recv().ok()?;
        Some(made.map_err(|failure| ArrowError::ComputeError(format!("{failure}"))))
    }
}

impl RecordBatchReader for Reader {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

/// An iterator over batches, and an Arrow stream. Each use starts from the
/// beginning.
#[pyclass(frozen, module = "molien._molien")]
pub struct Stream {
    plan: Arc<StreamPlan>,
    reader: Mutex<Option<Reader>>,
    ended: AtomicBool,
}

impl Stream {
    /// The positions of a plan.
    pub fn new(plan: StreamPlan) -> Stream {
        Stream { plan: Arc::new(plan), reader: Mutex::default(), ended: AtomicBool::new(false) }
    }

    /// The next batch if there is one by now.
    fn poll(&self) -> Result<Option<Made>, ()> {
        let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        let reader = reader.get_or_insert_with(|| Reader::start(self.plan.clone()));
        match reader.made.recv_timeout(TICK) {
            Ok(made) => Ok(Some(made)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(()),
        }
    }
}

#[pymethods]
impl Stream {
    /// The names of the columns.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.plan.layout.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The same from the beginning.
    fn restarted(&self) -> Stream {
        Stream { plan: self.plan.clone(), reader: Mutex::default(), ended: AtomicBool::new(false) }
    }

    /// How many positions there are.
    fn count(&self, py: Python<'_>) -> PyResult<u64> {
        let plan = self.plan.clone();
        let count = move || -> Result<u64, Failure> {
            Ok(Search::new(&plan.tables, &plan.query)?.count(|_, _| {})?)
        };
        Ok(py.detach(count)?)
    }

    /// The next batch; none at the end.
    fn next_batch(&self, py: Python<'_>) -> PyResult<Option<Batch>> {
        while !self.ended.load(Ordering::Relaxed) {
            match py.detach(|| self.poll()) {
                Ok(Some(made)) => return Ok(Some(Batch::new(made?))),
                Ok(None) => py.check_signals()?,
                Err(()) => self.ended.store(true, Ordering::Relaxed),
            }
        }
        Ok(None)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let stream = FFI_ArrowArrayStream::new(Box::new(Reader::start(self.plan.clone())));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}
