//! Files that appear complete or not at all.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::TableError;

/// The ending of files not yet complete.
pub(crate) const TEMPORARY: &str = "tmp";

/// A file under a temporary name in the folder of the final one.
pub(crate) struct AtomicFile {
    writer: BufWriter<File>,
    temporary: PathBuf,
    path: PathBuf,
}

fn io_error(path: &Path, doing: &'static str) -> impl FnOnce(std::io::Error) -> TableError {
    move |source| TableError::Io { path: path.to_owned(), doing, source: Arc::new(source) }
}

impl AtomicFile {
    pub fn create(path: &Path) -> Result<AtomicFile, TableError> {
        let temporary = path.with_extension(format!("{}.{TEMPORARY}", std::process::id()));
        let file = File::create(&temporary).map_err(io_error(&temporary, "creating"))?;
        let writer = BufWriter::with_capacity(1 << 20, file);
        Ok(AtomicFile { writer, temporary, path: path.to_owned() })
    }

    pub fn writer(&mut self) -> &mut BufWriter<File> {
        &mut self.writer
    }

    /// Makes the contents durable, then gives the file its name.
    pub fn commit(mut self) -> Result<(), TableError> {
        self.writer.flush().map_err(io_error(&self.temporary, "writing"))?;
        publish(self.writer.get_ref(), &self.temporary, &self.path)
    }
}

/// Makes the contents of a file durable, then gives it its name.
pub(crate) fn publish(file: &File, temporary: &Path, path: &Path) -> Result<(), TableError> {
    file.sync_all().map_err(io_error(temporary, "writing"))?;
    fs::rename(temporary, path).map_err(io_error(path, "naming"))?;
    sync_folder(path).map_err(io_error(path, "naming"))
}

/// A rename is durable once its folder is.
fn sync_folder(path: &Path) -> std::io::Result<()> {
    if cfg!(unix) {
        let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        return File::open(folder.unwrap_or(Path::new(".")))?.sync_all();
    }
    Ok(())
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        // Gone already after a commit; a leftover is cleaned up later.
        let _ = fs::remove_file(&self.temporary);
    }
}
