//! A conversation with the engine, line by line.

// Each test program uses its own part of this.
#![allow(dead_code)]

use std::io::{BufRead, BufReader, Lines, PipeReader, PipeWriter, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread::JoinHandle;

use molien_build::Build;
use molien_table::Directory;
use molien_uci::{Places, PlayTables, Setup, Tables, run};

/// An engine in a thread of its own, and both ends of its pipes.
pub struct Talk {
    to_engine: PipeWriter,
    from_engine: Lines<BufReader<PipeReader>>,
    engine: Option<JoinHandle<std::io::Result<()>>>,
}

impl Talk {
    pub fn new(setup: Setup) -> Talk {
        let (commands, to_engine) = std::io::pipe().expect("a pipe");
        let (from_engine, answers) = std::io::pipe().expect("a pipe");
        let engine = std::thread::spawn(move || run(BufReader::new(commands), answers, setup));
        Talk { to_engine, from_engine: BufReader::new(from_engine).lines(), engine: Some(engine) }
    }

    /// An engine with the tables of a folder.
    pub fn with_folder(folder: &Path) -> Talk {
        Talk::new(setup(folder))
    }

    pub fn send(&mut self, lines: &str) {
        writeln!(self.to_engine, "{lines}").expect("written");
    }

    /// The lines up to the first that begins like this, which is the last.
    pub fn until(&mut self, start: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self.from_engine.next().expect("more to read").expect("text");
            let found = line.starts_with(start);
            lines.push(line);
            if found {
                return lines;
            }
        }
    }

    /// Sends, and returns what comes up to the best move.
    pub fn ask(&mut self, lines: &str) -> Vec<String> {
        self.send(lines);
        self.until("bestmove")
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        // A failed test leaves the engine as it is.
        if !std::thread::panicking() {
            self.send("quit");
            let engine = self.engine.take().expect("not yet joined");
            engine.join().expect("no panic").expect("no I/O error");
        }
    }
}

fn stored(folder: &Path) -> Arc<dyn Tables> {
    let make_build = Arc::new(|progress| Build::new().with_progress(progress));
    Arc::new(PlayTables::in_folder(Directory::new(folder), make_build))
}

fn open(places: &Places) -> Result<Arc<dyn Tables>, String> {
    if let Some(folder) = places.syzygy.iter().find(|folder| !folder.is_dir()) {
        return Err(format!("{} is not a folder", folder.display()));
    }
    // Whatever reads Syzygy files is not this crate's: our own tables will do.
    let folder = places.folder.as_ref().or(places.syzygy.first()).ok_or("no folder")?;
    Ok(stored(folder))
}

/// The tables of a folder, which may be changed, and more may be solved.
pub fn setup(folder: &Path) -> Setup {
    Setup {
        tables: Some(stored(folder)),
        places: Places { folder: Some(folder.to_owned()), syzygy: Vec::new() },
        open: Some(Arc::new(open)),
        may_solve: true,
        ..Setup::default()
    }
}

/// A folder with the tables of these materials and all they depend on.
pub fn folder_with(materials: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let tables = stored(folder.path());
    for material in materials {
        let material = material.parse().expect("a material");
        let stop = Arc::new(AtomicBool::new(false));
        tables.make(material, Arc::new(|_| {}), stop).expect("solved");
    }
    folder
}

/// What follows a word in a line.
pub fn after<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    let at = line.find(&format!(" {word} "))?;
    Some(&line[at + word.len() + 2..])
}

/// The number after a word.
pub fn number(line: &str, word: &str) -> Option<i64> {
    after(line, word)?.split_whitespace().next()?.parse().ok()
}
