//! Are files undamaged, and are the values right?

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use molien_board::{Color, Material, Position};
use molien_build::{Build, BuildError};
use molien_solve::SolveError;
use molien_values::{Category, FIFTY_MOVES_PLIES, Table};
use thiserror::Error;

use crate::checksum::{LEN as CHECKSUM, checksum_of};
use crate::codes::{self, Depth, LIST_SHIFT, UNREAD};
use crate::file::{Kind, flags};
use crate::file_codes::FileCodes;
use crate::order::Order;
use crate::raw::{Damage, RawTable, take_apart};
use crate::write::working_bytes;

/// A file cannot be checked, or is damaged.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CheckError {
    /// The name is no table's.
    #[error("{}: not the name of a Syzygy table, such as KQvKR.rtbw", path.display())]
    Name {
        /// The file.
        path: PathBuf,
    },
    /// It cannot be read.
    #[error("{}: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        error: std::io::Error,
    },
    /// It is damaged.
    #[error("{}: {damage}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// How.
        damage: Damage,
    },
    /// Our own values could not be had.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// What captures lead to is not at hand.
    #[error(transparent)]
    Solve(#[from] SolveError),
}

/// A file of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableFile {
    /// Where it is.
    pub path: PathBuf,
    /// What it holds.
    pub kind: Kind,
    /// Its material, as its name says.
    pub material: Material,
}

impl TableFile {
    /// The file at a path, by its name.
    ///
    /// # Errors
    /// If the name is no table's.
    pub fn at(path: &Path) -> Result<TableFile, CheckError> {
        let name = || {
            let extension = path.extension()?.to_str()?;
            let kind = Kind::ALL.into_iter().find(|kind| kind.extension() == extension)?;
            let stem = path.file_stem()?.to_str()?;
            let material: Material = stem.parse().ok()?;
            let canonical = stem == material.file_name() && material.is_canonical();
            canonical.then(|| TableFile { path: path.to_owned(), kind, material })
        };
        name().ok_or_else(|| CheckError::Name { path: path.to_owned() })
    }

    /// The name of a material's file.
    pub fn name(material: &Material, kind: Kind) -> String {
        format!("{}.{}", material.canonical().file_name(), kind.extension())
    }

    /// All files of tables in a folder, sorted; others are passed over.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn all_in(folder: &Path) -> Result<Vec<TableFile>, CheckError> {
        let failed = |error| CheckError::Read { path: folder.to_owned(), error };
        let entries = std::fs::read_dir(folder).map_err(failed)?;
        let mut found = Vec::new();
        for entry in entries {
            found.extend(TableFile::at(&entry.map_err(failed)?.path()).ok());
        }
        found.sort_by(|a, b| (a.material.len(), &a.path).cmp(&(b.material.len(), &b.path)));
        Ok(found)
    }

    /// Its size; 0 if it cannot be read.
    pub fn len_bytes(&self) -> u64 {
        std::fs::metadata(&self.path).map_or(0, |found| found.len())
    }

    fn read(&self) -> Result<Vec<u8>, CheckError> {
        let failed = |error| CheckError::Read { path: self.path.clone(), error };
        std::fs::read(&self.path).map_err(failed)
    }

    fn damaged(&self, damage: Damage) -> CheckError {
        CheckError::Damaged { path: self.path.clone(), damage }
    }

    /// Checks the length, the first bytes and the checksum.
    ///
    /// # Errors
    /// If the file cannot be read, or one of them is wrong.
    pub fn check(&self) -> Result<(), CheckError> {
        self.check_with(&|_| ())
    }

    /// The same, a part of the file at a time; `progress` is told how many bytes
    /// were read.
    ///
    /// # Errors
    /// If the file cannot be read, or one of them is wrong.
    pub fn check_with(&self, progress: &(dyn Fn(u64) + Sync)) -> Result<(), CheckError> {
        let failed = |error| CheckError::Read { path: self.path.clone(), error };
        let read = |start: u64, len: usize| {
            let mut file = File::open(&self.path)?;
            file.seek(SeekFrom::Start(start))?;
            let mut bytes = vec![0; len];
            file.read_exact(&mut bytes)?;
            progress(len as u64);
            Ok(bytes)
        };
        let len = std::fs::metadata(&self.path).map_err(failed)?.len();
        if len % 64 != CHECKSUM as u64 || len < 64 {
            return Err(self.damaged(Damage::Length { found: len }));
        }
        let first = read(0, 4).map_err(failed)?;
        let (found, expected) = ([first[0], first[1], first[2], first[3]], self.kind.magic());
        if found != expected {
            return Err(self.damaged(Damage::Magic { found, expected }));
        }
        let body = len - CHECKSUM as u64;
        let sum = checksum_of(body, read).map_err(failed)?;
        let same = read(body, CHECKSUM).map_err(failed)? == sum;
        if same { Ok(()) } else { Err(self.damaged(Damage::Checksum)) }
    }

    /// Compares every value with a table in DTZ50 of the file's material, after
    /// [`TableFile::check`]. Some differences are reported, the first first.
    ///
    /// # Errors
    /// If the file cannot be read or is damaged, or a table that is
    /// needed cannot be had.
    pub fn check_values(&self, build: &Build, table: &Table) -> Result<Values, CheckError> {
        self.check()?;
        let bytes = self.read()?;
        compare(build, table, self.kind, &bytes).map_err(|error| match error {
            CompareError::Damage(damage) => self.damaged(damage),
            CompareError::Build(error) => error.into(),
            CompareError::Solve(error) => error.into(),
        })
    }
}

/// What a comparison of all values found.
#[derive(Clone, Debug, Default)]
pub struct Values {
    /// Values that readers look at, and that were compared.
    pub compared: u64,
    /// How many are wrong.
    pub wrong: u64,
    /// The first of them.
    pub first: Vec<Wrong>,
}

/// A wrong value.
#[derive(Clone, Debug)]
pub struct Wrong {
    /// The position.
    pub position: Position,
    /// What the file says, in words.
    pub found: String,
    /// What is right, in words.
    pub expected: String,
}

/// Wrong values that are reported.
pub(crate) const REPORTED: usize = 5;

/// Why a comparison ends early.
pub(crate) enum CompareError {
    Damage(Damage),
    Build(BuildError),
    Solve(SolveError),
}

/// Compares all values of a file with a table.
pub(crate) fn compare(
    build: &Build,
    table: &Table,
    kind: Kind,
    bytes: &[u8],
) -> Result<Values, CompareError> {
    let tables = take_apart(bytes, kind, &table.material).map_err(CompareError::Damage)?;
    let moves = build.zeroing_moves(table, working_bytes(table)).map_err(CompareError::Build)?;
    let mut values = Values::default();
    for (file, sides) in tables.iter().enumerate() {
        let codes = FileCodes::new(&moves, table, file as u8).map_err(CompareError::Solve)?;
        for (side, raw) in Color::BOTH.into_iter().zip(sides) {
            let compared = match kind {
                Kind::Wdl => compare_classes(&codes, raw, side, &mut values),
                Kind::Dtz => compare_depths(&codes, raw, &mut values),
            };
            compared.map_err(CompareError::Damage)?;
        }
    }
    Ok(values)
}

fn compare_classes(
    codes: &FileCodes<'_>,
    raw: &RawTable<'_>,
    side: Color,
    values: &mut Values,
) -> Result<(), Damage> {
    let expected = codes.class_source(side).sequence(&raw.order, |code| code);
    for (index, (&code, found)) in expected.iter().zip(raw.values()?).enumerate() {
        let free = code >= codes::CLASSES;
        values.compared += u64::from(code != codes::ANY);
        let most = if free { code - codes::FREE } else { code };
        let right = if free { found <= u16::from(most) } else { found == u16::from(code) };
        if !right {
            let or_worse = if free { " or worse" } else { "" };
            values.report(&raw.order, index as u64, side, || {
                (class_name(found), format!("{}{or_worse}", class_name(u16::from(most))))
            });
        }
    }
    Ok(())
}

fn class_name(class: u16) -> String {
    const CLASSES: [Category; 5] =
        [Category::Loss, Category::BlessedLoss, Category::Draw, Category::CursedWin, Category::Win];
    let name = CLASSES.get(usize::from(class)).map(|class| class.name().to_owned());
    name.unwrap_or_else(|| format!("no class ({class})"))
}

fn compare_depths(
    codes: &FileCodes<'_>,
    raw: &RawTable<'_>,
    values: &mut Values,
) -> Result<(), Damage> {
    let side = raw.turn();
    let expected = codes.depth_source(side).depths(&raw.order);
    for (index, (&depth, found)) in expected.iter().zip(raw.values()?).enumerate() {
        if depth == UNREAD {
            continue;
        }
        values.compared += 1;
        let list = usize::from(depth >> LIST_SHIFT);
        let (value, step) = expected_value(depth, raw.flags);
        let found = raw.listed(list, found);
        if found != Some(value) {
            let sign = if list % 2 == 0 { "" } else { "-" };
            let plies = |value: u16| {
                let first = if list < 2 { 1 } else { FIFTY_MOVES_PLIES + 1 };
                let least = first + value * step;
                if step == 1 {
                    format!("{sign}{least}")
                } else {
                    format!("{sign}{least} or one more")
                }
            };
            values.report(&raw.order, index as u64, side, || {
                let found = found.map_or_else(|| "no value".to_owned(), plies);
                (found, format!("{sign}{}", depth & ((1 << LIST_SHIFT) - 1)))
            });
        }
    }
    Ok(())
}

/// The value that is stored for a depth, and the plies it is counted in.
fn expected_value(depth: Depth, flags: u8) -> (u16, u16) {
    let (list, plies) = (depth >> LIST_SHIFT, depth & ((1 << LIST_SHIFT) - 1));
    let exact = match list {
        0 => flags & flags::WIN_PLIES != 0,
        1 => flags & flags::LOSS_PLIES != 0,
        _ => false,
    };
    let first = if list < 2 { 1 } else { FIFTY_MOVES_PLIES + 1 };
    let after = plies.saturating_sub(first);
    if exact { (after, 1) } else { (after / 2, 2) }
}

impl Values {
    fn report(
        &mut self,
        order: &Order,
        index: u64,
        side: Color,
        words: impl FnOnce() -> (String, String),
    ) {
        self.wrong += 1;
        if self.first.len() < REPORTED {
            let men = order.men().iter().copied().zip(order.squares(index));
            if let Ok(position) = Position::new(men.collect::<Vec<_>>(), side) {
                let (found, expected) = words();
                self.first.push(Wrong { position, found, expected });
            }
        }
    }
}
