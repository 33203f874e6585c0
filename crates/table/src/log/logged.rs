//! Tables whose values are in a wave log.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use molien_board::{Color, Material};
use molien_hyper::{Hyperboard, KING_PAIRS, Tile};
use molien_operators::{complete_symmetric_class, fastest, swapped_class};
use molien_values::{Graded, Metric, Placement, Run, Stats};
use xxhash_rust::xxh3::xxh3_64;

use crate::format::bytes::{ByteReader, ByteWriter};
use crate::format::coding::Malformed;
use crate::format::meta::{decode_stats, encode_stats};
use crate::log::logs::{front, read_head, sections};
use crate::log::record::{Sections, decode_section};
use crate::write::classes::{ByClass, ClassValues, Classes, legal_class};
use crate::{TableError, WaveLogs};

/// The ending of the mark that a solve is finished.
const DONE: &str = "done";

/// A material without pawns, solved in one metric: its statistics, and its
/// values in a wave log.
#[derive(Clone)]
pub struct Logged {
    /// Counts, maxima, zugzwangs.
    pub stats: Stats,
    pub(crate) waves: Arc<LoggedWaves>,
}

impl Logged {
    /// The same values in another metric, in which nothing is different.
    pub fn also(&self, metric: Metric) -> Logged {
        let stats = Stats { metric, ..self.stats.clone() };
        Logged { stats, waves: self.waves.clone() }
    }

    /// The same, to be read class by class.
    pub fn by_class(&self) -> ByClass {
        ByClass::new(self.stats.clone(), self.waves.clone())
    }

    /// What a class takes in memory.
    pub(crate) fn class_bytes(&self) -> u64 {
        let planes = 3 + depth_bits(&self.stats);
        2 * (planes * self.waves.board.axes().len() * size_of::<Tile>()) as u64
    }
}

/// Bits of the greatest depth.
fn depth_bits(stats: &Stats) -> usize {
    (usize::BITS - stats.deepest().leading_zeros()) as usize
}

/// The waves of both sides.
pub(crate) struct LoggedWaves {
    board: Hyperboard,
    depth_bits: usize,
    runs: Vec<LoggedRun>,
}

/// The waves of one side's wins.
struct LoggedRun {
    path: PathBuf,
    attacker: Color,
    file: Mutex<File>,
    /// For each wave where its sections begin in the file, and where the last
    /// one ends.
    waves: Vec<Vec<u64>>,
}

/// The runs of a material without pawns. Of symmetric material one is enough,
/// and a bare king does not win.
fn runs(material: Material, metric: Metric) -> Vec<Run> {
    let wins = |&attacker: &Color| match attacker {
        Color::Black if material.is_symmetric() => false,
        attacker => material.side_len(attacker) > 1,
    };
    let tiles = Hyperboard::pieces(material).tiles();
    let run = |attacker| {
        let pawns = Placement::new(Default::default());
        Run { material, metric, pawns, attacker, tiles, classes: KING_PAIRS }
    };
    Color::BOTH.into_iter().filter(wins).map(run).collect()
}

impl LoggedRun {
    fn open(path: &Path, run: &Run) -> Result<LoggedRun, TableError> {
        let mut file = File::open(path).map_err(unreadable(path))?;
        let start = front(run);
        let mut found = vec![0; start.len()];
        file.read_exact(&mut found).map_err(unreadable(path))?;
        if found != start {
            return Err(damaged(path)(Malformed("it is the log of something else")));
        }
        let mut end = start.len() as u64;
        let mut waves: Vec<Vec<u64>> = Vec::new();
        while let Some(starts) = next_wave(&mut file, sections(run), end, waves.len() as u64) {
            end = starts.last().copied().unwrap_or(end);
            waves.push(starts);
        }
        let (path, attacker, file) = (path.to_owned(), run.attacker, Mutex::new(file));
        Ok(LoggedRun { path, attacker, file, waves })
    }

    fn section(&self, wave: usize, class: usize) -> Result<Vec<u8>, TableError> {
        let (start, end) = (self.waves[wave][class], self.waves[wave][class + 1]);
        let mut bytes = vec![0; (end - start) as usize];
        if !bytes.is_empty() {
            let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            let read = file.seek(SeekFrom::Start(start)).and_then(|_| file.read_exact(&mut bytes));
            read.map_err(unreadable(&self.path))?;
        }
        Ok(bytes)
    }

    /// Adds what the waves decided in a class to its values.
    fn replay(&self, class: usize, values: &mut ClassValues) -> Result<(), TableError> {
        for wave in 0..self.waves.len() {
            let take = |won: bool, number: usize, tile: &Tile| {
                let turn = if won { self.attacker } else { !self.attacker };
                add(&mut values[turn.index()], won, wave, number, tile)
            };
            let section = self.section(wave, class)?;
            decode_section(&section, wave as u64, take).map_err(damaged(&self.path))?;
        }
        Ok(())
    }
}

/// Where the sections of a wave begin in the file, and where the last ends.
fn next_wave(file: &mut File, sections: Sections, at: u64, wave: u64) -> Option<Vec<u64>> {
    let (mut starts, first) = read_head(file, sections, at, wave)?;
    starts.iter_mut().for_each(|start| *start += first);
    Some(starts)
}

/// Adds the positions of a tile that are decided in `plies` plies.
fn add(
    values: &mut Graded,
    won: bool,
    plies: usize,
    number: usize,
    tile: &Tile,
) -> Result<(), Malformed> {
    let Graded { won: wins, lost: losses, depth, .. } = values;
    let outcome = if won { wins } else { losses };
    outcome.get_mut(number).ok_or(Malformed("no such tile"))?.add(tile);
    for bit in (0..usize::BITS as usize).filter(|bit| plies >> bit & 1 != 0) {
        depth.get_mut(bit).ok_or(Malformed("it has too many waves"))?[number].add(tile);
    }
    Ok(())
}

fn damaged(path: &Path) -> impl FnOnce(Malformed) -> TableError {
    move |Malformed(why)| TableError::DamagedLog { path: path.to_owned(), why }
}

/// A log that ends too early is damaged like any other.
fn unreadable(path: &Path) -> impl FnOnce(io::Error) -> TableError {
    move |source| match source.kind() {
        io::ErrorKind::UnexpectedEof => damaged(path)(Malformed("it ends too early")),
        _ => TableError::Io { path: path.to_owned(), doing: "reading", source: Arc::new(source) },
    }
}

impl LoggedWaves {
    /// The wins that are logged; of symmetric material only White's.
    fn replay(&self, class: usize) -> Result<ClassValues, TableError> {
        let none = vec![Tile::EMPTY; self.board.axes().len()];
        let mut values = Color::BOTH.map(|turn| Graded {
            legal: legal_class(&self.board, class, turn),
            won: none.clone(),
            lost: none.clone(),
            depth: vec![none.clone(); self.depth_bits],
            stalemate: Vec::new(),
        });
        self.runs.iter().try_for_each(|run| run.replay(class, &mut values))?;
        Ok(values)
    }
}

impl Classes for LoggedWaves {
    fn board(&self) -> &Hyperboard {
        &self.board
    }

    fn load(&self, class: usize) -> Result<ClassValues, TableError> {
        let mut values = self.replay(class)?;
        if self.board.material().is_symmetric() {
            let swapped = self.replay(swapped_class(class))?;
            complete_symmetric_class(fastest(), &self.board, class, &mut values, &swapped);
        }
        Ok(values)
    }
}

impl WaveLogs {
    fn done_path(&self, material: Material, metric: Metric) -> PathBuf {
        self.folder().join(format!("{}.{metric}.{DONE}", material.file_name()))
    }

    /// What the mark of a finished solve says: how many waves each run has,
    /// then the statistics.
    fn done_contents(stats: &Stats, runs: &[LoggedRun]) -> Vec<u8> {
        let mut out = ByteWriter::default();
        out.text(env!("CARGO_PKG_VERSION"));
        out.u32(runs.len() as u32);
        runs.iter().for_each(|run| out.u32(run.waves.len() as u32));
        encode_stats(stats, &mut out);
        out.u64(xxh3_64(&out.0));
        out.0
    }

    fn open_runs(&self, material: Material, metric: Metric) -> Result<Vec<LoggedRun>, TableError> {
        let runs = runs(material, metric);
        runs.iter().map(|run| LoggedRun::open(&self.path(run), run)).collect()
    }

    /// Marks a solve without pawns as finished: all its waves are in the log.
    ///
    /// # Errors
    /// If the mark cannot be made, or there is no such log.
    pub fn finish(&self, stats: &Stats) -> Result<Logged, TableError> {
        let (material, metric) = (stats.material, stats.metric);
        let path = self.done_path(material, metric);
        let runs = self.open_runs(material, metric)?;
        let written = fs::write(&path, WaveLogs::done_contents(stats, &runs));
        let io_error = |source| TableError::Io { path, doing: "writing", source: Arc::new(source) };
        written.map_err(io_error)?;
        Ok(logged(stats.clone(), runs))
    }

    /// A finished solve, if its log is whole.
    pub fn finished(&self, material: Material, metric: Metric) -> Option<Logged> {
        let bytes = fs::read(self.done_path(material, metric)).ok()?;
        let runs = self.open_runs(material, metric).ok()?;
        let stats = decode_done(&bytes, material, metric).ok()?;
        let whole = WaveLogs::done_contents(&stats, &runs) == bytes;
        whole.then(|| logged(stats, runs))
    }

    /// Says that a solve is not finished: its log turned out to be damaged.
    pub(crate) fn unfinish(&self, material: Material, metric: Metric) {
        let _ = fs::remove_file(self.done_path(material, metric));
    }
}

fn logged(stats: Stats, runs: Vec<LoggedRun>) -> Logged {
    let board = Hyperboard::pieces(stats.material);
    let waves = LoggedWaves { board, depth_bits: depth_bits(&stats), runs };
    Logged { stats, waves: Arc::new(waves) }
}

fn decode_done(bytes: &[u8], material: Material, metric: Metric) -> Result<Stats, Malformed> {
    let mut input = ByteReader(bytes);
    input.text()?;
    input.list(ByteReader::u32)?;
    decode_stats(material, metric, &mut input)
}
