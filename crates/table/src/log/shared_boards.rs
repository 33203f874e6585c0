//! A board log that several processes add to.
//!
//! Each puts its boards into a log of its own first. When all are done with a stage
//! they agree on who writes where, copy their records into the log they share, and
//! take in what the others have copied.

use std::io::{BufReader, Seek, SeekFrom};
use std::sync::{Arc, PoisonError};

use crate::TableError;
use crate::log::boards::{BoardLog, failed, front, next_record};

/// Bytes that are copied at a time.
const PIECE_BYTES: u64 = 4 << 20;

impl BoardLog {
    /// Bytes of its records.
    pub fn records_len(&self) -> u64 {
        self.store.used() - front(self.material, self.metric).len() as u64
    }

    /// Copies the records of another log of the same table behind those of this one,
    /// so many bytes further on. They count once they are taken in.
    ///
    /// # Errors
    /// If they cannot be read or written.
    pub fn copy_records(&self, from: &BoardLog, further: u64) -> Result<(), TableError> {
        let (start, to) = (from.store.used() - from.records_len(), self.store.used() + further);
        let mut done = 0;
        while done < from.records_len() {
            let len = PIECE_BYTES.min(from.records_len() - done);
            let piece = from.store.read(start + done, len as usize);
            let piece = piece.map_err(failed(&from.path, "reading"))?;
            self.store.write_at(&piece, to + done).map_err(failed(&self.path, "writing"))?;
            done += len;
        }
        Ok(())
    }

    /// Takes in records of so many bytes, which others have copied.
    ///
    /// # Errors
    /// If they are not there.
    pub fn take_in(&self, len: u64) -> Result<(), TableError> {
        let mut at = self.store.used();
        let end = at + len;
        let Some(file) = self.store.file() else { return Ok(()) };
        let mut input = BufReader::with_capacity(1 << 20, file);
        input.seek(SeekFrom::Start(at)).map_err(failed(&self.path, "reading"))?;
        while at < end {
            let record = next_record(&mut input, self.material, self.metric, at);
            let why = "what another process has added cannot be read; is the folder shared?";
            let missing = || TableError::DamagedLog { path: self.path.clone(), why };
            let (pawns, board, len) = record.ok_or_else(missing)?;
            let mut boards = self.boards.lock().unwrap_or_else(PoisonError::into_inner);
            boards.insert(pawns, Arc::new(board));
            at += len;
        }
        self.store.set_used(end);
        Ok(())
    }
}
