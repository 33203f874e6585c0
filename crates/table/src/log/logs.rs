//! The wave log: Thompson's W_i and B_i files, one file for each run.
//!
//! ```text
//! file    magic "MOLWAVE2", u32 length and text of the run, records
//! ```
//!
//! Record i holds wave i (`wave_record`). A record cut short by the end of a
//! process, or damaged since, and all after it are dropped: their waves are
//! computed again.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use molien_board::{Color, Material};
use molien_hyper::Plane;
use molien_values::{LogError, Metric, Run, RunLog, WaveLog};

use crate::format::bytes::ByteWriter;
use crate::log::begin_with;
use crate::log::planes::write_at;
use crate::log::record::Sections;
use crate::write::assemble::PART;

const MAGIC: [u8; 8] = *b"MOLWAVE2";
/// The ending of a log's name.
const ENDING: &str = "wave";
/// Runs on fewer tiles are over before a log would pay: four men without
/// pawns have 462, five 29,568.
const WORTH_TILES: usize = 16384;

/// Wave logs in a folder.
#[derive(Clone, Debug)]
pub struct WaveLogs {
    folder: PathBuf,
    worth_tiles: usize,
    most_men: usize,
}

impl WaveLogs {
    /// Logs in this folder, which is made when the first log is.
    pub fn new(folder: impl Into<PathBuf>) -> WaveLogs {
        WaveLogs { folder: folder.into(), worth_tiles: WORTH_TILES, most_men: usize::MAX }
    }

    /// Logs runs on at least this many tiles.
    pub fn with_worth_tiles(mut self, tiles: usize) -> WaveLogs {
        self.worth_tiles = tiles;
        self
    }

    /// Logs nothing with more than this many men.
    pub fn up_to_men(mut self, men: usize) -> WaveLogs {
        self.most_men = men;
        self
    }

    /// The folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn path(&self, run: &Run) -> PathBuf {
        let attacker = if run.attacker == Color::White { "w" } else { "b" };
        let pawns = match run.pawns.all_squares().is_empty() {
            true => String::new(),
            false => {
                let [white, black] = run.pawns.bitboards();
                format!("{:x}-{:x}.", white.0, black.0)
            }
        };
        let name = run.material.file_name();
        self.folder.join(format!("{name}.{}.{pawns}{attacker}.{ENDING}", run.metric))
    }

    /// Removes what there is of a material in some metrics, which are stored,
    /// and what has been assembled of its file.
    ///
    /// # Errors
    /// If a log cannot be removed.
    pub fn remove(&self, material: Material, metrics: &[Metric]) -> std::io::Result<()> {
        let Ok(entries) = fs::read_dir(&self.folder) else { return Ok(()) };
        for entry in entries {
            let path = entry?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let mut words = name.split('.');
            let own = words.next() == Some(&material.file_name());
            let metric = words.next().and_then(|word| word.parse::<Metric>().ok());
            if own
                && (metric.is_some_and(|metric| metrics.contains(&metric)) || name.ends_with(PART))
            {
                fs::remove_file(&path)?;
            }
        }
        // Gone with its last log; stays if there are others.
        let _ = fs::remove_dir(&self.folder);
        Ok(())
    }
}

/// What a log is of; the log of another version is not resumed.
fn title(run: &Run) -> String {
    let [white, black] = run.pawns.bitboards();
    let version = env!("CARGO_PKG_VERSION");
    let Run { material, metric, attacker, tiles, .. } = run;
    format!("{material} {metric} {:x} {:x} {attacker} {tiles} {version}", white.0, black.0)
}

impl WaveLog for WaveLogs {
    fn open(&self, run: &Run) -> Result<Option<Box<dyn RunLog>>, LogError> {
        if run.tiles < self.worth_tiles || run.material.len() > self.most_men {
            return Ok(None);
        }
        let path = self.path(run);
        let log = fs::create_dir_all(&self.folder).and_then(|()| FileLog::open(&path, run));
        let failed =
            |error| LogError::Open { place: path.display().to_string(), source: Arc::new(error) };
        Ok(Some(Box::new(log.map_err(failed)?)))
    }
}

/// What a log begins with.
pub(crate) fn front(run: &Run) -> Vec<u8> {
    let mut start = ByteWriter::default();
    start.0.extend(MAGIC);
    start.bytes(title(run).as_bytes());
    start.0
}

pub(crate) fn sections(run: &Run) -> Sections {
    Sections { count: run.classes, tiles: run.tiles / run.classes.max(1) }
}

struct FileLog {
    path: PathBuf,
    file: File,
    /// Where the next record starts.
    end: u64,
    /// Records read or written so far.
    records: u64,
    sections: Sections,
    reading: bool,
    /// The sections that planes have, in their order, if not all of them.
    held: Option<Vec<usize>>,
    /// Sections coded here that are not written yet.
    coded: Vec<Vec<u8>>,
}

impl FileLog {
    fn open(path: &Path, run: &Run) -> std::io::Result<FileLog> {
        let mut options = OpenOptions::new();
        let mut file = options.read(true).write(true).create(true).truncate(false).open(path)?;
        let start = front(run);
        begin_with(&mut file, &start)?;
        let (path, end, sections) = (path.into(), start.len() as u64, sections(run));
        let (records, reading, held, coded) = (0, true, None, Vec::new());
        Ok(FileLog { path, file, end, records, sections, reading, held, coded })
    }

    fn not_appended(&self) -> impl FnOnce(std::io::Error) -> LogError + use<> {
        let place = self.path.display().to_string();
        |error| LogError::Append { place, source: Arc::new(error) }
    }

    /// Ends reading. Whatever follows the last whole record is of no use.
    fn cut(&mut self) -> std::io::Result<()> {
        if std::mem::replace(&mut self.reading, false) {
            self.file.set_len(self.end)?;
        }
        Ok(())
    }

    /// The next record, if it is whole; returns its length.
    fn read(&mut self, lost: &mut Plane, won: &mut Plane) -> Option<u64> {
        let (starts, start) = read_head(&mut self.file, self.sections, self.end, self.records)?;
        let sections = match self.held.clone() {
            Some(held) => held,
            None => (0..self.sections.count).collect(),
        };
        let mut read = |section: usize| {
            let mut bytes = vec![0; (starts[section + 1] - starts[section]) as usize];
            if !bytes.is_empty() {
                self.file.seek(SeekFrom::Start(start + starts[section])).ok()?;
                self.file.read_exact(&mut bytes).ok()?;
            }
            Some(bytes)
        };
        let sections = sections.into_iter().map(&mut read).collect::<Option<Vec<_>>>()?;
        self.sections.decode(&sections, self.records, lost, won).ok()?;
        Some(start - self.end + starts.last()?)
    }
}

/// The head of the record at this place, if the whole record is there, and
/// where its sections begin.
pub(crate) fn read_head(
    file: &mut File,
    sections: Sections,
    at: u64,
    record: u64,
) -> Option<(Vec<u64>, u64)> {
    file.seek(SeekFrom::Start(at)).ok()?;
    let mut head = vec![0; sections.head_len()];
    file.read_exact(&mut head).ok()?;
    let starts = sections.decode_head(&head, record).ok()?;
    let start = at + head.len() as u64;
    (start + starts.last()? <= file.metadata().ok()?.len()).then_some((starts, start))
}

impl RunLog for FileLog {
    fn next(&mut self, lost: &mut Plane, won: &mut Plane) -> bool {
        if !self.reading {
            return false;
        }
        match self.read(lost, won) {
            Some(len) => {
                self.end += len;
                self.records += 1;
            }
            None => self.reading = false,
        }
        self.reading
    }

    fn append(&mut self, lost: &Plane, won: &Plane) -> Result<(), LogError> {
        self.reading = false;
        let mut write = || -> std::io::Result<u64> {
            let record = self.sections.encode(lost, won, self.records)?;
            // Whatever follows the last whole record is of no use.
            self.file.set_len(self.end)?;
            self.file.seek(SeekFrom::Start(self.end))?;
            self.file.write_all(&record)?;
            Ok(record.len() as u64)
        };
        self.end += write().map_err(self.not_appended())?;
        self.records += 1;
        Ok(())
    }

    fn hold_only(&mut self, classes: &[usize]) {
        self.held = Some(classes.to_vec());
    }

    fn code(&mut self, lost: &Plane, won: &Plane) -> Result<Vec<u64>, LogError> {
        // All do so before any of them writes.
        self.cut().map_err(self.not_appended())?;
        let mut places = vec![None; self.sections.count];
        match &self.held {
            Some(held) => held.iter().enumerate().for_each(|(i, &class)| places[class] = Some(i)),
            None => places.iter_mut().enumerate().for_each(|(i, place)| *place = Some(i)),
        }
        let coded = self.sections.encode_sections(lost, won, self.records, |class| places[class]);
        self.coded = coded.map_err(self.not_appended())?;
        Ok(self.coded.iter().map(|section| section.len() as u64).collect())
    }

    fn write(&mut self, lengths: &[u64]) -> Result<(), LogError> {
        let mut at = self.end + self.sections.head_len() as u64;
        for (section, length) in std::mem::take(&mut self.coded).iter().zip(lengths) {
            if !section.is_empty() {
                write_at(&self.file, section, at).map_err(self.not_appended())?;
            }
            at += length;
        }
        Ok(())
    }

    fn commit(&mut self, lengths: &[u64], says_so: bool) -> Result<(), LogError> {
        let head = self.sections.encode_head(lengths, self.records);
        if says_so {
            write_at(&self.file, &head, self.end).map_err(self.not_appended())?;
        }
        self.end += head.len() as u64 + lengths.iter().sum::<u64>();
        self.records += 1;
        Ok(())
    }
}
