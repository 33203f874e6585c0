//! The Syzygy tables of the oracle.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use shakmaty::Chess;
use shakmaty_syzygy::filesystem::{Filesystem, RandomAccessFile, ReadHint};
use shakmaty_syzygy::{MaybeRounded, Tablebase, Wdl};

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

    /// Win (2), cursed win (1), draw (0), blessed loss (-1) or loss (-2) of a
    /// position. Much quicker than [`Syzygy::probe`].
    ///
    /// # Panics
    /// If there is no table for it.
    pub fn class(&self, position: &Chess) -> i32 {
        match self.tables.probe_wdl_after_zeroing(position) {
            Ok(Wdl::Loss) => -2,
            Ok(Wdl::BlessedLoss) => -1,
            Ok(Wdl::Draw) => 0,
            Ok(Wdl::CursedWin) => 1,
            Ok(Wdl::Win) => 2,
            Err(error) => panic!("{position:?}: {error}"),
        }
    }

    /// How much reading the answers for these positions take. The files hold
    /// plies for one side to move only; for the other the reader searches one
    /// move deep, which takes many times as much.
    pub fn effort(&self, positions: &[Chess]) -> u64 {
        let before = READS.get();
        for position in positions {
            self.probe(position);
        }
        READS.get() - before
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

thread_local! {
    /// Reads of this thread.
    static READS: Cell<u64> = const { Cell::new(0) };
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
        READS.set(READS.get() + 1);
        let rest = usize::try_from(offset).ok().and_then(|start| self.0.get(start..));
        let rest = rest.unwrap_or_default();
        let len = rest.len().min(buf.len());
        buf[..len].copy_from_slice(&rest[..len]);
        Ok(len)
    }
}
