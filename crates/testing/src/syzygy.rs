//! The Syzygy tables of the oracle.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use shakmaty::Chess;
use shakmaty_syzygy::filesystem::{Filesystem, RandomAccessFile, ReadHint};
use shakmaty_syzygy::{MaybeRounded, Tablebase};

/// What the Syzygy tables say of a position, seen from the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SyzygyAnswer {
    /// Plies to a zeroing move, signed; mated positions have -1.
    pub dtz: i32,
    /// Whether the plies may be one too few.
    pub rounded: bool,
}

/// Opened Syzygy tables.
pub struct Syzygy {
    tables: Tablebase<Chess>,
}

impl Syzygy {
    /// Opens the tables of the oracle.
    ///
    /// # Panics
    /// If they cannot be read.
    pub fn open(oracle: &Path) -> Syzygy {
        let folder = oracle.join("syzygy/regular");
        let mut tables = Tablebase::with_filesystem(Arc::new(InMemory));
        let added = tables.add_directory(&folder);
        assert!(added.is_ok_and(|files| files > 0), "no tables in {}", folder.display());
        Syzygy { tables }
    }

    /// The answer for a position. Its class follows from the plies: the
    /// reader gets their sign, and whether they exceed 100, from the file of
    /// wins and draws.
    ///
    /// # Panics
    /// If there is no table for it.
    pub fn probe(&self, position: &Chess) -> SyzygyAnswer {
        match self.tables.probe_dtz(position) {
            Ok(dtz) => SyzygyAnswer {
                dtz: dtz.ignore_rounding().0,
                rounded: matches!(dtz, MaybeRounded::Rounded(_)),
            },
            Err(error) => panic!("{position:?}: {error}"),
        }
    }
}

/// Files read whole when they are opened: a hundred million probes are to
/// make no system calls.
struct InMemory;

struct Bytes(Vec<u8>);

impl Filesystem for InMemory {
    fn regular_file_size(&self, path: &Path) -> io::Result<u64> {
        Ok(fs::metadata(path)?.len())
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect()
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn RandomAccessFile>> {
        Ok(Box::new(Bytes(fs::read(path)?)))
    }
}

impl RandomAccessFile for Bytes {
    fn read_at(&self, buf: &mut [u8], offset: u64, _hint: ReadHint) -> io::Result<usize> {
        let rest = usize::try_from(offset).ok().and_then(|start| self.0.get(start..));
        let rest = rest.unwrap_or_default();
        let len = rest.len().min(buf.len());
        buf[..len].copy_from_slice(&rest[..len]);
        Ok(len)
    }
}
