//! Whether somebody wants long reading to end.

use std::fmt;
use std::sync::Arc;

use crate::{TableError, TableFile};

/// A question whether to stop; without one nothing stops.
#[derive(Clone, Default)]
pub(crate) struct Stop(Option<Arc<dyn Fn() -> bool + Send + Sync>>);

impl Stop {
    pub fn when(is_stopped: impl Fn() -> bool + Send + Sync + 'static) -> Stop {
        Stop(Some(Arc::new(is_stopped)))
    }

    pub fn is_stopped(&self) -> bool {
        self.0.as_ref().is_some_and(|is_stopped| is_stopped())
    }
}

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Stop(..)" } else { "Stop" })
    }
}

impl TableFile {
    /// Ends the reading of whole boards and tables with
    /// [`TableError::ReadInterrupted`] as soon as this says so. It is asked once a block,
    /// by all threads that read.
    pub fn stopping_when(
        mut self,
        is_stopped: impl Fn() -> bool + Send + Sync + 'static,
    ) -> TableFile {
        self.stop = Stop::when(is_stopped);
        self
    }

    /// An error if the reading is to end.
    pub(crate) fn go_on(&self) -> Result<(), TableError> {
        match self.stop.is_stopped() {
            true => Err(TableError::ReadInterrupted { path: self.path().to_owned() }),
            false => Ok(()),
        }
    }
}
