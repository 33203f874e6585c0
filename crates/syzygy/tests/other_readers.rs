//! Written files, read by python-chess and by Stockfish.
//!
//! Skipped where these are missing; Stockfish is looked for on the path and in
//! `/usr/games`.

mod common;

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Mutex;

use common::{folder, for_each_position, plies, written};
use molien_board::{Material, Position};
use molien_build::Build;
use molien_testing::oracle;
use molien_values::{Category, Table, Value};

/// Some positions of a table, spread over it.
fn some_positions(table: &Table, step: usize, one_in: u64) -> Vec<(Position, Value)> {
    let found = Mutex::new(Vec::new());
    for_each_position(table, step, |position, value| {
        let text = position.to_string();
        let hash = text
            .bytes()
            .fold(7u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        if (hash >> 20).is_multiple_of(one_in) {
            found.lock().unwrap().push((*position, value));
        }
    });
    found.into_inner().unwrap()
}

fn number(category: Category) -> i32 {
    match category {
        Category::Win => 2,
        Category::CursedWin => 1,
        Category::Draw => 0,
        Category::BlessedLoss => -1,
        Category::Loss => -2,
        maybe => panic!("{maybe} is not a class of a table"),
    }
}

fn materials(names: &[&str]) -> Vec<Material> {
    names.iter().map(|name| name.parse().unwrap()).collect()
}

#[test]
fn python_chess_reads_the_same() {
    let Some(oracle) = oracle() else { return };
    let installed = Command::new("python3").args(["-c", "import chess.syzygy"]).output();
    if !installed.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: python-chess is not installed");
        return;
    }
    let folder = folder("python");
    let names = ["KQK", "KRK", "KPK", "KBK", "KNK", "KRKN"];
    let tables = written(&Build::new(), &folder, &materials(&names));
    let mut lines = String::new();
    for table in &tables {
        let (step, one_in) = if table.material.len() < 4 { (1, 40) } else { (97, 20) };
        for (position, value) in some_positions(table, step, one_in) {
            let class = number(Category::of(value));
            lines += &format!("{position};{class};{}\n", plies(value));
        }
    }
    assert!(lines.lines().count() > 1000);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/read_syzygy.py");
    let mut python = Command::new("python3")
        .arg(script)
        .args([&folder, &oracle.join("syzygy/regular")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = python.stdin.take().unwrap();
    let feed = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let output = python.wait_with_output().unwrap();
    feed.join().unwrap().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

/// A running Stockfish.
struct Stockfish {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Stockfish {
    fn start(folders: &[PathBuf]) -> Option<Stockfish> {
        let spawn = |name: &str| {
            Command::new(name).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()
        };
        let mut process = spawn("stockfish").or_else(|| spawn("/usr/games/stockfish"))?;
        let input = process.stdin.take()?;
        let output = BufReader::new(process.stdout.take()?);
        let mut stockfish = Stockfish { process, input, output };
        let path: Vec<String> = folders.iter().map(|f| f.display().to_string()).collect();
        stockfish.say(&format!("setoption name SyzygyPath value {}", path.join(":")));
        Some(stockfish)
    }

    fn say(&mut self, line: &str) {
        writeln!(self.input, "{line}").unwrap();
    }

    /// Look-ups and the score in hundredths of a pawn (mates count as many).
    fn judge(&mut self, position: &Position) -> (u64, i32) {
        self.say(&format!("position fen {position} 0 1"));
        self.say("go depth 1");
        let (mut hits, mut score) = (0, 0);
        let mut line = String::new();
        while !line.starts_with("bestmove") {
            line.clear();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "Stockfish has gone");
            let words: Vec<&str> = line.split_whitespace().collect();
            let after = |word: &str| words.iter().position(|&w| w == word).map(|i| &words[i + 1..]);
            hits = after("tbhits").map_or(hits, |rest| rest[0].parse().unwrap());
            score = after("score").map_or(score, |rest| {
                let number: i32 = rest[1].parse().unwrap();
                if rest[0] == "mate" { 100_000 * number.signum() } else { number }
            });
        }
        (hits, score)
    }
}

impl Drop for Stockfish {
    fn drop(&mut self) {
        let _ = writeln!(self.input, "quit");
        let _ = self.process.wait();
    }
}

/// By default four men; with `MOLIEN_EXHAUSTIVE` five, whose files take minutes
/// to write.
#[test]
fn stockfish_judges_the_same() {
    let Some(oracle) = oracle() else { return };
    let five = std::env::var_os("MOLIEN_EXHAUSTIVE").is_some();
    let folder = folder("stockfish");
    let folders = [folder.clone(), oracle.join("syzygy/regular")];
    if Stockfish::start(&folders).is_none() {
        eprintln!("skipped: Stockfish is not installed");
        return;
    }
    let names: &[&str] = if five { &["KBBKN", "KRBKR", "KBNKN"] } else { &["KRKN"] };
    let tables = written(&Build::new(), &folder, &materials(names));
    let mut stockfish = Stockfish::start(&folders).unwrap();
    let mut judged = [0; 5];
    for table in &tables {
        let (step, one_in) = if five { (997, 400) } else { (61, 150) };
        for (position, value) in some_positions(table, step, one_in) {
            if position.legal_moves().is_empty() {
                continue; // nothing to look up
            }
            let category = Category::of(value);
            let (hits, score) = stockfish.judge(&position);
            let right = match category {
                Category::Win => score > 2000,
                Category::Loss => score < -2000,
                _ => score.abs() < 500,
            };
            assert!(hits > 0 && right, "{position}: {category}, but {score} with {hits} hits");
            judged[(number(category) + 2) as usize] += 1;
        }
    }
    assert!(judged.iter().sum::<usize>() >= 100, "{judged:?}");
    assert!(!five || judged.iter().all(|&count| count > 0), "{judged:?}");
    eprintln!("judged by class, losses first: {judged:?}");
}
