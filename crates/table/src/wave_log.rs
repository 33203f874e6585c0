//! The wave log: Thompson's W_i and B_i files, one file for each run.
//!
//! ```text
//! file    magic "MOLWAVE\n", u32 length and text of the run, records
//! record  u32 bytes of the payload, u32 bytes of it decompressed,
//!         u64 xxh3 of the payload (seed: number of the record), payload
//! payload zstd of two planes, lost and won: u32 number of tiles, then for each
//!         tile u32 its number and 64 words of 8 bytes
//! ```
//!
//! A record cut short by the end of a process, or damaged since, and all after
//! it are dropped: their waves are computed again.

use std::fs::{self, File, OpenOptions};
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use molien_board::{Color, Material, Square};
use molien_hyper::{Plane, Tile};
use molien_solve::{Run, RunLog, Wave, WaveLog};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::bytes::{Decoder, Encoder};
use crate::coding::Malformed;

const MAGIC: [u8; 8] = *b"MOLWAVE\n";
/// The ending of a log's name.
const ENDING: &str = "wave";
/// Runs on fewer tiles are over before a log would pay: four men without
/// pawns have 462, five 29,568.
const WORTH_TILES: usize = 16384;
/// A quick level: a log lives for minutes.
const LEVEL: i32 = 1;

/// Wave logs in a folder.
#[derive(Clone, Debug)]
pub struct WaveLogs {
    folder: PathBuf,
    worth_tiles: usize,
}

impl WaveLogs {
    /// Logs in this folder, which is made when the first log is.
    pub fn new(folder: impl Into<PathBuf>) -> WaveLogs {
        WaveLogs { folder: folder.into(), worth_tiles: WORTH_TILES }
    }

    /// Logs runs on at least this many tiles.
    pub fn with_worth_tiles(mut self, tiles: usize) -> WaveLogs {
        self.worth_tiles = tiles;
        self
    }

    fn path(&self, run: &Run) -> PathBuf {
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

    /// Removes the logs of a material: its table is stored.
    ///
    /// # Errors
    /// If a log cannot be removed.
    pub fn remove(&self, material: Material) -> std::io::Result<()> {
        let start = format!("{}.", material.file_name());
        let Ok(entries) = fs::read_dir(&self.folder) else { return Ok(()) };
        for entry in entries {
            let path = entry?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if name.starts_with(&start) && name.ends_with(ENDING) {
                fs::remove_file(&path)?;
            }
        }
        // Gone with its last log; stays if there are others.
        let _ = fs::remove_dir(&self.folder);
        Ok(())
    }
}

/// What a log is of; another version's log is not gone on with.
fn title(run: &Run) -> String {
    let [white, black] = run.pawns.bitboards();
    let version = env!("CARGO_PKG_VERSION");
    let Run { material, metric, attacker, tiles, .. } = run;
    format!("{material} {metric} {:x} {:x} {attacker} {tiles} {version}", white.0, black.0)
}

impl WaveLog for WaveLogs {
    fn open(&self, run: &Run) -> Result<Option<Box<dyn RunLog>>, String> {
        if run.tiles < self.worth_tiles {
            return Ok(None);
        }
        let path = self.path(run);
        let log = fs::create_dir_all(&self.folder).and_then(|()| FileLog::open(&path, run));
        let log = log.map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Some(Box::new(log)))
    }
}

struct FileLog {
    path: PathBuf,
    file: File,
    /// Where the next record starts.
    end: u64,
    /// Records read or written so far.
    records: u64,
    tiles: usize,
    reading: bool,
}

impl FileLog {
    fn open(path: &Path, run: &Run) -> std::io::Result<FileLog> {
        let mut options = OpenOptions::new();
        let mut file = options.read(true).write(true).create(true).truncate(false).open(path)?;
        let mut start = Encoder::default();
        start.0.extend(MAGIC);
        start.bytes(title(run).as_bytes());
        let mut found = vec![0; start.0.len()];
        let ours = file.read_exact(&mut found).is_ok() && found == start.0;
        if !ours {
            file.set_len(0)?;
            file.seek(SeekFrom::Start(0))?;
            file.write_all(&start.0)?;
        }
        let end = start.0.len() as u64;
        Ok(FileLog { path: path.into(), file, end, records: 0, tiles: run.tiles, reading: true })
    }

    /// The next record, if it is whole.
    fn read(&mut self) -> Option<(Wave, u64)> {
        self.file.seek(SeekFrom::Start(self.end)).ok()?;
        let left = self.file.metadata().ok()?.len().checked_sub(self.end)?;
        let mut input = BufReader::new(&self.file);
        let mut head = [0; 16];
        input.read_exact(&mut head).ok()?;
        let mut fields = Decoder(&head);
        let (len, raw_len) = (fields.u32().ok()?, fields.u32().ok()?);
        let sum = fields.u64().ok()?;
        if u64::from(len) + 16 > left {
            return None;
        }
        let mut payload = vec![0; len as usize];
        input.read_exact(&mut payload).ok()?;
        if xxh3_64_with_seed(&payload, self.records) != sum {
            return None;
        }
        let raw = zstd::bulk::decompress(&payload, raw_len as usize).ok()?;
        let wave = decode_wave(&raw, self.tiles).ok()?;
        Some((wave, 16 + u64::from(len)))
    }
}

impl RunLog for FileLog {
    fn next(&mut self) -> Option<Wave> {
        if !self.reading {
            return None;
        }
        match self.read() {
            Some((wave, len)) => {
                self.end += len;
                self.records += 1;
                Some(wave)
            }
            None => {
                self.reading = false;
                None
            }
        }
    }

    fn append(&mut self, lost: &Plane, won: &Plane) -> Result<(), String> {
        self.reading = false;
        let raw = encode_wave(lost, won);
        let mut write = || -> std::io::Result<u64> {
            let payload = zstd::bulk::compress(&raw, LEVEL)?;
            let mut record = Encoder::default();
            record.u32(payload.len() as u32);
            record.u32(raw.len() as u32);
            record.u64(xxh3_64_with_seed(&payload, self.records));
            record.0.extend(payload);
            // Whatever follows the last whole record is of no use.
            self.file.set_len(self.end)?;
            self.file.seek(SeekFrom::Start(self.end))?;
            self.file.write_all(&record.0)?;
            Ok(record.0.len() as u64)
        };
        let written = write().map_err(|error| format!("{}: {error}", self.path.display()))?;
        self.end += written;
        self.records += 1;
        Ok(())
    }
}

fn encode_wave(lost: &Plane, won: &Plane) -> Vec<u8> {
    let mut out = Encoder::default();
    for plane in [lost, won] {
        let live = plane.live.iter().filter(|&&live| live).count();
        out.u32(live as u32);
        for (number, tile) in plane.tiles.iter().enumerate().filter(|(i, _)| plane.live[*i]) {
            out.u32(number as u32);
            tile.0.as_flattened().iter().for_each(|&word| out.u64(word));
        }
    }
    out.0
}

fn decode_wave(bytes: &[u8], tiles: usize) -> Result<Wave, Malformed> {
    let mut input = Decoder(bytes);
    let mut plane = || -> Result<Plane, Malformed> {
        let mut plane = Plane::empty(tiles);
        for _ in 0..input.u32()? {
            let number = input.u32()? as usize;
            let into = plane.tiles.get_mut(number).ok_or(Malformed("no such tile"))?;
            let mut words = [0; 64];
            for word in &mut words {
                *word = input.u64()?;
            }
            *into = Tile::from_rows(|row: Square| words[row.index()]);
            plane.live[number] = true;
        }
        Ok(plane)
    };
    let (lost, won) = (plane()?, plane()?);
    input.end()?;
    Ok(Wave { lost, won })
}
