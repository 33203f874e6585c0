//! The board log: the boards of a table with pawns, each logged as it is
//! finished.
//!
//! ```text
//! file    magic "MOLBRDS2", u32 length and text of the table, records
//! record  u32 bytes of the head, u64 bytes of the blocks, u64 xxh3 of both lengths,
//!         head and blocks, head, blocks
//! head    u64 White's pawns, u64 Black's; for White, then for Black to move:
//!         u32 tiles, u8 planes of depth bits, u8 1 if stalemates are kept, u32 bytes
//!         of each block; statistics
//! block   a zstd frame of some tiles of a plane, less what is known without it
//!         (`reduced.rs`)
//! ```
//!
//! Records come in any order. One that is cut short by the end of a process, or
//! damaged since, and all after it are dropped: those boards are solved again.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use molien_board::{Bitboard, Color, Material};
use molien_hyper::Hyperboard;
use molien_values::{BoardValues, Graded, Metric, Placement, Stats};
use xxhash_rust::xxh3::Xxh3;

use crate::format::bytes::{ByteReader, ByteWriter};
use crate::format::coding::Malformed;
use crate::format::meta::{decode_stats, encode_stats};
use crate::log::begin_with;
use crate::log::planes::{Block, PackedSide, PlaneStore};
use crate::log::reduced::{reduced, restore};
use crate::{Directory, TableError, TableParts};

const MAGIC: [u8; 8] = *b"MOLBRDS2";
/// The ending of a log's name.
const ENDING: &str = "boards";
/// Bytes of a record before its head.
const LENGTHS_LEN: usize = 20;
/// More than the longest head.
const MAX_HEAD_LEN: usize = 1 << 26;

/// The boards of a table with pawns in one metric, those that are finished, in
/// a file. Any number of threads may add and read.
pub struct BoardLog {
    pub(super) material: Material,
    pub(super) metric: Metric,
    pub(super) path: PathBuf,
    pub(super) store: PlaneStore,
    pub(super) boards: Mutex<BTreeMap<Placement, Arc<LoggedBoard>>>,
}

/// Where a board is.
pub(super) struct LoggedBoard {
    sides: [PackedSide; 2],
    stats_start: u64,
    stats_len: usize,
}

/// What a log is of; that of another version is not resumed.
pub(super) fn front(material: Material, metric: Metric) -> Vec<u8> {
    let mut out = ByteWriter::default();
    out.0.extend(MAGIC);
    out.bytes(format!("{material} {metric} {}", env!("CARGO_PKG_VERSION")).as_bytes());
    out.0
}

impl Directory {
    /// The board log of a table of this folder, with what an earlier process has
    /// left in it. The caller holds the lock of the material.
    ///
    /// # Errors
    /// If it can be neither read nor made.
    pub fn board_log(&self, material: Material, metric: Metric) -> Result<BoardLog, TableError> {
        let logs = self.wave_logs();
        let name = format!("{}.{metric}.{ENDING}", material.file_name());
        let path = logs.folder().join(name);
        let opened = fs::create_dir_all(logs.folder()).and_then(|()| {
            let mut how = OpenOptions::new();
            let file = how.read(true).write(true).create(true).truncate(false).open(&path)?;
            BoardLog::resume(path.clone(), file, material, metric)
        });
        opened.map_err(failed(&path, "opening"))
    }
}

impl BoardLog {
    /// A log in a file without a name in this folder: it is gone with the
    /// process.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn unnamed(
        folder: &Path,
        material: Material,
        metric: Metric,
    ) -> Result<BoardLog, TableError> {
        let made = fs::create_dir_all(folder)
            .and_then(|()| tempfile::tempfile_in(folder))
            .and_then(|file| BoardLog::resume(folder.to_owned(), file, material, metric));
        made.map_err(failed(folder, "making a temporary file in"))
    }

    fn resume(
        path: PathBuf,
        mut file: File,
        material: Material,
        metric: Metric,
    ) -> io::Result<BoardLog> {
        let start = front(material, metric);
        begin_with(&mut file, &start)?;
        let (mut end, mut boards) = (start.len() as u64, BTreeMap::new());
        let mut input = BufReader::with_capacity(1 << 20, &file);
        input.seek(SeekFrom::Start(end))?;
        while let Some((pawns, board, len)) = next_record(&mut input, material, metric, end) {
            boards.insert(pawns, Arc::new(board));
            end += len;
        }
        // Whatever follows the last whole record is of no use.
        file.set_len(end)?;
        let store = PlaneStore::in_file(file, end);
        Ok(BoardLog { material, metric, path, store, boards: Mutex::new(boards) })
    }

    fn find(&self, pawns: Placement) -> Option<Arc<LoggedBoard>> {
        let boards = self.boards.lock().unwrap_or_else(PoisonError::into_inner);
        boards.get(&pawns).cloned()
    }

    /// Whether the board around some pawns is finished.
    pub fn has(&self, pawns: Placement) -> bool {
        self.find(pawns).is_some()
    }

    /// How many boards are finished.
    pub fn len(&self) -> usize {
        self.boards.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds a finished board.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&self, board: &BoardValues, stats: &Stats) -> Result<(), TableError> {
        let pawns = Placement::new(Color::BOTH.map(|color| board.board.pawns(color)));
        let added = self.append(pawns, board, stats);
        let added = Arc::new(added.map_err(failed(&self.path, "writing"))?);
        self.boards.lock().unwrap_or_else(PoisonError::into_inner).insert(pawns, added);
        Ok(())
    }

    fn append(
        &self,
        pawns: Placement,
        board: &BoardValues,
        stats: &Stats,
    ) -> io::Result<LoggedBoard> {
        let memory = PlaneStore::in_memory();
        let mut head = ByteWriter::default();
        pawns.bitboards().iter().for_each(|pawns| head.u64(pawns.0));
        let mut blocks: Vec<u8> = Vec::new();
        for (turn, values) in Color::BOTH.into_iter().zip(&board.values) {
            let planes = reduced(values, &board.board, turn);
            let side = PackedSide::of_planes(values, planes, &memory)?;
            head.u32(side.tiles as u32);
            head.u8(side.depth as u8);
            head.u8(u8::from(side.stalemate));
            for block in &side.blocks {
                let Block::Memory(bytes) = block else { continue };
                head.u32(bytes.len() as u32);
                blocks.extend(bytes);
            }
        }
        encode_stats(stats, &mut head);
        let Block::File { start, .. } = self.store.put(&record(&head.0, &blocks))? else {
            return Err(io::ErrorKind::NotFound.into());
        };
        let at = start + LENGTHS_LEN as u64;
        let parsed = parse_head(&head.0, at, self.material, self.metric);
        parsed.map(|(_, board)| board).map_err(|Malformed(why)| io::Error::other(why))
    }

    /// The board around a canonical placement of the pawns, if it is finished,
    /// brought back on this thread alone; with one side to move only, if so
    /// wanted, and the other left empty.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn board(
        &self,
        pawns: Placement,
        turn: Option<Color>,
    ) -> Result<Option<BoardValues>, TableError> {
        let Some(logged) = self.find(pawns) else { return Ok(None) };
        let board = hyperboard(self.material, pawns);
        let mut values = [Graded::default(), Graded::default()];
        for side in Color::BOTH.into_iter().filter(|&side| turn.is_none_or(|turn| turn == side)) {
            let read = logged.sides[side.index()].unpack(&self.store);
            values[side.index()] = read.map_err(failed(&self.path, "reading"))?;
            restore(&mut values[side.index()], &board, side);
        }
        Ok(Some(BoardValues { board, values }))
    }

    /// The statistics of all finished boards together, in the order of their
    /// placements: of equal depths the first position stays.
    ///
    /// # Errors
    /// If the log cannot be read.
    pub fn stats(&self) -> Result<Stats, TableError> {
        let boards: Vec<Arc<LoggedBoard>> = {
            let boards = self.boards.lock().unwrap_or_else(PoisonError::into_inner);
            boards.values().cloned().collect()
        };
        let mut all = Stats::new(self.material, self.metric);
        for board in boards {
            let bytes = self.store.read(board.stats_start, board.stats_len);
            let bytes = bytes.map_err(failed(&self.path, "reading"))?;
            let stats = decode_stats(self.material, self.metric, &mut ByteReader(&bytes));
            let damaged = |Malformed(why)| TableError::DamagedLog { path: self.path.clone(), why };
            all.absorb(&stats.map_err(damaged)?);
        }
        Ok(all)
    }

    /// All of it as a table, once every board is finished.
    ///
    /// # Errors
    /// If a board is missing or the log cannot be read.
    pub fn into_table(self: Arc<BoardLog>) -> Result<LoggedBoards, TableError> {
        let placements = Placement::all(&self.material);
        if let Some(_missing) = placements.iter().find(|pawns| !self.has(**pawns)) {
            let path = self.path.clone();
            return Err(TableError::DamagedLog { path, why: "a board is missing" });
        }
        let boards = placements.iter().map(|&pawns| hyperboard(self.material, pawns)).collect();
        Ok(LoggedBoards { stats: self.stats()?, boards, placements, log: self })
    }
}

fn hyperboard(material: Material, pawns: Placement) -> Hyperboard {
    Hyperboard::around_pawns(material, pawns.bitboards())
}

pub(super) fn failed(path: &Path, doing: &'static str) -> impl FnOnce(io::Error) -> TableError {
    move |source| TableError::Io { path: path.to_owned(), doing, source: Arc::new(source) }
}

/// A record.
fn record(head: &[u8], blocks: &[u8]) -> Vec<u8> {
    let mut out = ByteWriter::default();
    out.u32(head.len() as u32);
    out.u64(blocks.len() as u64);
    let mut sum = Xxh3::new();
    [&out.0[..], head, blocks].into_iter().for_each(|bytes| sum.update(bytes));
    out.u64(sum.digest());
    out.0.reserve(head.len() + blocks.len());
    out.0.extend(head);
    out.0.extend(blocks);
    out.0
}

/// The record that begins at `start`, if it is whole, and its length.
pub(super) fn next_record(
    input: &mut impl Read,
    material: Material,
    metric: Metric,
    start: u64,
) -> Option<(Placement, LoggedBoard, u64)> {
    let mut lengths = [0; LENGTHS_LEN];
    input.read_exact(&mut lengths).ok()?;
    let mut fields = ByteReader(&lengths);
    let (head_len, blocks_len) = (fields.u32().ok()? as usize, fields.u64().ok()?);
    let expected = fields.u64().ok()?;
    if head_len > MAX_HEAD_LEN {
        return None;
    }
    let mut head = vec![0; head_len];
    input.read_exact(&mut head).ok()?;
    let mut sum = Xxh3::new();
    sum.update(&lengths[..LENGTHS_LEN - 8]);
    sum.update(&head);
    let (mut left, mut piece) = (blocks_len, vec![0; 1 << 20]);
    while left > 0 {
        let piece = &mut piece[..left.min(1 << 20) as usize];
        input.read_exact(piece).ok()?;
        sum.update(piece);
        left -= piece.len() as u64;
    }
    if sum.digest() != expected {
        return None;
    }
    let at = start + LENGTHS_LEN as u64;
    let (pawns, board) = parse_head(&head, at, material, metric).ok()?;
    Some((pawns, board, LENGTHS_LEN as u64 + head_len as u64 + blocks_len))
}

/// What a head that begins at `at` says.
fn parse_head(
    head: &[u8],
    at: u64,
    material: Material,
    metric: Metric,
) -> Result<(Placement, LoggedBoard), Malformed> {
    let mut input = ByteReader(head);
    let pawns = Placement::new([Bitboard(input.u64()?), Bitboard(input.u64()?)]);
    let mut next = at + head.len() as u64;
    let mut side = || -> Result<PackedSide, Malformed> {
        let (tiles, depth) = (input.u32()? as usize, usize::from(input.u8()?));
        let stalemate = input.u8()? != 0;
        let mut blocks = Vec::new();
        for _ in 0..PackedSide::blocks_of(tiles, depth, stalemate) {
            let len = input.u32()? as usize;
            blocks.push(Block::File { start: next, len });
            next += len as u64;
        }
        Ok(PackedSide { tiles, depth, stalemate, blocks })
    };
    let sides = [side()?, side()?];
    let stats_len = input.0.len();
    let stats_start = at + (head.len() - stats_len) as u64;
    decode_stats(material, metric, &mut input)?;
    input.end()?;
    Ok((pawns, LoggedBoard { sides, stats_start, stats_len }))
}

/// A table all boards of which are in a board log.
#[derive(Clone)]
pub struct LoggedBoards {
    stats: Stats,
    boards: Vec<Hyperboard>,
    placements: Vec<Placement>,
    log: Arc<BoardLog>,
}

impl LoggedBoards {
    /// The same values in another metric, in which nothing is different.
    pub fn also(&self, metric: Metric) -> LoggedBoards {
        let stats = Stats { metric, ..self.stats.clone() };
        LoggedBoards { stats, ..self.clone() }
    }
}

impl TableParts for LoggedBoards {
    fn stats(&self) -> &Stats {
        &self.stats
    }

    fn boards(&self) -> Vec<&Hyperboard> {
        self.boards.iter().collect()
    }

    fn has_depths(&self) -> bool {
        true
    }

    fn part(&self, number: usize) -> Result<Arc<BoardValues>, TableError> {
        let missing =
            || TableError::DamagedLog { path: self.log.path.clone(), why: "a board is missing" };
        self.log.board(self.placements[number], None)?.map(Arc::new).ok_or_else(missing)
    }
}
