//! Folders of Syzygy files as a source of values.
//!
//! Files are read through shakmaty-syzygy, so that ours and those made elsewhere
//! are judged by code that we did not write.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use molien_board::{Material, Position};
use molien_probe::chess::to_chess;
use molien_values::Category;
use shakmaty::{Chess, Position as _};
use shakmaty_syzygy::filesystem::{Filesystem, OsFilesystem, RandomAccessFile, ReadHint};
use shakmaty_syzygy::{Dtz, MaybeRounded, Metric, SyzygyError, Tablebase, Wdl};
use thiserror::Error;

use crate::check::{CheckError, TableFile};
use crate::file::Kind;
use crate::raw::Damage;

/// A position cannot be answered from the files.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The folder cannot be read.
    #[error(transparent)]
    Folder(#[from] CheckError),
    /// More men than any file has.
    #[error("{men} men, but the largest Syzygy table here has {most}")]
    TooManyMen {
        /// Men of the position.
        men: usize,
        /// Men of the largest table.
        most: usize,
    },
    /// A file is needed that is not there.
    #[error("the Syzygy file {name} is missing")]
    Missing {
        /// The name of the file.
        name: String,
        /// The material of the file.
        material: Material,
    },
    /// A file that is needed is damaged.
    #[error("{}: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

/// Plies that may be known only up to one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlyRange {
    /// The least number of plies it can be.
    pub least: u16,
    /// The greatest: the same, or one more.
    pub most: u16,
}

impl fmt::Display for PlyRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            PlyRange { least, most } if least == most => write!(f, "{least}"),
            PlyRange { least, most } => write!(f, "{least} or {most}"),
        }
    }
}

/// What the files say of a position, seen from the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Answer {
    /// Who comes out on top.
    pub category: Category,
    /// Plies to a zeroing move or mate; none for a draw. A mated side has 1,
    /// as the files count.
    pub plies: Option<PlyRange>,
}

/// The files of some folders. Threads may share it.
pub struct SyzygyFolder {
    tables: Tablebase<Chess>,
    /// Files that were passed over because of their length.
    refused: Vec<(TableFile, u64)>,
    files: usize,
    /// Materials that have a WDL file.
    materials: HashSet<Material>,
    most_men: usize,
}

impl fmt::Debug for SyzygyFolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("SyzygyFolder");
        out.field("files", &self.files).field("refused", &self.refused).finish_non_exhaustive()
    }
}

impl SyzygyFolder {
    /// Opens folders; a file in an earlier one hides those of the same name in
    /// later ones. Files of an impossible length are set aside.
    ///
    /// # Errors
    /// If a folder cannot be read.
    pub fn open(folders: &[PathBuf]) -> Result<SyzygyFolder, ReadError> {
        SyzygyFolder::with_files(folders, SMALL_BYTES)
    }

    /// The same for very many look-ups: every file that is looked into is read whole
    /// and stays in memory.
    ///
    /// # Errors
    /// If a folder cannot be read.
    pub fn open_in_memory(folders: &[PathBuf]) -> Result<SyzygyFolder, ReadError> {
        SyzygyFolder::with_files(folders, u64::MAX)
    }

    fn with_files(folders: &[PathBuf], whole_bytes: u64) -> Result<SyzygyFolder, ReadError> {
        let files = Files { files: OsFilesystem::new(), whole_bytes };
        let tables = Tablebase::with_filesystem(Arc::new(files));
        let mut opened = SyzygyFolder {
            tables,
            refused: Vec::new(),
            files: 0,
            materials: HashSet::new(),
            most_men: 0,
        };
        // What is added later replaces what was there.
        for folder in folders.iter().rev() {
            for file in TableFile::all_in(folder)? {
                opened.add(file);
            }
        }
        Ok(opened)
    }

    fn add(&mut self, file: TableFile) {
        match self.tables.add_file(&file.path) {
            Ok(()) => {
                self.files += 1;
                if file.kind == Kind::Wdl {
                    self.materials.insert(file.material);
                }
                self.most_men = self.most_men.max(file.material.len());
            }
            Err(_) => {
                let len = std::fs::metadata(&file.path).map_or(0, |found| found.len());
                self.refused.push((file, len));
            }
        }
    }

    /// How many files there are.
    pub fn len(&self) -> usize {
        self.files
    }

    /// Whether there is no file.
    pub fn is_empty(&self) -> bool {
        self.files == 0
    }

    /// Whether there is a file that says who wins positions of a material.
    pub fn has(&self, material: Material) -> bool {
        self.materials.contains(&material.canonical())
    }

    /// Men of the largest table.
    pub fn most_men(&self) -> usize {
        self.most_men
    }

    /// The class of a position, its en-passant right included.
    ///
    /// # Errors
    /// If a file that is needed is missing or damaged.
    pub fn category(&self, position: &Position) -> Result<Category, ReadError> {
        self.guarded(position, |chess| self.tables.probe_wdl_after_zeroing(chess)).map(category)
    }

    /// The class of a position and the plies to a zeroing move, its en-passant
    /// right included.
    ///
    /// # Errors
    /// If a file that is needed is missing or damaged.
    pub fn probe(&self, position: &Position) -> Result<Answer, ReadError> {
        let category = self.category(position)?;
        if category == Category::Draw {
            return Ok(Answer { category, plies: None });
        }
        let found = self.guarded(position, |chess| self.tables.probe_dtz(chess))?;
        let least = found.ignore_rounding().0.unsigned_abs() as u16;
        // With pawns the search for the best move mixes rounded and exact
        // plies, and may call rounded ones exact.
        let rounded = matches!(found, MaybeRounded::Rounded(_)) || position.material().has_pawns();
        let certain = least == 1 || least == 101;
        let most = if rounded && !(certain && matches!(found, MaybeRounded::Precise(_)))
            || self.may_last_longer(position, category, least)?
        {
            least + 1
        } else {
            least
        };
        Ok(Answer { category, plies: Some(PlyRange { least, most }) })
    }

    /// Whether a side that loses in two plies may hold out for three.
    fn may_last_longer(
        &self,
        position: &Position,
        category: Category,
        plies: u16,
    ) -> Result<bool, ReadError> {
        let loses = matches!(category, Category::Loss | Category::BlessedLoss);
        if !loses || ![2, 102].contains(&plies) {
            return Ok(false);
        }
        self.guarded(position, |chess| {
            let quiet = chess.legal_moves().into_iter().filter(|m| !m.is_zeroing());
            let after = quiet.map(|quiet| {
                let mut after = chess.clone();
                after.play_unchecked(quiet);
                self.tables.probe_dtz(&after)
            });
            let after: Vec<_> = after.collect::<Result<_, _>>()?;
            Ok(holds_out(plies, &after))
        })
    }

    /// Asks the library, and turns whatever it does into an answer or an
    /// error.
    fn guarded<T>(
        &self,
        position: &Position,
        ask: impl FnOnce(&Chess) -> Result<T, SyzygyError>,
    ) -> Result<T, ReadError> {
        let men = position.material().len();
        let too_many = ReadError::TooManyMen { men, most: self.most_men };
        let Some(chess) = to_chess(position).filter(|_| men <= self.most_men.max(2)) else {
            return Err(too_many);
        };
        LAST_READ.with_borrow_mut(|last| *last = None);
        match catch_unwind(AssertUnwindSafe(|| ask(&chess))) {
            Ok(Ok(found)) => Ok(found),
            Ok(Err(SyzygyError::MissingTable { metric, material })) => {
                Err(self.missing(&material.to_string(), metric))
            }
            Ok(Err(SyzygyError::TooManyPieces | SyzygyError::Castling)) => Err(too_many),
            Ok(Err(SyzygyError::ProbeFailed { metric, material, error })) => {
                let path = last_read(&material.to_string(), metric);
                Err(ReadError::Damaged { path, reason: format!("damaged ({error})") })
            }
            Err(_) => {
                let path = last_read(&position.material().to_string(), Metric::Wdl);
                Err(ReadError::Damaged { path, reason: "damaged".to_owned() })
            }
        }
    }

    /// The error for a file that is missing or was set aside.
    fn missing(&self, material: &str, metric: Metric) -> ReadError {
        let name = file_name(material, metric);
        let same = |path: &Path| path.file_name().is_some_and(|found| found == name.as_str());
        match self.refused.iter().find(|(file, _)| same(&file.path)) {
            Some((file, len)) => ReadError::Damaged {
                path: file.path.clone(),
                reason: Damage::Length { found: *len }.to_string(),
            },
            None => match material.parse::<Material>() {
                Ok(material) => ReadError::Missing { name, material: material.canonical() },
                Err(_) => ReadError::Damaged { path: name.into(), reason: "missing".to_owned() },
            },
        }
    }
}

/// Whether a side that the library says to lose in so many plies, two or 102, may
/// hold out for one more, by what it says of the positions after its quiet moves. If one
/// move lets the winner capture at once, which is exact, and another one may do so, being
/// rounded, the library names the first.
fn holds_out(plies: u16, after: &[MaybeRounded<Dtz>]) -> bool {
    let as_long = |dtz: &Dtz| dtz.0.unsigned_abs() + 1 == u32::from(plies);
    after.iter().any(|after| matches!(after, MaybeRounded::Rounded(dtz) if as_long(dtz)))
}

/// The name of the file of a material, written as the library does.
fn file_name(material: &str, metric: Metric) -> String {
    let kind = match metric {
        Metric::Wdl => Kind::Wdl,
        Metric::Dtz => Kind::Dtz,
    };
    match material.parse() {
        Ok(material) => TableFile::name(&material, kind),
        Err(_) => format!("{material}.{}", kind.extension()),
    }
}

fn category(wdl: Wdl) -> Category {
    match wdl {
        Wdl::Loss => Category::Loss,
        Wdl::BlessedLoss => Category::BlessedLoss,
        Wdl::Draw => Category::Draw,
        Wdl::CursedWin => Category::CursedWin,
        Wdl::Win => Category::Win,
    }
}

thread_local! {
    /// The file this thread read last, to be named if it turns out damaged.
    static LAST_READ: RefCell<Option<Arc<Path>>> = const { RefCell::new(None) };
}

/// The file read last, or else the one that was asked for.
fn last_read(material: &str, metric: Metric) -> PathBuf {
    let last = LAST_READ.with_borrow(Clone::clone);
    last.map_or_else(|| PathBuf::from(file_name(material, metric)), |path| path.to_path_buf())
}

/// Files up to this length are read whole when they are first looked into: a look-up
/// is many reads of a few bytes each. All of three and four men are shorter.
const SMALL_BYTES: u64 = 512 << 10;

/// Files that know their names; those up to a length are kept in memory.
struct Files {
    files: OsFilesystem,
    whole_bytes: u64,
}

struct NamedFile {
    path: Arc<Path>,
    file: Box<dyn RandomAccessFile>,
}

/// What is in a file.
struct Whole(Vec<u8>);

impl Filesystem for Files {
    fn regular_file_size(&self, path: &Path) -> io::Result<u64> {
        self.files.regular_file_size(path)
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        self.files.read_dir(path)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn RandomAccessFile>> {
        let file = if self.regular_file_size(path)? <= self.whole_bytes {
            Box::new(Whole(std::fs::read(path)?))
        } else {
            self.files.open(path)?
        };
        Ok(Box::new(NamedFile { path: Arc::from(path), file }))
    }
}

impl RandomAccessFile for Whole {
    fn read_at(&self, buf: &mut [u8], offset: u64, _: ReadHint) -> io::Result<usize> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let rest = self.0.get(start..).unwrap_or_default();
        let len = buf.len().min(rest.len());
        buf[..len].copy_from_slice(&rest[..len]);
        Ok(len)
    }
}

impl RandomAccessFile for NamedFile {
    fn read_at(&self, buf: &mut [u8], offset: u64, hint: ReadHint) -> io::Result<usize> {
        LAST_READ.with_borrow_mut(|last| *last = Some(self.path.clone()));
        self.file.read_at(buf, offset, hint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rounded_answer_beside_an_exact_one_may_last_longer() {
        use MaybeRounded::{Precise, Rounded};
        let (exact, rounded) = (|plies| Precise(Dtz(plies)), |plies| Rounded(Dtz(plies)));
        // One move allows a capture at once; after the other that takes a ply or two.
        assert!(holds_out(2, &[exact(1), rounded(1)]));
        assert!(holds_out(102, &[rounded(101), exact(101), exact(101)]));
        // Nothing is rounded, or what is rounded is over sooner.
        assert!(!holds_out(2, &[exact(1), exact(1)]));
        assert!(!holds_out(102, &[exact(101), rounded(1)]));
        assert!(!holds_out(2, &[]));
    }

    #[test]
    fn files_in_memory_end_where_files_do() {
        let whole = Whole(vec![1, 2, 3]);
        let read = |offset, len| {
            let mut buf = vec![0; len];
            let found = whole.read_at(&mut buf, offset, ReadHint::Data).unwrap();
            buf.truncate(found);
            buf
        };
        assert_eq!((read(0, 2), read(1, 9), read(3, 1)), (vec![1, 2], vec![2, 3], vec![]));
        assert_eq!(read(u64::MAX, 1), []);
        assert!(whole.read_exact_at(&mut [0; 2], 2, ReadHint::Data).is_err());
    }
}
