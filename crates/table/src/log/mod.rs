//! Waves and boards on disk: so that an interrupted solve resumes, and so that
//! tables too large for memory can be written.

pub(crate) mod boards;
pub(crate) mod logged;
pub(crate) mod logs;
pub(crate) mod planes;
pub(crate) mod record;
mod reduced;
mod shared_boards;

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};

/// Sees to it that a log begins so: what does not is not the log, and starts over.
fn begin_with(file: &mut File, start: &[u8]) -> io::Result<()> {
    let mut found = vec![0; start.len()];
    if file.read_exact(&mut found).is_ok() && found == start {
        return Ok(());
    }
    file.set_len(0)?;
    file.seek(SeekFrom::Start(0))?;
    file.write_all(start)
}
